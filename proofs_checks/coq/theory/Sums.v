(** Finite sums  sum n f = f 0 + ... + f (n-1)  over the reals; no theorem page. *)
From Coq Require Import Reals Lra Lia Arith List.
Open Scope R_scope.

Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S m => sum m f + f m end.

Lemma sum_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof.
  induction n as [|n IH]; intros H; simpl; [reflexivity|].
  rewrite IH by (intros; apply H; lia). rewrite H by lia. reflexivity.
Qed.

Lemma sum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n as [|n IH]; intros H; simpl; [lra|].
  apply Rplus_le_compat; [apply IH; intros; apply H; lia | apply H; lia].
Qed.

Lemma sum_lt n f g k :
  (forall i, (i < n)%nat -> f i <= g i) -> (k < n)%nat -> f k < g k -> sum n f < sum n g.
Proof.
  induction n as [|n IH]; intros H Hk Hlt; simpl; [lia|].
  destruct (Nat.eq_dec k n) as [->|Hne].
  - apply Rplus_le_lt_compat; [apply sum_le; intros; apply H; lia | exact Hlt].
  - apply Rplus_lt_le_compat; [apply IH; [intros; apply H; lia | lia | exact Hlt] | apply H; lia].
Qed.

Lemma sum_plus n f g : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n as [|n IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_minus n f g : sum n (fun i => f i - g i) = sum n f - sum n g.
Proof. induction n as [|n IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_scal n c f : sum n (fun i => c * f i) = c * sum n f.
Proof. induction n as [|n IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_scal_r n c f : sum n (fun i => f i * c) = sum n f * c.
Proof. induction n as [|n IH]; simpl; [lra | rewrite IH; lra]. Qed.

Lemma sum_const n c : sum n (fun _ => c) = INR n * c.
Proof.
  induction n as [|n IH]; [simpl; lra |].
  rewrite S_INR. simpl. rewrite IH. lra.
Qed.

Lemma sum_pos n f : (forall i, (i < n)%nat -> 0 < f i) -> (0 < n)%nat -> 0 < sum n f.
Proof.
  intros H Hn. apply Rle_lt_trans with (sum n (fun _ => 0)).
  - rewrite sum_const. lra.
  - apply sum_lt with 0%nat; [intros; left; apply H; lia | lia | apply H; lia].
Qed.

Lemma sum_nonneg n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof.
  intros H. replace 0 with (sum n (fun _ => 0)) by (rewrite sum_const; lra).
  apply sum_le, H.
Qed.

(** If all terms but the k-th are the same, the sum is known. *)
Lemma sum_single n f g k : (k < n)%nat ->
  (forall i, (i < n)%nat -> i <> k -> f i = g i) -> sum n f - sum n g = f k - g k.
Proof.
  induction n as [|n IH]; intros Hk H; [lia|]. simpl.
  destruct (Nat.eq_dec k n) as [->|Hne].
  - rewrite (sum_ext n f g) by (intros; apply H; lia). lra.
  - assert (sum n f - sum n g = f k - g k) by (apply IH; [lia | intros; apply H; lia]).
    rewrite (H n) by lia. lra.
Qed.

Lemma sum_first n f : sum (S n) f = f 0%nat + sum n (fun i => f (S i)).
Proof.
  induction n as [|n IH]; [simpl; lra|].
  change (sum (S (S n)) f) with (sum (S n) f + f (S n)). rewrite IH. simpl. lra.
Qed.

(** Sums over a list: what a generated file can unfold. *)
Fixpoint total_of {A : Type} (f : A -> R) (l : list A) : R :=
  match l with nil => 0 | cons a l => f a + total_of f l end.

Lemma total_of_nth {A : Type} (f : A -> R) (d : A) l :
  sum (length l) (fun i => f (List.nth i l d)) = total_of f l.
Proof.
  induction l as [|a l IH]; [reflexivity|]. simpl length. rewrite sum_first. simpl. rewrite IH. reflexivity.
Qed.

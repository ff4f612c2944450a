(** The certificate theorem of the kind [softmax-drift] (theorem page [softmax-drift]).

    - [certified]: the drift with the Lambert constant, from one list of shares;
    - [certified_sharp]: the same eps with the constant of the tangent plane at a point.

    Both say in lists what Drift.v and SharpDrift.v say with indices, because a generated file can
    unfold a sum over a list. A row is a server with its share, or with its share and its point. *)
From Coq Require Import Reals Lra Lia Arith List.
From Queues Require Import Sums Routing Softmax Drift SharpDrift.
Import ListNotations.
Open Scope R_scope.

(** * From indices to lists *)
Lemma combine_fst {A B : Type} (l : list A) (m : list B) : length m = length l -> map fst (combine l m) = l.
Proof.
  revert m. induction l as [|a l IH]; intros [|b m] E; try reflexivity; try discriminate.
  simpl. rewrite IH by (injection E; auto). reflexivity.
Qed.
Lemma combine_snd {A B : Type} (l : list A) (m : list B) : length m = length l -> map snd (combine l m) = m.
Proof.
  revert m. induction l as [|a l IH]; intros [|b m] E; try reflexivity; try discriminate.
  simpl. rewrite IH by (injection E; auto). reflexivity.
Qed.
Lemma Forall_nth {A : Type} (P : A -> Prop) d l i : Forall P l -> (i < length l)%nat -> P (nth i l d).
Proof. intros H Hi. rewrite Forall_forall in H. apply H, nth_In, Hi. Qed.

Lemma total_of_map {A B : Type} (f : B -> R) (g : A -> B) l : total_of f (map g l) = total_of (fun a => f (g a)) l.
Proof. induction l as [|a l IH]; simpl; [reflexivity | rewrite IH; reflexivity]. Qed.

Lemma proper_positive S : proper S -> (0 < N S)%nat /\ 0 < alpha S /\ 0 < lambda S
  /\ (forall i, (i < N S)%nat -> 0 < mu S i) /\ (forall i, (i < N S)%nat -> 0 < v S i).
Proof.
  intros [[H0 H1] [H2 H3]]. split.
  - unfold N. destruct (servers S) eqn:E; [|simpl; lia]. unfold capacity in H1. rewrite E in H1. simpl in H1. lra.
  - repeat split; try assumption; intros i Hi; apply (Forall_nth _ idle _ i H3 Hi).
Qed.

Section Rows.
Variables (S : system) (rows : list (server * R)).
Hypothesis system_ok : proper S.
Hypothesis rows_ok : map fst rows = servers S.

Definition share (i : nat) : R := snd (nth i rows (idle, 0)).

Lemma rows_length : length rows = N S.
Proof. unfold N. rewrite <- rows_ok, map_length. reflexivity. Qed.

Lemma row_server i : fst (nth i rows (idle, 0)) = nth i (servers S) idle.
Proof. rewrite <- rows_ok. change idle with (fst (idle, 0)) at 2. symmetry. apply map_nth. Qed.

Lemma rows_sum (f : server -> R -> R) :
  sum (N S) (fun i => f (nth i (servers S) idle) (share i)) = total_of (fun r => f (fst r) (snd r)) rows.
Proof.
  rewrite <- rows_length, <- (total_of_nth _ (idle, 0)). apply sum_ext. intros i _.
  rewrite row_server. reflexivity.
Qed.

Lemma rows_all (P : server -> R -> Prop) : Forall (fun r => P (fst r) (snd r)) rows ->
  forall i, (i < N S)%nat -> P (nth i (servers S) idle) (share i).
Proof.
  intros H i Hi. rewrite <- rows_length in Hi. rewrite <- row_server.
  exact (Forall_nth _ (idle, 0) _ i H Hi).
Qed.
End Rows.

(** * The certificate theorems *)
(** What the shares must satisfy. *)
Definition feasible (S : system) (eps : R) (rows : list (server * R)) : Prop :=
  map fst rows = servers S /\ Forall (fun r => 0 <= snd r) rows /\ total_of snd rows = lambda S
  /\ Forall (fun r => eps <= (rate (fst r) - snd r) * per_job (fst r)) rows.

(** The constant without its term lambda max_i (v_i/2 - kappa_i). *)
Definition base (S : system) (k : R) (rows : list (server * R)) : R :=
  lambda S * (k / alpha S)
  + total_of (fun r => snd r * at_empty (fst r) + / 2 * (rate (fst r) * per_job (fst r))) rows.

(** Some row attains the largest f. *)
Lemma argmax {A : Type} (f : A -> R) l : l <> [] -> exists m, In m l /\ forall a, In a l -> f a <= f m.
Proof.
  induction l as [|a [|b l] IH]; intros H; [contradiction| |].
  - exists a. split; [left; reflexivity|]. intros x [<-|[]]. lra.
  - destruct IH as [m [Hm Hmax]]; [discriminate|].
    destruct (Rle_dec (f a) (f m)) as [C|C].
    + exists m. split; [right; exact Hm|]. intros x [<-|Hx]; [exact C | apply Hmax, Hx].
    + exists a. split; [left; reflexivity|]. intros x [<-|Hx]; [lra | generalize (Hmax x Hx); lra].
Qed.

Theorem certified S eps R0 bound k rows :
  proper S -> feasible S eps rows -> 0 < eps -> R0 <= eps * bound ->
  0 <= k -> INR (N S) - 1 <= k * exp (1 + k) ->
  Forall (fun r => base S k rows + lambda S * (per_job (fst r) / 2 - at_empty (fst r)) <= R0) rows ->
  drift_claim S eps R0 bound.
Proof.
  intros Hp [F1 [F2 [F3 F4]]] He Hb K0 K1 Htop.
  split; [exact Hp|]. split; [exact He|]. split; [|exact Hb].
  destruct (proper_positive S Hp) as [n0 [a0 [l0 [m0 v0]]]].
  destruct (argmax (fun r => per_job (fst r) / 2 - at_empty (fst r)) rows) as [m [Hm Hmax]].
  { intros E. assert (L := rows_length S rows F1). rewrite E in L. simpl in L. lia. }
  rewrite Forall_forall in Htop. assert (T := Htop m Hm).
  apply (drift_weaken S eps (lambda S * (k / alpha S) + sum (N S) (fun i => share rows i * kappa S i)
    + lambda S * (per_job (fst m) / 2 - at_empty (fst m)) + / 2 * sum (N S) (fun i => mu S i * v S i))).
  - apply Rle_refl.
  - apply Rle_trans with (2 := T). apply Req_le. unfold base.
    rewrite <- (rows_sum S rows F1 (fun s c => c * at_empty s + / 2 * (rate s * per_job s))).
    rewrite sum_plus, sum_scal. unfold kappa, mu, v. ring.
  - apply drift_by_shares; try assumption.
    + apply (rows_all S rows F1 (fun _ c => 0 <= c) F2).
    + rewrite <- F3. exact (rows_sum S rows F1 (fun _ c => c)).
    + apply (rows_all S rows F1 (fun s c => eps <= (rate s - c) * per_job s) F4).
    + apply (rows_all S rows F1 (fun s _ => per_job s / 2 - at_empty s <= per_job (fst m) / 2 - at_empty (fst m))).
      apply Forall_forall. intros r Hr. apply Hmax, Hr.
Qed.

(** The tangent plane's constant without its term max_i f_i'(p_i). *)
Definition sharp_base (S : system) (points : list (server * R * R)) : R :=
  total_of (fun r => let '(s, c, p) := r in / 2 * (rate s * per_job s)
    + (profile (lambda S) (alpha S) s c p - profile_slope (lambda S) (alpha S) s c p * p)) points.

Theorem certified_sharp S eps R1 rows points :
  proper S -> feasible S eps rows -> map fst points = rows ->
  Forall (fun r => 0 < snd r) points ->
  Forall (fun r => sharp_base S points
    + profile_slope (lambda S) (alpha S) (fst (fst r)) (snd (fst r)) (snd r) <= R1) points ->
  drift S eps R1.
Proof.
  intros Hp [F1 [F2 [F3 F4]]] E P0 Htop.
  destruct (proper_positive S Hp) as [n0 [a0 [l0 [m0 v0]]]].
  set (d := ((idle, 0), 1)). set (p := fun i => snd (nth i points d)).
  assert (Lp : length points = N S).
  { rewrite <- (rows_length S rows F1), <- E, map_length. reflexivity. }
  assert (Er : forall i, nth i rows (idle, 0) = fst (nth i points d)).
  { intros i. rewrite <- E. change (idle, 0) with (fst d). apply map_nth. }
  assert (Es : forall i, nth i (servers S) idle = fst (fst (nth i points d))).
  { intros i. rewrite <- Er, <- (row_server S rows F1). reflexivity. }
  assert (Ec : forall i, share rows i = snd (fst (nth i points d))).
  { intros i. unfold share. rewrite Er. reflexivity. }
  destruct (argmax (fun r => let '(s, c, p) := r in profile_slope (lambda S) (alpha S) s c p) points)
    as [m [Hm Hmax]].
  { intros C. rewrite C in Lp. simpl in Lp. lia. }
  rewrite Forall_forall in Htop. assert (T := Htop m Hm). destruct m as [[ms mc] mp].
  apply (drift_weaken S eps (/ 2 * sum (N S) (fun i => mu S i * v S i)
    + sum (N S) (fun i => profile (lambda S) (alpha S) (nth i (servers S) idle) (share rows i) (p i)
        - profile_slope (lambda S) (alpha S) (nth i (servers S) idle) (share rows i) (p i) * p i)
    + profile_slope (lambda S) (alpha S) ms mc mp)).
  - apply Rle_refl.
  - apply Rle_trans with (2 := T). apply Req_le. f_equal. unfold sharp_base.
    rewrite <- (total_of_nth _ d), Lp, <- sum_scal, <- sum_plus. apply sum_ext. intros i _.
    unfold mu, v. rewrite Es, Ec. unfold p. destruct (nth i points d) as [[s c] q]. reflexivity.
  - apply drift_by_tangent; try assumption; [lra | | | | |].
    + apply (rows_all S rows F1 (fun _ c => 0 <= c) F2).
    + rewrite <- F3. exact (rows_sum S rows F1 (fun _ c => c)).
    + apply (rows_all S rows F1 (fun s c => eps <= (rate s - c) * per_job s) F4).
    + intros i Hi. rewrite <- Lp in Hi. apply (Forall_nth _ d _ i P0 Hi).
    + intros i Hi. rewrite <- Lp in Hi. rewrite Es, Ec. unfold p.
      assert (Hin := nth_In points d Hi). specialize (Hmax _ Hin).
      destruct (nth i points d) as [[s c] q]. exact Hmax.
Qed.

(** The common part enclosed once instead of once per row. *)
Lemma rows_below {A : Type} b (f : A -> R) R0 l :
  (exists u, b <= u /\ Forall (fun r => u + f r <= R0) l) -> Forall (fun r => b + f r <= R0) l.
Proof.
  intros [u [Hu H]]. apply Forall_forall. intros r Hr. rewrite Forall_forall in H.
  generalize (H r Hr). lra.
Qed.

(** The certificate theorem of the kind [softmax-drift] (theorem page [softmax-drift]).

    - [certified]: the drift with the Lambert constant, from one list of shares (part a);
    - [certified_sharp]: the same eps with the constant of the tangent plane at a point (part b);
    - [attained_value]: the generator at one state, so that the constant cannot be lower (part d).

    They say in lists what Drift.v and SharpDrift.v say with indices, because a generated file can
    unfold a sum over a list. A row is a server with its share, its share and its point, or its
    queue. *)
From Coq Require Import Reals Lra Lia Arith ZArith List.
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

(** * The constants *)
(** What the shares must satisfy. *)
Definition feasible (S : system) (eps : R) (rows : list (server * R)) : Prop :=
  map fst rows = servers S /\ Forall (fun r => 0 <= snd r) rows /\ total_of snd rows = lambda S
  /\ Forall (fun r => eps <= (rate (fst r) - snd r) * per_job (fst r)) rows.

(** max(0, x), in a form that interval arithmetic can evaluate. *)
Definition positive_part (x : R) : R := (x + Rabs x) / 2.
Lemma positive_part_max x : Rmax 0 x = positive_part x.
Proof.
  unfold positive_part. destruct (Rle_dec 0 x) as [H|H].
  - rewrite Rmax_right, Rabs_pos_eq by exact H. field.
  - rewrite Rmax_left, Rabs_left by lra. field.
Qed.
Definition row_service (eps : R) (s : server) (c : R) : R :=
  positive_part ((c - rate s / 2) * per_job s + eps).

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

(** The constant without its term lambda max_i (v_i/2 - kappa_i). *)
Definition base (S : system) (eps k : R) (rows : list (server * R)) : R :=
  lambda S * (k / alpha S)
  + total_of (fun r => snd r * at_empty (fst r) + row_service eps (fst r) (snd r)) rows.

Theorem certified S eps R0 k rows :
  proper S -> feasible S eps rows -> 0 <= k -> INR (N S) - 1 <= k * exp (1 + k) ->
  Forall (fun r => base S eps k rows + lambda S * (per_job (fst r) / 2 - at_empty (fst r)) <= R0) rows ->
  drift S eps R0.
Proof.
  intros Hp [F1 [F2 [F3 F4]]] K0 K1 Htop.
  destruct (proper_positive S Hp) as [n0 [a0 [l0 [m0 v0]]]].
  destruct (argmax (fun r => per_job (fst r) / 2 - at_empty (fst r)) rows) as [m [Hm Hmax]].
  { intros E. assert (L := rows_length S rows F1). rewrite E in L. simpl in L. lia. }
  rewrite Forall_forall in Htop. assert (T := Htop m Hm).
  apply (drift_weaken S eps (lambda S * (k / alpha S) + sum (N S) (fun i => share rows i * kappa S i)
    + lambda S * (per_job (fst m) / 2 - at_empty (fst m)) + sum (N S) (service S eps (share rows)))).
  - apply Rle_refl.
  - apply Rle_trans with (2 := T). apply Req_le. unfold base.
    rewrite <- (rows_sum S rows F1 (fun s c => c * at_empty s + row_service eps s c)), sum_plus.
    rewrite (sum_ext _ (service S eps (share rows))
      (fun i => row_service eps (nth i (servers S) idle) (share rows i)))
      by (intros i _; apply positive_part_max).
    unfold kappa. ring.
  - apply drift_by_shares; try assumption.
    + apply (rows_all S rows F1 (fun _ c => 0 <= c) F2).
    + rewrite <- F3. exact (rows_sum S rows F1 (fun _ c => c)).
    + apply (rows_all S rows F1 (fun s c => eps <= (rate s - c) * per_job s) F4).
    + apply (rows_all S rows F1 (fun s _ => per_job s / 2 - at_empty s <= per_job (fst m) / 2 - at_empty (fst m))).
      apply Forall_forall. intros r Hr. apply Hmax, Hr.
Qed.

(** The tangent plane's constant without its term max_i f_i'(p_i). *)
Definition sharp_base (S : system) (eps : R) (points : list (server * R * R)) : R :=
  total_of (fun r => let '(s, c, p) := r in row_service eps s c
    + (profile (lambda S) (alpha S) s c p - profile_slope (lambda S) (alpha S) s c p * p)) points.

Theorem certified_sharp S eps R1 rows points :
  proper S -> feasible S eps rows -> map fst points = rows ->
  Forall (fun r => 0 < snd r) points ->
  Forall (fun r => sharp_base S eps points
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
  apply (drift_weaken S eps (sum (N S) (service S eps (share rows))
    + sum (N S) (fun i => profile (lambda S) (alpha S) (nth i (servers S) idle) (share rows i) (p i)
        - profile_slope (lambda S) (alpha S) (nth i (servers S) idle) (share rows i) (p i) * p i)
    + profile_slope (lambda S) (alpha S) ms mc mp)).
  - apply Rle_refl.
  - apply Rle_trans with (2 := T). apply Req_le. f_equal. unfold sharp_base.
    rewrite <- (total_of_nth _ d), Lp, <- sum_plus. apply sum_ext. intros i _.
    unfold service. rewrite positive_part_max. unfold mu, v. rewrite Es, Ec. unfold p.
    destruct (nth i points d) as [[s c] q]. reflexivity.
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

(** (mu - c) mu^-beta >= eps for beta = p/q, from integers' powers alone: for an eps so exact that
    both sides are equal. *)
Lemma slack_by_powers m c eps p q : 0 < m -> 0 < eps -> 0 < (m - c) / eps -> (0 < q)%nat ->
  m ^ p <= ((m - c) / eps) ^ q -> eps <= (m - c) * / Rpower m (INR p / INR q).
Proof.
  intros Hm He Hx Hq H. set (x := (m - c) / eps) in *.
  assert (Q0 : 0 < INR q) by (apply lt_0_INR, Hq).
  assert (B : Rpower m (INR p / INR q) <= x).
  { replace x with (Rpower (x ^ q) (/ INR q)).
    - unfold Rdiv. rewrite <- Rpower_mult, Rpower_pow by exact Hm.
      apply Rle_Rpower_l; [left; apply Rinv_0_lt_compat, Q0|]. split; [apply pow_lt, Hm | exact H].
    - rewrite <- Rpower_pow by exact Hx. rewrite Rpower_mult.
      replace (INR q * / INR q) with 1 by (field; lra). apply Rpower_1, Hx. }
  assert (P : 0 < Rpower m (INR p / INR q)) by apply exp_pos.
  apply Rmult_le_reg_r with (Rpower m (INR p / INR q)); [exact P|].
  rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  replace (m - c) with (eps * x) by (unfold x; field; lra).
  apply Rmult_le_compat_l; lra.
Qed.

(** * The generator at one state *)
Definition queue_weight (a : R) (r : server * Z) : R :=
  exp (- a * (per_job (fst r) * IZR (snd r) + at_empty (fst r))).
Definition value_there (S : system) (eps : R) (rows : list (server * Z)) : R :=
  lambda S * (total_of (fun r => queue_weight (alpha S) r
      * (per_job (fst r) * IZR (snd r) + per_job (fst r) / 2)) rows
    / total_of (queue_weight (alpha S)) rows)
  + total_of (fun r => (if (snd r =? 0)%Z then 0
      else rate (fst r) * (per_job (fst r) / 2 - per_job (fst r) * IZR (snd r)))
      + eps * IZR (snd r)) rows.

Theorem attained_value S eps value rows :
  (0 < N S)%nat -> map fst rows = servers S -> Forall (fun r => (0 <= snd r)%Z) rows ->
  value <= value_there S eps rows -> attained S eps (map snd rows) value.
Proof.
  intros n0 E H0 Hv. assert (Len : length rows = N S) by (unfold N; rewrite <- E, map_length; reflexivity).
  split; [rewrite map_length; exact Len|].
  split; [apply Forall_forall; intros z Hz; apply in_map_iff in Hz; destruct Hz as [r [<- Hr]];
          rewrite Forall_forall in H0; apply H0, Hr|].
  apply Rle_trans with (1 := Hv), Req_le.
  set (Q := state_at (map snd rows)). set (d := (idle, 0%Z)).
  assert (Es : forall i, nth i (servers S) idle = fst (nth i rows d)).
  { intros i. rewrite <- E. change idle with (fst d). apply map_nth. }
  assert (Eq : forall i, (i < N S)%nat -> INR (Q i) = IZR (snd (nth i rows d))).
  { intros i Hi. unfold Q, state_at. change 0%Z with (snd d). rewrite map_nth, INR_IZR_INZ, Z2Nat.id; [reflexivity|].
    rewrite <- Len in Hi. apply (Forall_nth _ d _ i H0 Hi). }
  assert (Ew : forall i, (i < N S)%nat -> weight (alpha S) (energy S Q) i = queue_weight (alpha S) (nth i rows d)).
  { intros i Hi. unfold weight, queue_weight, energy, v, kappa. rewrite Es, (Eq i Hi). reflexivity. }
  assert (W : total (N S) (alpha S) (energy S Q) = total_of (queue_weight (alpha S)) rows).
  { unfold total. rewrite <- (total_of_nth _ d), Len. apply sum_ext, Ew. }
  assert (W0 := total_pos (N S) (alpha S) (energy S Q) n0).
  unfold value_there, generator.
  assert (A : sum (N S) (fun i => route S Q i * (V S (up Q i) - V S Q))
    = total_of (fun r => queue_weight (alpha S) r * (per_job (fst r) * IZR (snd r) + per_job (fst r) / 2)) rows
      / total_of (queue_weight (alpha S)) rows).
  { rewrite <- W, <- (total_of_nth _ d), Len.
    match goal with |- _ = ?x / ?y => change (x / y) with (x * / y) end.
    rewrite <- sum_scal_r. apply sum_ext.
    intros i Hi. rewrite V_up by exact Hi. unfold route, softmax, v. rewrite (Ew i Hi), Es, (Eq i Hi).
    field. lra. }
  assert (D : sum (N S) (fun i => if Nat.eq_dec (Q i) 0 then 0 else mu S i * (V S (down Q i) - V S Q)) + eps * jobs S Q
    = total_of (fun r => (if (snd r =? 0)%Z then 0
        else rate (fst r) * (per_job (fst r) / 2 - per_job (fst r) * IZR (snd r))) + eps * IZR (snd r)) rows).
  { unfold jobs. rewrite <- (total_of_nth _ d), Len, <- sum_scal, <- sum_plus. apply sum_ext. intros i Hi.
    rewrite <- (Eq i Hi). f_equal. destruct (Nat.eq_dec (Q i) 0) as [Z|Z].
    - assert (X := Eq i Hi). rewrite Z in X. change (INR 0) with (IZR 0) in X. apply eq_IZR in X. rewrite <- X. reflexivity.
    - rewrite V_down by assumption. unfold mu, v. rewrite Es.
      destruct (Z.eqb_spec (snd (nth i rows d)) 0) as [C|_].
      + assert (X := Eq i Hi). rewrite C in X. change (IZR 0) with (INR 0) in X. apply INR_eq in X. contradiction.
      + ring. }
  rewrite A. generalize D. lra.
Qed.

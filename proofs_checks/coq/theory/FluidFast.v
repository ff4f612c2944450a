(** A faster checker for laws with many atoms, proved to imply the plain one (no theorem page: it
    changes what the kernel computes, not what is proved).

    At a sector's edges the cutoffs h = delta/g are atoms of the law, so comparing sizes with them
    costs almost nothing, whereas the plain checker compares every atom with the sector's long
    fractions. *)
From Coq Require Import Reals Lra Lia QArith Qreals Qabs Bool.
From Coquelicot Require Import Coquelicot.
From Coq Require Import List.
From Queues Require Import FluidModel RightDerivative FluidSectors FluidLowerBound FluidOptimal.
Import ListNotations.
Open Scope Q_scope.
Definition below (h0 h1 : Q) (a : atom) : bool := Qle_bool (size a) h0 && Qle_bool (size a) h1.
Definition balanced (rho : Q) (s : sector) (g z w p : Q) : bool :=
  Qeq_bool ((1 - rho) * slope_x s z + rho * (g * (1 - 2 * w) - z * (1 - 2 * p))) rho.
Definition fast_sector (law : list atom) (rho : Q) (s : sector) : bool :=
  let g0 := Qred (- slope_d s (from s)) in let g1 := Qred (- slope_d s (to s)) in
  if qlt 0 g0 && qlt 0 g1 then
    let h0 := Qred (from s / g0) in let h1 := Qred (to s / g1) in
    let w := total (fun a => mass a * (if below h0 h1 a then size a else 0)) law in
    let p := total (fun a => mass a * (if below h0 h1 a then 1 else 0)) law in
    qlt (from s) (to s)
    && forallb (fun a => below h0 h1 a || (Qle_bool h0 (size a) && Qle_bool h1 (size a))) law
    && balanced rho s g0 (from s) w p && balanced rho s g1 (to s) w p
    && Qle_bool 0 (from s) && Qle_bool (to s) 1
    && qlt 0 (rho * (1 - 2 * w) + (1 - rho) * from s)
  else check_sector law rho s && check_drive law rho s.
Definition fast_claim (law : list atom) (rho : Q) (l : list sector) (values : list (Q * Q)) : bool :=
  check_law law rho && forallb (fast_sector law rho) l && check_edges l && check_ends l
  && match l with [] => false | s :: _ => check_exit law rho (last l s) end
  && forallb (fun zv => Qle_bool 0 (fst zv) && Qle_bool (fst zv) 1 && Qeq_bool (eval l 1 (fst zv)) (snd zv)) values.
Close Scope Q_scope.
Open Scope R_scope.

Lemma le_iff a b : Qle_bool a b = true <-> Q2R a <= Q2R b.
Proof. rewrite Qle_bool_iff. split; [apply Qle_Rle | apply Rle_Qle]. Qed.
Lemma eq_iff a b : Qeq_bool a b = true <-> Q2R a = Q2R b.
Proof. rewrite Qeq_bool_iff. split; [apply Qeq_eqR | apply eqR_Qeq]. Qed.
Lemma lt_iff a b : qlt a b = true <-> Q2R a < Q2R b.
Proof.
  split; [apply qlt_R|]. intros H. unfold qlt. destruct (Qle_bool b a) eqn:C; [|reflexivity].
  apply le_iff in C. lra.
Qed.
Lemma quot_R a b : 0 < Q2R b -> Q2R (Qred (a / b)) = Q2R a / Q2R b.
Proof.
  intros H. rewrite qred_R. apply Q2R_div. intros E. apply Qeq_eqR in E. rewrite q0 in E. lra.
Qed.

Lemma cutoff_le s z a g : g = - form_d s 1 (Q2R z) -> 0 < g -> Q2R (size a) <= Q2R z / g <-> Q2R (margin s z a) <= 0.
Proof.
  intros E Hg. rewrite margin_R, <- E.
  assert (K : Q2R z / g * g = Q2R z) by (field; lra). split; intros H.
  - apply (Rmult_le_compat_r g) in H; [|lra]. lra.
  - apply Rmult_le_reg_r with g; lra.
Qed.
Lemma cutoff_ge s z a g : g = - form_d s 1 (Q2R z) -> 0 < g -> Q2R z / g <= Q2R (size a) -> 0 <= Q2R (margin s z a).
Proof.
  intros E Hg H. rewrite margin_R, <- E.
  assert (K : Q2R z / g * g = Q2R z) by (field; lra).
  apply (Rmult_le_compat_r g) in H; lra.
Qed.

Theorem fast_sector_sound law rho s : check_law law rho = true -> fast_sector law rho s = true ->
  check_sector law rho s = true /\ check_drive law rho s = true.
Proof.
  intros Hlaw. unfold fast_sector. cbv zeta.
  set (g0 := Qred (- slope_d s (from s))). set (g1 := Qred (- slope_d s (to s))).
  destruct (qlt 0 g0 && qlt 0 g1) eqn:G; [|rewrite andb_true_iff; tauto].
  rewrite andb_true_iff, !lt_iff, q0 in G. destruct G as [G0 G1].
  assert (E0 : Q2R g0 = - form_d s 1 (Q2R (from s))) by (unfold g0; rewrite qred_R, Q2R_opp, slope_d_R; reflexivity).
  assert (E1 : Q2R g1 = - form_d s 1 (Q2R (to s))) by (unfold g1; rewrite qred_R, Q2R_opp, slope_d_R; reflexivity).
  set (h0 := Qred (from s / g0)). set (h1 := Qred (to s / g1)).
  assert (H0 : Q2R h0 = Q2R (from s) / Q2R g0) by (apply quot_R, G0).
  assert (H1 : Q2R h1 = Q2R (to s) / Q2R g1) by (apply quot_R, G1).
  unfold check_law in Hlaw. rewrite !andb_true_iff in Hlaw. destruct Hlaw as [[_ L4] L5].
  apply qeq_R in L4. apply qeq_R in L5. rewrite q1 in L4, L5. rewrite total_R in L5.
  assert (L4' : mean (fun _ => 1) law = 1).
  { transitivity (Q2R (total mass law)); [clear | exact L4]. induction law as [|a l IH]; [symmetry; apply q0|].
    change (total mass (a :: l)) with (Qred (mass a + total mass l)). rewrite qred_R, Q2R_plus, <- IH. simpl. ring. }
  (* the cheap test is the sector's own split *)
  assert (Hpi : forall a, sector_pi s a = if below h0 h1 a then 1%Q else 0%Q).
  { intros a. unfold sector_pi, below.
    replace (Qle_bool (margin s (from s) a) 0) with (Qle_bool (size a) h0).
    - replace (Qle_bool (margin s (to s) a) 0) with (Qle_bool (size a) h1); [reflexivity|].
      apply eq_iff_eq_true. rewrite !le_iff, q0, H1, E1. apply cutoff_le; [reflexivity | lra].
    - apply eq_iff_eq_true. rewrite !le_iff, q0, H0, E0. apply cutoff_le; [reflexivity | lra]. }
  set (pi := fun a => Q2R (sector_pi s a)).
  set (w := total (fun a => mass a * (if below h0 h1 a then size a else 0))%Q law).
  set (p := total (fun a => mass a * (if below h0 h1 a then 1 else 0))%Q law).
  assert (Ew : Q2R w = work_share law pi).
  { unfold w, work_share, pi. rewrite total_R. apply mean_ext. intros a _. rewrite Hpi.
    destruct (below h0 h1 a); rewrite ?q0, ?q1; ring. }
  assert (Ep : Q2R p = job_share law pi).
  { unfold p, job_share, pi. rewrite total_R. apply mean_ext. intros a _. rewrite Hpi. reflexivity. }
  rewrite !andb_true_iff. intros [[[[[[Hw Hcut] B0] B1] F0] T1] D].
  assert (Hsign : forall a, In a law -> one_sign (margin s (from s) a) (margin s (to s) a) = true).
  { intros a Ha. rewrite forallb_forall in Hcut. specialize (Hcut a Ha). unfold one_sign.
    apply orb_true_iff. rewrite orb_true_iff in Hcut. destruct Hcut as [C|C].
    - right. unfold below in C. rewrite andb_true_iff, !le_iff in C. destruct C as [C0 C1].
      rewrite andb_true_iff, !le_iff, q0. rewrite H0, E0 in C0. rewrite H1, E1 in C1.
      split; [apply (proj1 (cutoff_le s (from s) a _ eq_refl ltac:(lra)) C0)
             | apply (proj1 (cutoff_le s (to s) a _ eq_refl ltac:(lra)) C1)].
    - left. rewrite andb_true_iff, !le_iff in C. destruct C as [C0 C1].
      rewrite andb_true_iff, !le_iff, q0. rewrite H0, E0 in C0. rewrite H1, E1 in C1.
      split; [apply (cutoff_ge s (from s) a _ eq_refl ltac:(lra) C0)
             | apply (cutoff_ge s (to s) a _ eq_refl ltac:(lra) C1)]. }
  assert (Habs : forall z, z = from s \/ z = to s -> forall a, In a law ->
    Rabs (Q2R (margin s z a)) = (1 - 2 * pi a) * Q2R (margin s z a)).
  { intros z Hz a Ha. specialize (Hsign a Ha). unfold one_sign in Hsign. unfold pi, sector_pi.
    destruct (Qle_bool (margin s (from s) a) 0 && Qle_bool (margin s (to s) a) 0) eqn:C.
    - rewrite andb_true_iff, !le_iff, q0 in C. destruct C as [C0 C1]. rewrite q1. destruct Hz as [-> | ->]; rewrite Rabs_left1 by lra; ring.
    - rewrite orb_false_r, andb_true_iff, !le_iff, q0 in Hsign. destruct Hsign as [C0 C1]. rewrite q0.
      destruct Hz as [-> | ->]; rewrite Rabs_pos_eq by lra; ring. }
  assert (HJ : forall z g, z = from s \/ z = to s -> Q2R g = - form_d s 1 (Q2R z) ->
    balanced rho s g z w p = true -> hj law rho s z = true).
  { intros z g Hz Eg B. unfold balanced in B. unfold hj. apply eq_iff in B. apply eq_iff. rewrite <- B.
    autorewrite with q2r. rewrite total_R, Ew, Ep, Eg. do 2 f_equal.
    rewrite (mean_ext _ (fun a => (1 - 2 * pi a) * (Q2R (size a) * - form_d s 1 (Q2R z) - Q2R z))).
    - apply mean_split; assumption.
    - intros a Ha. rewrite qabs_R, Habs, margin_R by assumption. reflexivity. }
  split.
  - unfold check_sector. rewrite !andb_true_iff. repeat split; [exact Hw | | eapply HJ; eauto | eapply HJ; eauto].
    apply forallb_forall. exact Hsign.
  - unfold check_drive. rewrite !andb_true_iff. repeat split; [exact F0 | exact T1|].
    apply lt_iff. apply lt_iff in D. autorewrite with q2r in *. rewrite share_R. rewrite Ew in D. exact D.
Qed.

Lemma fast_optimal law rho l values : fast_claim law rho l values = true -> check_optimal law rho l = true.
Proof.
  unfold fast_claim. rewrite !andb_true_iff. intros [[[[[H1 H2] H3] H4] H5] H6].
  unfold check_optimal, check. rewrite forallb_forall in H2.
  rewrite !andb_true_iff. repeat split; try assumption;
    apply forallb_forall; intros s Hs; apply fast_sector_sound; auto.
Qed.

Theorem fast_claim_sound law rho l values : fast_claim law rho l values = true ->
  forall z v, In (z, v) values -> least_cost law (Q2R rho) ((1 - Q2R z) / 2) ((1 + Q2R z) / 2) (Q2R v).
Proof.
  intros H. apply (claim_sound law rho l values). unfold check_claim.
  rewrite (fast_optimal _ _ _ _ H). unfold fast_claim in H. rewrite !andb_true_iff in H. apply H.
Qed.

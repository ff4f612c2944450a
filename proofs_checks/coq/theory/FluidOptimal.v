(** The checked value is attained: with two more rational conditions it is the optimal cost.
    Formalises the attainment part (conditions 3, 6 and 7) of the theorem page [fluid-value].

    - [optimal]: if [check_optimal] answers true, the value is the cost of some admissible path to
      the empty system and no admissible path costs less, from every pair of workloads.

    The optimal path is built leg by leg: inside a sector the split is constant, so a leg is a
    straight line to the sector's upper edge; with the short queue empty the last leg runs along
    the axis to zero. *)
From Coq Require Import Reals Lra Lia QArith Qreals Qabs Bool.
From Coquelicot Require Import Coquelicot.
From Coq Require Import List.
From Queues Require Import FluidModel RightDerivative FluidSectors FluidLowerBound.
Import ListNotations.
(** * The controls and their checks *)
Open Scope Q_scope.
(** Inside a sector: size a to the short queue iff its margin is not positive. *)
Definition sector_pi (s : sector) (a : atom) : Q :=
  if Qle_bool (margin s (from s) a) 0 && Qle_bool (margin s (to s) a) 0 then 1 else 0.
(** With the short queue empty the atom at the cutoff is split so that queue is kept busy. *)
Definition tie (s : sector) (a : atom) : bool := Qeq_bool (margin s 1 a) 0.
Definition exit_share (law : list atom) (rho : Q) (s : sector) : Q :=
  let below := total (fun a => mass a * (if Qle_bool 0 (margin s 1 a) then 0 else size a)) law in
  let at_cut := total (fun a => mass a * (if tie s a then size a else 0)) law in
  if Qle_bool (2 * rho * (below + at_cut)) 1 then 1 else Qred ((1 / (2 * rho) - below) / at_cut).
Definition exit_pi (share : Q) (s : sector) (a : atom) : Q :=
  if tie s a then share else if Qle_bool (margin s 1 a) 0 then 1 else 0.
Definition work_share_Q (law : list atom) (pi : atom -> Q) : Q := total (fun a => mass a * (pi a * size a)) law.

Definition check_drive (law : list atom) (rho : Q) (s : sector) : bool :=
  Qle_bool 0 (from s) && Qle_bool (to s) 1
  && qlt 0 (rho * (1 - 2 * work_share_Q law (sector_pi s)) + (1 - rho) * from s).
Definition check_exit (law : list atom) (rho : Q) (s : sector) : bool :=
  let share := exit_share law rho s in
  let w := work_share_Q law (exit_pi share s) in
  Qle_bool 0 share && Qle_bool share 1 && Qle_bool (2 * rho * w) 1 && qlt (2 * rho * (1 - w)) 1
  && (Qeq_bool (2 * rho * w) 1 || Qeq_bool (slope_d s 1) (slope_x s 1)).
Definition check_optimal (law : list atom) (rho : Q) (l : list sector) : bool :=
  check law rho l && forallb (check_drive law rho) l
  && match l with [] => false | s :: _ => check_exit law rho (last l s) end.
Close Scope Q_scope.
Open Scope R_scope.

(** * Building paths *)
Lemma rderiv_of_is_derive f t l : is_derive f t l -> rderiv f t l.
Proof.
  intros H. apply is_derive_Reals in H. intros eps He.
  destruct (H eps He) as [d Hd]. exists d. split; [apply cond_pos|]. intros h Hh.
  assert (K := Hd h ltac:(lra) ltac:(rewrite Rabs_pos_eq by lra; lra)).
  replace (f (t + h) - f t - l * h) with (((f (t + h) - f t) / h - l) * h) by (field; lra).
  rewrite Rabs_mult, (Rabs_pos_eq h) by lra. apply Rmult_le_compat_r; lra.
Qed.

Lemma poly_cont (f : R -> R) t : (exists l, is_derive f t l) -> continuity_pt f t.
Proof. intros [l H]. apply derivable_continuous_pt. exists l. apply is_derive_Reals, H. Qed.

Section Leg.
Variables (law : list atom) (rho : R) (s : sector) (pi : atom -> R) (y x0 d0 T : R).
Let W := work_share law pi.
Let P := job_share law pi.
Let dx := rho - 1 + y.
Let dd := rho * (1 - 2 * W) - y.
Let x t := x0 + dx * t.
Let d t := d0 + dd * t.
Hypothesis pi_ok : forall a, In a law -> 0 <= pi a <= 1.
Hypothesis y_ok : 0 <= y.
Hypothesis cone : forall t, 0 <= t <= T -> 0 <= d t <= x t.
Hypothesis idle : forall t, 0 <= t < T -> 0 < y -> d t = x t.
Hypothesis pays : forall t, 0 <= t < T ->
  form_x s (x t) (d t) * dx + form_d s (x t) (d t) * dd + rho * (x t + d t * (1 - 2 * P)) = 0.

Lemma leg : admissible law rho T (fun t => (x t - d t) / 2) (fun t => (x t + d t) / 2)
  (fun t => form s x0 d0 - form s (x t) (d t)).
Proof.
  assert (Dc : forall t, is_derive (fun t => form s x0 d0 - form s (x t) (d t)) t
                 (- (form_x s (x t) (d t) * dx + form_d s (x t) (d t) * dd))).
  { intros t. unfold form, form_x, form_d, x, d. auto_derive; [exact I | ring]. }
  assert (D1 : forall t, is_derive (fun t => (x t - d t) / 2) t ((dx - dd) / 2)).
  { intros t. unfold x, d. auto_derive; [exact I | field]. }
  assert (D2 : forall t, is_derive (fun t => (x t + d t) / 2) t ((dx + dd) / 2)).
  { intros t. unfold x, d. auto_derive; [exact I | field]. }
  constructor.
  - intros t _. repeat split; apply poly_cont; eexists; eauto.
  - intros t Ht. generalize (cone t Ht). lra.
  - unfold x, d. rewrite !Rmult_0_r, !Rplus_0_r. ring.
  - intros t Ht. exists pi, y, 0. fold W P.
    split; [exact pi_ok|]. split; [exact y_ok|]. split; [lra|].
    split; [intros Hy; generalize (idle t Ht Hy); lra|]. split; [lra|].
    split; [|split].
    + replace (rho * W - / 2 + y) with ((dx - dd) / 2) by (unfold dx, dd; field). apply rderiv_of_is_derive, D1.
    + replace (rho * (1 - W) - / 2 + 0) with ((dx + dd) / 2) by (unfold dx, dd; field). apply rderiv_of_is_derive, D2.
    + replace (2 * rho * (P * ((x t - d t) / 2) + (1 - P) * ((x t + d t) / 2)))
        with (- (form_x s (x t) (d t) * dx + form_d s (x t) (d t) * dd)).
      * apply rderiv_of_is_derive, Dc.
      * generalize (pays t Ht). lra.
Qed.
End Leg.

(** One path after the other. *)
Definition join (T K : R) (f g : R -> R) (t : R) : R := if Rle_dec T t then K + g (t - T) else f t.

Lemma join_cont T K f g t : f T = K + g 0 -> (t <= T -> continuity_pt f t) -> (T <= t -> continuity_pt g (t - T)) ->
  continuity_pt (join T K f g) t.
Proof.
  intros E Hf Hg. rewrite continuity_pt_locally. intros eps.
  assert (Shift : T <= t -> exists del : posreal, forall u, T <= u -> Rabs (u - t) < del ->
    Rabs (join T K f g u - join T K f g t) < eps).
  { intros H. specialize (Hg H). rewrite continuity_pt_locally in Hg. destruct (Hg eps) as [del Hdel].
    exists del. intros u Hu Hd. unfold join.
    destruct (Rle_dec T u); [|contradiction]. destruct (Rle_dec T t); [|contradiction].
    replace (K + g (u - T) - (K + g (t - T))) with (g (u - T) - g (t - T)) by ring.
    apply Hdel. unfold ball; simpl; unfold AbsRing_ball, abs, minus, plus, opp; simpl.
    replace (u - T + - (t - T)) with (u - t) by ring. exact Hd. }
  assert (Stay : t <= T -> exists del : posreal, forall u, u < T -> Rabs (u - t) < del ->
    Rabs (join T K f g u - join T K f g t) < eps).
  { intros H. specialize (Hf H). rewrite continuity_pt_locally in Hf. destruct (Hf eps) as [del Hdel].
    exists del. intros u Hu Hd. unfold join. destruct (Rle_dec T u); [lra|].
    replace (if Rle_dec T t then K + g (t - T) else f t) with (f t).
    - apply Hdel. unfold ball; simpl; unfold AbsRing_ball, abs, minus, plus, opp; simpl. exact Hd.
    - destruct (Rle_dec T t); [|reflexivity]. replace t with T by lra. replace (T - T) with 0 by ring. exact E. }
  destruct (Rtotal_order t T) as [C|[C|C]].
  - destruct (Stay ltac:(lra)) as [del Hdel].
    assert (Q : 0 < Rmin del (T - t)) by (apply Rmin_pos; [apply cond_pos | lra]).
    exists (mkposreal _ Q). intros u Hu.
    unfold ball in Hu; simpl in Hu; unfold AbsRing_ball, abs, minus, plus, opp in Hu; simpl in Hu.
    assert (Hu1 := Rlt_le_trans _ _ _ Hu (Rmin_l _ _)). assert (Hu2 := Rlt_le_trans _ _ _ Hu (Rmin_r _ _)).
    apply Hdel; [apply Rabs_lt_between in Hu2; lra | exact Hu1].
  - destruct (Stay ltac:(lra)) as [del1 H1]. destruct (Shift ltac:(lra)) as [del2 H2].
    exists (mkposreal _ (Rmin_stable_in_posreal del1 del2)). intros u Hu.
    unfold ball in Hu; simpl in Hu; unfold AbsRing_ball, abs, minus, plus, opp in Hu; simpl in Hu.
    assert (Hu1 := Rlt_le_trans _ _ _ Hu (Rmin_l _ _)). assert (Hu2 := Rlt_le_trans _ _ _ Hu (Rmin_r _ _)).
    destruct (Rlt_le_dec u T); [apply H1 | apply H2]; assumption.
  - destruct (Shift ltac:(lra)) as [del Hdel].
    assert (Q : 0 < Rmin del (t - T)) by (apply Rmin_pos; [apply cond_pos | lra]).
    exists (mkposreal _ Q). intros u Hu.
    unfold ball in Hu; simpl in Hu; unfold AbsRing_ball, abs, minus, plus, opp in Hu; simpl in Hu.
    assert (Hu1 := Rlt_le_trans _ _ _ Hu (Rmin_l _ _)). assert (Hu2 := Rlt_le_trans _ _ _ Hu (Rmin_r _ _)).
    apply Hdel; [apply Rabs_lt_between in Hu2; lra | exact Hu1].
Qed.

Lemma join_before T K f g t : t < T -> join T K f g t = f t.
Proof. intros H. unfold join. destruct (Rle_dec T t); [lra | reflexivity]. Qed.
Lemma join_after T K f g t : T <= t -> join T K f g t = K + g (t - T).
Proof. intros H. unfold join. destruct (Rle_dec T t); [reflexivity | contradiction]. Qed.

Lemma join_rderiv_before T K f g t l : t < T -> rderiv f t l -> rderiv (join T K f g) t l.
Proof.
  intros H Hf eps He. destruct (Hf eps He) as [eta [P A]].
  exists (Rmin eta (T - t)). split; [apply Rmin_pos; lra|]. intros h [H0 H1].
  assert (B := Rlt_le_trans _ _ _ H1 (Rmin_l _ _)). assert (C := Rlt_le_trans _ _ _ H1 (Rmin_r _ _)).
  rewrite !join_before by lra. apply A. lra.
Qed.
Lemma join_rderiv_after T K f g t l : T <= t -> rderiv g (t - T) l -> rderiv (join T K f g) t l.
Proof.
  intros H Hg eps He. destruct (Hg eps He) as [eta [P A]].
  exists eta. split; [exact P|]. intros h Hh. rewrite !join_after by lra.
  replace (K + g (t + h - T) - (K + g (t - T)) - l * h) with (g (t - T + h) - g (t - T) - l * h)
    by (replace (t + h - T) with (t - T + h) by ring; ring).
  apply A, Hh.
Qed.

Lemma prepend law rho T u1 u2 c C : 0 <= T -> admissible law rho T u1 u2 c ->
  drains law rho (u1 T) (u2 T) C -> drains law rho (u1 0) (u2 0) (c T + C).
Proof.
  intros HT Ha [T' [v1 [v2 [e [HT' [Hb [E1 [E2 [Z1 [Z2 EC]]]]]]]]]].
  assert (Se := start_cost _ _ _ _ _ _ Hb).
  exists (T + T'), (join T 0 u1 v1), (join T 0 u2 v2), (join T (c T) c e).
  assert (J0 : forall K f g, f T = K + g 0 -> join T K f g 0 = f 0).
  { intros K f g E. destruct (Rlt_le_dec 0 T); [apply join_before; assumption|].
    assert (T = 0) by lra. subst T. rewrite join_after by lra. rewrite Rminus_0_r. symmetry. exact E. }
  assert (JT : forall K f g, join T K f g (T + T') = K + g T').
  { intros K f g. rewrite join_after by lra. f_equal. f_equal. ring. }
  split; [lra|]. split; [|rewrite !J0, !JT, Z1, Z2, EC by lra; repeat split; lra].
  constructor.
  - intros t Ht. repeat split; apply join_cont; try lra; intros H;
      try (apply Ha; lra); apply Hb; lra.
  - intros t Ht. destruct (Rlt_le_dec t T) as [C'|C'].
    + rewrite !join_before by exact C'. apply Ha. lra.
    + rewrite !join_after, !Rplus_0_l by exact C'. apply Hb. lra.
  - rewrite J0 by lra. apply Ha.
  - intros t Ht. destruct (Rlt_le_dec t T) as [C'|C'].
    + rewrite !join_before by exact C'.
      destruct (dynamics _ _ _ _ _ _ Ha t ltac:(lra)) as [pi [y1 [y2 [A1 [A2 [A3 [A4 [A5 [A6 [A7 A8]]]]]]]]]].
      exists pi, y1, y2. repeat split; try assumption; try (apply A1; assumption);
        apply join_rderiv_before; assumption.
    + rewrite (join_after T 0 u1 v1), (join_after T 0 u2 v2), !Rplus_0_l by exact C'.
      destruct (dynamics _ _ _ _ _ _ Hb (t - T) ltac:(lra)) as [pi [y1 [y2 [A1 [A2 [A3 [A4 [A5 [A6 [A7 A8]]]]]]]]]].
      exists pi, y1, y2. repeat split; try assumption; try (apply A1; assumption);
        apply join_rderiv_after; assumption.
Qed.

Lemma swap law rho l T u1 u2 c : valid law rho l -> admissible law rho T u1 u2 c -> admissible law rho T u2 u1 c.
Proof.
  intros Hv Ha. constructor.
  - intros t Ht. destruct (continuous_path _ _ _ _ _ _ Ha t Ht) as [A [B C]]. auto.
  - intros t Ht. destruct (no_debt _ _ _ _ _ _ Ha t Ht). auto.
  - apply Ha.
  - intros t Ht. destruct (dynamics _ _ _ _ _ _ Ha t Ht) as [pi [y1 [y2 [A1 [A2 [A3 [A4 [A5 [A6 [A7 A8]]]]]]]]]].
    assert (W : work_share law (fun a => 1 - pi a) = 1 - work_share law pi).
    { transitivity (mean (fun a => Q2R (size a)) law - work_share law pi); [|rewrite (size_one _ _ _ Hv); reflexivity].
      unfold work_share. clear. induction law as [|a m IH]; simpl; [ring|].
      rewrite IH. ring. }
    assert (P : job_share law (fun a => 1 - pi a) = 1 - job_share law pi).
    { transitivity (mean (fun _ => 1) law - job_share law pi); [|rewrite (mass_one _ _ _ Hv); reflexivity].
      unfold job_share. clear. induction law as [|a m IH]; simpl; [ring|]. rewrite IH. ring. }
    exists (fun a => 1 - pi a), y2, y1. rewrite W, P.
    split; [intros a Ha'; generalize (A1 a Ha'); lra|].
    split; [exact A3|]. split; [exact A2|]. split; [exact A5|]. split; [exact A4|]. split; [exact A7|].
    split; [replace (1 - (1 - work_share law pi)) with (work_share law pi) by ring; exact A6|].
    replace (2 * rho * ((1 - job_share law pi) * u2 t + (1 - (1 - job_share law pi)) * u1 t))
      with (2 * rho * (job_share law pi * u1 t + (1 - job_share law pi) * u2 t)) by ring. exact A8.
Qed.

(** * The two kinds of legs *)
Lemma share_R law pi : Q2R (work_share_Q law pi) = work_share law (fun a => Q2R (pi a)).
Proof.
  unfold work_share_Q. rewrite total_R. apply mean_ext. intros a _. apply Q2R_mult.
Qed.

Section Build.
Variables (law : list atom) (rho : Q).
Notation r := (Q2R rho).
Hypothesis r_ok : 0 < r < 1.
Hypothesis mass1 : mean (fun _ => 1) law = 1.
Hypothesis size1 : mean (fun a => Q2R (size a)) law = 1.

Lemma sector_pi_ok s a : 0 <= Q2R (sector_pi s a) <= 1.
Proof. unfold sector_pi. destruct (_ && _); rewrite ?q0, ?q1; lra. Qed.

(** Inside its sector the split attains every absolute value. *)
Lemma sector_attains s x d a : check_sector law rho s = true -> In a law ->
  Q2R (from s) * x <= d <= Q2R (to s) * x ->
  let m := Q2R (size a) * - form_d s x d - d in Rabs m = (1 - 2 * Q2R (sector_pi s a)) * m.
Proof.
  intros Hs Ha [HA HB] m. unfold check_sector in Hs. rewrite !andb_true_iff in Hs.
  destruct Hs as [[[H0 Hsign] _] _].
  apply qlt_R in H0. rewrite forallb_forall in Hsign. specialize (Hsign a Ha).
  set (z0 := Q2R (from s)) in *. set (z1 := Q2R (to s)) in *.
  set (b := (z1 * x - d) / (z1 - z0)). set (e := (d - z0 * x) / (z1 - z0)).
  assert (b0 : 0 <= b) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
  assert (e0 : 0 <= e) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
  assert (Hl0 : Q2R (margin s (from s) a) = Q2R (size a) * - form_d s 1 z0 - z0) by apply margin_R.
  assert (Hl1 : Q2R (margin s (to s) a) = Q2R (size a) * - form_d s 1 z1 - z1) by apply margin_R.
  assert (Em : m = b * Q2R (margin s (from s) a) + e * Q2R (margin s (to s) a)).
  { rewrite Hl0, Hl1. unfold m, form_d, b, e. field. lra. }
  unfold one_sign in Hsign. unfold sector_pi.
  destruct (Qle_bool (margin s (from s) a) 0 && Qle_bool (margin s (to s) a) 0) eqn:C.
  - rewrite andb_true_iff in C. destruct C as [C0 C1]. apply qle_R in C0. apply qle_R in C1. rewrite q0 in C0, C1.
    generalize (Rmult_le_compat_l _ _ _ b0 C0) (Rmult_le_compat_l _ _ _ e0 C1). intros.
    rewrite q1, Rabs_left1 by lra. ring.
  - rewrite orb_false_r, andb_true_iff in Hsign. destruct Hsign as [C0 C1].
    apply qle_R in C0. apply qle_R in C1. rewrite q0 in C0, C1.
    generalize (Rmult_le_compat_l _ _ _ b0 C0) (Rmult_le_compat_l _ _ _ e0 C1). intros.
    rewrite q0, Rabs_pos_eq by lra. ring.
Qed.

(** HJ with an attaining split is the balance of value and cost along the leg. *)
Lemma balance s pi x d y : check_sector law rho s = true -> Q2R (from s) * x <= d <= Q2R (to s) * x ->
  (forall a, In a law -> let m := Q2R (size a) * - form_d s x d - d in Rabs m = (1 - 2 * pi a) * m) ->
  y * (form_x s x d - form_d s x d) = 0 ->
  form_x s x d * (r - 1 + y) + form_d s x d * (r * (1 - 2 * work_share law pi) - y)
  + r * (x + d * (1 - 2 * job_share law pi)) = 0.
Proof.
  intros Hs Hin Hatt Hy. assert (HJ := sector_HJ law rho s Hs x d Hin).
  rewrite (mean_ext _ (fun a => (1 - 2 * pi a) * (Q2R (size a) * - form_d s x d - d))) in HJ by exact Hatt.
  rewrite mean_split in HJ by assumption. lra.
Qed.

Lemma to_edge s x d C : check_sector law rho s = true -> check_drive law rho s = true ->
  0 < x -> Q2R (from s) * x <= d <= Q2R (to s) * x ->
  (forall x1, 0 < x1 -> let d1 := Q2R (to s) * x1 in drains law r ((x1 - d1) / 2) ((x1 + d1) / 2) (form s x1 d1 + C)) ->
  drains law r ((x - d) / 2) ((x + d) / 2) (form s x d + C).
Proof.
  intros Hs Hd Hx Hin Hnext. unfold check_drive in Hd. rewrite !andb_true_iff in Hd.
  destruct Hd as [[F0 T1] D0]. apply qle_R in F0. apply qle_R in T1. apply qlt_R in D0.
  autorewrite with q2r in D0. rewrite share_R in D0. rewrite q0 in F0. rewrite q1 in T1.
  assert (Hw : Q2R (from s) < Q2R (to s)).
  { unfold check_sector in Hs. rewrite !andb_true_iff in Hs. apply qlt_R, Hs. }
  set (z0 := Q2R (from s)) in *. set (z1 := Q2R (to s)) in *. set (pi := fun a => Q2R (sector_pi s a)) in *.
  set (W := work_share law pi) in *.
  set (E0 := r * (1 - 2 * W) + (1 - r) * z0) in *. set (E1 := r * (1 - 2 * W) + (1 - r) * z1).
  assert (HE : E0 < E1) by (unfold E0, E1; apply Rplus_lt_compat_l, Rmult_lt_compat_l; lra).
  set (T := (z1 * x - d) / E1).
  assert (HT : 0 <= T) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
  set (X := fun t => x + (r - 1 + 0) * t). set (D := fun t => d + (r * (1 - 2 * W) - 0) * t).
  assert (Hstay : forall t, 0 <= t <= T -> z0 * X t <= D t <= z1 * X t /\ 0 < X t).
  { intros t Ht.
    assert (A : E0 * t >= 0) by (apply Rle_ge, Rmult_le_pos; lra).
    assert (B : E1 * t <= z1 * x - d).
    { apply Rle_trans with (E1 * T); [apply Rmult_le_compat_l; lra|]. right. unfold T. field. lra. }
    assert (L1 : D t - z0 * X t = (d - z0 * x) + E0 * t) by (unfold D, X, E0; ring).
    assert (L2 : z1 * X t - D t = (z1 * x - d) - E1 * t) by (unfold D, X, E1; ring).
    split; [lra|].
    assert (L3 : E1 * X t = (E1 * x - (1 - r) * (z1 * x - d)) + (1 - r) * ((z1 * x - d) - E1 * t)) by (unfold X; ring).
    assert (L4 : E1 * x - (1 - r) * (z1 * x - d) = E0 * x + (1 - r) * (d - z0 * x)) by (unfold E0, E1; ring).
    assert (0 < E0 * x) by (apply Rmult_lt_0_compat; lra).
    assert (0 <= (1 - r) * (d - z0 * x)) by (apply Rmult_le_pos; lra).
    assert (0 <= (1 - r) * (z1 * x - d - E1 * t)) by (apply Rmult_le_pos; lra).
    apply Rmult_lt_reg_l with E1; lra. }
  assert (Hcone : forall t, 0 <= t <= T -> 0 <= D t <= X t).
  { intros t Ht. destruct (Hstay t Ht) as [[A B] K].
    assert (0 <= z0 * X t) by (apply Rmult_le_pos; lra).
    assert (z1 * X t <= 1 * X t) by (apply Rmult_le_compat_r; lra). lra. }
  assert (L := leg law r s pi 0 x d T (fun a _ => sector_pi_ok s a) (Rle_refl 0) Hcone
                 ltac:(intros; lra)).
  assert (L' : admissible law r T (fun t => (X t - D t) / 2) (fun t => (X t + D t) / 2)
                 (fun t => form s x d - form s (X t) (D t))).
  { apply L. intros t Ht. destruct (Hstay t ltac:(lra)) as [A _].
    apply (balance s pi (X t) (D t) 0); [exact Hs | exact A | | ring].
    intros a Ha. apply sector_attains; assumption. }
  assert (ET : D T = z1 * X T).
  { apply Rminus_diag_uniq_sym. replace (z1 * X T - D T) with ((z1 * x - d) - E1 * T) by (unfold D, X, E1; ring).
    unfold T. field. lra. }
  assert (S := prepend law r T _ _ _ (form s (X T) (D T) + C) HT L').
  cbv beta in S. rewrite ET in S at 1 2 3.
  specialize (S (Hnext (X T) (proj2 (Hstay T ltac:(lra))))).
  assert (X0 : X 0 = x) by (unfold X; ring). assert (D0' : D 0 = d) by (unfold D; ring).
  rewrite X0, D0' in S.
  replace (form s x d - form s (X T) (D T) + (form s (X T) (D T) + C)) with (form s x d + C) in S by ring.
  exact S.
Qed.

Lemma on_axis s x : check_sector law rho s = true -> check_exit law rho s = true -> Q2R (to s) = 1 ->
  0 < x -> drains law r ((x - x) / 2) ((x + x) / 2) (form s x x).
Proof.
  intros Hs He Hto Hx. unfold check_exit in He. cbv zeta in He. rewrite !andb_true_iff in He.
  set (share := exit_share law rho s) in *.
  destruct He as [[[[S0 S1] W1] W2] Hor].
  apply qle_R in S0. apply qle_R in S1. apply qle_R in W1. apply qlt_R in W2.
  autorewrite with q2r in W1, W2. rewrite share_R in W1, W2. rewrite q0 in S0. rewrite q1 in S1.
  set (pi := fun a => Q2R (exit_pi share s a)) in *. set (W := work_share law pi) in *.
  assert (Hpi : forall a, In a law -> 0 <= pi a <= 1).
  { intros a _. unfold pi, exit_pi. destruct (tie s a); [lra|].
    destruct (Qle_bool _ _); rewrite ?q0, ?q1; lra. }
  set (y := / 2 - r * W). assert (Hy : 0 <= y) by (unfold y; lra).
  set (v := r * (1 - W) - / 2). assert (Hv : v < 0) by (unfold v; lra).
  set (T := x / - v). assert (HT : 0 < T) by (apply Rdiv_lt_0_compat; lra).
  set (X := fun t => x + (r - 1 + y) * t). set (D := fun t => x + (r * (1 - 2 * W) - y) * t).
  assert (EX : forall t, X t = x + v * t) by (intros t; unfold X, y, v; field).
  assert (ED : forall t, D t = X t) by (intros t; unfold D, X, y; field).
  assert (Hpos : forall t, 0 <= t <= T -> 0 <= X t).
  { intros t Ht. rewrite EX. assert (- v * t <= x); [|lra].
    apply Rle_trans with (- v * T); [apply Rmult_le_compat_l; lra|]. right. unfold T. field. lra. }
  assert (ET : X T = 0) by (rewrite EX; unfold T; field; lra).
  assert (Hw : Q2R (from s) < 1).
  { rewrite <- Hto. unfold check_sector in Hs. rewrite !andb_true_iff in Hs. apply qlt_R, Hs. }
  assert (Hslack : forall z, y * (form_x s z z - form_d s z z) = 0).
  { intros z. rewrite orb_true_iff in Hor. destruct Hor as [K|K].
    - apply qeq_R in K. autorewrite with q2r in K. rewrite share_R in K. fold pi in K. fold W in K.
      replace y with 0 by (unfold y; lra). ring.
    - apply qeq_R in K. rewrite slope_d_R, slope_x_R, q1 in K.
      replace (form_x s z z - form_d s z z) with (z * (form_x s 1 1 - form_d s 1 1)) by (unfold form_x, form_d; ring).
      rewrite K. ring. }
  assert (L : admissible law r T (fun t => (X t - D t) / 2) (fun t => (X t + D t) / 2)
                 (fun t => form s x x - form s (X t) (D t))).
  { apply (leg law r s pi y x x T Hpi Hy).
    - intros t Ht. change (0 <= D t <= X t). rewrite ED. generalize (Hpos t Ht). lra.
    - intros t _ _. apply ED.
    - intros t Ht. change (form_x s (X t) (D t) * (r - 1 + y) + form_d s (X t) (D t) * (r * (1 - 2 * W) - y)
        + r * (X t + D t * (1 - 2 * job_share law pi)) = 0).
      rewrite ED. assert (P := Hpos t ltac:(lra)). apply (balance s pi (X t) (X t) y); [exact Hs | | | apply Hslack].
      + rewrite Hto. split; [|lra]. rewrite <- (Rmult_1_l (X t)) at 2. apply Rmult_le_compat_r; lra.
      + intros a Ha m.
        assert (Em : m = X t * Q2R (margin s 1 a)) by (rewrite margin_R, q1; unfold m, form_d; ring).
        unfold pi, exit_pi, tie.
        destruct (Qeq_bool (margin s 1 a) 0) eqn:C.
        * apply qeq_R in C. rewrite q0 in C. rewrite Em, C, Rmult_0_r, Rabs_R0. ring.
        * destruct (Qle_bool (margin s 1 a) 0) eqn:C'.
          -- apply qle_R in C'. rewrite q0 in C'. generalize (Rmult_le_compat_l _ _ _ P C'). intros.
             rewrite q1, Rabs_left1 by lra. ring.
          -- assert (C'' : 0 <= Q2R (margin s 1 a)).
             { rewrite <- q0. apply Qle_Rle. destruct (Qlt_le_dec 0 (margin s 1 a)) as [G|G]; [apply Qlt_le_weak, G|].
               apply Qle_bool_iff in G. rewrite G in C'. discriminate. }
             generalize (Rmult_le_pos _ _ P C''). intros. rewrite q0, Rabs_pos_eq by lra. ring. }
  exists T, (fun t => (X t - D t) / 2), (fun t => (X t + D t) / 2), (fun t => form s x x - form s (X t) (D t)).
  split; [lra|]. split; [exact L|]. rewrite !ED, ET. rewrite EX.
  split; [field|]. split; [field|]. split; [field|]. split; [field|]. unfold form. ring.
Qed.

Theorem attained l s : joined (s :: l) -> Forall wide (s :: l) -> forallb (check_sector law rho) (s :: l) = true ->
  forallb (check_drive law rho) (s :: l) = true -> check_exit law rho (last l s) = true -> Q2R (to (last l s)) = 1 ->
  forall x d, 0 < x -> Q2R (from s) * x <= d <= x ->
  drains law r ((x - d) / 2) ((x + d) / 2) (V (s :: l) x d).
Proof.
  revert s. induction l as [|t l IH]; intros s Hj Hw Hs Hd He Ht x d Hx Hin;
    simpl in Hs, Hd; rewrite andb_true_iff in Hs, Hd; destruct Hs as [Hs Hs'], Hd as [Hd Hd'].
  - simpl in He, Ht. simpl. rewrite <- (Rplus_0_r (form s x d)).
    apply to_edge; [exact Hs | exact Hd | exact Hx | rewrite Ht; lra |].
    intros x1 Hx1 d1. unfold d1. rewrite Ht, Rmult_1_l, Rplus_0_r. apply on_axis; assumption.
  - assert (L : last (t :: l) s = last l t) by (clear; revert t; induction l as [|a l IH]; intros t;
      [reflexivity | simpl in *; destruct l; [reflexivity | apply IH]]).
    rewrite L in He, Ht.
    assert (Hw' : Forall wide (t :: l)) by (inversion Hw; assumption).
    assert (Hwt : wide t) by (inversion Hw'; assumption).
    assert (Hj' := Hj). destruct Hj' as [J1 [_ [_ J4]]].
    assert (IH' := IH t J4 Hw' Hs' Hd' He Ht).
    destruct (Rle_lt_dec d (Q2R (to s) * x)) as [C|C].
    + replace (V (s :: t :: l) x d) with (form s x d) by (symmetry; apply glue_below, C).
      rewrite <- (Rplus_0_r (form s x d)). apply to_edge; [exact Hs | exact Hd | exact Hx | lra |].
      intros x1 Hx1 d1. rewrite Rplus_0_r.
      destruct (edge_values s t l x1 Hx1 Hj Hwt) as [E _]. fold d1 in E. rewrite E.
      apply IH'; [exact Hx1|]. unfold d1. rewrite J1. split; [lra|].
      rewrite <- J1. rewrite <- (Rmult_1_l x1) at 2. apply Rmult_le_compat_r; [lra|].
      unfold check_drive in Hd. rewrite !andb_true_iff in Hd. destruct Hd as [[_ T1] _].
      apply qle_R in T1. rewrite q1 in T1. exact T1.
    + replace (V (s :: t :: l) x d) with (V (t :: l) x d) by (symmetry; apply glue_above, C).
      apply IH'; [exact Hx|]. rewrite <- J1. lra.
Qed.
End Build.

(** * The theorem: a checked certificate gives the least cost of emptying the system. *)
Theorem optimal law rho l : check_optimal law rho l = true -> forall a b, 0 <= a -> 0 <= b ->
  drains law (Q2R rho) a b (value_at l a b) /\
  (forall C, drains law (Q2R rho) a b C -> value_at l a b <= C).
Proof.
  unfold check_optimal. rewrite !andb_true_iff. intros [[Hc Hd] He] a b Ha Hb.
  assert (Hv := check_valid _ _ _ Hc).
  assert (V00 : V l 0 0 = 0).
  { destruct (V_small l) as [M [HM H]]. specialize (H 0 0 0). rewrite Rabs_R0 in H.
    specialize (H (Rle_refl 0) (Rle_refl 0)). rewrite Rmult_0_l, Rmult_0_r in H.
    destruct (Req_dec (V l 0 0) 0) as [D|D]; [exact D|]. apply Rabs_pos_lt in D. lra. }
  split.
  - assert (Order : forall a b, 0 <= a <= b -> drains law (Q2R rho) a b (value_at l a b)).
    { clear a b Ha Hb. intros a b Hab. unfold value_at. rewrite Rabs_pos_eq by lra.
      destruct (Req_dec (a + b) 0) as [E|E].
      - replace a with 0 by lra. replace b with 0 by lra.
        exists 0, (fun _ => 0), (fun _ => 0), (fun _ => 0). replace (0 + 0) with 0 by ring. rewrite Rminus_0_r, V00.
        repeat split; try lra; try (intros; lra); apply continuity_pt_const; intros p q; reflexivity.
      - destruct l as [|s l]; [discriminate|].
        unfold check in Hc. rewrite !andb_true_iff in Hc. destruct Hc as [[[_ Hsec] _] Hends].
        unfold check_ends in Hends. cbv zeta in Hends. rewrite !andb_true_iff in Hends.
        destruct Hends as [[[E1 E2] _] _]. apply qeq_R in E1. apply qeq_R in E2. rewrite q0 in E1. rewrite q1 in E2.
        replace (last (s :: l) s) with (last l s) in E2, He by (destruct l; reflexivity).
        assert (K : drains law (Q2R rho) ((a + b - (b - a)) / 2) ((a + b + (b - a)) / 2) (V (s :: l) (a + b) (b - a))).
        { apply (attained law rho); try assumption; try apply Hv; [lra|]. rewrite E1. lra. }
        replace ((a + b - (b - a)) / 2) with a in K by field.
        replace ((a + b + (b - a)) / 2) with b in K by field. exact K. }
    destruct (Rle_lt_dec a b) as [C|C]; [apply Order; lra|].
    destruct (Order b a ltac:(lra)) as [T [u1 [u2 [c [HT [A [I1 [I2 [Z1 [Z2 EC]]]]]]]]]].
    exists T, u2, u1, c. split; [exact HT|]. split; [apply (swap law _ l _ _ _ _ Hv A)|].
    repeat split; try assumption. rewrite EC. unfold value_at.
    rewrite <- (Rabs_Ropp (b - a)). f_equal; [ring|]. f_equal. ring.
  - intros C [T [u1 [u2 [c [HT [A [I1 [I2 [Z1 [Z2 EC]]]]]]]]]].
    assert (K := lower_bound law _ l T u1 u2 c Hv HT A). rewrite I1, I2, Z1, Z2, EC in K.
    unfold value_at in K at 2. rewrite Rplus_0_r, Rminus_0_r, Rabs_R0, V00 in K. lra.
Qed.

(** * Claims with numbers *)
Definition form_Q (s : sector) (x d : Q) : Q := Qred (cxx s * x * x + cxd s * x * d + cdd s * d * d)%Q.
Fixpoint eval (l : list sector) (x d : Q) : Q :=
  match l with
  | [] => 0%Q
  | s :: l' => match l' with
               | [] => form_Q s x d
               | _ => if Qle_bool d (to s * x)%Q then form_Q s x d else eval l' x d
               end
  end.
(** Total work 1, imbalance z. *)
Definition check_claim (law : list atom) (rho : Q) (l : list sector) (values : list (Q * Q)) : bool :=
  check_optimal law rho l
  && forallb (fun zv => Qle_bool 0 (fst zv) && Qle_bool (fst zv) 1 && Qeq_bool (eval l 1 (fst zv)) (snd zv)) values.

Lemma eval_R l x d : Q2R (eval l x d) = V l (Q2R x) (Q2R d).
Proof.
  assert (F : forall s, Q2R (form_Q s x d) = form s (Q2R x) (Q2R d)).
  { intros s. unfold form_Q, form. autorewrite with q2r. reflexivity. }
  induction l as [|s [|t l] IH]; [exact q0 | exact (F s) |].
  change (V (s :: t :: l)) with (glue (Q2R (to s)) (form s) (V (t :: l))).
  change (eval (s :: t :: l) x d) with (if Qle_bool d (to s * x)%Q then form_Q s x d else eval (t :: l) x d).
  destruct (Qle_bool d (to s * x)%Q) eqn:C.
  - apply qle_R in C. rewrite Q2R_mult in C. rewrite glue_below by exact C. apply F.
  - rewrite glue_above; [exact IH|]. rewrite <- Q2R_mult. apply Qlt_Rlt.
    destruct (Qlt_le_dec (to s * x) d) as [G|G]; [exact G|]. apply Qle_bool_iff in G. rewrite G in C. discriminate.
Qed.

Theorem claim_sound law rho l values : check_claim law rho l values = true ->
  forall z v, In (z, v) values -> least_cost law (Q2R rho) ((1 - Q2R z) / 2) ((1 + Q2R z) / 2) (Q2R v).
Proof.
  unfold check_claim. rewrite andb_true_iff, forallb_forall. intros [Hc Hval] z v Hin.
  specialize (Hval _ Hin). simpl in Hval. rewrite !andb_true_iff in Hval. destruct Hval as [[Z0 Z1] E].
  apply qle_R in Z0. apply qle_R in Z1. apply qeq_R in E. rewrite q0 in Z0. rewrite q1 in Z1.
  rewrite eval_R, q1 in E.
  assert (K := optimal law rho l Hc ((1 - Q2R z) / 2) ((1 + Q2R z) / 2) ltac:(lra) ltac:(lra)).
  unfold value_at in K.
  replace ((1 - Q2R z) / 2 + (1 + Q2R z) / 2) with 1 in K by field.
  replace ((1 + Q2R z) / 2 - (1 - Q2R z) / 2) with (Q2R z) in K by field.
  rewrite Rabs_pos_eq, E in K by exact Z0. exact K.
Qed.

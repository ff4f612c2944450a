(** Sizes that are uniform on [a, 2-a]: the formulas of the page [fluid-enclosure] evaluated.

    - [uniform_claim] is the statement: the exit cutoff, the saving and each row of a certificate
      lie in their intervals, where they are given by the integrals of the page (equation (1) and the
      Corollary). That these numbers are least costs is the page's theorem and not proved here.
    - [uniform_certified] and the row lemmas: closed forms of the integrals, and the intermediate
      value theorem for the cutoff of a row. *)
From Coq Require Import Reals Lra Lia Ranalysis5 List QArith Qreals.
From Coquelicot Require Import Coquelicot.
From Coq Require Import List.
From Queues Require Import FluidOptimal.
Import ListNotations.
Open Scope R_scope.

(** * Statement *)
(** D(h) = E|S - h|, and the share of the work in the jobs of sizes up to h, for a <= h <= 2 - a *)
Definition deviation (a h : R) : R := RInt (fun s => Rabs (s - h)) a (2 - a) / (2 - 2 * a).
Definition work_below (a h : R) : R := RInt (fun s => s) a h / (2 - 2 * a).
(** Jobs up to the exit cutoff carry the work that one server can do. *)
Definition exit_cutoff (a load h1 : R) : Prop := a <= h1 <= 2 - a /\ work_below a h1 = 1 / (2 * load).
(** X(h) = x_1 + k int_h^h1 du/D(u)^2,  x_1 = h1/D(h1),  k = (1 - load)/load *)
Definition axis (a h1 : R) : R := h1 / deviation a h1.
Definition reach (a load h1 h : R) : R :=
  axis a h1 + (1 - load) / load * RInt (fun u => / (deviation a u * deviation a u)) h h1.
(** With C = 1/X(h): the cost 1/2 [kappa (1 - C) - h (C/D(h))^2], kappa = load/(1 - load), and the time. *)
Definition cost (a load h1 h : R) : R :=
  / 2 * (load / (1 - load) * (1 - / reach a load h1 h)
         - h * (/ reach a load h1 h / deviation a h * (/ reach a load h1 h / deviation a h))).
Definition time (a load h1 h : R) : R := (1 - / reach a load h1 h * axis a h1) / (1 - load).

Definition between (ends : Q * Q) (x : R) : Prop := Q2R (fst ends) <= x <= Q2R (snd ends).
Record enclosed_row := { imbalance : Q; cutoff_in : Q * Q; value_in : Q * Q; time_in : Q * Q }.
(** Some cutoff h belongs to the imbalance, Z(h) = h/(D(h) X(h)) = z, and all three lie within. *)
Definition row_claim (a load h1 : R) (r : enclosed_row) : Prop := exists h,
  0 <= h <= h1 /\ h = Q2R (imbalance r) * (deviation a h * reach a load h1 h)
  /\ between (cutoff_in r) h /\ between (value_in r) (cost a load h1 h)
  /\ between (time_in r) (time a load h1 h).
Definition uniform_claim (a load : R) (exit_in saving_in : Q * Q) (rows : list enclosed_row) : Prop :=
  0 <= a < 1 /\ 1 / 2 <= load < 1 /\ exists h1,
    exit_cutoff a load h1 /\ between exit_in h1
    /\ between saving_in (/ reach a load h1 0) /\ Forall (row_claim a load h1) rows.

(** * Closed forms *)
Ltac on_reals := match goal with |- @eq _ ?x ?y => change (@eq R x y) end.
Section Uniform.
Variables a load : R.
Hypothesis a_range : 0 <= a < 1.
Hypothesis load_range : 1 / 2 <= load < 1.
Definition spread : R := 1 - a.
Definition bowl (h : R) : R := ((h - 1) * (h - 1) + (1 - a) * (1 - a)) / (2 * (1 - a)).
Definition primitive (u : R) : R :=
  2 * (u - 1) / ((u - 1) * (u - 1) + (1 - a) * (1 - a)) + 2 / (1 - a) * atan ((u - 1) / (1 - a)).
Definition exit_at : R := sqrt (a * a + 2 * (1 - a) / load).
Definition reach_upper (h : R) : R :=
  exit_at / bowl exit_at + (1 - load) / load * (primitive exit_at - primitive h).
Definition reach_lower (h : R) : R :=
  exit_at / bowl exit_at
  + (1 - load) / load * (primitive exit_at - primitive a + (/ (1 - a) - / (1 - h))).

Lemma bowl_pos h : 0 < bowl h.
Proof.
  unfold bowl. apply Rdiv_lt_0_compat; [|lra].
  assert (0 <= (h - 1) * (h - 1)) by (apply Rle_0_sqr).
  assert (0 < (1 - a) * (1 - a)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.
Lemma square_pos h : 0 < (h - 1) * (h - 1) + (1 - a) * (1 - a).
Proof.
  assert (0 <= (h - 1) * (h - 1)) by (apply Rle_0_sqr).
  assert (0 < (1 - a) * (1 - a)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma smooth_continuous (f : R -> R) t : ex_derive f t -> continuous f t.
Proof. apply (ex_derive_continuous (K := R_AbsRing) (V := R_NormedModule)). Qed.
Lemma rint_is (f : R -> R) x y l : is_RInt f x y l -> RInt f x y = l.
Proof. apply (is_RInt_unique (V := R_CompleteNormedModule)). Qed.
Lemma rint_join (f : R -> R) x y z l m : is_RInt f x y l -> is_RInt f y z m -> is_RInt f x z (l + m).
Proof. apply (is_RInt_Chasles (V := R_NormedModule)). Qed.
Lemma rint_of_derive (f F : R -> R) x y : x <= y ->
  (forall t, x <= t <= y -> is_derive F t (f t)) -> (forall t, x <= t <= y -> continuous f t) ->
  is_RInt f x y (F y - F x).
Proof.
  intros Hxy D C. apply (is_RInt_derive F f x y); intros t Ht;
    rewrite Rmin_left, Rmax_right in Ht by exact Hxy; auto.
Qed.

Lemma deviation_upper h : a <= h <= 2 - a -> deviation a h = bowl h.
Proof.
  intros Hh. unfold deviation.
  assert (L : is_RInt (fun s => Rabs (s - h)) a h ((h - a) * (h - a) / 2)).
  { apply is_RInt_ext with (fun s => h - s).
    - intros s Hs. rewrite Rmin_left, Rmax_right in Hs by lra. rewrite Rabs_left1 by lra. on_reals. ring.
    - replace ((h - a) * (h - a) / 2) with ((h * h - h * h / 2) - (h * a - a * a / 2)) by field.
      apply (rint_of_derive (fun s => h - s) (fun s => h * s - s * s / 2)); [lra | |].
      + intros t _. auto_derive; [exact I | field].
      + intros t _. apply smooth_continuous. auto_derive. exact I. }
  assert (U : is_RInt (fun s => Rabs (s - h)) h (2 - a) ((2 - a - h) * (2 - a - h) / 2)).
  { apply is_RInt_ext with (fun s => s - h).
    - intros s Hs. rewrite Rmin_left, Rmax_right in Hs by lra. rewrite Rabs_pos_eq by lra. on_reals. ring.
    - replace ((2 - a - h) * (2 - a - h) / 2)
        with (((2 - a) * (2 - a) / 2 - h * (2 - a)) - (h * h / 2 - h * h)) by field.
      apply (rint_of_derive (fun s => s - h) (fun s => s * s / 2 - h * s)); [lra | |].
      + intros t _. auto_derive; [exact I | field].
      + intros t _. apply smooth_continuous. auto_derive. exact I. }
  assert (T := rint_join _ _ _ _ _ _ L U). apply rint_is in T. rewrite T.
  unfold bowl. field. lra.
Qed.
Lemma deviation_lower h : h <= a -> deviation a h = 1 - h.
Proof.
  intros Hh. unfold deviation.
  assert (U : is_RInt (fun s => Rabs (s - h)) a (2 - a) ((1 - h) * (2 - 2 * a))).
  { apply is_RInt_ext with (fun s => s - h).
    - intros s Hs. rewrite Rmin_left, Rmax_right in Hs by lra. rewrite Rabs_pos_eq by lra. on_reals. ring.
    - replace ((1 - h) * (2 - 2 * a))
        with (((2 - a) * (2 - a) / 2 - h * (2 - a)) - (a * a / 2 - h * a)) by field.
      apply (rint_of_derive (fun s => s - h) (fun s => s * s / 2 - h * s)); [lra | |].
      + intros t _. auto_derive; [exact I | field].
      + intros t _. apply smooth_continuous. auto_derive. exact I. }
  apply rint_is in U. rewrite U. field. lra.
Qed.

Lemma primitive_derive u : is_derive primitive u (/ (bowl u * bowl u)).
Proof.
  unfold primitive, bowl. assert (P := square_pos u). auto_derive.
  - repeat split; lra.
  - assert (Q : 1 + ((u + -1) * / (1 + - a)) * ((u + -1) * / (1 + - a)) <> 0).
    { assert (0 <= ((u + -1) * / (1 + - a)) * ((u + -1) * / (1 + - a))) by apply Rle_0_sqr. lra. }
    field. repeat split; lra.
Qed.
Lemma upper_integral x y : a <= x -> x <= y -> y <= 2 - a ->
  is_RInt (fun u => / (deviation a u * deviation a u)) x y (primitive y - primitive x).
Proof.
  intros Hx Hxy Hy. apply is_RInt_ext with (fun u => / (bowl u * bowl u)).
  - intros u Hu. rewrite Rmin_left, Rmax_right in Hu by exact Hxy. rewrite deviation_upper by lra. reflexivity.
  - apply (rint_of_derive (fun u => / (bowl u * bowl u)) primitive _ _ Hxy).
    + intros t _. apply primitive_derive.
    + intros t _. apply smooth_continuous. unfold bowl. assert (P := square_pos t).
      auto_derive.
      apply Rgt_not_eq, Rmult_lt_0_compat; apply Rdiv_lt_0_compat; lra.
Qed.
Lemma lower_integral x : x <= a ->
  is_RInt (fun u => / (deviation a u * deviation a u)) x a (/ (1 - a) - / (1 - x)).
Proof.
  intros Hx. apply is_RInt_ext with (fun u => / ((1 - u) * (1 - u))).
  - intros u Hu. rewrite Rmin_left, Rmax_right in Hu by exact Hx. rewrite deviation_lower by lra. reflexivity.
  - apply (rint_of_derive (fun u => / ((1 - u) * (1 - u))) (fun u => / (1 - u)) _ _ Hx).
    + intros t Ht. auto_derive; [lra | field; lra].
    + intros t Ht. apply smooth_continuous. auto_derive.
      apply Rgt_not_eq, Rmult_lt_0_compat; lra.
Qed.

Lemma exit_range : a <= exit_at <= 2 - a.
Proof.
  assert (K : 0 < 2 * (1 - a) / load <= 4 * (1 - a)).
  { split; [apply Rdiv_lt_0_compat; lra|].
    apply Rmult_le_reg_r with load; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    replace (4 * (1 - a) * load) with (2 * (1 - a) * (2 * load)) by ring.
    apply Rmult_le_compat_l; lra. }
  unfold exit_at. split.
  - rewrite <- (sqrt_square a) at 1 by lra. apply sqrt_le_1_alt. lra.
  - rewrite <- (sqrt_square (2 - a)) by lra. apply sqrt_le_1_alt. nra.
Qed.
Lemma exit_is : exit_cutoff a load exit_at.
Proof.
  split; [apply exit_range|]. unfold work_below.
  assert (E : exit_at * exit_at = a * a + 2 * (1 - a) / load).
  { apply sqrt_sqrt. assert (0 < 2 * (1 - a) / load) by (apply Rdiv_lt_0_compat; lra).
    assert (0 <= a * a) by apply Rle_0_sqr. lra. }
  assert (T : is_RInt (fun s => s) a exit_at (exit_at * exit_at / 2 - a * a / 2)).
  { apply (rint_of_derive (fun s => s) (fun s => s * s / 2)); [apply exit_range | |].
    - intros t _. auto_derive; [exact I | field].
    - intros t _. apply continuous_id. }
  apply rint_is in T. rewrite T, E. field. lra.
Qed.
Lemma axis_is : axis a exit_at = exit_at / bowl exit_at.
Proof. unfold axis. rewrite deviation_upper by apply exit_range. reflexivity. Qed.
Lemma reach_is_upper h : a <= h <= exit_at -> reach a load exit_at h = reach_upper h.
Proof.
  intros Hh. assert (E := exit_range). unfold reach, reach_upper. rewrite axis_is.
  rewrite (rint_is _ _ _ _ (upper_integral h exit_at ltac:(lra) ltac:(lra) ltac:(lra))). reflexivity.
Qed.
Lemma reach_is_lower h : h <= a -> reach a load exit_at h = reach_lower h.
Proof.
  intros Hh. assert (E := exit_range). unfold reach, reach_lower. rewrite axis_is.
  assert (T := rint_join _ _ _ _ _ _ (lower_integral h Hh)
    (upper_integral a exit_at ltac:(lra) ltac:(lra) ltac:(lra))).
  apply rint_is in T. rewrite T. ring.
Qed.

(** * Rows *)
Definition cost_of (X D h : R) : R :=
  / 2 * (load / (1 - load) * (1 - / X) - h * (/ X / D * (/ X / D))).
Definition time_of (X : R) : R := (1 - / X * (exit_at / bowl exit_at)) / (1 - load).

(** Equal queues: the cutoff is 0. *)
Lemma row_tie r : Q2R (imbalance r) = 0 -> between (cutoff_in r) 0 ->
  between (value_in r) (cost_of (reach_lower 0) 1 0) -> between (time_in r) (time_of (reach_lower 0)) ->
  row_claim a load exit_at r.
Proof.
  intros Z C V T. exists 0. assert (E := exit_range).
  split; [lra|]. split; [rewrite Z; ring|]. split; [exact C|].
  unfold cost, time. rewrite axis_is, reach_is_lower, deviation_lower by lra. rewrite Rminus_0_r.
  split; assumption.
Qed.
(** An empty queue: the cutoff is the exit cutoff. *)
Lemma row_axis r : Q2R (imbalance r) = 1 -> between (cutoff_in r) exit_at ->
  between (value_in r) (cost_of (exit_at / bowl exit_at) (bowl exit_at) exit_at) ->
  between (time_in r) 0 -> 0 < exit_at -> row_claim a load exit_at r.
Proof.
  intros Z C V T P. exists exit_at. assert (E := exit_range). assert (B := bowl_pos exit_at).
  assert (X : reach a load exit_at exit_at = exit_at / bowl exit_at).
  { rewrite reach_is_upper by lra. unfold reach_upper. ring. }
  split; [lra|]. split.
  { rewrite Z, X, deviation_upper by lra. field. lra. }
  split; [exact C|]. unfold cost, time. rewrite axis_is, X, deviation_upper by lra.
  split; [exact V|].
  replace ((1 - / (exit_at / bowl exit_at) * (exit_at / bowl exit_at)) / (1 - load)) with 0; [exact T|].
  field. repeat split; lra.
Qed.
(** In between: the cutoff is where h - z D(h) X(h) changes sign. *)
Lemma row_between (reach_there deviation_there : R -> R) r :
  let lo := Q2R (fst (cutoff_in r)) in let hi := Q2R (snd (cutoff_in r)) in
  let surplus := fun h => h - Q2R (imbalance r) * (deviation_there h * reach_there h) in
  (forall h, lo <= h <= hi -> reach a load exit_at h = reach_there h /\ deviation a h = deviation_there h) ->
  (forall h, lo <= h <= hi -> continuity_pt surplus h) ->
  0 <= lo -> lo < hi -> hi <= exit_at -> surplus lo < 0 -> 0 < surplus hi ->
  (forall h, lo <= h <= hi ->
     between (value_in r) (cost_of (reach_there h) (deviation_there h) h)
     /\ between (time_in r) (time_of (reach_there h))) ->
  row_claim a load exit_at r.
Proof.
  intros lo hi surplus Same Cont L0 L L1 S0 S1 In.
  destruct (IVT_interv surplus lo hi Cont L S0 S1) as [h [Hh Zero]].
  exists h. destruct (Same h Hh) as [X D]. destruct (In h Hh) as [V T].
  split; [lra|]. split; [rewrite X, D; unfold surplus in Zero; lra|]. split; [exact Hh|].
  unfold cost, time. rewrite axis_is, X, D. split; assumption.
Qed.
Lemma row_upper r :
  let lo := Q2R (fst (cutoff_in r)) in let hi := Q2R (snd (cutoff_in r)) in
  let surplus := fun h => h - Q2R (imbalance r) * (bowl h * reach_upper h) in
  a <= lo -> lo < hi -> hi <= exit_at -> surplus lo < 0 -> 0 < surplus hi ->
  (forall h, lo <= h <= hi ->
     between (value_in r) (cost_of (reach_upper h) (bowl h) h)
     /\ between (time_in r) (time_of (reach_upper h))) ->
  row_claim a load exit_at r.
Proof.
  intros lo hi surplus La L L1 S0 S1 In. assert (E := exit_range).
  apply (row_between reach_upper bowl); try assumption.
  - fold lo hi. intros h Hh. split; [apply reach_is_upper; lra | apply deviation_upper; lra].
  - intros h _. apply poly_cont. unfold reach_upper.
    generalize (exit_at / bowl exit_at) (primitive exit_at). intros x p.
    unfold bowl, primitive. assert (P := square_pos h). eexists. auto_derive; [repeat split; lra | reflexivity].
  - fold lo. lra.
Qed.
Lemma row_lower r :
  let lo := Q2R (fst (cutoff_in r)) in let hi := Q2R (snd (cutoff_in r)) in
  let surplus := fun h => h - Q2R (imbalance r) * ((1 - h) * reach_lower h) in
  0 <= lo -> lo < hi -> hi <= a -> surplus lo < 0 -> 0 < surplus hi ->
  (forall h, lo <= h <= hi ->
     between (value_in r) (cost_of (reach_lower h) (1 - h) h)
     /\ between (time_in r) (time_of (reach_lower h))) ->
  row_claim a load exit_at r.
Proof.
  intros lo hi surplus La L L1 S0 S1 In. assert (E := exit_range).
  apply (row_between reach_lower (fun h => 1 - h)); try assumption.
  - fold lo hi. intros h Hh. split; [apply reach_is_lower; lra | apply deviation_lower; lra].
  - fold lo hi. intros h Hh. apply poly_cont. unfold reach_lower.
    generalize (exit_at / bowl exit_at) (primitive exit_at - primitive a). intros x p.
    eexists. auto_derive; [lra | reflexivity].
  - fold hi. lra.
Qed.
End Uniform.

Theorem uniform_certified (a load : R) (exit_in saving_in : Q * Q) (rows : list enclosed_row) :
  0 <= a < 1 -> 1 / 2 <= load < 1 -> between exit_in (exit_at a load) ->
  between saving_in (/ reach_lower a load 0) -> Forall (row_claim a load (exit_at a load)) rows ->
  uniform_claim a load exit_in saving_in rows.
Proof.
  intros A L E S R. split; [exact A|]. split; [exact L|]. exists (exit_at a load).
  split; [apply exit_is; assumption|]. split; [exact E|]. split; [|exact R].
  rewrite reach_is_lower by (try assumption; lra). exact S.
Qed.

(** * Tactics of the generated files *)
From Interval Require Import Tactic.
Ltac uniform_numbers unfold_all :=
  unfold_all; unfold between, cost_of, time_of, reach_lower, reach_upper, primitive, bowl, exit_at;
  cbn [fst snd imbalance cutoff_in value_in time_in]; unfold Q2R; cbn [Qnum Qden].
(** An inequality, or two, between numbers that are given by formulas. *)
Ltac enclosed unfold_all bits :=
  uniform_numbers unfold_all;
  repeat match goal with |- _ /\ _ => split end;
  first [interval with (i_prec bits) | lra].
(** [row_claim] at imbalance 0, at imbalance 1, and in between by one of two lemmas *)
Ltac tied_row range_a range_load unfold_all bits :=
  apply (row_tie _ _ range_a range_load);
  [uniform_numbers unfold_all; lra | enclosed unfold_all bits ..].
Ltac axis_row range_a range_load unfold_all bits :=
  apply (row_axis _ _ range_a range_load);
  [uniform_numbers unfold_all; lra | enclosed unfold_all bits ..].
Ltac row_by lemma range_a range_load unfold_all bits :=
  apply (lemma _ _ range_a range_load); cbv zeta;
  [ enclosed unfold_all bits .. |
    let h := fresh "h" in let L := fresh in let H := fresh in
    intros h [L H]; revert L H; uniform_numbers unfold_all; intros L H;
    repeat match goal with |- _ /\ _ => split end; interval with (i_prec bits) ].

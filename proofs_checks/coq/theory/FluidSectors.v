(** A Boolean checker over the rationals for the piecewise quadratic value, and what its answer
    "true" means over the reals. Formalises the conditions 1, 2, 4 and 5 of the theorem page
    [fluid-value]:

    - [sector_HJ]: the Hamilton-Jacobi equation holds at every point of a checked sector; both
      sides are linear there, so equality on the two edge rays is equality in between;
    - [V_C1]: the glued value is continuously differentiable; equal gradients on a shared edge
      give equal values by Euler's identity, so values need no test of their own;
    - [locate], [pieces_in]: every state lies in a sector and sees its form. *)
From Coq Require Import Reals Lra Lia List QArith Qreals Qabs Bool.
From Coquelicot Require Import Coquelicot.
From Coq Require Import List.
From Queues Require Import FluidModel RightDerivative.
Import ListNotations.
(** * The checker (rational arithmetic only) *)
Open Scope Q_scope.
(* Reduced after each step: unreduced denominators would grow with the product of all atoms. *)
Definition slope_x (s : sector) (z : Q) := Qred (2 * cxx s + cxd s * z).
Definition slope_d (s : sector) (z : Q) := Qred (cxd s + 2 * cdd s * z).
Definition margin (s : sector) (z : Q) (a : atom) := Qred (size a * - slope_d s z - z).
Definition total (f : atom -> Q) (law : list atom) : Q := fold_right (fun a t => Qred (f a + t)) 0 law.
Definition hj (law : list atom) (rho : Q) (s : sector) (z : Q) :=
  Qeq_bool ((1 - rho) * slope_x s z + rho * total (fun a => mass a * Qabs (margin s z a)) law) rho.
Definition one_sign (u v : Q) := (Qle_bool 0 u && Qle_bool 0 v) || (Qle_bool u 0 && Qle_bool v 0).
Definition qlt (a b : Q) := negb (Qle_bool b a).

Definition check_law (law : list atom) (rho : Q) :=
  qlt 0 rho && qlt rho 1
  && forallb (fun a => Qle_bool 0 (size a) && Qle_bool 0 (mass a)) law
  && Qeq_bool (total mass law) 1 && Qeq_bool (total (fun a => mass a * size a) law) 1.
Definition check_sector (law : list atom) (rho : Q) (s : sector) :=
  qlt (from s) (to s)
  && forallb (fun a => one_sign (margin s (from s) a) (margin s (to s) a)) law
  && hj law rho s (from s) && hj law rho s (to s).
Fixpoint check_edges (l : list sector) : bool :=
  match l with
  | s :: (t :: _) as l' =>
      Qeq_bool (to s) (from t) && Qeq_bool (slope_x s (to s)) (slope_x t (to s))
      && Qeq_bool (slope_d s (to s)) (slope_d t (to s)) && check_edges l'
  | _ => true
  end.
Definition check_ends (l : list sector) : bool :=
  match l with
  | [] => false
  | s :: _ => let t := last l s in
      Qeq_bool (from s) 0 && Qeq_bool (to t) 1
      && Qle_bool (slope_d s 0) 0                     (* a concave kink on the diagonal *)
      && Qle_bool (slope_d t 1) (slope_x t 1)         (* idling does not help *)
  end.
Definition check (law : list atom) (rho : Q) (l : list sector) : bool :=
  check_law law rho && forallb (check_sector law rho) l && check_edges l && check_ends l.
Close Scope Q_scope.

(** * The value over the reals *)
Open Scope R_scope.
Definition form_x (s : sector) (x d : R) := 2 * Q2R (cxx s) * x + Q2R (cxd s) * d.
Definition form_d (s : sector) (x d : R) := Q2R (cxd s) * x + 2 * Q2R (cdd s) * d.

Definition glue (z : R) (f g : R -> R -> R) (x d : R) : R := if Rle_dec d (z * x) then f x d else g x d.
(** [pieces form l] is the value; [pieces form_x l], [pieces form_d l] its derivatives. *)
Fixpoint pieces (f : sector -> R -> R -> R) (l : list sector) : R -> R -> R :=
  match l with
  | [] => fun _ _ => 0
  | s :: l' => match l' with [] => f s | _ => glue (Q2R (to s)) (f s) (pieces f l') end
  end.
Notation V := (pieces form). Notation Vx := (pieces form_x). Notation Vd := (pieces form_d).

(** * From Q to R *)
Lemma q0 : Q2R 0 = 0. Proof. unfold Q2R; simpl; lra. Qed.
Lemma q1 : Q2R 1 = 1. Proof. unfold Q2R; simpl; lra. Qed.
Lemma q2 : Q2R 2 = 2. Proof. unfold Q2R; simpl; lra. Qed.
Lemma qlt_R a b : qlt a b = true -> Q2R a < Q2R b.
Proof.
  unfold qlt. intros H. apply Qlt_Rlt. destruct (Qlt_le_dec a b) as [C|C]; [exact C|].
  apply Qle_bool_iff in C. rewrite C in H. discriminate.
Qed.
Lemma qle_R a b : Qle_bool a b = true -> Q2R a <= Q2R b.
Proof. intros H. apply Qle_Rle, Qle_bool_iff, H. Qed.
Lemma qeq_R a b : Qeq_bool a b = true -> Q2R a = Q2R b.
Proof. intros H. apply Qeq_eqR, Qeq_bool_iff, H. Qed.
Lemma qabs_R a : Q2R (Qabs a) = Rabs (Q2R a).
Proof.
  apply Qabs_case; intros H; apply Qle_Rle in H; rewrite q0 in H.
  - symmetry. apply Rabs_pos_eq, H.
  - rewrite Q2R_opp. symmetry. apply Rabs_left1, H.
Qed.
#[export] Hint Rewrite Q2R_plus Q2R_mult Q2R_minus Q2R_opp q0 q1 q2 qabs_R : q2r.

Lemma qred_R a : Q2R (Qred a) = Q2R a.
Proof. apply Qeq_eqR, Qred_correct. Qed.
#[export] Hint Rewrite qred_R : q2r.

Lemma slope_x_R s z : Q2R (slope_x s z) = form_x s 1 (Q2R z).
Proof. unfold slope_x, form_x. autorewrite with q2r. ring. Qed.
Lemma slope_d_R s z : Q2R (slope_d s z) = form_d s 1 (Q2R z).
Proof. unfold slope_d, form_d. autorewrite with q2r. ring. Qed.
Lemma margin_R s z a : Q2R (margin s z a) = Q2R (size a) * - form_d s 1 (Q2R z) - Q2R z.
Proof. unfold margin. autorewrite with q2r. rewrite slope_d_R. reflexivity. Qed.
Lemma total_R f law : Q2R (total (fun a => mass a * f a)%Q law) = mean (fun a => Q2R (f a)) law.
Proof.
  induction law as [|a l IH]; [exact q0|].
  change (total (fun a => mass a * f a)%Q (a :: l)) with (Qred (mass a * f a + total (fun a => mass a * f a)%Q l)).
  rewrite qred_R, Q2R_plus, Q2R_mult, IH. reflexivity.
Qed.
Lemma mean_ext f g law : (forall a, In a law -> f a = g a) -> mean f law = mean g law.
Proof.
  induction law as [|a l IH]; intros H; [reflexivity|]. simpl.
  rewrite (H a) by (left; reflexivity). rewrite IH; [reflexivity|]. intros; apply H; right; assumption.
Qed.
Lemma mean_lin f g c e law : mean (fun a => c * f a + e * g a) law = c * mean f law + e * mean g law.
Proof. induction law as [|a l IH]; simpl; [lra | rewrite IH; ring]. Qed.

(** * Inside one sector: Hamilton-Jacobi *)
Lemma sector_HJ law rho s : check_sector law rho s = true -> forall x d,
  Q2R (from s) * x <= d <= Q2R (to s) * x ->
  (1 - Q2R rho) * form_x s x d
  + Q2R rho * mean (fun a => Rabs (Q2R (size a) * - form_d s x d - d)) law = Q2R rho * x.
Proof.
  unfold check_sector. rewrite !andb_true_iff. intros [[[H0 Hsign] Hf] Ht] x d [Ha Hb].
  apply qlt_R in H0. unfold hj in Hf, Ht. apply qeq_R in Hf. apply qeq_R in Ht.
  autorewrite with q2r in Hf, Ht. rewrite total_R in Hf, Ht. rewrite slope_x_R in Hf, Ht.
  set (z0 := Q2R (from s)) in *. set (z1 := Q2R (to s)) in *. set (r := Q2R rho) in *.
  (* (x,d) = a (1,z0) + b (1,z1) with a, b >= 0 *)
  set (a := (z1 * x - d) / (z1 - z0)). set (b := (d - z0 * x) / (z1 - z0)).
  assert (a0 : 0 <= a) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
  assert (b0 : 0 <= b) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
  assert (Ex : x = a + b) by (unfold a, b; field; lra).
  assert (Ed : d = a * z0 + b * z1) by (unfold a, b; field; lra).
  clearbody a b. subst x d.
  rewrite forallb_forall in Hsign.
  rewrite (mean_ext _ (fun q => a * Rabs (Q2R (size q) * - form_d s 1 z0 - z0)
                               + b * Rabs (Q2R (size q) * - form_d s 1 z1 - z1))).
  - rewrite mean_lin.
    rewrite (mean_ext _ (fun q => Rabs (Q2R (size q) * - form_d s 1 z0 - z0))) in Hf
      by (intros q _; rewrite qabs_R, margin_R; reflexivity).
    rewrite (mean_ext _ (fun q => Rabs (Q2R (size q) * - form_d s 1 z1 - z1))) in Ht
      by (intros q _; rewrite qabs_R, margin_R; reflexivity).
    set (m0 := mean _ law) in Hf. set (m1 := mean _ law) in Ht. fold m0 m1.
    replace (form_x s (a + b) (a * z0 + b * z1)) with (a * form_x s 1 z0 + b * form_x s 1 z1)
      by (unfold form_x; ring).
    rewrite <- Hf at 3. replace (a * r) with (a * r) by ring.
    transitivity (a * ((1 - r) * form_x s 1 z0 + r * m0) + b * ((1 - r) * form_x s 1 z1 + r * m1)); [ring|].
    rewrite Hf, Ht. ring.
  - intros q Hq. specialize (Hsign q Hq). unfold one_sign in Hsign.
    set (l0 := Q2R (size q) * - form_d s 1 z0 - z0). set (l1 := Q2R (size q) * - form_d s 1 z1 - z1).
    replace (Q2R (size q) * - form_d s (a + b) (a * z0 + b * z1) - (a * z0 + b * z1))
      with (a * l0 + b * l1) by (unfold l0, l1, form_d; ring).
    assert (Hl0 : Q2R (margin s (from s) q) = l0) by apply margin_R.
    assert (Hl1 : Q2R (margin s (to s) q) = l1) by apply margin_R.
    rewrite orb_true_iff, !andb_true_iff in Hsign. destruct Hsign as [[C0 C1]|[C0 C1]];
      apply qle_R in C0; apply qle_R in C1; rewrite q0, Hl0 in C0; rewrite q0, Hl1 in C1;
      pose proof (Rmult_le_compat_l _ _ _ a0 C0); pose proof (Rmult_le_compat_l _ _ _ b0 C1).
    + rewrite !Rabs_pos_eq by lra. reflexivity.
    + rewrite !Rabs_left1 by lra. ring.
Qed.

(** * Across the sectors: V is C^1 *)
Definition form_bound (s : sector) := Rabs (Q2R (cxx s)) + Rabs (Q2R (cxd s)) + Rabs (Q2R (cdd s)).

Lemma form_small s h k m : Rabs h <= m -> Rabs k <= m -> Rabs (form s h k) <= form_bound s * (m * m).
Proof.
  intros Hh Hk. unfold form, form_bound.
  replace (Q2R (cxx s) * h * h + Q2R (cxd s) * h * k + Q2R (cdd s) * k * k)
    with (Q2R (cxx s) * (h * h) + Q2R (cxd s) * (h * k) + Q2R (cdd s) * (k * k)) by ring.
  assert (A := Rabs_mult_le _ _ _ _ (Rle_refl (Rabs (Q2R (cxx s)))) (Rabs_mult_le _ _ _ _ Hh Hh)).
  assert (B := Rabs_mult_le _ _ _ _ (Rle_refl (Rabs (Q2R (cxd s)))) (Rabs_mult_le _ _ _ _ Hh Hk)).
  assert (C := Rabs_mult_le _ _ _ _ (Rle_refl (Rabs (Q2R (cdd s)))) (Rabs_mult_le _ _ _ _ Hk Hk)).
  eapply Rle_trans; [apply Rabs_triang|].
  assert (D := Rabs_triang (Q2R (cxx s) * (h * h)) (Q2R (cxd s) * (h * k))). lra.
Qed.

Lemma form_diff s x d : differentiable_pt_lim (form s) x d (form_x s x d) (form_d s x d).
Proof.
  intros eps. assert (Hb : 0 <= form_bound s).
  { unfold form_bound. generalize (Rabs_pos (Q2R (cxx s))) (Rabs_pos (Q2R (cxd s))) (Rabs_pos (Q2R (cdd s))). lra. }
  assert (Hd : 0 < eps / (form_bound s + 1)) by (apply Rdiv_lt_0_compat; [apply cond_pos | lra]).
  exists (mkposreal _ Hd). simpl. intros u v Hu Hv.
  replace (form s u v - form s x d - (form_x s x d * (u - x) + form_d s x d * (v - d)))
    with (form s (u - x) (v - d)) by (unfold form, form_x, form_d; ring).
  set (m := Rmax (Rabs (u - x)) (Rabs (v - d))).
  eapply Rle_trans; [apply form_small with (m := m); [apply Rmax_l | apply Rmax_r]|].
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r.
  - apply Rle_trans with (Rabs (u - x)); [apply Rabs_pos | apply Rmax_l].
  - assert (Hm : m < eps / (form_bound s + 1)) by (apply Rmax_lub_lt; assumption).
    assert (Hm0 : 0 <= m) by (apply Rle_trans with (Rabs (u - x)); [apply Rabs_pos | apply Rmax_l]).
    apply Rle_trans with ((form_bound s + 1) * m); [apply Rmult_le_compat_r; lra|].
    replace (pos eps) with ((form_bound s + 1) * (eps / (form_bound s + 1))) by (field; lra).
    apply Rmult_le_compat_l; lra.
Qed.

Lemma linear_cont a b x d : continuity_2d_pt (fun x d => a * x + b * d) x d.
Proof.
  apply continuity_2d_pt_plus; apply continuity_2d_pt_mult;
    auto using continuity_2d_pt_const, continuity_2d_pt_id1, continuity_2d_pt_id2.
Qed.

Lemma below_open z x d : d < z * x -> locally_2d (fun u v => v < z * u) x d.
Proof.
  intros H. assert (Hz := Rabs_pos z).
  assert (Hd : 0 < (z * x - d) / (Rabs z + 1)) by (apply Rdiv_lt_0_compat; lra).
  exists (mkposreal _ Hd). simpl. set (e := (z * x - d) / (Rabs z + 1)) in *.
  intros u v Hu Hv.
  assert (E : z * x - d = Rabs z * e + e) by (unfold e; field; lra).
  assert (A : Rabs (z * (u - x)) <= Rabs z * e) by (apply Rabs_mult_le; lra).
  apply Rabs_le_between in A. apply Rabs_lt_between in Hv. lra.
Qed.

Lemma above_open z x d : z * x < d -> locally_2d (fun u v => z * u < v) x d.
Proof.
  intros H. destruct (below_open (- z) x (- d)) as [e He]; [lra|].
  exists e. intros u v Hu Hv. specialize (He u (- v) Hu).
  replace (- v - - d) with (- (v - d)) in He by ring. rewrite Rabs_Ropp in He. specialize (He Hv). lra.
Qed.

Lemma glue_below z f g x d : d <= z * x -> glue z f g x d = f x d.
Proof. intros H. unfold glue. destruct (Rle_dec d (z * x)); [reflexivity | contradiction]. Qed.
Lemma glue_above z f g x d : z * x < d -> glue z f g x d = g x d.
Proof. intros H. unfold glue. destruct (Rle_dec d (z * x)); [lra | reflexivity]. Qed.

Lemma glue_diff z f g x d fx fd gx gd :
  differentiable_pt_lim f x d (fx x d) (fd x d) -> differentiable_pt_lim g x d (gx x d) (gd x d) ->
  (d = z * x -> f x d = g x d /\ fx x d = gx x d /\ fd x d = gd x d) ->
  differentiable_pt_lim (glue z f g) x d (glue z fx gx x d) (glue z fd gd x d).
Proof.
  intros Hf Hg E. destruct (Rtotal_order d (z * x)) as [C|[C|C]].
  - rewrite !(glue_below z _ _ x d) by lra.
    apply differentiable_pt_lim_ext with f; [|exact Hf].
    destruct (below_open z x d C) as [e He]. exists e. intros u v Hu Hv.
    rewrite glue_below; [reflexivity | left; apply He; assumption].
  - destruct (E C) as [E0 [E1 E2]]. rewrite !(glue_below z _ _ x d) by lra.
    intros eps. destruct (Hf eps) as [e1 H1]. destruct (Hg eps) as [e2 H2].
    exists (mkposreal _ (Rmin_stable_in_posreal e1 e2)). simpl. intros u v Hu Hv.
    rewrite (glue_below z f g x d) by lra.
    destruct (Rle_lt_dec v (z * u)) as [K|K].
    + rewrite glue_below by exact K.
      apply H1; eapply Rlt_le_trans; eauto using Rmin_l.
    + rewrite glue_above by exact K. rewrite E0, E1, E2.
      apply H2; eapply Rlt_le_trans; eauto using Rmin_r.
  - rewrite !(glue_above z _ _ x d) by lra.
    apply differentiable_pt_lim_ext with g; [|exact Hg].
    destruct (above_open z x d C) as [e He]. exists e. intros u v Hu Hv.
    rewrite glue_above; [reflexivity | apply He; assumption].
Qed.

Lemma glue_cont z f g x d :
  continuity_2d_pt f x d -> continuity_2d_pt g x d -> (d = z * x -> f x d = g x d) ->
  continuity_2d_pt (glue z f g) x d.
Proof.
  intros Hf Hg E. destruct (Rtotal_order d (z * x)) as [C|[C|C]].
  - apply continuity_2d_pt_ext_loc with f; [|exact Hf].
    destruct (below_open z x d C) as [e He]. exists e. intros u v Hu Hv.
    rewrite glue_below; [reflexivity | left; apply He; assumption].
  - intros eps. destruct (Hf eps) as [e1 H1]. destruct (Hg eps) as [e2 H2].
    exists (mkposreal _ (Rmin_stable_in_posreal e1 e2)). simpl. intros u v Hu Hv.
    rewrite (glue_below z f g x d) by lra.
    destruct (Rle_lt_dec v (z * u)) as [K|K].
    + rewrite glue_below by exact K. apply H1; eapply Rlt_le_trans; eauto using Rmin_l.
    + rewrite glue_above by exact K. rewrite (E C). apply H2; eapply Rlt_le_trans; eauto using Rmin_r.
  - apply continuity_2d_pt_ext_loc with g; [|exact Hg].
    destruct (above_open z x d C) as [e He]. exists e. intros u v Hu Hv.
    rewrite glue_above; [reflexivity | apply He; assumption].
Qed.

(** On the lower edge of its first sector a nonempty list takes that sector's form. *)
Lemma pieces_first f s l x d : 0 < x -> Q2R (from s) < Q2R (to s) -> d <= Q2R (to s) * x ->
  pieces f (s :: l) x d = f s x d.
Proof.
  intros Hx H Hd. simpl. destruct l; [reflexivity|]. apply glue_below, Hd.
Qed.

(** What the edge test says over the reals. *)
Fixpoint joined (l : list sector) : Prop :=
  match l with
  | s :: (t :: _) as l' =>
      Q2R (to s) = Q2R (from t) /\
      (forall x, form_x s x (Q2R (to s) * x) = form_x t x (Q2R (to s) * x)) /\
      (forall x, form_d s x (Q2R (to s) * x) = form_d t x (Q2R (to s) * x)) /\ joined l'
  | _ => True
  end.

Lemma check_edges_joined l : check_edges l = true -> joined l.
Proof.
  induction l as [|s [|t l] IH]; intros H; try exact I.
  change (check_edges (s :: t :: l)) with
    (Qeq_bool (to s) (from t) && Qeq_bool (slope_x s (to s)) (slope_x t (to s))
      && Qeq_bool (slope_d s (to s)) (slope_d t (to s)) && check_edges (t :: l)) in H.
  rewrite !andb_true_iff in H. destruct H as [[[H1 H2] H3] H4].
  apply qeq_R in H1. apply qeq_R in H2. apply qeq_R in H3.
  rewrite !slope_x_R in H2. rewrite !slope_d_R in H3.
  change (Q2R (to s) = Q2R (from t) /\
      (forall x, form_x s x (Q2R (to s) * x) = form_x t x (Q2R (to s) * x)) /\
      (forall x, form_d s x (Q2R (to s) * x) = form_d t x (Q2R (to s) * x)) /\ joined (t :: l)).
  repeat split; [exact H1 | intros x | intros x | exact (IH H4)].
  - transitivity (x * form_x s 1 (Q2R (to s))); [unfold form_x; ring|]. rewrite H2. unfold form_x; ring.
  - transitivity (x * form_d s 1 (Q2R (to s))); [unfold form_d; ring|]. rewrite H3. unfold form_d; ring.
Qed.

Definition wide (s : sector) := Q2R (from s) < Q2R (to s).

(** Euler: a quadratic form is half of x form_x + d form_d. *)
Lemma euler s x d : form s x d = / 2 * (x * form_x s x d + d * form_d s x d).
Proof. unfold form, form_x, form_d. field. Qed.

Lemma edge_values s t l x : 0 < x -> joined (s :: t :: l) -> wide t ->
  let d := Q2R (to s) * x in
  form s x d = V (t :: l) x d /\ form_x s x d = Vx (t :: l) x d /\ form_d s x d = Vd (t :: l) x d.
Proof.
  intros Hx [H1 [H2 [H3 _]]] Hw d.
  assert (Hd : d <= Q2R (to t) * x).
  { unfold d. rewrite H1. apply Rmult_le_compat_r; [lra | left; exact Hw]. }
  rewrite !pieces_first by assumption.
  assert (E2 : form_x s x d = form_x t x d) by apply H2.
  assert (E3 : form_d s x d = form_d t x d) by apply H3.
  repeat split; [rewrite !euler, E2, E3; reflexivity | exact E2 | exact E3].
Qed.

Theorem V_C1 l : l <> [] -> joined l -> Forall wide l -> forall x d, 0 < x ->
  differentiable_pt_lim (V l) x d (Vx l x d) (Vd l x d)
  /\ continuity_2d_pt (Vx l) x d /\ continuity_2d_pt (Vd l) x d.
Proof.
  induction l as [|s [|t l] IH]; intros Hne Hj Hw x d Hx; [contradiction| |].
  - simpl. split; [apply form_diff|]. split; apply linear_cont.
  - assert (Hw' : wide t) by (inversion Hw as [|? ? _ W]; inversion W; assumption).
    assert (Ed := edge_values s t l x Hx Hj Hw').
    destruct (IH ltac:(discriminate) (proj2 (proj2 (proj2 Hj))) ltac:(inversion Hw; assumption) x d Hx)
      as [I1 [I2 I3]].
    change (V (s :: t :: l)) with (glue (Q2R (to s)) (form s) (V (t :: l))).
    change (Vx (s :: t :: l)) with (glue (Q2R (to s)) (form_x s) (Vx (t :: l))).
    change (Vd (s :: t :: l)) with (glue (Q2R (to s)) (form_d s) (Vd (t :: l))).
    split; [|split].
    + apply glue_diff; [apply form_diff | exact I1 | intros ->; exact Ed].
    + apply glue_cont; [apply linear_cont | exact I2 | intros ->; apply Ed].
    + apply glue_cont; [apply linear_cont | exact I3 | intros ->; apply Ed].
Qed.

(** Every point of the cone lies in a sector and sees its form. *)
Lemma locate s l x d : 0 < x -> joined (s :: l) -> Forall wide (s :: l) ->
  Q2R (from s) * x <= d <= Q2R (to (last l s)) * x ->
  exists t, In t (s :: l) /\ Q2R (from t) * x <= d <= Q2R (to t) * x /\
    forall f, pieces f (s :: l) x d = f t x d.
Proof.
  intros Hx. revert s. induction l as [|t l IH]; intros s Hj Hw [Ha Hb].
  - exists s. split; [left; reflexivity|]. split; [split; assumption | reflexivity].
  - destruct (Rle_lt_dec d (Q2R (to s) * x)) as [C|C].
    + exists s. split; [left; reflexivity|]. split; [split; assumption|].
      intros f. apply glue_below, C.
    + destruct Hj as [H1 [_ [_ Hj]]].
      assert (L : last (t :: l) s = last l t) by (clear; revert t; induction l as [|a l IH]; intros t;
        [reflexivity | simpl in *; destruct l; [reflexivity | apply IH]]).
      destruct (IH t Hj ltac:(inversion Hw; assumption)) as [u [Hu [Hin Hf]]].
      { rewrite <- H1, <- L. split; [left; exact C | exact Hb]. }
      exists u. split; [right; exact Hu|]. split; [exact Hin|].
      intros f. transitivity (pieces f (t :: l) x d); [apply glue_above, C | apply Hf].
Qed.

(** A sector's form is the glued value on that whole sector, its two edges included. *)
Lemma starts_above s l : joined (s :: l) -> Forall wide (s :: l) ->
  forall t, In t l -> Q2R (to s) <= Q2R (from t).
Proof.
  revert s. induction l as [|t l IH]; intros s Hj Hw u Hu; [contradiction|].
  destruct Hj as [H1 [_ [_ Hj]]]. assert (Hw' : Forall wide (t :: l)) by (inversion Hw; assumption).
  assert (Ht : wide t) by (inversion Hw'; assumption). unfold wide in Ht.
  destruct Hu as [<-|Hu]; [lra|]. generalize (IH t Hj Hw' u Hu). lra.
Qed.

Lemma pieces_in l t x d : 0 < x -> joined l -> Forall wide l -> In t l ->
  Q2R (from t) * x <= d <= Q2R (to t) * x -> V l x d = form t x d.
Proof.
  intros Hx. induction l as [|s [|u l] IH]; intros Hj Hw Ht Hd; [contradiction| |].
  - destruct Ht as [->|[]]. reflexivity.
  - destruct Ht as [->|Ht]; [apply glue_below, Hd|].
    assert (Hw' : Forall wide (u :: l)) by (inversion Hw; assumption).
    assert (K := IH (proj2 (proj2 (proj2 Hj))) Hw' Ht Hd).
    change (V (s :: u :: l)) with (glue (Q2R (to s)) (form s) (V (u :: l))).
    destruct (Rle_lt_dec d (Q2R (to s) * x)) as [C|C]; [|rewrite glue_above by exact C; exact K].
    assert (L := Rmult_le_compat_r _ _ _ (Rlt_le _ _ Hx) (starts_above s (u :: l) Hj Hw t Ht)).
    assert (E : d = Q2R (to s) * x) by lra.
    rewrite glue_below by exact C. rewrite <- K, E.
    apply (edge_values s u l x Hx Hj). inversion Hw'; assumption.
Qed.

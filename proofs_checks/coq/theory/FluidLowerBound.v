(** What a checked value means for the control problem: no admissible path costs less.
    Formalises the lower bound of the theorem page [fluid-value].

    - [check_valid]: a list of sectors that passes [check] satisfies the Hamilton-Jacobi equation
      on the whole cone, falls away from the diagonal and does not reward idling on the axis;
    - [lower_bound]: along every admissible path,
      value at the start <= cost of the path + value at its end.

    The value plus the cost spent has a right derivative that is never negative: so no integral is
    needed, and controls may jump. *)
From Coq Require Import Reals Lra Lia QArith Qreals Qabs Bool.
From Coquelicot Require Import Coquelicot.
From Coq Require Import List.
From Queues Require Import FluidModel RightDerivative FluidSectors.
Import ListNotations.
Open Scope R_scope.

(** * Everything the checker has established, over the reals *)
Record valid (law : list atom) (rho : R) (l : list sector) : Prop := {
  load : 0 < rho < 1;
  sizes : forall a, In a law -> 0 <= Q2R (size a) /\ 0 <= Q2R (mass a);
  mass_one : mean (fun _ => 1) law = 1;
  size_one : mean (fun a => Q2R (size a)) law = 1;
  nonempty : l <> [];
  edges : joined l;
  widths : Forall wide l;
  hamilton_jacobi : forall x d, 0 < x -> 0 <= d <= x ->
    (1 - rho) * Vx l x d + rho * mean (fun a => Rabs (Q2R (size a) * - Vd l x d - d)) law = rho * x;
  diagonal : forall x, 0 < x -> Vd l x 0 <= 0;
  axis : forall x, 0 < x -> Vd l x x <= Vx l x x }.

Lemma mean_scale c f law : mean (fun a => c * f a) law = c * mean f law.
Proof. induction law as [|a l IH]; simpl; [lra | rewrite IH; ring]. Qed.
Lemma mean_le f g law : (forall a, In a law -> 0 <= Q2R (mass a)) ->
  (forall a, In a law -> f a <= g a) -> mean f law <= mean g law.
Proof.
  induction law as [|a l IH]; intros Hm H; simpl; [lra|].
  apply Rplus_le_compat.
  - apply Rmult_le_compat_l; [apply Hm | apply H]; left; reflexivity.
  - apply IH; intros; [apply Hm | apply H]; right; assumption.
Qed.

Lemma last_In (s : sector) l : In (last l s) (s :: l).
Proof.
  revert s. induction l as [|a l IH]; intros s; [left; reflexivity|].
  right. replace (last (a :: l) s) with (last l a); [apply IH|].
  clear. revert a. induction l as [|b l IH]; intros a; [reflexivity|]. simpl in *. destruct l; [reflexivity | apply IH].
Qed.

Theorem check_valid law rho l : check law rho l = true -> valid law (Q2R rho) l.
Proof.
  unfold check, check_law. rewrite !andb_true_iff.
  intros [[[[[[[L1 L2] L3] L4] L5] Hsec] Hedge] Hends].
  apply qlt_R in L1. apply qlt_R in L2. rewrite q0 in L1. rewrite q1 in L2.
  apply qeq_R in L4. apply qeq_R in L5. rewrite q1 in L4, L5.
  rewrite forallb_forall in L3, Hsec.
  destruct l as [|s l]; [discriminate|].
  unfold check_ends in Hends. cbv zeta in Hends. rewrite !andb_true_iff in Hends.
  destruct Hends as [[[E1 E2] E3] E4].
  apply qeq_R in E1. apply qeq_R in E2. apply qle_R in E3. apply qle_R in E4.
  rewrite q0 in E1. rewrite q1 in E2. rewrite slope_d_R, q0 in E3. rewrite slope_d_R, slope_x_R, q1 in E4.
  replace (last (s :: l) s) with (last l s) in E2, E4 by (destruct l; reflexivity).
  assert (Hj := check_edges_joined _ Hedge).
  assert (Hw : Forall wide (s :: l)).
  { apply Forall_forall. intros t Ht. specialize (Hsec t Ht). unfold check_sector in Hsec.
    rewrite !andb_true_iff in Hsec. apply qlt_R, Hsec. }
  assert (Hlt : forall t, In t (s :: l) -> Q2R (from t) < Q2R (to t))
    by (apply Forall_forall; exact Hw).
  assert (Hend : forall x, Q2R (to (last l s)) * x = x) by (intros x; rewrite E2; ring).
  assert (Hbeg : forall x, Q2R (from s) * x = 0) by (intros x; rewrite E1; ring).
  constructor; try assumption.
  - split; assumption.
  - intros a Ha. specialize (L3 a Ha). rewrite andb_true_iff in L3. destruct L3 as [S M].
    apply qle_R in S. apply qle_R in M. rewrite q0 in S, M. split; assumption.
  - transitivity (Q2R (total mass law)); [clear | exact L4]. induction law as [|a l IH]; [symmetry; apply q0|].
    change (total mass (a :: l)) with (Qred (mass a + total mass l)). rewrite qred_R, Q2R_plus, <- IH. simpl. ring.
  - transitivity (Q2R (total (fun a => mass a * size a)%Q law)); [symmetry; apply total_R | exact L5].
  - discriminate.
  - intros x d Hx Hd.
    destruct (locate s l x d Hx Hj Hw) as [t [Ht [Hin Hf]]]; [rewrite Hbeg, Hend; exact Hd|].
    rewrite !Hf. apply (sector_HJ law rho t (Hsec t Ht)). exact Hin.
  - intros x Hx. rewrite pieces_first; [| exact Hx | apply Hlt; left; reflexivity|].
    + replace (form_d s x 0) with (x * form_d s 1 0) by (unfold form_d; ring).
      apply Rle_trans with (x * 0); [apply Rmult_le_compat_l; lra | lra].
    + assert (0 < Q2R (to s)) by (generalize (Hlt s (or_introl eq_refl)); lra).
      apply Rmult_le_pos; lra.
  - intros x Hx.
    assert (Hlast : forall f, pieces f (s :: l) x x = f (last l s) x x).
    { (* the point (x,x) lies in the last sector, possibly only on its upper edge *)
      intros f. clear - Hx Hj Hw Hlt E2. revert s Hj Hw Hlt E2.
      induction l as [|t l IH]; intros s Hj Hw Hlt E2; [reflexivity|].
      assert (L : last (t :: l) s = last l t) by (clear; revert t; induction l as [|a l IH]; intros t;
        [reflexivity | simpl in *; destruct l; [reflexivity | apply IH]]).
      destruct Hj as [H1 [_ [_ Hj]]]. rewrite L in E2 |- *.
      transitivity (pieces f (t :: l) x x).
      - apply glue_above. rewrite H1.
        assert (Hup : Q2R (from t) < 1).
        { rewrite <- E2. clear - Hj Hlt. assert (Hlt' : forall u, In u (t :: l) -> Q2R (from u) < Q2R (to u))
            by (intros u Hu; apply Hlt; right; exact Hu).
          clear Hlt. revert t Hj Hlt'. induction l as [|a l IH]; intros t Hj Hlt; [apply Hlt; left; reflexivity|].
          assert (L : last (a :: l) t = last l a) by (clear; revert a; induction l as [|b l IH]; intros a;
            [reflexivity | simpl in *; destruct l; [reflexivity | apply IH]]).
          destruct Hj as [H1 [_ [_ Hj]]]. rewrite L.
          apply Rlt_trans with (Q2R (from a)); [rewrite <- H1; apply Hlt; left; reflexivity|].
          apply IH; [exact Hj | intros u Hu; apply Hlt; right; exact Hu]. }
        rewrite <- (Rmult_1_l x) at 2. apply Rmult_lt_compat_r; assumption.
      - apply IH; [exact Hj | inversion Hw; assumption | intros u Hu; apply Hlt; right; exact Hu | exact E2]. }
    rewrite !Hlast.
    replace (form_d (last l s) x x) with (x * form_d (last l s) 1 1) by (unfold form_d; ring).
    replace (form_x (last l s) x x) with (x * form_x (last l s) 1 1) by (unfold form_x; ring).
    apply Rmult_le_compat_l; lra.
Qed.

Definition value_at (l : list sector) (a b : R) := V l (a + b) (Rabs (b - a)).

(** * V near the origin *)
Lemma V_small l : exists M, 0 <= M /\ forall x d m, Rabs x <= m -> Rabs d <= m -> Rabs (V l x d) <= M * (m * m).
Proof.
  induction l as [|s l [M [HM IH]]].
  - exists 0. split; [lra|]. intros. simpl. rewrite Rabs_R0. lra.
  - assert (Hb : 0 <= form_bound s).
    { unfold form_bound. generalize (Rabs_pos (Q2R (cxx s))) (Rabs_pos (Q2R (cxd s))) (Rabs_pos (Q2R (cdd s))). lra. }
    exists (form_bound s + M). split; [lra|]. intros x d m Hx Hd.
    assert (Hm : 0 <= m * m) by (apply Rle_0_sqr).
    assert (A := form_small s x d m Hx Hd). assert (B := IH x d m Hx Hd).
    assert (0 <= form_bound s * (m * m)) by (apply Rmult_le_pos; assumption).
    assert (0 <= M * (m * m)) by (apply Rmult_le_pos; assumption).
    destruct l as [|t l]; [simpl; lra|].
    change (V (s :: t :: l)) with (glue (Q2R (to s)) (form s) (V (t :: l))).
    unfold glue. destruct (Rle_dec d (Q2R (to s) * x)); lra.
Qed.

Lemma V_diff_origin l : differentiable_pt_lim (V l) 0 0 0 0.
Proof.
  destruct (V_small l) as [M [HM H]]. intros eps.
  assert (Hd : 0 < eps / (M + 1)) by (apply Rdiv_lt_0_compat; [apply cond_pos | lra]).
  exists (mkposreal _ Hd). simpl. intros u v Hu Hv. rewrite !Rminus_0_r in *.
  replace (0 * u + 0 * v) with 0 by ring. rewrite Rminus_0_r.
  assert (E : V l 0 0 = 0).
  { assert (K := H 0 0 0). rewrite Rabs_R0 in K. specialize (K (Rle_refl 0) (Rle_refl 0)).
    rewrite Rmult_0_l, Rmult_0_r in K. generalize (Rabs_pos (V l 0 0)). intros K'.
    destruct (Req_dec (V l 0 0) 0) as [D|D]; [exact D|]. apply Rabs_pos_lt in D. lra. }
  rewrite E, Rminus_0_r. set (m := Rmax (Rabs u) (Rabs v)).
  assert (Hm0 : 0 <= m) by (apply Rle_trans with (Rabs u); [apply Rabs_pos | apply Rmax_l]).
  assert (Hm : m < eps / (M + 1)) by (apply Rmax_lub_lt; assumption).
  eapply Rle_trans; [apply (H u v m); [apply Rmax_l | apply Rmax_r]|].
  rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [exact Hm0|].
  apply Rle_trans with ((M + 1) * m); [apply Rmult_le_compat_r; lra|].
  replace (pos eps) with ((M + 1) * (eps / (M + 1))) by (field; lra). apply Rmult_le_compat_l; lra.
Qed.

(** The gradient, also at the origin. *)
Definition grad_x l x d := if Req_EM_T x 0 then 0 else Vx l x d.
Definition grad_d l x d := if Req_EM_T x 0 then 0 else Vd l x d.
Lemma V_diff law rho l x d : valid law rho l -> 0 <= d <= x ->
  differentiable_pt_lim (V l) x d (grad_x l x d) (grad_d l x d).
Proof.
  intros Hv Hd. unfold grad_x, grad_d. destruct (Req_EM_T x 0) as [->|Hx].
  - replace d with 0 by lra. apply V_diff_origin.
  - apply V_C1; [apply Hv | apply Hv | apply Hv | lra].
Qed.

Lemma cont_comp f a b t : continuity_2d_pt f (a t) (b t) -> continuity_pt a t -> continuity_pt b t ->
  continuity_pt (fun s => f (a s) (b s)) t.
Proof.
  intros Hf Ha Hb. rewrite continuity_pt_locally in Ha, Hb |- *. intros eps.
  destruct (Hf eps) as [e He].
  generalize (filter_and _ _ (Ha e) (Hb e)). apply filter_imp. intros s [A B]. apply He; assumption.
Qed.

(** * The Hamiltonian bound, for every split *)
Lemma mean_split law pi g e : mean (fun _ => 1) law = 1 -> mean (fun a => Q2R (size a)) law = 1 ->
  mean (fun a => (1 - 2 * pi a) * (Q2R (size a) * g - e)) law
  = g * (1 - 2 * work_share law pi) - e * (1 - 2 * job_share law pi).
Proof.
  intros H1 H2.
  transitivity (mean (fun a => Q2R (size a)) law * g - 2 * g * work_share law pi
                - e * mean (fun _ => 1) law + 2 * e * job_share law pi); [|rewrite H1, H2; ring].
  unfold work_share, job_share. clear. induction law as [|a l IH]; simpl; [ring|]. rewrite IH. ring.
Qed.

Lemma hamiltonian law rho l pi g e : valid law rho l -> (forall a, In a law -> 0 <= pi a <= 1) ->
  Rabs (g * (1 - 2 * work_share law pi) - e * (1 - 2 * job_share law pi))
  <= mean (fun a => Rabs (Q2R (size a) * g - e)) law.
Proof.
  intros Hv Hpi. rewrite <- mean_split; [|apply Hv|apply Hv].
  assert (Hm : forall a, In a law -> 0 <= Q2R (mass a)) by (intros a Ha; apply Hv, Ha).
  assert (Hp : forall a, In a law -> Rabs ((1 - 2 * pi a) * (Q2R (size a) * g - e)) <= Rabs (Q2R (size a) * g - e)).
  { intros a Ha. destruct (Hpi a Ha). rewrite Rabs_mult.
    rewrite <- (Rmult_1_l (Rabs (Q2R (size a) * g - e))) at 2.
    apply Rmult_le_compat_r; [apply Rabs_pos|]. apply Rabs_le. lra. }
  apply Rabs_le. split.
  - replace (- mean (fun a => Rabs (Q2R (size a) * g - e)) law)
      with (mean (fun a => -1 * Rabs (Q2R (size a) * g - e)) law) by (rewrite mean_scale; ring).
    apply mean_le; [exact Hm|]. intros a Ha. generalize (Hp a Ha). intros K.
    apply Rabs_le_between in K. lra.
  - apply mean_le; [exact Hm|]. intros a Ha. generalize (Hp a Ha). intros K.
    apply Rabs_le_between in K. lra.
Qed.

(** * Verification theorem, lower bound: V is never above what any path pays. *)
Theorem lower_bound law rho l T u1 u2 c :
  valid law rho l -> 0 <= T -> admissible law rho T u1 u2 c ->
  value_at l (u1 0) (u2 0) <= c T + value_at l (u1 T) (u2 T).
Proof.
  intros Hv HT Ha.
  set (phi := fun t => V l (u1 t + u2 t) (Rabs (u2 t - u1 t)) + c t).
  assert (Hcone : forall t, 0 <= t <= T -> 0 <= Rabs (u2 t - u1 t) <= u1 t + u2 t).
  { intros t Ht. destruct (no_debt _ _ _ _ _ _ Ha t Ht). split; [apply Rabs_pos | apply Rabs_le; lra]. }
  assert (M : phi 0 <= phi T).
  { apply monotone; [exact HT | |].
    - intros t Ht. destruct (continuous_path _ _ _ _ _ _ Ha t Ht) as [C1 [C2 C3]].
      apply (continuity_pt_plus (fun t => V l (u1 t + u2 t) (Rabs (u2 t - u1 t))) c); [|exact C3].
      apply (cont_comp (V l) (fun t => u1 t + u2 t) (fun t => Rabs (u2 t - u1 t))).
      + apply differentiable_continuity_pt. eexists. eexists. apply (V_diff law rho); [exact Hv | apply Hcone, Ht].
      + apply (continuity_pt_plus u1 u2); assumption.
      + apply (continuity_pt_comp (fun t => u2 t - u1 t) Rabs); [apply continuity_pt_minus; assumption | apply Rcontinuity_abs].
    - intros t Ht. assert (Ht' : 0 <= t <= T) by lra.
      destruct (no_debt _ _ _ _ _ _ Ha t Ht') as [N1 N2].
      destruct (dynamics _ _ _ _ _ _ Ha t Ht) as [pi [y1 [y2 [Hpi [Y1 [Y2 [I1 [I2 [D1 [D2 D3]]]]]]]]]].
      assert (Dx : rderiv (fun t => u1 t + u2 t) t (rho - 1 + y1 + y2)).
      { replace (rho - 1 + y1 + y2) with ((rho * work_share law pi - / 2 + y1) + (rho * (1 - work_share law pi) - / 2 + y2)) by field.
        apply rderiv_plus; assumption. }
      assert (Dd : rderiv (fun t => u2 t - u1 t) t (rho * (1 - 2 * work_share law pi) + y2 - y1)).
      { replace (rho * (1 - 2 * work_share law pi) + y2 - y1)
          with ((rho * (1 - work_share law pi) - / 2 + y2) + -1 * (rho * work_share law pi - / 2 + y1)) by field.
        apply rderiv_ext with (fun t => u2 t + -1 * u1 t); [intros; ring|].
        apply rderiv_plus; [assumption | apply rderiv_scal; assumption]. }
      apply rderiv_abs in Dd.
      set (d' := if Rlt_dec 0 (u2 t - u1 t) then _ else _) in Dd.
      assert (DV := V_diff law rho l _ _ Hv (Hcone t Ht')).
      assert (R := rderiv_plus _ _ _ _ _
        (rderiv_chain (V l) _ _ (fun t => u1 t + u2 t) (fun t => Rabs (u2 t - u1 t)) t _ _ DV Dx Dd) D3).
      eexists. split; [|exact R]. clear R DV Dx Dd D1 D2 D3.
      unfold grad_x, grad_d. destruct (Req_EM_T (u1 t + u2 t) 0) as [E|E].
      + replace (u1 t) with 0 by lra. replace (u2 t) with 0 by lra. right. ring.
      + set (x := u1 t + u2 t) in *. assert (Hx : 0 < x) by (unfold x in *; lra).
        set (W := work_share law pi) in *. set (P := job_share law pi) in *.
        set (e := Rabs (u2 t - u1 t)) in *.
        assert (He : 0 <= e <= x) by (apply Hcone, Ht').
        assert (HJ := hamilton_jacobi _ _ _ Hv x e Hx He).
        assert (Ham := hamiltonian law rho l pi (- Vd l x e) e Hv Hpi).
        fold W P in Ham. apply Rabs_le_between in Ham.
        set (H := mean _ law) in HJ, Ham.
        destruct (load _ _ _ Hv) as [r0 r1].
        assert (HamU := Rmult_le_compat_l rho _ _ (Rlt_le _ _ r0) (proj2 Ham)).
        assert (HamL := Rmult_le_compat_l rho _ _ (Rlt_le _ _ r0) (proj1 Ham)).
        unfold d'. destruct (Rlt_dec 0 (u2 t - u1 t)) as [C|C]; [|destruct (Rlt_dec (u2 t - u1 t) 0) as [D|D]].
        * (* server 1 is the short queue *)
          assert (y2 = 0) by (destruct (Rle_lt_or_eq_dec _ _ Y2) as [K|K]; [generalize (I2 K); lra | lra]). subst y2.
          assert (Ee : e = u2 t - u1 t) by (apply Rabs_pos_eq; lra).
          assert (Eu1 : u1 t = (x - e) / 2) by (unfold x; lra).
          assert (Eu2 : u2 t = (x + e) / 2) by (unfold x; lra).
          assert (Hidle : 0 <= y1 * (Vx l x e - Vd l x e)).
          { destruct (Rle_lt_or_eq_dec _ _ Y1) as [K|K]; [|rewrite <- K; lra].
            assert (Exe : e = x) by (generalize (I1 K); unfold x; lra). rewrite Exe.
            apply Rmult_le_pos; [lra|]. generalize (axis _ _ _ Hv x Hx). lra. }
          rewrite Eu1, Eu2. lra.
        * (* server 2 is the short queue *)
          assert (y1 = 0) by (destruct (Rle_lt_or_eq_dec _ _ Y1) as [K|K]; [generalize (I1 K); lra | lra]). subst y1.
          assert (Ee : e = - (u2 t - u1 t)) by (apply Rabs_left; lra).
          assert (Eu1 : u1 t = (x + e) / 2) by (unfold x; lra).
          assert (Eu2 : u2 t = (x - e) / 2) by (unfold x; lra).
          assert (Hidle : 0 <= y2 * (Vx l x e - Vd l x e)).
          { destruct (Rle_lt_or_eq_dec _ _ Y2) as [K|K]; [|rewrite <- K; lra].
            assert (Exe : e = x) by (generalize (I2 K); unfold x; lra). rewrite Exe.
            apply Rmult_le_pos; [lra|]. generalize (axis _ _ _ Hv x Hx). lra. }
          rewrite Eu1, Eu2. lra.
        * (* equal queues: the kink is concave *)
          assert (Eu : u1 t = x / 2 /\ u2 t = x / 2) by (unfold x; lra). destruct Eu as [Eu1 Eu2].
          assert (y1 = 0) by (destruct (Rle_lt_or_eq_dec _ _ Y1) as [K|K]; [generalize (I1 K); lra | lra]). subst y1.
          assert (y2 = 0) by (destruct (Rle_lt_or_eq_dec _ _ Y2) as [K|K]; [generalize (I2 K); lra | lra]). subst y2.
          assert (Ee : e = 0) by (unfold e; replace (u2 t - u1 t) with 0 by lra; apply Rabs_R0).
          assert (G := diagonal _ _ _ Hv x Hx). rewrite Ee in *.
          replace (rho * (1 - 2 * W) + 0 - 0) with (rho * (1 - 2 * W)) by ring.
          rewrite Eu1, Eu2.
          destruct (Rle_dec 0 (1 - 2 * W)) as [K|K].
          -- rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra). lra.
          -- rewrite Rabs_left by (rewrite <- (Rmult_0_r rho); apply Rmult_lt_compat_l; lra). lra. }
  unfold phi in M. rewrite (start_cost _ _ _ _ _ _ Ha) in M. unfold value_at. lra.
Qed.

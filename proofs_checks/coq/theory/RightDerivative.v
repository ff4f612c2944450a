(** Right derivatives: sum, multiple, absolute value, chain rule, and the lemma that replaces every
    integral of the written proof: a continuous function whose right derivative is never negative
    does not fall. Used by the theorem page [fluid-value]. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Queues Require Import FluidModel.
Open Scope R_scope.

Lemma Rabs_mult_le a b c e : Rabs a <= c -> Rabs b <= e -> Rabs (a * b) <= c * e.
Proof. intros H K. rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. Qed.

Lemma rderiv_plus f g t l m : rderiv f t l -> rderiv g t m -> rderiv (fun s => f s + g s) t (l + m).
Proof.
  intros Hf Hg eps He. destruct (Hf (eps / 2)) as [e1 [P1 H1]]; [lra|].
  destruct (Hg (eps / 2)) as [e2 [P2 H2]]; [lra|].
  exists (Rmin e1 e2). split; [apply Rmin_pos; assumption|]. intros h [Hh0 Hh].
  assert (A := H1 h (conj Hh0 (Rlt_le_trans _ _ _ Hh (Rmin_l _ _)))).
  assert (B := H2 h (conj Hh0 (Rlt_le_trans _ _ _ Hh (Rmin_r _ _)))).
  replace (f (t + h) + g (t + h) - (f t + g t) - (l + m) * h)
    with ((f (t + h) - f t - l * h) + (g (t + h) - g t - m * h)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Lemma rderiv_scal f t l c : rderiv f t l -> rderiv (fun s => c * f s) t (c * l).
Proof.
  intros Hf eps He. assert (Hc := Rabs_pos c).
  destruct (Hf (eps / (Rabs c + 1))) as [e [P H]]; [apply Rdiv_lt_0_compat; lra|].
  exists e. split; [exact P|]. intros h Hh. specialize (H h Hh).
  replace (c * f (t + h) - c * f t - c * l * h) with (c * (f (t + h) - f t - l * h)) by ring.
  rewrite Rabs_mult. apply Rle_trans with ((Rabs c + 1) * (eps / (Rabs c + 1) * h)).
  - apply Rmult_le_compat; [exact Hc | apply Rabs_pos | lra | exact H].
  - right. field. lra.
Qed.

Lemma rderiv_ext f g t l : (forall s, f s = g s) -> rderiv f t l -> rderiv g t l.
Proof. intros E H eps He. destruct (H eps He) as [e [P K]]. exists e. split; [exact P|]. intros h Hh. rewrite <- !E. auto. Qed.

(** |f| *)
Lemma rderiv_abs f t l : rderiv f t l ->
  rderiv (fun s => Rabs (f s)) t (if Rlt_dec 0 (f t) then l else if Rlt_dec (f t) 0 then - l else Rabs l).
Proof.
  intros Hf. assert (Hl := Rabs_pos l).
  (* near t the sign of f stays when f t <> 0 *)
  assert (near : forall c, 0 < c -> exists e, 0 < e /\ forall h, 0 < h < e -> Rabs (f (t + h) - f t) < c).
  { intros c Hc. destruct (Hf 1 Rlt_0_1) as [e [P H]].
    assert (Q : 0 < c / (Rabs l + 2)) by (apply Rdiv_lt_0_compat; lra).
    exists (Rmin e (c / (Rabs l + 2))). split; [apply Rmin_pos; assumption|]. intros h [H0 H1].
    assert (A := H h (conj H0 (Rlt_le_trans _ _ _ H1 (Rmin_l _ _)))).
    assert (B := Rlt_le_trans _ _ _ H1 (Rmin_r _ _)).
    assert (C : (Rabs l + 2) * h < c).
    { apply Rmult_lt_reg_r with (/ (Rabs l + 2)); [apply Rinv_0_lt_compat; lra|].
      replace ((Rabs l + 2) * h * / (Rabs l + 2)) with h by (field; lra). exact B. }
    replace (f (t + h) - f t) with ((f (t + h) - f t - l * h) + l * h) by ring.
    eapply Rle_lt_trans; [apply Rabs_triang|]. rewrite (Rabs_mult l h), (Rabs_pos_eq h) by lra. lra. }
  destruct (Rlt_dec 0 (f t)) as [C|C]; [|destruct (Rlt_dec (f t) 0) as [D|D]].
  - intros eps He. destruct (Hf eps He) as [e [P H]]. destruct (near _ C) as [e' [P' H']].
    exists (Rmin e e'). split; [apply Rmin_pos; assumption|]. intros h [H0 H1].
    assert (A := H h (conj H0 (Rlt_le_trans _ _ _ H1 (Rmin_l _ _)))).
    assert (B := H' h (conj H0 (Rlt_le_trans _ _ _ H1 (Rmin_r _ _)))).
    apply Rabs_lt_between in B. rewrite !(Rabs_pos_eq (f _)) by lra. exact A.
  - intros eps He. destruct (Hf eps He) as [e [P H]]. destruct (near (- f t)) as [e' [P' H']]; [lra|].
    exists (Rmin e e'). split; [apply Rmin_pos; assumption|]. intros h [H0 H1].
    assert (A := H h (conj H0 (Rlt_le_trans _ _ _ H1 (Rmin_l _ _)))).
    assert (B := H' h (conj H0 (Rlt_le_trans _ _ _ H1 (Rmin_r _ _)))).
    apply Rabs_lt_between in B. rewrite !(Rabs_left (f _)) by lra.
    replace (- f (t + h) - - f t - - l * h) with (- (f (t + h) - f t - l * h)) by ring.
    rewrite Rabs_Ropp. exact A.
  - assert (E : f t = 0) by lra. intros eps He. destruct (Hf eps He) as [e [P H]].
    exists e. split; [exact P|]. intros h Hh. specialize (H h Hh). rewrite E in H |- *.
    rewrite Rabs_R0. replace (Rabs l * h) with (Rabs (l * h)) by (rewrite Rabs_mult, (Rabs_pos_eq h); lra).
    replace (Rabs (f (t + h)) - 0 - Rabs (l * h)) with (Rabs (f (t + h)) - Rabs (l * h)) by ring.
    eapply Rle_trans; [apply Rabs_triang_inv2|]. replace (f (t + h) - l * h) with (f (t + h) - 0 - l * h) by ring. exact H.
Qed.

(** Chain rule for a function of two variables along two right-differentiable functions. *)
Lemma rderiv_chain f fx fd a b t la lb :
  differentiable_pt_lim f (a t) (b t) fx fd -> rderiv a t la -> rderiv b t lb ->
  rderiv (fun s => f (a s) (b s)) t (fx * la + fd * lb).
Proof.
  intros Hf Ha Hb eps He.
  set (M := Rabs la + Rabs lb + 1).
  assert (HM : 1 <= M) by (unfold M; generalize (Rabs_pos la) (Rabs_pos lb); lra).
  assert (Hmid : 0 < eps / (2 * M)) by (apply Rdiv_lt_0_compat; lra).
  destruct (Hf (mkposreal _ Hmid)) as [e0 H0]. simpl in H0.
  assert (Q : 0 < e0 / M) by (apply Rdiv_lt_0_compat; [apply cond_pos | lra]).
  set (N := Rabs fx + Rabs fd + 1).
  assert (HN : 1 <= N) by (unfold N; generalize (Rabs_pos fx) (Rabs_pos fd); lra).
  assert (Hs : 0 < Rmin 1 (eps / (4 * N))) by (apply Rmin_pos; [lra | apply Rdiv_lt_0_compat; lra]).
  destruct (Ha _ Hs) as [e1 [P1 H1]]. destruct (Hb _ Hs) as [e2 [P2 H2]].
  exists (Rmin (Rmin e1 e2) (e0 / M)). split; [apply Rmin_pos; [apply Rmin_pos; assumption | exact Q]|].
  intros h [Hh0 Hh].
  assert (K1 : h < e1) by (eapply Rlt_le_trans; [exact Hh | eapply Rle_trans; [apply Rmin_l | apply Rmin_l]]).
  assert (K2 : h < e2) by (eapply Rlt_le_trans; [exact Hh | eapply Rle_trans; [apply Rmin_l | apply Rmin_r]]).
  assert (K3 : h < e0 / M) by (eapply Rlt_le_trans; [exact Hh | apply Rmin_r]).
  assert (A := H1 h (conj Hh0 K1)). assert (B := H2 h (conj Hh0 K2)).
  assert (S1 := Rmin_l 1 (eps / (4 * N))). assert (S2 := Rmin_r 1 (eps / (4 * N))).
  set (s := Rmin 1 (eps / (4 * N))) in *.
  set (ra := a (t + h) - a t - la * h) in *. set (rb := b (t + h) - b t - lb * h) in *.
  assert (SA : Rabs ra <= 1 * h) by (eapply Rle_trans; [exact A | apply Rmult_le_compat_r; lra]).
  assert (SB : Rabs rb <= 1 * h) by (eapply Rle_trans; [exact B | apply Rmult_le_compat_r; lra]).
  assert (DA : Rabs (a (t + h) - a t) <= M * h).
  { replace (a (t + h) - a t) with (ra + la * h) by (unfold ra; ring).
    eapply Rle_trans; [apply Rabs_triang|]. rewrite (Rabs_mult la h), (Rabs_pos_eq h) by lra.
    unfold M. generalize (Rmult_le_pos (Rabs lb) h (Rabs_pos lb)). lra. }
  assert (DB : Rabs (b (t + h) - b t) <= M * h).
  { replace (b (t + h) - b t) with (rb + lb * h) by (unfold rb; ring).
    eapply Rle_trans; [apply Rabs_triang|]. rewrite (Rabs_mult lb h), (Rabs_pos_eq h) by lra.
    unfold M. generalize (Rmult_le_pos (Rabs la) h (Rabs_pos la)). lra. }
  assert (Hsmall : M * h < e0).
  { apply Rmult_lt_reg_r with (/ M); [apply Rinv_0_lt_compat; lra|].
    replace (M * h * / M) with h by (field; lra). exact K3. }
  assert (C := H0 (a (t + h)) (b (t + h)) (Rle_lt_trans _ _ _ DA Hsmall) (Rle_lt_trans _ _ _ DB Hsmall)).
  assert (C' : Rabs (f (a (t + h)) (b (t + h)) - f (a t) (b t)
            - (fx * (a (t + h) - a t) + fd * (b (t + h) - b t))) <= eps / 2 * h).
  { eapply Rle_trans; [exact C|]. apply Rle_trans with (eps / (2 * M) * (M * h)).
    - apply Rmult_le_compat_l; [lra | apply Rmax_lub; assumption].
    - right. field. lra. }
  replace (f (a (t + h)) (b (t + h)) - f (a t) (b t) - (fx * la + fd * lb) * h)
    with ((f (a (t + h)) (b (t + h)) - f (a t) (b t) - (fx * (a (t + h) - a t) + fd * (b (t + h) - b t)))
          + (fx * ra + fd * rb)) by (unfold ra, rb; ring).
  eapply Rle_trans; [apply Rabs_triang|].
  assert (E1 : Rabs (fx * ra) <= Rabs fx * (s * h)) by (apply Rabs_mult_le; [apply Rle_refl | exact A]).
  assert (E2 : Rabs (fd * rb) <= Rabs fd * (s * h)) by (apply Rabs_mult_le; [apply Rle_refl | exact B]).
  assert (E3 := Rabs_triang (fx * ra) (fd * rb)).
  assert (E4 : (Rabs fx + Rabs fd) * (s * h) <= eps / 4 * h).
  { apply Rle_trans with (N * (eps / (4 * N) * h)).
    - apply Rmult_le_compat; [generalize (Rabs_pos fx) (Rabs_pos fd); lra | apply Rmult_le_pos; lra
        | unfold N; lra | apply Rmult_le_compat_r; lra].
    - right. field. lra. }
  assert (0 < eps * h) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(** A continuous function whose right derivative is never negative does not fall. *)
Lemma monotone f a b : a <= b -> (forall t, a <= t <= b -> continuity_pt f t) ->
  (forall t, a <= t < b -> exists l, 0 <= l /\ rderiv f t l) -> f a <= f b.
Proof.
  intros Hab Hc Hd.
  assert (Main : forall eps, 0 < eps -> f a - eps * (b - a) <= f b).
  { intros eps He.
    (* the set of t up to which f stays above the slowly falling line *)
    set (E := fun t => a <= t <= b /\ forall s, a <= s <= t -> f a - eps * (s - a) <= f s).
    assert (Ea : E a).
    { split; [lra|]. intros s Hs. replace s with a by lra. lra. }
    destruct (completeness E) as [m [Hub Hlub]].
    - exists b. intros t [Ht _]. lra.
    - exists a. exact Ea.
    - assert (Ham : a <= m) by (apply Hub; exact Ea).
      assert (Hmb : m <= b) by (apply Hlub; intros t [Ht _]; lra).
      (* strictly below m everything is fine *)
      assert (Hlow : forall s, a <= s < m -> f a - eps * (s - a) <= f s).
      { intros s [Hs1 Hs2]. apply Rnot_lt_le. intros C.
        assert (m <= s); [|lra]. apply Hlub. intros t [Ht K].
        apply Rnot_lt_le. intros D. generalize (K s ltac:(lra)). lra. }
      (* and at m by continuity *)
      assert (Hm : f a - eps * (m - a) <= f m).
      { destruct (Req_dec a m) as [<-|Hne]; [lra|].
        apply Rnot_lt_le. intros C. set (gap := f a - eps * (m - a) - f m).
        assert (Hgap : 0 < gap) by (unfold gap; lra).
        destruct (Hc m ltac:(lra) gap Hgap) as [del [Hdel K]].
        set (s := m - Rmin (del / 2) (m - a)).
        assert (Hr : 0 < Rmin (del / 2) (m - a)) by (apply Rmin_pos; lra).
        assert (Hr1 := Rmin_l (del / 2) (m - a)). assert (Hr2 := Rmin_r (del / 2) (m - a)).
        assert (Hs : a <= s < m) by (unfold s; lra).
        assert (KK : Rabs (f s - f m) < gap).
        { apply K. split.
          - split; [exact I | lra].
          - unfold dist; simpl; unfold R_dist. rewrite Rabs_left; unfold s; lra. }
        apply Rabs_lt_between in KK. assert (L := Hlow s Hs). unfold gap in KK.
        assert (eps * (s - a) <= eps * (m - a)) by (apply Rmult_le_compat_l; lra). lra. }
      destruct (Req_dec m b) as [<-|Hne]; [exact Hm|]. exfalso.
      (* from m one can go a little further *)
      destruct (Hd m ltac:(lra)) as [l [Hl Hr]]. destruct (Hr eps He) as [eta [Heta K]].
      set (r := Rmin (eta / 2) (b - m)).
      assert (Hr0 : 0 < r) by (apply Rmin_pos; lra).
      assert (Hr1 : r <= eta / 2) by apply Rmin_l. assert (Hr2 : r <= b - m) by apply Rmin_r.
      assert (m + r <= m); [|lra]. apply Hub. split; [lra|]. intros s Hs.
      destruct (Rlt_le_dec s m) as [C|C]; [apply Hlow; lra|].
      destruct (Req_dec s m) as [->|Hsm]; [exact Hm|].
      assert (KK := K (s - m) ltac:(lra)). replace (m + (s - m)) with s in KK by ring.
      apply Rabs_le_between in KK.
      assert (0 <= l * (s - m)) by (apply Rmult_le_pos; lra). lra. }
  destruct (Req_dec a b) as [<-|Hne]; [lra|].
  apply Rnot_lt_le. intros C.
  assert (He : 0 < (f a - f b) / (2 * (b - a))) by (apply Rdiv_lt_0_compat; lra).
  generalize (Main _ He). replace ((f a - f b) / (2 * (b - a)) * (b - a)) with ((f a - f b) / 2) by (field; lra). lra.
Qed.


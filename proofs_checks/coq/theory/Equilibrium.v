(** The equilibrium of the reflected routing equation. Formalises the theorem page
    [softmax-equilibrium].

    - [G_strict], [root_unique]: G falls, strictly wherever it is below capacity, so below
      capacity lambda = G(K) has at most one root;
    - [root_formula]: if the servers split into active ones (theta_i > K) and others
      (theta_i <= K), then K = sum_{others} mu_i theta_i / (lambda - sum_{active} mu_i) is the root;
    - [equilibrium_iff]: q is an equilibrium exactly when q_i = max(0, ln(theta_i/K)/(alpha v_i))
      for a root K;
    - [certified]: the certificate theorem of the kind [softmax-equilibrium]. *)
From Coq Require Import Reals Lra Lia Arith List QArith Qreals.
From Queues Require Import Sums Routing Softmax Drift SharpDrift DriftCertificate.
Import ListNotations.
Open Scope R_scope.

(** * Monotone, and strictly so below capacity *)
Section Monotone.
Variable a : R.
Definition good (s : server) := 0 < rate s /\ 0 < per_job s.

Lemma theta_pos s : good s -> 0 < theta a s.
Proof. intros [H _]. apply Rdiv_lt_0_compat; [apply exp_pos | exact H]. Qed.

Lemma load_anti s x y : good s -> 0 < x -> x < y -> rate s * theta a s / y < rate s * theta a s / x.
Proof.
  intros Hs Hx Hxy. assert (Ht := theta_pos s Hs). destruct Hs as [Hm _].
  apply Rmult_lt_compat_l; [apply Rmult_lt_0_compat; assumption|].
  apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra | lra].
Qed.

Lemma term_anti s x y : good s -> 0 < x -> x <= y -> term a y s <= term a x s.
Proof.
  intros Hg Hx [Hxy | ->]; [|apply Rle_refl]. unfold term.
  apply Rmin_glb; [apply Rmin_l|].
  apply Rle_trans with (rate s * theta a s / y); [apply Rmin_r|].
  left. apply load_anti; assumption.
Qed.

Notation total_term K l := (total_of (term a K) l).

Lemma G_anti l x y : Forall good l -> 0 < x -> x <= y -> total_term y l <= total_term x l.
Proof.
  intros H Hx Hxy. induction H as [|s l Hs Hl IH]; simpl; [lra|].
  apply Rplus_le_compat; [apply term_anti; assumption | exact IH].
Qed.

Lemma G_strict l x y : Forall good l -> 0 < x -> x < y ->
  total_term x l < total_of rate l -> total_term y l < total_term x l.
Proof.
  intros H Hx Hxy. induction H as [|s l Hs Hl IH]; simpl; [lra|]. intros Hc.
  destruct (Rlt_dec (term a x s) (rate s)) as [Hlt|Hge].
  - assert (total_term y l <= total_term x l) by (apply G_anti; [assumption | assumption | lra]).
    assert (term a y s < term a x s); [|lra].
    assert (E : term a x s = rate s * theta a s / x).
    { unfold term, Rmin in *. destruct (Rle_dec (rate s) (rate s * theta a s / x)); lra. }
    rewrite E. apply Rle_lt_trans with (rate s * theta a s / y); [apply Rmin_r|].
    apply load_anti; assumption.
  - assert (term a x s <= rate s) by apply Rmin_l.
    assert (total_term y l < total_term x l) by (apply IH; lra).
    assert (term a y s <= term a x s) by (apply term_anti; [assumption | assumption | lra]). lra.
Qed.
End Monotone.

Theorem root_unique S x y : proper S -> consistent S x -> consistent S y -> x = y.
Proof.
  intros [[_ Hc] [_ Hg]] [Hx Ex] [Hy Ey]. unfold G, capacity in *.
  destruct (Rtotal_order x y) as [C|[C|C]]; [|exact C|]; exfalso.
  - assert (K := G_strict (alpha S) (servers S) x y Hg Hx C). lra.
  - assert (K := G_strict (alpha S) (servers S) y x Hg Hy C). lra.
Qed.

(** * What an active and an inactive server contribute *)
Lemma term_active a K s : good s -> 0 < K -> K <= theta a s -> term a K s = rate s.
Proof.
  intros [Hm _] HK Ht. unfold term. apply Rmin_left.
  apply Rmult_le_reg_r with K; [exact HK|].
  replace (rate s * theta a s / K * K) with (rate s * theta a s) by (field; lra).
  apply Rmult_le_compat_l; lra.
Qed.

Lemma term_inactive a K s : good s -> 0 < K -> theta a s <= K -> term a K s = rate s * theta a s / K.
Proof.
  intros [Hm _] HK Ht. unfold term. apply Rmin_right.
  apply Rmult_le_reg_r with K; [exact HK|].
  replace (rate s * theta a s / K * K) with (rate s * theta a s) by (field; lra).
  apply Rmult_le_compat_l; lra.
Qed.

Lemma ln_nonpos x : 0 < x -> x <= 1 -> ln x <= 0.
Proof. intros H0 [H1| ->]; rewrite <- ln_1; [left; apply ln_increasing; lra | lra]. Qed.
Lemma ln_pos x : 1 < x -> 0 < ln x.
Proof. intros H. rewrite <- ln_1. apply ln_increasing; lra. Qed.

Lemma ln_theta a K s : good s -> 0 < K -> ln (theta a s / K) = - a * at_empty s - ln (rate s) - ln K.
Proof.
  intros Hs HK. rewrite ln_quot by (try apply theta_pos; assumption).
  unfold theta. rewrite ln_quot, ln_exp; [reflexivity | apply exp_pos | apply Hs].
Qed.

Lemma quotient_le_1 x K : 0 < K -> x <= K -> x / K <= 1.
Proof. intros HK H. apply Rmult_le_reg_r with K; [exact HK|]. replace (x / K * K) with x by (field; lra). lra. Qed.
Lemma quotient_gt_1 x K : 0 < K -> K < x -> 1 < x / K.
Proof. intros HK H. apply Rmult_lt_reg_r with K; [exact HK|]. replace (x / K * K) with x by (field; lra). lra. Qed.

Lemma queue_inactive a K s : 0 < a -> good s -> 0 < K -> theta a s <= K -> queue a K s = 0.
Proof.
  intros Ha Hs HK Ht. unfold queue. apply Rmax_left.
  assert (T := theta_pos a s Hs). destruct Hs as [_ Hv].
  assert (L : ln (theta a s / K) <= 0).
  { apply ln_nonpos; [apply Rdiv_lt_0_compat; assumption | apply quotient_le_1; assumption]. }
  assert (D : 0 < / (a * per_job s)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; assumption).
  unfold Rdiv. generalize (Rmult_le_compat_r _ _ _ (Rlt_le _ _ D) L). lra.
Qed.

Lemma queue_active a K s : 0 < a -> good s -> 0 < K -> K < theta a s ->
  0 < queue a K s /\ queue a K s = ln (theta a s / K) / (a * per_job s).
Proof.
  intros Ha Hs HK Ht. assert (L : 0 < ln (theta a s / K)) by (apply ln_pos, quotient_gt_1; assumption).
  assert (D : 0 < ln (theta a s / K) / (a * per_job s)).
  { apply Rdiv_lt_0_compat; [exact L | apply Rmult_lt_0_compat; [exact Ha | apply Hs]]. }
  unfold queue. rewrite Rmax_right by lra. split; [exact D | reflexivity].
Qed.

(** * The root, once the active servers are known *)
Fixpoint busy (l : list (server * bool)) : R :=
  match l with [] => 0 | (s, b) :: l => (if b then rate s else 0) + busy l end.
Fixpoint spare (a : R) (l : list (server * bool)) : R :=
  match l with [] => 0 | (s, b) :: l => (if b then 0 else rate s * theta a s) + spare a l end.

Lemma G_split a K l : Forall good (map fst l) -> 0 < K ->
  Forall (fun r : server * bool => if snd r then K < theta a (fst r) else theta a (fst r) <= K) l ->
  total_of (term a K) (map fst l) = busy l + spare a l / K.
Proof.
  intros Hg HK H. induction H as [|[s b] l Hs Hl IH]; simpl in *; [field; lra|].
  inversion Hg as [|? ? G1 G2]; subst. rewrite IH by exact G2. destruct b.
  - rewrite term_active by (try assumption; lra). unfold Rdiv. ring.
  - rewrite term_inactive by assumption. unfold Rdiv. ring.
Qed.

Theorem root_formula S l K : proper S -> map fst l = servers S ->
  K = spare (alpha S) l / (lambda S - busy l) -> 0 < K -> 0 < lambda S - busy l ->
  Forall (fun r : server * bool => if snd r then K < theta (alpha S) (fst r) else theta (alpha S) (fst r) <= K) l ->
  consistent S K.
Proof.
  intros [_ [_ Hg]] E EK HK Hd H. split; [exact HK|]. unfold G. rewrite <- E in Hg |- *.
  rewrite (G_split _ _ _ Hg HK H).
  assert (EW : spare (alpha S) l = K * (lambda S - busy l)) by (rewrite EK; field; lra).
  rewrite EW. field. lra.
Qed.

(** * Equilibria are what the roots say *)
Section Flow.
Variable S : system.
Hypothesis system_ok : proper S.
Notation a := (alpha S).
Notation server_at i := (nth i (servers S) idle).

Lemma good_at i : (i < N S)%nat -> good (server_at i).
Proof. intros Hi. destruct system_ok as [_ [_ H]]. apply (Forall_nth _ idle _ i H Hi). Qed.

Lemma G_indexed K : G S K = sum (N S) (fun i => term a K (server_at i)).
Proof. symmetry. apply (total_of_nth (term a K) idle). Qed.

Notation energies q := (fun j => v S j * q j + kappa S j).

(** exp(-alpha s_i) of the queues of K is K min(mu_i, mu_i theta_i / K). *)
Lemma weight_at_root K q i : 0 < K -> (i < N S)%nat -> q i = queue a K (server_at i) ->
  weight a (energies q) i = K * term a K (server_at i).
Proof.
  intros HK Hi Eq. assert (Hs := good_at i Hi). destruct system_ok as [_ [Ha _]].
  assert (ET : exp (- a * kappa S i) = mu S i * theta a (server_at i)).
  { unfold theta. change (rate (server_at i)) with (mu S i). change (at_empty (server_at i)) with (kappa S i).
    field. apply Rgt_not_eq, Hs. }
  unfold weight. destruct (Rlt_le_dec K (theta a (server_at i))) as [C|C].
  - destruct (queue_active a K _ Ha Hs HK C) as [_ EQ].
    replace (- a * (v S i * q i + kappa S i)) with (- ln (theta a (server_at i) / K) + - a * kappa S i).
    + rewrite exp_plus, exp_Ropp, exp_ln, ET by (apply Rdiv_lt_0_compat; [apply theta_pos, Hs | exact HK]).
      rewrite term_active by (try assumption; lra).
      change (mu S i) with (rate (server_at i)). field. split; [lra | apply Rgt_not_eq, theta_pos, Hs].
    + rewrite Eq, EQ. change (v S i) with (per_job (server_at i)). field.
      split; apply Rgt_not_eq; [apply Hs | exact Ha].
  - rewrite (queue_inactive a K _ Ha Hs HK C) in Eq. rewrite Eq, Rmult_0_r, Rplus_0_l, ET.
    rewrite term_inactive by assumption. change (mu S i) with (rate (server_at i)). field. lra.
Qed.

Lemma equilibrium_of_root K q : consistent S K ->
  (forall i, (i < N S)%nat -> q i = queue a K (server_at i)) -> equilibrium S q.
Proof.
  intros [HK EG] Hq i Hi. cbv zeta.
  assert (W : total (N S) a (energies q) = K * lambda S).
  { unfold total. rewrite <- EG, G_indexed, <- sum_scal. apply sum_ext.
    intros j Hj. apply weight_at_root; auto. }
  assert (L : 0 < lambda S) by (destruct system_ok as [[H _] _]; exact H).
  assert (E : lambda S * softmax (N S) a (energies q) i = term a K (server_at i)).
  { unfold softmax. rewrite W, (weight_at_root K q i HK Hi (Hq i Hi)). field. lra. }
  rewrite E, (Hq i Hi). destruct system_ok as [_ [Ha _]]. assert (Hs := good_at i Hi).
  split; [apply Rmax_l|]. split; [apply Rmin_l|]. intros Hpos.
  apply term_active; [exact Hs | exact HK|]. apply Rnot_lt_le. intros C.
  rewrite (queue_inactive a K _ Ha Hs HK) in Hpos by lra. lra.
Qed.

Lemma root_of_equilibrium q : (0 < N S)%nat -> equilibrium S q ->
  exists K, consistent S K /\ forall i, (i < N S)%nat -> q i = queue a K (server_at i).
Proof.
  intros n0 H. set (K := total (N S) a (energies q) / lambda S).
  assert (L : 0 < lambda S) by (destruct system_ok as [[L _] _]; exact L).
  assert (T := total_pos (N S) a (energies q) n0).
  assert (HK : 0 < K) by (apply Rdiv_lt_0_compat; assumption).
  destruct system_ok as [_ [Ha _]].
  assert (Each : forall i, (i < N S)%nat -> q i = queue a K (server_at i)
            /\ lambda S * softmax (N S) a (energies q) i = term a K (server_at i)).
  { intros i Hi. destruct (H i Hi) as [Q0 [Q1 Q2]]. cbv zeta in Q1, Q2. assert (Hs := good_at i Hi).
    set (f := lambda S * softmax (N S) a (energies q) i) in *.
    assert (EW : exp (- a * (v S i * q i)) * (mu S i * theta a (server_at i)) = K * f).
    { transitivity (weight a (energies q) i).
      - unfold weight, theta. change (rate (server_at i)) with (mu S i).
        change (at_empty (server_at i)) with (kappa S i).
        replace (- a * (v S i * q i + kappa S i)) with (- a * (v S i * q i) + - a * kappa S i) by ring.
        rewrite exp_plus. field. apply Rgt_not_eq, Hs.
      - unfold f, softmax, K. field. split; lra. }
    assert (Hm : 0 < mu S i) by apply Hs. assert (Hv : 0 < v S i) by apply Hs.
    assert (Ht := theta_pos a _ Hs).
    destruct (Rle_lt_or_eq_dec 0 (q i) Q0) as [C|C].
    - (* a positive queue: f = mu, so exp(-alpha v q) theta = K *)
      rewrite (Q2 C) in *.
      assert (EK : K = exp (- a * (v S i * q i)) * theta a (server_at i)).
      { apply Rmult_eq_reg_r with (mu S i); [lra | lra]. }
      assert (X : exp (- a * (v S i * q i)) < 1).
      { rewrite <- exp_0. apply exp_increasing.
        assert (0 < a * (v S i * q i)) by (apply Rmult_lt_0_compat; [exact Ha | apply Rmult_lt_0_compat; assumption]).
        lra. }
      assert (C' : K < theta a (server_at i)).
      { rewrite EK. rewrite <- (Rmult_1_l (theta a (server_at i))) at 2. apply Rmult_lt_compat_r; assumption. }
      destruct (queue_active a K _ Ha Hs HK C') as [_ EQ]. split.
      + rewrite EQ.
        replace (theta a (server_at i) / K) with (exp (a * (v S i * q i))).
        * rewrite ln_exp. change (per_job (server_at i)) with (v S i). field. split; lra.
        * rewrite EK. replace (- a * (v S i * q i)) with (- (a * (v S i * q i))) by ring.
          rewrite exp_Ropp. field. split; [apply Rgt_not_eq, exp_pos | lra].
      + symmetry. apply term_active; [exact Hs | exact HK | lra].
    - (* an empty queue: mu theta = K f <= K mu *)
      rewrite <- C in EW. rewrite !Rmult_0_r, exp_0, Rmult_1_l in EW.
      assert (C' : theta a (server_at i) <= K).
      { apply Rmult_le_reg_l with (mu S i); [exact Hm|]. rewrite EW, (Rmult_comm (mu S i)).
        apply Rmult_le_compat_l; lra. }
      split; [rewrite <- C; symmetry; apply queue_inactive; assumption|].
      rewrite term_inactive by assumption. change (rate (server_at i)) with (mu S i). rewrite EW. field. lra. }
  exists K. split; [split; [exact HK|]|intros i Hi; apply Each, Hi].
  rewrite G_indexed. rewrite (sum_ext _ _ (fun i => lambda S * softmax (N S) a (energies q) i)).
  - rewrite sum_scal, (softmax_sum (N S) a (energies q) n0). ring.
  - intros i Hi. symmetry. apply Each, Hi.
Qed.

Theorem equilibrium_iff K q : consistent S K ->
  (equilibrium S q <-> forall i, (i < N S)%nat -> q i = queue a K (server_at i)).
Proof.
  intros HK. split; [|apply equilibrium_of_root, HK]. intros H.
  destruct (root_of_equilibrium q (proj1 (proper_positive S system_ok)) H) as [K' [HK' Hq]].
  rewrite (root_unique S K K' system_ok HK HK'). exact Hq.
Qed.
End Flow.

(** * The certificate theorem *)
Lemma same_length {A B : Type} (P : A -> B -> Prop) l m : Forall2 P l m -> length l = length m.
Proof. intros H. induction H; simpl; [reflexivity | f_equal; assumption]. Qed.

(** The entry of one server, from goals without K: K enters monotonically. *)
Lemma located_active a K s e low high : 0 < a -> good s -> 0 < Q2R low -> Q2R low <= K <= Q2R high ->
  active e = true -> Q2R (theta_low e) <= theta a s <= Q2R (theta_high e) -> Q2R high < theta a s ->
  Q2R (queue_low e) <= (- a * at_empty s - ln (rate s) - ln (Q2R high)) / (a * per_job s) ->
  (- a * at_empty s - ln (rate s) - ln (Q2R low)) / (a * per_job s) <= Q2R (queue_high e) ->
  located a K s e.
Proof.
  intros Ha Hs H0 HK Act Ht Hh Q1 Q2. assert (K0 : 0 < K) by lra.
  destruct (queue_active a K s Ha Hs K0 ltac:(lra)) as [P E].
  assert (D : 0 < / (a * per_job s)) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; [exact Ha | apply Hs]).
  assert (Mono : forall x y, 0 < x -> x <= y -> ln x <= ln y).
  { intros x y Hx [Hxy | ->]; [left; apply ln_increasing; assumption | right; reflexivity]. }
  split; [exact Ht|]. split; [|rewrite Act; exact P]. rewrite E, ln_theta by assumption. split.
  - apply Rle_trans with (1 := Q1). apply Rmult_le_compat_r; [lra|].
    generalize (Mono K (Q2R high) K0 (proj2 HK)). lra.
  - apply Rle_trans with (2 := Q2). apply Rmult_le_compat_r; [lra|].
    generalize (Mono (Q2R low) K H0 (proj1 HK)). lra.
Qed.

Lemma located_inactive a K s e low high : 0 < a -> good s -> 0 < Q2R low -> Q2R low <= K <= Q2R high ->
  active e = false -> Q2R (theta_low e) <= theta a s <= Q2R (theta_high e) -> theta a s <= Q2R low ->
  Q2R (queue_low e) <= 0 <= Q2R (queue_high e) -> located a K s e.
Proof.
  intros Ha Hs H0 HK Act Ht Hl HQ.
  assert (E := queue_inactive a K s Ha Hs ltac:(lra) ltac:(lra)).
  split; [exact Ht|]. rewrite Act, E. split; [exact HQ | reflexivity].
Qed.

Definition marked (S : system) (entries : list entry) : list (server * bool) :=
  combine (servers S) (map active entries).

Theorem certified S low high entries l : proper S -> 0 < Q2R low ->
  (forall K, Q2R low <= K <= Q2R high -> Forall2 (located (alpha S) K) (servers S) entries) ->
  marked S entries = l -> 0 < lambda S - busy l ->
  Q2R low * (lambda S - busy l) <= spare (alpha S) l ->
  spare (alpha S) l <= Q2R high * (lambda S - busy l) ->
  equilibrium_claim S low high entries.
Proof.
  intros Hp Hlow Hin Hl Hd H1 H2. split; [exact Hp|]. set (K := spare (alpha S) l / (lambda S - busy l)).
  assert (E : K * (lambda S - busy l) = spare (alpha S) l) by (unfold K; field; lra).
  assert (HK : Q2R low <= K <= Q2R high).
  { split; apply Rmult_le_reg_r with (lambda S - busy l); lra. }
  assert (HK0 : 0 < K) by lra.
  assert (F := Hin K HK).
  assert (El : map fst l = servers S).
  { rewrite <- Hl. apply combine_fst. rewrite map_length. symmetry. exact (same_length _ _ _ F). }
  assert (C : consistent S K).
  { apply (root_formula S l K Hp El); [reflexivity | exact HK0 | exact Hd|].
    rewrite <- Hl. unfold marked. destruct Hp as [_ [Ha Hg]].
    clear - F Ha Hg HK0. induction F as [|s e sl el [_ [_ H]] _ IH]; [constructor|].
    inversion Hg as [|? ? G1 G2]; subst. simpl. constructor; [|apply IH, G2]. simpl.
    destruct (active e).
    - apply Rnot_le_lt. intros X. rewrite (queue_inactive _ _ _ Ha G1 HK0 X) in H. lra.
    - apply Rnot_lt_le. intros X. destruct (queue_active _ _ _ Ha G1 HK0 X) as [Y _]. lra. }
  exists K. split; [exact C|]. split; [intros K' HK'; symmetry; apply (root_unique S K K' Hp C HK')|].
  split; [exact HK|]. split; [exact F|]. intros q. apply (equilibrium_iff S Hp K q C).
Qed.

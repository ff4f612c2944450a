(** The equilibrium of the reflected routing equation. Formalises the theorem page
    [softmax-equilibrium].

    - [G_strict], [root_unique]: G falls, strictly wherever it is below capacity, so below
      capacity lambda = G(K) has at most one root;
    - [equilibrium_iff]: q is an equilibrium exactly when q_i = max(0, ln(theta_i/K)/(alpha v_i))
      for a root K;
    - [certified]: the certificate theorem of the kind [softmax-equilibrium]. *)
From Coq Require Import Reals Ranalysis5 Lra Lia Arith List QArith Qreals.
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

(** * Continuous, so a crossing holds a root *)
Lemma cont_ext f g x : (forall t, f t = g t) -> continuity_pt f x -> continuity_pt g x.
Proof.
  intros E H eps He. destruct (H eps He) as [d [Hd P]]. exists d. split; [exact Hd|].
  intros t Ht. rewrite <- !E. apply P, Ht.
Qed.

Lemma term_cont a s K : K <> 0 -> continuity_pt (fun K => term a K s) K.
Proof.
  intros HK. unfold term. set (c := rate s * theta a s).
  apply cont_ext with (fun K => / 2 * (rate s + c / K - Rabs (rate s - c / K))).
  - intros t. unfold Rmin, Rabs.
    destruct (Rle_dec (rate s) (c / t)), (Rcase_abs (rate s - c / t)); lra.
  - assert (Hd : continuity_pt (fun K => c / K) K).
    { apply continuity_pt_div; [apply continuity_pt_const; intros x y; reflexivity
      | exact (derivable_continuous_pt id K (derivable_pt_id K)) | exact HK]. }
    assert (Hc : continuity_pt (fun _ => rate s) K) by (apply continuity_pt_const; intros x y; reflexivity).
    apply continuity_pt_scal, continuity_pt_minus; [apply continuity_pt_plus; assumption|].
    apply (continuity_pt_comp (fun K => rate s - c / K) Rabs).
    + apply continuity_pt_minus; assumption.
    + apply Rcontinuity_abs.
Qed.

Lemma G_cont S K : K <> 0 -> continuity_pt (G S) K.
Proof.
  intros HK. unfold G. induction (servers S) as [|s l IH]; simpl.
  - apply continuity_pt_const. intros x y. reflexivity.
  - apply (continuity_pt_plus (fun K => term (alpha S) K s)); [apply term_cont, HK | exact IH].
Qed.

Theorem root_between S low high : 0 < low -> low <= high -> G S high <= lambda S <= G S low ->
  exists K, low <= K <= high /\ consistent S K.
Proof.
  intros H0 Hh [H1 H2].
  destruct (Req_dec (G S low) (lambda S)) as [E|E]; [exists low; repeat split; lra|].
  destruct (Req_dec (G S high) (lambda S)) as [F|F]; [exists high; repeat split; lra|].
  assert (Hne : low <> high) by (intros C; rewrite C in *; lra).
  set (f := fun K => lambda S - G S K).
  assert (C : forall x, low <= x <= high -> continuity_pt f x).
  { intros x Hx. apply (continuity_pt_minus (fun _ => lambda S) (G S)).
    - apply continuity_pt_const. intros y z. reflexivity.
    - apply G_cont. lra. }
  destruct (IVT_interv f low high C ltac:(lra)) as [K [HK EK]]; unfold f in *; [lra..|].
  exists K. split; [exact HK|]. split; lra.
Qed.

(** * G at a point where the active servers are known *)
Fixpoint busy (l : list (server * bool)) : R :=
  match l with [] => 0 | (s, b) :: l => (if b then rate s else 0) + busy l end.
Fixpoint spare (a : R) (l : list (server * bool)) : R :=
  match l with [] => 0 | (s, b) :: l => (if b then 0 else rate s * theta a s) + spare a l end.

Lemma G_split a K l : Forall good (map fst l) -> 0 < K ->
  Forall (fun r : server * bool => if snd r then K <= theta a (fst r) else theta a (fst r) <= K) l ->
  total_of (term a K) (map fst l) = busy l + spare a l / K.
Proof.
  intros Hg HK H. induction H as [|[s b] l Hs Hl IH]; simpl in *; [field; lra|].
  inversion Hg as [|? ? G1 G2]; subst. rewrite IH by exact G2. destruct b.
  - rewrite term_active by (try assumption; lra). unfold Rdiv. ring.
  - rewrite term_inactive by assumption. unfold Rdiv. ring.
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

(** Everything that is to be shown of one server: its entry, and whether it is busy, in the sense
    K <= theta, at either end of the bracket. Only an undecided server may differ there. *)
Definition placed (a : R) (low high : Q) (s : server) (e : entry) (busy_low busy_high : bool) : Prop :=
  (forall K, Q2R low <= K <= Q2R high -> located a K s e)
  /\ (if busy_low then Q2R low <= theta a s else theta a s <= Q2R low)
  /\ (if busy_high then Q2R high <= theta a s else theta a s <= Q2R high).

(** The entry of one server, from goals without K: K enters monotonically. *)
Section Entry.
Variables (a : R) (s : server) (e : entry) (low high : Q).
Hypothesis a_pos : 0 < a.
Hypothesis server_good : good s.
Hypothesis low_pos : 0 < Q2R low.
Hypothesis theta_in : Q2R (theta_low e) <= theta a s <= Q2R (theta_high e).
Notation queue_at K := ((- a * at_empty s - ln (rate s) - ln (Q2R K)) / (a * per_job s)).

Lemma ln_mono x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [Hxy | ->]; [left; apply ln_increasing; assumption | right; reflexivity]. Qed.

Lemma stiffness_pos : 0 < / (a * per_job s).
Proof. apply Rinv_0_lt_compat, Rmult_lt_0_compat; [exact a_pos | apply server_good]. Qed.

Lemma queue_at_mono x y : 0 < x -> x <= y ->
  (- a * at_empty s - ln (rate s) - ln y) / (a * per_job s)
  <= (- a * at_empty s - ln (rate s) - ln x) / (a * per_job s).
Proof.
  intros H0 H. generalize stiffness_pos (ln_mono x y H0 H). intros D L.
  apply Rmult_le_compat_r; lra.
Qed.

Lemma placed_active : state_of e = Active -> Q2R high < theta a s ->
  Q2R low <= Q2R high ->
  Q2R (queue_low e) <= queue_at high -> queue_at low <= Q2R (queue_high e) ->
  placed a low high s e true true.
Proof.
  intros Act Hh Hlh Q1 Q2. split; [|split; lra]. intros K HK. assert (K0 : 0 < K) by lra.
  destruct (queue_active a K s a_pos server_good K0 ltac:(lra)) as [P E].
  split; [exact theta_in|]. split; [|rewrite Act; exact P]. rewrite E, ln_theta by assumption. split.
  - apply Rle_trans with (1 := Q1). apply queue_at_mono; lra.
  - apply Rle_trans with (2 := Q2). apply queue_at_mono; lra.
Qed.

Lemma placed_inactive : state_of e = Inactive -> theta a s <= Q2R low -> Q2R low <= Q2R high ->
  Q2R (queue_low e) <= 0 <= Q2R (queue_high e) -> placed a low high s e false false.
Proof.
  intros Act Hl Hlh HQ. split; [|split; lra]. intros K HK.
  assert (E := queue_inactive a K s a_pos server_good ltac:(lra) ltac:(lra)).
  split; [exact theta_in|]. rewrite Act, E. split; [exact HQ | reflexivity].
Qed.

Lemma placed_undecided (busy_low busy_high : bool) : state_of e = Undecided ->
  (if busy_low then Q2R low <= theta a s else theta a s <= Q2R low) ->
  (if busy_high then Q2R high <= theta a s else theta a s <= Q2R high) ->
  (Q2R (queue_low e) <= 0 \/ Q2R (queue_low e) <= queue_at high) ->
  0 <= Q2R (queue_high e) -> queue_at low <= Q2R (queue_high e) ->
  placed a low high s e busy_low busy_high.
Proof.
  intros Act Hl Hh Q0 Q1 Q2. split; [|split; assumption]. intros K HK. assert (K0 : 0 < K) by lra.
  split; [exact theta_in|]. split; [|rewrite Act; exact I].
  unfold queue. rewrite ln_theta by assumption. split.
  - destruct Q0 as [Q0|Q0]; [apply Rle_trans with 0; [exact Q0 | apply Rmax_l]|].
    apply Rle_trans with (1 := Q0). eapply Rle_trans; [|apply Rmax_r]. apply queue_at_mono; lra.
  - apply Rmax_lub; [exact Q1|]. apply Rle_trans with (2 := Q2). apply queue_at_mono; lra.
Qed.
End Entry.

(** One row per server: the server, its entry, and whether it is busy at low and at high. *)
Definition row : Type := server * entry * (bool * bool).
Definition at_low (r : row) : server * bool := (fst (fst r), fst (snd r)).
Definition at_high (r : row) : server * bool := (fst (fst r), snd (snd r)).

Theorem certified S low high entries (rows : list row) :
  proper S -> 0 < Q2R low -> Q2R low <= Q2R high ->
  map (fun r : row => fst (fst r)) rows = servers S -> map (fun r : row => snd (fst r)) rows = entries ->
  Forall (fun r : row => placed (alpha S) low high (fst (fst r)) (snd (fst r)) (fst (snd r)) (snd (snd r))) rows ->
  Q2R low * (lambda S - busy (map at_low rows)) <= spare (alpha S) (map at_low rows) ->
  spare (alpha S) (map at_high rows) <= Q2R high * (lambda S - busy (map at_high rows)) ->
  equilibrium_claim S low high entries.
Proof.
  intros Hp H0 Hlh Es Ee F Hl Hh. split; [exact Hp|].
  assert (Hg : Forall good (servers S)) by apply Hp.
  assert (Fl : map fst (map at_low rows) = servers S) by (rewrite map_map; exact Es).
  assert (Fh : map fst (map at_high rows) = servers S) by (rewrite map_map; exact Es).
  rewrite Forall_forall in F.
  assert (Ml : Forall (fun r : server * bool =>
      if snd r then Q2R low <= theta (alpha S) (fst r) else theta (alpha S) (fst r) <= Q2R low)
      (map at_low rows)).
  { apply Forall_forall. intros r Hr. apply in_map_iff in Hr. destruct Hr as [x [<- Hx]].
    apply (F x Hx). }
  assert (Mh : Forall (fun r : server * bool =>
      if snd r then Q2R high <= theta (alpha S) (fst r) else theta (alpha S) (fst r) <= Q2R high)
      (map at_high rows)).
  { apply Forall_forall. intros r Hr. apply in_map_iff in Hr. destruct Hr as [x [<- Hx]].
    apply (F x Hx). }
  destruct (root_between S (Q2R low) (Q2R high) H0 Hlh) as [K [HK C]].
  - unfold G. split.
    + rewrite <- Fh, (G_split (alpha S) (Q2R high)) by (try rewrite Fh; try assumption; lra).
      apply Rmult_le_reg_r with (Q2R high); [lra|].
      rewrite Rmult_plus_distr_r. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    + rewrite <- Fl, (G_split (alpha S) (Q2R low)) by (try rewrite Fl; try assumption; lra).
      apply Rmult_le_reg_r with (Q2R low); [lra|].
      rewrite Rmult_plus_distr_r. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - exists K. split; [exact C|].
    split; [intros K' HK'; symmetry; apply (root_unique S K K' Hp C HK')|].
    split; [exact HK|]. split; [|intros q; apply (equilibrium_iff S Hp K q C)].
    rewrite <- Es, <- Ee. clear - F HK. induction rows as [|r l IH]; [constructor|].
    simpl. constructor; [apply (F r (or_introl eq_refl)), HK|].
    apply IH. intros x Hx. apply F. right. exact Hx.
Qed.

(** The sharp drift constant, certified by concavity at any positive point. Formalises the
    theorem of the page [softmax-drift], part b.

    - [drift_by_tangent]: for shares c as in Drift.v and any p_i > 0,
      (LV)(Q) <= -eps |Q| + sum_i max(0, mu_i v_i/2 - slack_i)
                 + sum_i (f_i(p_i) - f_i'(p_i) p_i) + max_i f_i'(p_i),
      f_i(p) = (c_i - lambda p) (ln p / alpha + kappa_i) + (lambda/2) v_i p,   at every state Q.

    At the routing probabilities of the state the drift is at most the servers' terms and
    sum f_i, which is at most its tangent plane at any positive point. *)
From Coq Require Import Reals Lra Lia Arith List.
From Queues Require Import Sums Routing Softmax Drift.
Open Scope R_scope.

Lemma ln_le_minus_one x : 0 < x -> ln x <= x - 1.
Proof.
  intros Hx. destruct (Req_dec (ln x) 0) as [E|E].
  - rewrite E. rewrite <- (exp_ln x Hx), E, exp_0. lra.
  - generalize (exp_ineq1 (ln x) E). rewrite exp_ln by exact Hx. lra.
Qed.

Lemma ln_quot x y : 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof. intros Hx Hy. unfold Rdiv. rewrite ln_mult, ln_Rinv; [ring | assumption.. | apply Rinv_0_lt_compat, Hy]. Qed.

(** f and its derivative, for one server with share c. *)
Definition profile (lam a : R) (s : server) (c q : R) : R :=
  (c - lam * q) * (ln q / a + at_empty s) + lam / 2 * per_job s * q.
Definition profile_slope (lam a : R) (s : server) (c q : R) : R :=
  c / (a * q) - lam / a * (ln q + 1) - lam * at_empty s + lam / 2 * per_job s.

Lemma tangent lam a s c q q0 : 0 <= lam -> 0 < a -> 0 <= c -> 0 < q -> 0 < q0 ->
  profile lam a s c q <= profile lam a s c q0 + profile_slope lam a s c q0 * (q - q0).
Proof.
  intros Hl Ha Hc Hq H0. unfold profile, profile_slope.
  assert (L1 := ln_le_minus_one (q / q0) (Rdiv_lt_0_compat _ _ Hq H0)).
  assert (L2 := ln_le_minus_one (q0 / q) (Rdiv_lt_0_compat _ _ H0 Hq)).
  rewrite ln_quot in L1, L2 by assumption.
  assert (A1 : 0 <= c / a) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, Ha]).
  assert (A2 : 0 <= lam / a) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, Ha]).
  assert (B1 := Rmult_le_compat_l _ _ _ A1 L1).
  assert (L3 : - (q * (ln q - ln q0)) <= q0 - q).
  { replace (- (q * (ln q - ln q0))) with (q * (ln q0 - ln q)) by ring.
    apply Rle_trans with (q * (q0 / q - 1)); [apply Rmult_le_compat_l; lra|]. right. field. lra. }
  assert (B2 := Rmult_le_compat_l _ _ _ A2 L3).
  apply Rminus_le.
  replace ((c - lam * q) * (ln q / a + at_empty s) + lam / 2 * per_job s * q -
    ((c - lam * q0) * (ln q0 / a + at_empty s) + lam / 2 * per_job s * q0 +
     (c / (a * q0) - lam / a * (ln q0 + 1) - lam * at_empty s + lam / 2 * per_job s) * (q - q0)))
    with ((c / a * (ln q - ln q0) - c / a * (q / q0 - 1))
          + (lam / a * (- (q * (ln q - ln q0))) - lam / a * (q0 - q))) by (field; lra).
  lra.
Qed.

Section Sharp.
Variable S : system.
Notation n := (N S). Notation lam := (lambda S). Notation a := (alpha S).
Notation server_at i := (nth i (servers S) idle).
Hypothesis n_pos : (0 < n)%nat.
Hypothesis a_pos : 0 < a.
Hypothesis lam_nonneg : 0 <= lam.
Variables (eps : R) (c : nat -> R).
Hypothesis c_nonneg : forall i, (i < n)%nat -> 0 <= c i.
Hypothesis c_sum : sum n c = lam.
Hypothesis c_free : forall i, (i < n)%nat -> eps <= (mu S i - c i) * v S i.

(** Elimination: v_i Q_i = -ln p_i/alpha - kappa_i - ln W/alpha, and sum (c_i - lambda p_i) = 0
    removes ln W. *)
Lemma drift_as_profile Q : generator S (V S) Q + eps * jobs S Q
  <= sum n (service S eps c) + sum n (fun i => profile lam a (server_at i) (c i) (route S Q i)).
Proof.
  set (w := ln (total n a (energy S Q)) / a).
  assert (E : forall i, v S i * INR (Q i) = - (ln (route S Q i) / a + kappa S i) - w).
  { intros i. unfold route, softmax, w.
    rewrite ln_quot by (try apply exp_pos; apply total_pos, n_pos).
    unfold weight. rewrite ln_exp. unfold energy. field. lra. }
  assert (Z : sum n (fun i => (c i - lam * route S Q i) * w) = 0).
  { rewrite sum_scal_r, sum_minus, sum_scal, c_sum, (route_sum S n_pos). ring. }
  assert (F : sum n (fun i => profile lam a (server_at i) (c i) (route S Q i))
    = lam * sum n (fun i => route S Q i * (v S i * INR (Q i) + v S i / 2))
      - sum n (fun i => c i * (v S i * INR (Q i)))).
  { rewrite <- (Rplus_0_r (sum n (fun i => profile lam a (server_at i) (c i) (route S Q i)))), <- Z.
    rewrite <- sum_scal, <- sum_plus, <- sum_minus. apply sum_ext. intros i _. rewrite (E i).
    unfold profile. change (at_empty (server_at i)) with (kappa S i).
    change (per_job (server_at i)) with (v S i). field. lra. }
  rewrite F.
  generalize (generator_V S n_pos eps c c_free Q). lra.
Qed.

Theorem drift_by_tangent (p : nat -> R) (top : R) :
  (forall i, (i < n)%nat -> 0 < p i) ->
  (forall i, (i < n)%nat -> profile_slope lam a (server_at i) (c i) (p i) <= top) ->
  drift S eps (sum n (service S eps c)
    + sum n (fun i => profile lam a (server_at i) (c i) (p i)
                      - profile_slope lam a (server_at i) (c i) (p i) * p i) + top).
Proof.
  intros H0 Htop Q.
  assert (K := drift_as_profile Q).
  assert (T : sum n (fun i => profile lam a (server_at i) (c i) (route S Q i))
    <= sum n (fun i => profile lam a (server_at i) (c i) (p i)
                       - profile_slope lam a (server_at i) (c i) (p i) * p i) + top).
  { rewrite <- (Rmult_1_r top), <- (route_sum S n_pos Q), <- sum_scal, <- sum_plus.
    apply sum_le. intros i Hi.
    assert (R0 := route_pos S n_pos Q i).
    assert (A := tangent lam a (server_at i) (c i) (route S Q i) (p i)
                   lam_nonneg a_pos (c_nonneg i Hi) R0 (H0 i Hi)).
    assert (B := Rmult_le_compat_r (route S Q i) _ _ (Rlt_le _ _ R0) (Htop i Hi)). lra. }
  lra.
Qed.
End Sharp.

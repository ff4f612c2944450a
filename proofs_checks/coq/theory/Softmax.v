(** The softmax lemma, for every number of servers. Formalises Lemma "softmax" of the theorem page
    [softmax-drift].

    With p_i = exp(-alpha s_i) / sum_j exp(-alpha s_j):
    - [softmax_lambert]: if k >= 0 and k exp(1+k) >= N-1, then
      sum_i p_i s_i <= s_m + k/alpha for every index m; the least such k is Lambert's W((N-1)/e);
    - [softmax_entropy]: k = ln N is always allowed. *)
From Coq Require Import Reals Lra Lia Arith.
From Queues Require Import Sums Routing.
Open Scope R_scope.

Section Softmax.
Variables (N : nat) (alpha : R) (s : nat -> R).
Hypothesis alpha_pos : 0 < alpha.
Hypothesis N_pos : (0 < N)%nat.
Notation weight := (weight alpha s).
Notation total := (total N alpha s).
Notation p := (softmax N alpha s).

Lemma total_pos : 0 < total.
Proof. apply sum_pos; [intros; apply exp_pos | exact N_pos]. Qed.

Lemma softmax_pos i : 0 < p i.
Proof. apply Rdiv_lt_0_compat; [apply exp_pos | apply total_pos]. Qed.

Lemma softmax_sum : sum N p = 1.
Proof.
  unfold softmax, Rdiv. rewrite sum_scal_r. fold total.
  apply Rinv_r. apply Rgt_not_eq, total_pos.
Qed.

(** (t-k) e^-t <= e^-(1+k), i.e. 1+u <= e^u at u = t-k-1. *)
Lemma peak t k : (t - k) * exp (- t) <= exp (- (1 + k)).
Proof.
  replace (- (1 + k)) with ((t - k - 1) + - t) by ring.
  rewrite exp_plus. apply Rmult_le_compat_r; [left; apply exp_pos|].
  destruct (Req_dec (t - k - 1) 0) as [E|E]; [rewrite E, exp_0; lra|].
  generalize (exp_ineq1 _ E). lra.
Qed.

Theorem softmax_lambert k m :
  0 <= k -> INR N - 1 <= k * exp (1 + k) -> (m < N)%nat ->
  sum N (fun i => p i * s i) <= s m + k / alpha.
Proof.
  intros Hk HN Hm.
  (* with t_i = alpha (s_i - s_m), the claim is  sum (t_i - k) e^{-t_i} <= 0 *)
  set (t := fun i => alpha * (s i - s m)).
  assert (Hkey : sum N (fun i => (t i - k) * exp (- t i)) <= 0).
  { set (bound := fun i : nat => if Nat.eq_dec i m then - k else exp (- (1 + k))).
    apply Rle_trans with (sum N bound).
    - apply sum_le. intros i Hi. unfold bound. destruct (Nat.eq_dec i m) as [->|_].
      + unfold t. replace (alpha * (s m - s m)) with 0 by ring.
        rewrite Ropp_0, exp_0. lra.
      + apply peak.
    - assert (E := sum_single N bound (fun _ => exp (- (1 + k))) m Hm).
      rewrite sum_const in E.
      assert (Hb : sum N bound - INR N * exp (- (1 + k)) = bound m - exp (- (1 + k))).
      { apply E. intros i _ Hne. unfold bound. destruct (Nat.eq_dec i m); [contradiction | reflexivity]. }
      unfold bound at 2 in Hb. destruct (Nat.eq_dec m m) as [_|]; [|contradiction].
      assert (Hx : (INR N - 1) * exp (- (1 + k)) <= k).
      { rewrite exp_Ropp. apply Rmult_le_reg_r with (exp (1 + k)); [apply exp_pos|].
        rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply Rgt_not_eq, exp_pos). exact HN. }
      lra. }
  assert (Hw : forall i, weight i = exp (- alpha * s m) * exp (- t i)).
  { intros i. unfold Routing.weight, t. rewrite <- exp_plus. f_equal. ring. }
  assert (Ht := total_pos).
  apply Rmult_le_reg_l with (alpha * total); [apply Rmult_lt_0_compat; lra|].
  assert (E1 : alpha * total * sum N (fun i => p i * s i)
             = sum N (fun i => alpha * (weight i * s i))).
  { rewrite Rmult_assoc, <- sum_scal, <- sum_scal. apply sum_ext. intros i _. unfold softmax. field. lra. }
  assert (E2 : alpha * total * (s m + k / alpha) = sum N (fun i => weight i * (alpha * s m + k))).
  { rewrite sum_scal_r. fold total. field. lra. }
  rewrite E1, E2.
  apply Rminus_le. rewrite <- sum_minus.
  rewrite (sum_ext _ _ (fun i => exp (- alpha * s m) * ((t i - k) * exp (- t i)))).
  - rewrite sum_scal. rewrite <- (Rmult_0_r (exp (- alpha * s m))).
    apply Rmult_le_compat_l; [left; apply exp_pos | exact Hkey].
  - intros i _. rewrite Hw. unfold t. ring.
Qed.

(** N ln N >= N - 1, so k = ln N is allowed. *)
Lemma lnN_allowed : INR N - 1 <= ln (INR N) * exp (1 + ln (INR N)).
Proof.
  assert (HN : 1 <= INR N) by (replace 1 with (INR 1) by reflexivity; apply le_INR; lia).
  assert (Hln : 1 - / INR N <= ln (INR N)).
  { assert (Hi : 0 < / INR N) by (apply Rinv_0_lt_compat; lra).
    assert (Hy : 1 + ln (/ INR N) <= / INR N).
    { rewrite <- (exp_ln (/ INR N)) at 2 by assumption.
      destruct (Req_dec (ln (/ INR N)) 0) as [E|E]; [rewrite E, exp_0; lra|].
      left. apply exp_ineq1, E. }
    rewrite ln_Rinv in Hy by lra. lra. }
  assert (H0 : 0 <= ln (INR N)).
  { rewrite <- ln_1. destruct HN as [HN|HN]; [left; apply ln_increasing; lra | rewrite <- HN; lra]. }
  rewrite exp_plus, exp_ln by lra.
  assert (He : 1 <= exp 1).
  { generalize (exp_ineq1 1). lra. }
  assert (H1 : INR N - 1 <= ln (INR N) * INR N).
  { apply (Rmult_le_compat_r (INR N)) in Hln; [|lra].
    replace ((1 - / INR N) * INR N) with (INR N - 1) in Hln by (field; lra). lra. }
  assert (0 <= ln (INR N) * INR N) by (apply Rmult_le_pos; lra).
  replace (ln (INR N) * (exp 1 * INR N)) with (exp 1 * (ln (INR N) * INR N)) by ring.
  apply Rle_trans with (1 * (ln (INR N) * INR N)); [lra|].
  apply Rmult_le_compat_r; lra.
Qed.

Theorem softmax_entropy m : (m < N)%nat ->
  sum N (fun i => p i * s i) <= s m + ln (INR N) / alpha.
Proof.
  intros Hm. apply softmax_lambert; [|apply lnN_allowed | exact Hm].
  assert (HN : 1 <= INR N) by (replace 1 with (INR 1) by reflexivity; apply le_INR; lia).
  rewrite <- ln_1. destruct HN as [HN|HN]; [left; apply ln_increasing; lra | rewrite <- HN; lra].
Qed.

End Softmax.

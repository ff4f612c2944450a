(** Foster-Lyapunov drift of softmax routing at EVERY state, for every number of servers.
    Formalises the theorem of the page [softmax-drift], part a.

    - [drift_by_shares]: for any shares c_i >= 0 of the arrival rate, sum c_i = lambda, with
      slack_i = (mu_i - c_i) v_i - eps >= 0 for every i, and any k allowed by the softmax lemma,
      (LV)(Q) <= -eps |Q| + lambda k/alpha + sum c_i kappa_i + lambda max_i (v_i/2 - kappa_i)
                 + sum_i max(0, mu_i v_i/2 - slack_i)   at every Q.

    The shares play a static split that keeps every queue stable: the softmax energy is within
    k/alpha of the least energy, and the least energy is at most the average under the shares.
    A server contributes mu_i v_i/2 - slack_i Q_i when it works and nothing when it is empty.
    The generator is the one of the Markov chain; nothing is expanded by hand. *)
From Coq Require Import Reals Lra Lia Arith List.
From Queues Require Import Sums Routing Softmax.
Open Scope R_scope.

Section Drift.
Variable S : system.
Notation n := (N S). Notation lam := (lambda S). Notation a := (alpha S).

Lemma V_up Q i : (i < n)%nat -> V S (up Q i) - V S Q = v S i * INR (Q i) + v S i / 2.
Proof.
  intros Hi. unfold V. rewrite <- Rmult_minus_distr_l.
  rewrite (sum_single n _ _ i Hi).
  - unfold up. destruct (Nat.eq_dec i i) as [_|]; [|contradiction]. rewrite S_INR. field.
  - intros j _ Hne. unfold up. destruct (Nat.eq_dec j i); [contradiction | reflexivity].
Qed.

Lemma V_down Q i : (i < n)%nat -> Q i <> 0%nat ->
  V S (down Q i) - V S Q = - (v S i * INR (Q i)) + v S i / 2.
Proof.
  intros Hi H0. unfold V. rewrite <- Rmult_minus_distr_l.
  rewrite (sum_single n _ _ i Hi).
  - unfold down. destruct (Nat.eq_dec i i) as [_|]; [|contradiction].
    destruct (Q i) as [|q]; [contradiction|]. simpl pred. rewrite S_INR. field.
  - intros j _ Hne. unfold down. destruct (Nat.eq_dec j i); [contradiction | reflexivity].
Qed.

Hypothesis n_pos : (0 < n)%nat.
Hypothesis a_pos : 0 < a.

Lemma route_pos Q i : 0 < route S Q i.
Proof. apply softmax_pos, n_pos. Qed.
Lemma route_sum Q : sum n (route S Q) = 1.
Proof. apply softmax_sum, n_pos. Qed.

(** The shares: a split of the arrival rate that leaves eps / v_i of every server's rate free. *)
Variables (eps : R) (c : nat -> R).
Hypothesis c_nonneg : forall i, (i < n)%nat -> 0 <= c i.
Hypothesis c_sum : sum n c = lam.
Hypothesis c_free : forall i, (i < n)%nat -> eps <= (mu S i - c i) * v S i.

(** What server i adds to the constant: mu_i v_i / 2 - slack_i, or 0 if that is negative. *)
Definition service (i : nat) : R := Rmax 0 ((c i - mu S i / 2) * v S i + eps).

Lemma services Q :
  sum n (fun i => if Nat.eq_dec (Q i) 0 then 0 else mu S i * (V S (down Q i) - V S Q)) + eps * jobs S Q
  <= sum n service - sum n (fun i => c i * (v S i * INR (Q i))).
Proof.
  unfold jobs. rewrite <- sum_scal, <- sum_plus, <- sum_minus. apply sum_le. intros i Hi.
  assert (M0 := Rmax_l 0 ((c i - mu S i / 2) * v S i + eps)).
  assert (M1 := Rmax_r 0 ((c i - mu S i / 2) * v S i + eps)). fold (service i) in M0, M1.
  destruct (Nat.eq_dec (Q i) 0) as [Z|Z]; [rewrite Z; simpl; lra|].
  rewrite V_down by assumption.
  assert (Q1 : 1 <= INR (Q i)) by (replace 1 with (INR 1) by reflexivity; apply le_INR; lia).
  assert (F := c_free i Hi).
  assert (G := Rmult_le_compat_l ((mu S i - c i) * v S i - eps) _ _ ltac:(lra) Q1). lra.
Qed.

(** The generator of V plus eps |Q|, with only the arrivals left to bound. *)
Lemma generator_V Q : generator S (V S) Q + eps * jobs S Q
  <= lam * sum n (fun i => route S Q i * (v S i * INR (Q i) + v S i / 2))
     + sum n service - sum n (fun i => c i * (v S i * INR (Q i))).
Proof.
  unfold generator.
  rewrite (sum_ext n (fun i => route S Q i * (V S (up Q i) - V S Q))
    (fun i => route S Q i * (v S i * INR (Q i) + v S i / 2)))
    by (intros i Hi; rewrite V_up by exact Hi; reflexivity).
  generalize (services Q). lra.
Qed.

Variables (k top : R).
Hypothesis k_nonneg : 0 <= k.
Hypothesis k_big : INR n - 1 <= k * exp (1 + k).
Hypothesis top_big : forall i, (i < n)%nat -> v S i / 2 - kappa S i <= top.

Theorem drift_by_shares :
  drift S eps (lam * (k / a) + sum n (fun i => c i * kappa S i) + lam * top + sum n service).
Proof.
  intros Q.
  (* arrivals: v_i Q_i + v_i/2 is the energy plus v_i/2 - kappa_i *)
  assert (A : forall m, (m < n)%nat ->
    sum n (fun i => route S Q i * (v S i * INR (Q i) + v S i / 2)) <= energy S Q m + k / a + top).
  { intros m Hm.
    assert (L := softmax_lambert n a (energy S Q) a_pos n_pos k m k_nonneg k_big Hm).
    apply Rle_trans with (sum n (fun i => route S Q i * energy S Q i) + top); [|unfold route; lra].
    replace top with (sum n (route S Q) * top) by (rewrite route_sum; ring).
    rewrite <- sum_scal_r, <- sum_plus. apply sum_le. intros i Hi.
    rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [left; apply route_pos|].
    unfold energy. generalize (top_big i Hi). lra. }
  (* averaged with the shares instead of taken at the least energy *)
  assert (B : lam * sum n (fun i => route S Q i * (v S i * INR (Q i) + v S i / 2))
    <= sum n (fun i => c i * (v S i * INR (Q i))) + sum n (fun i => c i * kappa S i) + lam * (k / a + top)).
  { rewrite <- c_sum at 1. rewrite <- c_sum at 1. rewrite <- !sum_scal_r, <- !sum_plus.
    apply sum_le. intros i Hi.
    assert (H := Rmult_le_compat_l _ _ _ (c_nonneg i Hi) (A i Hi)). unfold energy in H. lra. }
  generalize (generator_V Q). lra.
Qed.

(** A smaller eps and a larger constant may be used in print. *)
Lemma drift_weaken e R0 e' R1 : e' <= e -> R0 <= R1 -> drift S e R0 -> drift S e' R1.
Proof.
  intros He HR H Q. assert (0 <= jobs S Q) by (apply sum_nonneg; intros; apply pos_INR).
  assert (e' * jobs S Q <= e * jobs S Q) by (apply Rmult_le_compat_r; assumption).
  generalize (H Q). lra.
Qed.
End Drift.

(** Where the potential of the reflected routing equation fails as a Lyapunov function of the
    chain. Formalises part (g) of the page [softmax-potential] and part
    (d) of the page [softmax-obstruction].

    - [diagonal_drift]: for N equal servers the drift of the potential H is one and the same
      number at every state (k,...,k), k >= 1, where no queue is empty:
      (LH)(k,...,k) = lambda [ mu v + (lambda/alpha) ln((N-1+e^(-alpha v))/N) ]
                    + N mu [ -mu v + (lambda/alpha) ln((N-1+e^(alpha v))/N) ];
    - [symmetric_two_servers]: for two servers of rate 1, lambda = 8/5 and alpha = 20 that number
      lies between 2.6003736125 and 2.6003736126: H increases on average arbitrarily far out. *)
From Coq Require Import Reals Lra Lia Arith List QArith Qreals.
From Interval Require Import Tactic.
From Queues Require Import Sums Routing Softmax SharpDrift.
Import ListNotations.
Open Scope R_scope.

(** H(Q) = sum mu_i v_i Q_i + (lambda/alpha) ln sum exp(-alpha s_i(Q)) *)
Definition H (S : system) (Q : state) : R :=
  sum (N S) (fun i => mu S i * v S i * INR (Q i))
  + lambda S / alpha S * ln (total (N S) (alpha S) (energy S Q)).

(** The part of the kind [softmax-obstruction] that is re-proved: the drift of H on the diagonal. *)
Definition diagonal_claim (S : system) (low high : Q) : Prop :=
  proper S /\ forall k, Q2R low <= generator S (H S) (fun _ => Datatypes.S k) <= Q2R high.

Definition equal_servers (n : nat) (lam a : R) (s : server) : system :=
  {| lambda := lam; alpha := a; servers := repeat s n |}.

Definition diagonal_value (n : nat) (lam a m w : R) : R :=
  lam * (m * w + lam / a * ln ((INR n - 1 + exp (- (a * w))) / INR n))
  + INR n * m * (- (m * w) + lam / a * ln ((INR n - 1 + exp (a * w)) / INR n)).

Section Diagonal.
Variables (n : nat) (lam a : R) (s : server).
Hypothesis n_pos : (0 < n)%nat.
Notation S := (equal_servers n lam a s).

Lemma count : N S = n.
Proof. apply repeat_length. Qed.
Lemma server_at i : (i < n)%nat -> nth i (servers S) idle = s.
Proof.
  intros Hi. assert (X : In (nth i (servers S) idle) (repeat s n)).
  { apply nth_In. change (i < N S)%nat. rewrite count. exact Hi. }
  apply repeat_spec in X. exact X.
Qed.

(** H changes by its linear part and by a factor of the total weight. *)
Lemma H_change Q Q' i : (i < n)%nat -> (forall j, j <> i -> Q' j = Q j) ->
  H S Q' - H S Q = rate s * per_job s * (INR (Q' i) - INR (Q i))
    + lam / a * (ln (total n a (energy S Q')) - ln (total n a (energy S Q))).
Proof.
  intros Hi E. unfold H. rewrite count. cbn [lambda alpha equal_servers].
  assert (X := sum_single n (fun j => mu S j * v S j * INR (Q' j))
                 (fun j => mu S j * v S j * INR (Q j)) i Hi).
  cbv beta in X. assert (M : mu S i = rate s) by (unfold mu; rewrite (server_at i Hi); reflexivity).
  assert (W : v S i = per_job s) by (unfold v; rewrite (server_at i Hi); reflexivity).
  rewrite M, W in X.
  assert (Y := X ltac:(intros j _ Hj; rewrite (E j Hj); reflexivity)). lra.
Qed.

(** On the diagonal all weights agree; moving one queue by d multiplies one weight by e^(-alpha v d). *)
Lemma total_change k Q' i d : (i < n)%nat -> (forall j, j <> i -> Q' j = k) -> INR (Q' i) = INR k + d ->
  ln (total n a (energy S Q')) - ln (total n a (energy S (fun _ => k)))
  = ln ((INR n - 1 + exp (- (a * per_job s * d))) / INR n).
Proof.
  intros Hi E Ed.
  assert (Hn : 1 <= INR n) by (replace 1 with (INR 1) by reflexivity; apply le_INR; lia).
  set (w := exp (- a * (per_job s * INR k + at_empty s))).
  assert (Hw : 0 < w) by apply exp_pos.
  assert (Each : forall Q j, (j < n)%nat -> weight a (energy S Q) j = exp (- a * (per_job s * INR (Q j) + at_empty s))).
  { intros Q j Hj. unfold weight, energy, v, kappa. rewrite (server_at j Hj). reflexivity. }
  assert (T0 : total n a (energy S (fun _ => k)) = INR n * w).
  { unfold total. rewrite <- sum_const. apply sum_ext. intros j Hj. apply Each, Hj. }
  assert (T1 : total n a (energy S Q') = (INR n - 1 + exp (- (a * per_job s * d))) * w).
  { assert (X : total n a (energy S Q') - total n a (energy S (fun _ => k))
                = weight a (energy S Q') i - weight a (energy S (fun _ => k)) i).
    { apply (sum_single n (weight a (energy S Q')) (weight a (energy S (fun _ => k))) i Hi).
      intros j Hj Hne. rewrite !Each, (E j Hne) by exact Hj. reflexivity. }
    rewrite !Each, T0, Ed in X by exact Hi. fold w in X.
    replace (exp (- a * (per_job s * (INR k + d) + at_empty s))) with (exp (- (a * per_job s * d)) * w) in X
      by (unfold w; rewrite <- exp_plus; f_equal; ring). lra. }
  assert (P : 0 < INR n - 1 + exp (- (a * per_job s * d))) by (generalize (exp_pos (- (a * per_job s * d))); lra).
  rewrite T0, T1. rewrite ln_quot by lra. rewrite !ln_mult by lra. ring.
Qed.

Theorem diagonal_drift k :
  generator S (H S) (fun _ => Datatypes.S k) = diagonal_value n lam a (rate s) (per_job s).
Proof.
  assert (Hn : 1 <= INR n) by (replace 1 with (INR 1) by reflexivity; apply le_INR; lia).
  set (Q := fun _ : nat => Datatypes.S k).
  assert (Up : forall i, (i < n)%nat -> H S (up Q i) - H S Q
    = rate s * per_job s + lam / a * ln ((INR n - 1 + exp (- (a * per_job s))) / INR n)).
  { intros i Hi.
    assert (Ei : up Q i i = Datatypes.S (Datatypes.S k)) by (unfold up; destruct (Nat.eq_dec i i); [reflexivity | contradiction]).
    assert (Ej : forall j, j <> i -> up Q i j = Datatypes.S k) by (intros j Hj; unfold up; destruct (Nat.eq_dec j i); [contradiction | reflexivity]).
    rewrite (H_change Q (up Q i) i Hi Ej).
    assert (T := total_change (Datatypes.S k) (up Q i) i 1 Hi Ej ltac:(rewrite Ei; apply S_INR)).
    fold Q in T. rewrite T.
    rewrite Ei. unfold Q. rewrite (S_INR (Datatypes.S k)), Rmult_1_r. ring. }
  assert (Down : forall i, (i < n)%nat -> H S (down Q i) - H S Q
    = - (rate s * per_job s) + lam / a * ln ((INR n - 1 + exp (a * per_job s)) / INR n)).
  { intros i Hi.
    assert (Ei : down Q i i = k) by (unfold down; destruct (Nat.eq_dec i i); [reflexivity | contradiction]).
    assert (Ej : forall j, j <> i -> down Q i j = Datatypes.S k) by (intros j Hj; unfold down; destruct (Nat.eq_dec j i); [contradiction | reflexivity]).
    rewrite (H_change Q (down Q i) i Hi Ej).
    assert (T := total_change (Datatypes.S k) (down Q i) i (-1) Hi Ej ltac:(rewrite Ei, S_INR; ring)).
    fold Q in T. rewrite T.
    rewrite Ei. unfold Q. rewrite S_INR. replace (- (a * per_job s * -1)) with (a * per_job s) by ring. ring. }
  unfold generator. rewrite count. cbn [lambda equal_servers].
  assert (P : sum n (route S Q) = 1).
  { unfold route. rewrite count. apply softmax_sum, n_pos. }
  rewrite (sum_ext n _ (fun i => route S Q i
    * (rate s * per_job s + lam / a * ln ((INR n - 1 + exp (- (a * per_job s))) / INR n))))
    by (intros i Hi; rewrite Up by exact Hi; reflexivity).
  rewrite sum_scal_r, P.
  rewrite (sum_ext n (fun i => if Nat.eq_dec (Q i) 0 then 0 else mu S i * (H S (down Q i) - H S Q))
    (fun _ => rate s * (- (rate s * per_job s) + lam / a * ln ((INR n - 1 + exp (a * per_job s)) / INR n)))).
  - rewrite sum_const. unfold diagonal_value. ring.
  - intros i Hi. destruct (Nat.eq_dec (Q i) 0) as [C|_]; [discriminate|].
    rewrite Down by exact Hi. unfold mu. rewrite (server_at i Hi). reflexivity.
Qed.
End Diagonal.

(** A certificate: equal servers, and an enclosure of the one number. *)
Theorem diagonal_certified (S : system) (n : nat) (s : server) (low high : Q) :
  proper S -> (0 < n)%nat -> S = equal_servers n (lambda S) (alpha S) s ->
  Q2R low <= diagonal_value n (lambda S) (alpha S) (rate s) (per_job s) <= Q2R high ->
  diagonal_claim S low high.
Proof.
  intros Hp Hn E B. split; [exact Hp|]. intros k.
  rewrite <- (diagonal_drift n (lambda S) (alpha S) s Hn k) in B. rewrite <- E in B. exact B.
Qed.

(** rate 1 makes v = 1 whatever beta, gamma and the offset are. *)
Theorem symmetric_two_servers (base : R) k :
  let S := equal_servers 2 (8 / 5) 20 {| rate := 1; per_job := 1; at_empty := base |} in
  26003736125 / 10000000000 <= generator S (H S) (fun _ => Datatypes.S k) <= 26003736126 / 10000000000.
Proof.
  intros S. unfold S. rewrite diagonal_drift by (try lia; lra).
  unfold diagonal_value. cbn [rate per_job INR]. split; interval with (i_prec 80).
Qed.

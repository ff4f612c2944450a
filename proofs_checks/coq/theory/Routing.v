(** Softmax routing: definitions only (theorem pages [softmax-equilibrium], [softmax-drift] and
    [softmax-potential]).

    Whoever wants to know what a re-proved certificate of these kinds says reads this file and
    nothing else of the routing theory: [equilibrium_claim] and [drift_claim] are the statements.

    Jobs arrive at rate lambda; server i works at rate mu_i. A job joins server i with a
    probability proportional to exp(-alpha s_i), where the energy s_i = v_i Q_i + kappa_i grows
    with the queue Q_i. Reflected UAS and the weighted shortest queue (WSQ) are two choices of v
    and kappa. *)
From Coq Require Import Reals List Arith ZArith QArith Qreals.
From Queues Require Import Sums.
Import ListNotations.
Open Scope R_scope.

(** * Systems *)
(** One server: mu_i, v_i and kappa_i. *)
Record server := { rate : R; per_job : R; at_empty : R }.
Record system := { lambda : R; alpha : R; servers : list server }.

(** v = mu^-beta,  kappa = offset mu^-beta - (gamma/alpha) ln mu *)
Definition reflected_uas_server (alpha beta gamma offset mu : R) : server :=
  {| rate := mu; per_job := / Rpower mu beta;
     at_empty := offset / Rpower mu beta - gamma / alpha * ln mu |}.
(** The family's domain, beyond positive rates and alpha. *)
Definition reflected_uas_domain (beta offset : R) : Prop := 0 < beta /\ 0 <= offset.
(** v = 2 w,  kappa = w *)
Definition wsq_server (w mu : R) : server := {| rate := mu; per_job := 2 * w; at_empty := w |}.

Definition capacity (S : system) : R := total_of rate (servers S).
(** The hypotheses of every theorem below. *)
Definition proper (S : system) : Prop :=
  0 < lambda S < capacity S /\ 0 < alpha S
  /\ Forall (fun s => 0 < rate s /\ 0 < per_job s) (servers S).

(** * Routing probabilities *)
Definition weight (a : R) (s : nat -> R) (i : nat) : R := exp (- a * s i).
Definition total (n : nat) (a : R) (s : nat -> R) : R := sum n (weight a s).
Definition softmax (n : nat) (a : R) (s : nat -> R) (i : nat) : R := weight a s i / total n a s.

Definition N (S : system) : nat := length (servers S).
Definition idle : server := {| rate := 1; per_job := 1; at_empty := 0 |}.  (* never used: i < N S *)
Definition mu (S : system) (i : nat) : R := rate (nth i (servers S) idle).
Definition v (S : system) (i : nat) : R := per_job (nth i (servers S) idle).
Definition kappa (S : system) (i : nat) : R := at_empty (nth i (servers S) idle).

(** * The Markov chain and its generator *)
Definition state := nat -> nat.
Definition up (Q : state) (i : nat) : state := fun j => if Nat.eq_dec j i then S (Q j) else Q j.
Definition down (Q : state) (i : nat) : state := fun j => if Nat.eq_dec j i then pred (Q j) else Q j.

Definition energy (S : system) (Q : state) (i : nat) : R := v S i * INR (Q i) + kappa S i.
Definition route (S : system) (Q : state) (i : nat) : R := softmax (N S) (alpha S) (energy S Q) i.

(** (Lf)(Q) = lambda sum_i p_i(Q) (f(Q+e_i) - f(Q)) + sum_i mu_i 1{Q_i>0} (f(Q-e_i) - f(Q)) *)
Definition generator (S : system) (f : state -> R) (Q : state) : R :=
  lambda S * sum (N S) (fun i => route S Q i * (f (up Q i) - f Q))
  + sum (N S) (fun i => if Nat.eq_dec (Q i) 0 then 0 else mu S i * (f (down Q i) - f Q)).

(** V(Q) = 1/2 sum v_i Q_i^2,  |Q| = sum Q_i *)
Definition V (S : system) (Q : state) : R := / 2 * sum (N S) (fun i => v S i * (INR (Q i) * INR (Q i))).
Definition jobs (S : system) (Q : state) : R := sum (N S) (fun i => INR (Q i)).

(** The drift inequality at every state of the lattice. *)
Definition drift (S : system) (eps R0 : R) : Prop :=
  forall Q : state, generator S (V S) Q <= - eps * jobs S Q + R0.

(** Kind [softmax-drift]: the drift with each of the listed constants, one of which is at most
    eps bound. That bound then bounds the mean queue in steady state is the theorem page's argument
    (Dynkin's formula) and not part of this statement. *)
Definition drift_claim (S : system) (eps : R) (constants : list R) (bound : R) : Prop :=
  proper S /\ 0 < eps /\ Forall (drift S eps) constants /\ Exists (fun R0 => R0 <= eps * bound) constants.

(** At the state with these queues (LV)(Q) + eps |Q| is at least value. *)
Definition state_at (queues : list Z) : state := fun i => Z.to_nat (nth i queues 0%Z).
Definition attained (S : system) (eps : R) (queues : list Z) (value : R) : Prop :=
  length queues = N S /\ Forall (fun z => (0 <= z)%Z) queues
  /\ value <= generator S (V S) (state_at queues) + eps * jobs S (state_at queues).

(** * The equilibrium of the reflected routing equation *)
(** theta_i = exp(-alpha kappa_i) / mu_i,  G(K) = sum_i min(mu_i, mu_i theta_i / K) *)
Definition theta (a : R) (s : server) : R := exp (- a * at_empty s) / rate s.
Definition term (a K : R) (s : server) : R := Rmin (rate s) (rate s * theta a s / K).
Definition G (S : system) (K : R) : R := total_of (term (alpha S) K) (servers S).
(** q_i = max(0, ln(theta_i / K) / (alpha v_i)) *)
Definition queue (a K : R) (s : server) : R := Rmax 0 (ln (theta a s / K) / (a * per_job s)).

(** K solves the consistency equation. *)
Definition consistent (S : system) (K : R) : Prop := 0 < K /\ G S K = lambda S.

(** q is an equilibrium: no queue is negative, no server gets more than it serves, and a server
    with a queue gets exactly what it serves. *)
Definition equilibrium (S : system) (q : nat -> R) : Prop :=
  forall i, (i < N S)%nat ->
    let arrivals := lambda S * softmax (N S) (alpha S) (fun j => v S j * q j + kappa S j) i in
    0 <= q i /\ arrivals <= mu S i /\ (0 < q i -> arrivals = mu S i).

(** What a certificate says of one server: two intervals and whether its queue is positive. *)
Inductive status := Active | Inactive | Undecided.
Record entry := { theta_low : Q; theta_high : Q; queue_low : Q; queue_high : Q; state_of : status }.
Definition located (a K : R) (s : server) (e : entry) : Prop :=
  Q2R (theta_low e) <= theta a s <= Q2R (theta_high e)
  /\ Q2R (queue_low e) <= queue a K s <= Q2R (queue_high e)
  /\ match state_of e with
     | Active => 0 < queue a K s | Inactive => queue a K s = 0 | Undecided => True end.

(** Kind [softmax-equilibrium]: the equation has one root, it lies between low and high, the
    queues [queue (alpha S) K] are the only equilibrium, and every entry is right. *)
Definition equilibrium_claim (S : system) (low high : Q) (entries : list entry) : Prop :=
  proper S /\ exists K,
    consistent S K /\ (forall K', consistent S K' -> K' = K)
    /\ Q2R low <= K <= Q2R high
    /\ Forall2 (located (alpha S) K) (servers S) entries
    /\ (forall q, equilibrium S q <->
         forall i, (i < N S)%nat -> q i = queue (alpha S) K (nth i (servers S) idle)).

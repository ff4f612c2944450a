(** The system with pauses of ranked queues: definitions only (theorem page [rank-gaps]).

    Whoever wants to know what a re-proved certificate of this kind says reads this file and
    nothing else of the theory of ranks: [gaps_claim] and [threshold_claim] are the statements.

    There are n queues; rank 1 is the shortest. Gap 0 is the shortest queue and gap k the
    difference between the queues of rank k + 1 and rank k. Lists run from rank 1, or gap 0, up. *)
From Coq Require Import Reals List Arith QArith Qreals.
From Coquelicot Require Import Coquelicot.
From Coq Require Import List.
From Queues Require Import Sums.
Import ListNotations.
Open Scope R_scope.

(** * The chain *)
(** The rates at which one rank is offered jobs and serves them. *)
Record rank := { offer : R; work : R }.
Definition gaps := list nat.

(** The queues, shortest first, each the sum of the gaps up to it. *)
Fixpoint queues_above (below : nat) (g : gaps) : list nat :=
  match g with [] => [] | m :: g => (below + m)%nat :: queues_above (below + m) g end.
Definition queues (g : gaps) : list nat := queues_above 0 g.

(** The gaps after a job joins the queue at place k (rank k + 1). In a block of equal queues only
    the highest accepts: below the last place, the gap above must not be empty. *)
Fixpoint arrive (k : nat) (g : gaps) : option gaps :=
  match k, g with
  | O, [m] => Some [S m]
  | O, m :: S above :: g => Some (S m :: above :: g)
  | S k, m :: g => option_map (cons m) (arrive k g)
  | _, _ => None
  end.
(** The gaps after a service at place k. In a block of equal queues only the lowest serves. *)
Fixpoint serve (k : nat) (g : gaps) : option gaps :=
  match k, g with
  | O, [S m] => Some [m]
  | O, S m :: above :: g => Some (m :: S above :: g)
  | S k, m :: g => option_map (cons m) (serve k g)
  | _, _ => None
  end.

Definition idle_rank : rank := {| offer := 0; work := 0 |}.  (* never used: k < n *)
Definition offered (ranks : list rank) (k : nat) : R := offer (nth k ranks idle_rank).
Definition served (ranks : list rank) (k : nat) : R := work (nth k ranks idle_rank).
Definition accepted_rate (ranks : list rank) (g : gaps) : R :=
  sum (length ranks) (fun k => if arrive k g then offered ranks k else 0).
Definition served_rate (ranks : list rank) (g : gaps) : R :=
  sum (length ranks) (fun k => if serve k g then served ranks k else 0).

(** * Laws *)
(** Independent geometric gaps: the product of the (1 - rho_k) rho_k^(g_k). *)
Fixpoint law (rho : list R) (g : gaps) : R :=
  match rho, g with
  | [], [] => 1
  | r :: rho, m :: g => (1 - r) * r ^ m * law rho g
  | _, _ => 0
  end.

(** The sum of f over all states with n gaps is e: one gap after another, each a convergent
    series. For f >= 0, and for absolutely convergent sums, the order does not matter. *)
Fixpoint sums (n : nat) (f : gaps -> R) (e : R) : Prop :=
  match n with
  | O => f [] = e
  | S n => exists h : nat -> R, (forall m, sums n (fun g => f (m :: g)) (h m)) /\ is_series h e
  end.
Definition mean (rho : list R) (f : gaps -> R) (e : R) : Prop :=
  sums (length rho) (fun g => law rho g * f g) e.

(** The balance equations lam_k rho_k = mu_k rho_(k-1), k = 1..n, with rho_n = 1. *)
Fixpoint balanced (ranks : list rank) (rho : list R) : Prop :=
  match ranks, rho with
  | [], [] => True
  | s :: ranks, r :: rho => offer s * hd 1 rho = work s * r /\ balanced ranks rho
  | _, _ => False
  end.

(** The traffic equations: what node k of the network of gaps receives is what leaves it.
    Node k works at rate mu_(k+1) + lam_k (node 0: mu_1), sends services up and arrivals down. *)
Definition traffic (ranks : list rank) (rho : list R) : Prop :=
  forall k, (k < length ranks)%nat ->
  let r i := nth i (rho ++ [1]) 0 in
  let down i := match i with O => 0 | S j => offered ranks j end in
  let into := match k with O => 0 | S j => served ranks j * r j end in
  (down k + served ranks k) * r k = offered ranks k * r (S k) + into.

(** Detailed balance: along every transition as much mass flows forth as back. *)
Definition reversible (ranks : list rank) (p : gaps -> R) : Prop :=
  forall k g g', (k < length ranks)%nat -> length g = length ranks -> arrive k g = Some g' ->
  serve k g' = Some g /\ p g * offered ranks k = p g' * served ranks k.

(** Global balance: what leaves every state is what enters it, by an arrival at k from the state
    before it and by a service at k likewise. *)
Definition stationary (ranks : list rank) (p : gaps -> R) : Prop :=
  forall g, length g = length ranks ->
  p g * (accepted_rate ranks g + served_rate ranks g)
  = sum (length ranks) (fun k => match serve k g with Some g' => p g' * offered ranks k | None => 0 end)
  + sum (length ranks) (fun k => match arrive k g with Some g' => p g' * served ranks k | None => 0 end).

(** * Certificates *)
Definition gap (k : nat) (g : gaps) : R := INR (nth k g 0%nat).
Definition queue_at (k : nat) (g : gaps) : R := INR (nth k (queues g) 0%nat).
Definition all_queues (g : gaps) : R := INR (list_sum (queues g)).
Definition none_idle (g : gaps) : R := if (0 <? nth 0 (queues g) 0)%nat then 1 else 0.
Definition none_tied (g : gaps) : R := if forallb (fun m => 0 <? m)%nat (tl g) then 1 else 0.

(** What a certificate says in numbers: the gaps it lists, and one list entry for each. *)
Record figures := {
  listed : list Z; ratios : list Q; gap_means : list Q; gap_variances : list Q; queue_means : list Q;
  all_mean : Q; not_idle : Q; not_tied : Q; flow : Q; paused : Q }.
Definition at_gap (l : list Q) (k : nat) : R := Q2R (nth k l 0%Q).

(** Kind [rank-gaps], dynamics paused, n queues, every gap listed: the ratios solve the balance and traffic equations; the
    product law is a probability, reversible and stationary; and all figures are its means. *)
Definition gaps_claim (n : nat) (ranks : list rank) (x : figures) : Prop :=
  let rho := map Q2R (ratios x) in
  (0 < n)%nat /\ length ranks = n /\ listed x = map Z.of_nat (seq 0 n)
  /\ Forall (fun s => 0 < offer s /\ 0 < work s) ranks
  /\ length rho = n /\ length (gap_means x) = n /\ length (gap_variances x) = n /\ length (queue_means x) = n
  /\ Forall (fun r => 0 < r < 1) rho /\ balanced ranks rho /\ traffic ranks rho
  /\ sums n (law rho) 1 /\ reversible ranks (law rho) /\ stationary ranks (law rho)
  /\ (forall k, (k < n)%nat ->
        mean rho (gap k) (at_gap (gap_means x) k)
        /\ mean rho (fun g => (gap k g - at_gap (gap_means x) k) ^ 2) (at_gap (gap_variances x) k)
        /\ mean rho (queue_at k) (at_gap (queue_means x) k))
  /\ mean rho all_queues (Q2R (all_mean x))
  /\ mean rho none_idle (Q2R (not_idle x)) /\ mean rho none_tied (Q2R (not_tied x))
  /\ mean rho (served_rate ranks) (Q2R (flow x)) /\ mean rho (accepted_rate ranks) (Q2R (flow x))
  /\ Q2R (flow x) = (1 - Q2R (paused x)) * sum n (offered ranks).

(** Marginal join-the-shortest-queue: n servers of rate n; n - a/sqrt(n) to every rank, and
    b sqrt(n) more to the shortest. *)
Definition marginal (n : nat) (a b : Q) : list rank :=
  let side := sqrt (INR n) in
  let rest := INR n - Q2R a / side in
  {| offer := rest + Q2R b * side; work := INR n |}
  :: repeat {| offer := rest; work := INR n |} (n - 1).
Definition marginal_domain (n : nat) (a b : Q) : Prop :=
  0 < Q2R a < INR n * sqrt (INR n) /\ 0 < Q2R b.

(** The system is stable for b below the threshold and for no other b: rho_0 < 1 or not. *)
Definition threshold_claim (n : nat) (a critical : Q) : Prop :=
  forall (b : Q) (rho : list R), balanced (marginal n a b) rho ->
  (hd 1 rho < 1 <-> Q2R b < Q2R critical).

(** Arbitrary rates: offered and served, from rank 1 up. *)
Definition by_rates (l : list (Q * Q)) : list rank :=
  map (fun s => {| offer := Q2R (fst s); work := Q2R (snd s) |}) l.

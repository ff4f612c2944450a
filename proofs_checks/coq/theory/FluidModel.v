(** The fluid dispatching problem of the theorem page [fluid-value]: definitions only.

    Whoever wants to know what a re-proved certificate of the kind [fluid-value] says reads this
    file and nothing else of the fluid theory: the last definition, [value_claim], is the statement.

    Two servers work at rate 1/2 each. Work arrives at rate [load], in jobs whose size has a law
    with finitely many atoms; at every moment a control says which share of the jobs of each size
    goes to which queue. A path costs the work found in the chosen queue, counted per job (twice,
    so that it is the waiting time). Asked for is the least cost of emptying the system. *)
From Coq Require Import Reals List QArith Qreals.
Import ListNotations.
Open Scope R_scope.

(** * The law of the sizes *)
Record atom := { size : Q; mass : Q }.

(** [mean f law] is the expectation of f(S) for a size S with that law. *)
Fixpoint mean (f : atom -> R) (law : list atom) : R :=
  match law with [] => 0 | a :: l => Q2R (mass a) * f a + mean f l end.

(** Sizes at least 0 and strictly increasing, masses positive. *)
Fixpoint proper_law (law : list atom) : Prop :=
  match law with
  | [] => True
  | a :: l => 0 <= Q2R (size a) /\ 0 < Q2R (mass a) /\ proper_law l
              /\ match l with [] => True | b :: _ => Q2R (size a) < Q2R (size b) end
  end.

(** * Controls and paths *)
(** Shares of the work and of the jobs that go to server 1 when [pi a] of the jobs of size a do. *)
Definition work_share (law : list atom) (pi : atom -> R) := mean (fun a => pi a * Q2R (size a)) law.
Definition job_share (law : list atom) (pi : atom -> R) := mean pi law.

(** f has the right derivative l at t. *)
Definition rderiv (f : R -> R) (t l : R) : Prop :=
  forall eps, 0 < eps -> exists eta, 0 < eta /\
    forall h, 0 < h < eta -> Rabs (f (t + h) - f t - l * h) <= eps * h.

(** A path on [0,T]: workloads u1, u2 of the two servers (labelled, not ordered) and the cost c
    spent so far. At each time some split pi sends the share pi(a) of the jobs of size a to
    server 1; y1, y2 are idling rates, allowed at an empty queue only. Right derivatives admit
    controls that jump; controls that are merely measurable are outside this definition. *)
Record admissible (law : list atom) (load T : R) (u1 u2 c : R -> R) : Prop := {
  continuous_path : forall t, 0 <= t <= T ->
    continuity_pt u1 t /\ continuity_pt u2 t /\ continuity_pt c t;
  no_debt : forall t, 0 <= t <= T -> 0 <= u1 t /\ 0 <= u2 t;
  start_cost : c 0 = 0;
  dynamics : forall t, 0 <= t < T -> exists pi y1 y2,
    (forall a, In a law -> 0 <= pi a <= 1) /\ 0 <= y1 /\ 0 <= y2 /\
    (0 < y1 -> u1 t = 0) /\ (0 < y2 -> u2 t = 0) /\
    rderiv u1 t (load * work_share law pi - / 2 + y1) /\
    rderiv u2 t (load * (1 - work_share law pi) - / 2 + y2) /\
    rderiv c t (2 * load * (job_share law pi * u1 t + (1 - job_share law pi) * u2 t)) }.

(** Some admissible path from workloads (a,b) to the empty system costs exactly C. *)
Definition drains (law : list atom) (load a b C : R) : Prop := exists T u1 u2 c,
  0 <= T /\ admissible law load T u1 u2 c /\ u1 0 = a /\ u2 0 = b /\ u1 T = 0 /\ u2 T = 0 /\ c T = C.

(** C is the least cost: some path attains it and none costs less. *)
Definition least_cost (law : list atom) (load a b C : R) : Prop :=
  drains law load a b C /\ forall C', drains law load a b C' -> C <= C'.

(** * What a certificate claims *)
(** On  from x <= delta <= to x  the value is  cxx x^2 + cxd x delta + cdd delta^2,
    where x is the total work and delta the difference of the two workloads. *)
Record sector := { from : Q; to : Q; cxx : Q; cxd : Q; cdd : Q }.
Definition form (s : sector) (x d : R) :=
  Q2R (cxx s) * x * x + Q2R (cxd s) * x * d + Q2R (cdd s) * d * d.

(** What emptying the system costs from two equal queues with total work 1 if they stay equal. *)
Definition balanced_cost (load : R) : R := load / (2 * (1 - load)).

Definition value_claim (law : list atom) (load : Q) (sectors : list sector)
    (values : list (Q * Q)) (saving : Q) : Prop :=
  (* the data are a size law with mean one and a load below capacity *)
  proper_law law /\ mean (fun _ => 1) law = 1 /\ mean (fun a => Q2R (size a)) law = 1
  /\ 0 < Q2R load < 1
  (* every sector's form is the least cost from every state of that sector *)
  /\ (forall s x d, In s sectors -> 0 < x -> Q2R (from s) * x <= d <= Q2R (to s) * x ->
        least_cost law (Q2R load) ((x - d) / 2) ((x + d) / 2) (form s x d))
  (* and the sectors cover all states *)
  /\ (forall x d, 0 < x -> 0 <= d <= x ->
        exists s, In s sectors /\ Q2R (from s) * x <= d <= Q2R (to s) * x)
  (* the listed values: total work 1, imbalance z, least cost v *)
  /\ (forall z v, In (z, v) values ->
        least_cost law (Q2R load) ((1 - Q2R z) / 2) ((1 + Q2R z) / 2) (Q2R v))
  (* the saving at a tie against keeping the queues equal, which is a path of that cost *)
  /\ drains law (Q2R load) (1 / 2) (1 / 2) (balanced_cost (Q2R load))
  /\ least_cost law (Q2R load) (1 / 2) (1 / 2) ((1 - Q2R saving) * balanced_cost (Q2R load)).

(** The main theorems of the theory, each in full, under the theorem page that it formalises.
    The proofs lie in the files named; the words used are defined in Routing.v, FluidModel.v, RankModel.v and,
    where named, in the theorem's own file. What each of them assumes is listed in assumptions.txt
    and compared by a test. *)
From Coq Require Import Reals List Arith QArith Qreals.
From Coquelicot Require Import Coquelicot.
From Coq Require Import List.
From Queues Require Import Sums Routing FluidModel.
From Queues Require Softmax Drift SharpDrift DriftCertificate Equilibrium Obstruction.
From Queues Require ObstructionGrid ObstructionCheck.
From Queues Require RankModel RankGaps.
From Queues Require FluidSectors FluidLowerBound FluidOptimal FluidValue FluidUniform Identity.
Import ListNotations.
Open Scope R_scope.

(** * Page [softmax-drift] *)

(** Softmax lemma: the mean energy exceeds every energy by at most k/alpha. *)
Theorem softmax_lemma : forall (n : nat) (a : R) (s : nat -> R),
  0 < a -> (0 < n)%nat -> forall (k : R) (m : nat),
  0 <= k -> INR n - 1 <= k * exp (1 + k) -> (m < n)%nat ->
  sum n (fun i => softmax n a s i * s i) <= s m + k / a.
Proof. exact Softmax.softmax_lambert. Qed.

(** Its entropy form. *)
Theorem softmax_lemma_entropy : forall (n : nat) (a : R) (s : nat -> R),
  0 < a -> (0 < n)%nat -> forall m : nat, (m < n)%nat ->
  sum n (fun i => softmax n a s i * s i) <= s m + ln (INR n) / a.
Proof. exact Softmax.softmax_entropy. Qed.

(** The drift at every state of the lattice, from any feasible shares c. *)
Theorem drift_at_every_state : forall S : system, proper S ->
  forall (eps : R) (c : nat -> R),
  (forall i, (i < N S)%nat -> 0 <= c i) -> sum (N S) c = lambda S ->
  (forall i, (i < N S)%nat -> eps <= (mu S i - c i) * v S i) ->
  forall k top : R, 0 <= k -> INR (N S) - 1 <= k * exp (1 + k) ->
  (forall i, (i < N S)%nat -> v S i / 2 - kappa S i <= top) ->
  drift S eps (lambda S * (k / alpha S) + sum (N S) (fun i => c i * kappa S i) + lambda S * top
               + sum (N S) (fun i => Rmax 0 ((c i - mu S i / 2) * v S i + eps))).
Proof.
  intros S Hp. destruct (DriftCertificate.proper_positive S Hp) as [n0 [a0 _]]. intros.
  apply Drift.drift_by_shares; assumption.
Qed.

(** The sharp constant from any positive point p. [profile] is f_i of the page, [profile_slope]
    its derivative (SharpDrift.v). *)
Theorem sharp_drift_at_every_state : forall S : system, proper S ->
  forall (eps : R) (c : nat -> R),
  (forall i, (i < N S)%nat -> 0 <= c i) -> sum (N S) c = lambda S ->
  (forall i, (i < N S)%nat -> eps <= (mu S i - c i) * v S i) ->
  let f i := SharpDrift.profile (lambda S) (alpha S) (nth i (servers S) idle) (c i) in
  let d i := SharpDrift.profile_slope (lambda S) (alpha S) (nth i (servers S) idle) (c i) in
  forall (p : nat -> R) (top : R),
  (forall i, (i < N S)%nat -> 0 < p i) -> (forall i, (i < N S)%nat -> d i (p i) <= top) ->
  drift S eps (sum (N S) (fun i => Rmax 0 ((c i - mu S i / 2) * v S i + eps))
               + sum (N S) (fun i => f i (p i) - d i (p i) * p i) + top).
Proof.
  intros S Hp. destruct (DriftCertificate.proper_positive S Hp) as [n0 [a0 [l0 _]]].
  intros eps c c0 c1 c2 f d p top. apply SharpDrift.drift_by_tangent; try assumption.
  apply Rlt_le, l0.
Qed.

(** * Page [softmax-equilibrium] *)

(** Below capacity the consistency equation has at most one root. *)
Theorem root_unique : forall (S : system) (x y : R),
  proper S -> consistent S x -> consistent S y -> x = y.
Proof. exact Equilibrium.root_unique. Qed.

(** The equilibria are exactly the queues of the root. *)
Theorem equilibria_are_the_queues_of_the_root : forall S : system, proper S -> forall (K : R) (q : nat -> R),
  consistent S K ->
  (equilibrium S q <->
   forall i, (i < N S)%nat -> q i = queue (alpha S) K (nth i (servers S) idle)).
Proof. exact Equilibrium.equilibrium_iff. Qed.

(** * Page [softmax-potential] *)

(** N equal servers: the potential's drift on the diagonal, [Obstruction.H] being the potential. *)
Theorem obstruction_on_the_diagonal : forall (n : nat) (lam a : R) (s : server),
  (0 < n)%nat -> forall k : nat,
  let S := Obstruction.equal_servers n lam a s in
  let step := fun sign : R => lam / a * ln ((INR n - 1 + exp (sign * (a * per_job s))) / INR n) in
  generator S (Obstruction.H S) (fun _ => Datatypes.S k)
  = lam * (rate s * per_job s + step (-1))
    + INR n * rate s * (- (rate s * per_job s) + step 1).
Proof.
  intros n lam a s Hn k S step. unfold S. rewrite Obstruction.diagonal_drift by exact Hn.
  unfold Obstruction.diagonal_value, step. replace (-1 * (a * per_job s)) with (- (a * per_job s)) by ring.
  rewrite Rmult_1_l. reflexivity.
Qed.

(** Two servers of rate 1 at load 4/5: H increases on average at every state (k,k), k >= 1. *)
Theorem obstruction_two_servers : forall (base : R) (k : nat),
  let S := Obstruction.equal_servers 2 (8 / 5) 20 {| rate := 1; per_job := 1; at_empty := base |} in
  26003736125 / 10000000000
  <= generator S (Obstruction.H S) (fun _ => Datatypes.S k)
  <= 26003736126 / 10000000000.
Proof. exact Obstruction.symmetric_two_servers. Qed.

(** * Page [softmax-obstruction] *)

(** What a re-proved certificate says of a grid, in one step from a computation with intervals. *)
Theorem obstruction_certificate : forall (bits : positive) (d : ObstructionCheck.data) (n radius : nat)
  (c : ObstructionGrid.counts) (max_term max_edge_gap max_gap : ObstructionGrid.peak),
  let S := ObstructionCheck.system_of d in
  proper S -> ObstructionCheck.check_grid bits d n radius c max_term max_edge_gap max_gap = true ->
  ObstructionGrid.obstruction_claim S radius c max_term max_edge_gap max_gap.
Proof.
  intros bits d n radius c t bg g S ok K.
  exact (ObstructionCheck.grid_certified bits S d n radius c t bg g ok eq_refl K).
Qed.

(** * Page [fluid-value] *)

(** Lower bound: no admissible path falls below a value that passes [FluidSectors.check]. *)
Theorem fluid_lower_bound : forall (law : list atom) (load : Q) (l : list sector),
  FluidSectors.check law load l = true ->
  forall (T : R) (u1 u2 c : R -> R), 0 <= T -> admissible law (Q2R load) T u1 u2 c ->
  FluidLowerBound.value_at l (u1 0) (u2 0) <= c T + FluidLowerBound.value_at l (u1 T) (u2 T).
Proof.
  intros law load l H T u1 u2 c. apply (FluidLowerBound.lower_bound law (Q2R load) l T u1 u2 c).
  apply FluidLowerBound.check_valid, H.
Qed.

(** Optimality: with [FluidOptimal.check_optimal] the value is the least cost and is attained. *)
Theorem fluid_optimal : forall (law : list atom) (load : Q) (l : list sector),
  FluidOptimal.check_optimal law load l = true -> forall a b : R, 0 <= a -> 0 <= b ->
  least_cost law (Q2R load) a b (FluidLowerBound.value_at l a b).
Proof. exact FluidOptimal.optimal. Qed.

(** What a re-proved certificate says, in one step from a computation with rationals. *)
Theorem fluid_certificate : forall (law : list atom) (load : Q) (l : list sector)
  (values : list (Q * Q)) (saving : Q),
  FluidValue.check_value law load l values saving = true -> value_claim law load l values saving.
Proof. exact FluidValue.certified. Qed.

(** * Page [fluid-enclosure] *)

(** Sizes uniform on [a, 2-a], a sample of the laws of that page: the exit cutoff, and the integrals
    D and X of equation (1) from every cutoff h on, in closed form. *)
Theorem uniform_sizes : forall a load : R, 0 <= a < 1 -> 1 / 2 <= load < 1 ->
  let h1 := sqrt (a * a + 2 * (1 - a) / load) in
  FluidUniform.exit_cutoff a load h1
  /\ (forall h, a <= h <= 2 - a ->
        FluidUniform.deviation a h = ((h - 1) * (h - 1) + (1 - a) * (1 - a)) / (2 * (1 - a)))
  /\ (forall h, h <= a -> FluidUniform.deviation a h = 1 - h)
  /\ (forall h, a <= h <= h1 -> FluidUniform.reach a load h1 h = FluidUniform.reach_upper a load h)
  /\ (forall h, h <= a -> FluidUniform.reach a load h1 h = FluidUniform.reach_lower a load h).
Proof.
  intros a load A L h1. split; [exact (FluidUniform.exit_is a load A L)|].
  split; [exact (FluidUniform.deviation_upper a A)|].
  split; [exact (FluidUniform.deviation_lower a A)|].
  split; [exact (FluidUniform.reach_is_upper a load A L) | exact (FluidUniform.reach_is_lower a load A L)].
Qed.

(** * Page [identity] *)

(** The rules by which an identity's expressions are derived are those of calculus: if every
    variable is a function of time whose derivative is its rule's image, then the derived
    expression is the derivative of the expression, wherever nothing is divided by zero. *)
Theorem derivation_rules_are_calculus : forall (rule : nat -> Identity.expression)
  (f : R -> nat -> R) (t : R),
  (forall n : nat, is_derive (fun s => f s n) t (Identity.eval (f t) (rule n))) ->
  forall e : Identity.expression, Identity.defined (f t) e ->
  is_derive (fun s => Identity.eval (f s) e) t (Identity.eval (f t) (Identity.derive rule e)).
Proof. exact Identity.derive_sound. Qed.

(** * Page [rank-gaps] *)

(** An arrival at place k of the gaps is one job more in the k-th shortest queue, and the service
    there undoes it. *)
Theorem arrivals_move_one_queue : forall (k : nat) (g g' : RankModel.gaps),
  RankModel.arrive k g = Some g' ->
  RankModel.serve k g' = Some g
  /\ forall j, nth j (RankModel.queues g') 0%nat
     = (nth j (RankModel.queues g) 0 + if Nat.eq_dec j k then 1 else 0)%nat.
Proof.
  intros k g g' H. split; [apply RankGaps.serve_after_arrival, H|]. apply RankGaps.queues_after_arrival, H.
Qed.

(** Ratios in balance solve the traffic equations, and their product law is in detailed balance
    along every transition from every state, hence stationary. *)
Theorem product_law_is_stationary : forall (ranks : list RankModel.rank) (rho : list R),
  RankModel.balanced ranks rho ->
  RankModel.traffic ranks rho
  /\ RankModel.reversible ranks (RankModel.law rho) /\ RankModel.stationary ranks (RankModel.law rho).
Proof.
  intros ranks rho B. split; [apply RankGaps.balanced_traffic, B|].
  split; [apply RankGaps.product_reversible, B | apply RankGaps.product_stationary, B].
Qed.

(** Below 1 the ratios give a probability, and gap k has the mean rho_k / (1 - rho_k). *)
Theorem mean_of_a_gap : forall rho : list R, Forall (fun r => 0 < r < 1) rho ->
  RankModel.sums (length rho) (RankModel.law rho) 1
  /\ forall k, (k < length rho)%nat ->
     RankModel.mean rho (RankModel.gap k) (nth k rho 0 / (1 - nth k rho 0)).
Proof. intros rho H. split; [apply RankGaps.law_mass, H|]. intros k. apply RankGaps.gap_mean, H. Qed.

(** What a re-proved certificate says, in one step from a computation with rationals. *)
Theorem rank_certificate : forall (n : nat) (rates : list (Q * Q)) (x : RankModel.figures),
  RankGaps.check n rates x = true -> RankModel.gaps_claim n (RankModel.by_rates rates) x.
Proof. exact RankGaps.certified. Qed.

(** The same for the marginal model with n a square, and the threshold of its stability. *)
Theorem marginal_certificate : forall (n side : nat) (a b critical : Q) (x : RankModel.figures),
  RankGaps.check_marginal n side a b critical x = true ->
  RankModel.marginal_domain n a b /\ RankModel.gaps_claim n (RankModel.marginal n a b) x
  /\ RankModel.threshold_claim n a critical.
Proof. exact RankGaps.certified_marginal. Qed.

(** The potential over a finite grid of states. Formalises parts (a), (b) and (e) of the page
    [softmax-obstruction] and the definitions there.

    - [obstruction_claim] and [interior_claim] are the statements of a certificate;
    - [grid_certified]: a computation with intervals, done by the kernel, proves them. The
      intervals are those of the library Interval, over its own integers: no hardware floats. *)
From Coq Require Import Reals Lra Lia Arith List FinFun ZArith QArith Qreals Bool.
From Interval Require Import Xreal Interval Float_full Specific_bigint Specific_ops.
From Queues Require Import Sums Routing Softmax Obstruction.
Import ListNotations.
Open Scope R_scope.

(** * Statements *)
(** A state as the list of its queues. *)
Definition at_list (l : list nat) : state := fun i => nth i l 0%nat.

(** dH/dq_i = v_i (mu_i - lambda p_i) *)
Definition pull (S : system) (Q : state) (i : nat) : R := v S i * (mu S i - lambda S * route S Q i).
(** The boundary term: the sum over the empty queues of lambda p_i dH/dq_i. *)
Definition boundary_term (S : system) (Q : state) : R :=
  sum (N S) (fun i => if Nat.eq_dec (Q i) 0 then lambda S * route S Q i * pull S Q i else 0).
(** dH/dt along the reflected equation: an empty queue cannot shrink. *)
Definition descent (S : system) (Q : state) : R :=
  sum (N S) (fun i => pull S Q i *
    (if Nat.eq_dec (Q i) 0 then Rmax 0 (lambda S * route S Q i - mu S i)
     else lambda S * route S Q i - mu S i)).
Definition gap (S : system) (Q : state) : R := generator S (H S) Q - descent S Q.

(** The states with at most [radius] jobs, and those of them that have an empty queue. *)
Definition inside (S : system) (radius : nat) (l : list nat) : Prop :=
  length l = N S /\ (list_sum l <= radius)%nat.
Definition on_boundary (S : system) (radius : nat) (l : list nat) : Prop :=
  inside S radius l /\ In 0%nat l.

(** The number of lists with a property lies between two numbers. *)
Definition counted (P : list nat -> Prop) (least most : Z) : Prop :=
  exists all, NoDup all /\ (forall l, In l all <-> P l) /\ (least <= Z.of_nat (length all) <= most)%Z.

(** A maximum lies between two numbers, the lower of which is reached at a given state. *)
Record peak := { peak_low : Q; peak_high : Q; peak_at : list nat }.
Definition maximum (f : state -> R) (P : list nat -> Prop) (p : peak) : Prop :=
  (forall l, P l -> f (at_list l) <= Q2R (peak_high p))
  /\ P (peak_at p) /\ Q2R (peak_low p) <= f (at_list (peak_at p)).

Record counts := {
  states : Z; boundary_states : Z; positive_states : Z; positive_coordinate_states : Z; undecided : Z }.

(** Kind [softmax-obstruction], but for the drift at single states and on the diagonal. *)
Definition obstruction_claim (S : system) (radius : nat) (c : counts)
    (max_term max_boundary_gap max_gap : peak) : Prop :=
  proper S
  /\ counted (inside S radius) (states c) (states c)
  /\ counted (on_boundary S radius) (boundary_states c) (boundary_states c)
  /\ counted (fun l => on_boundary S radius l /\ 0 < boundary_term S (at_list l))
       (positive_states c) (positive_states c + undecided c)
  /\ counted (fun l => on_boundary S radius l
                /\ exists i, (i < N S)%nat /\ nth i l 0%nat = 0%nat /\ 0 < pull S (at_list l) i)
       (positive_coordinate_states c) (positive_coordinate_states c + undecided c)
  /\ maximum (boundary_term S) (on_boundary S radius) max_term
  /\ maximum (gap S) (on_boundary S radius) max_boundary_gap
  /\ maximum (gap S) (inside S radius) max_gap.

(** At a state without an empty queue H rises, by a number between low and high. *)
Definition interior_claim (S : system) (l : list nat) (low high : Q) : Prop :=
  length l = N S /\ ~ In 0%nat l /\ 0 < Q2R low
  /\ Q2R low <= generator S (H S) (at_list l) <= Q2R high.

(** The boundary term where all queues are empty. *)
Definition origin_claim (S : system) (value : Q) : Prop := boundary_term S (fun _ => 0%nat) = Q2R value.

(** * The states of the grid *)
Fixpoint grid (n radius : nat) : list (list nat) :=
  match n with
  | O => [[]]
  | Datatypes.S m => flat_map (fun first => map (cons first) (grid m (radius - first))) (seq 0 (Datatypes.S radius))
  end.

Lemma grid_spec n : forall radius l, In l (grid n radius) <-> length l = n /\ (list_sum l <= radius)%nat.
Proof.
  induction n as [|n IH]; intros radius l; cbn [grid].
  - split.
    + intros [<- | []]. split; [reflexivity | cbn; lia].
    + intros [E _]. left. destruct l; [reflexivity | discriminate].
  - rewrite in_flat_map. split.
    + intros [first [F M]]. apply in_seq in F. apply in_map_iff in M. destruct M as [rest [<- M]].
      apply IH in M. destruct M as [M1 M2]. cbn [length list_sum]. cbn. unfold list_sum in *. split; lia.
    + intros [E B]. destruct l as [|first rest]; [discriminate|]. cbn in E, B.
      change (fold_right Nat.add 0%nat rest) with (list_sum rest) in B.
      exists first. split; [apply in_seq; lia|]. apply in_map, IH. split; lia.
Qed.

Lemma nodup_app {A} (l m : list A) :
  NoDup l -> NoDup m -> (forall x, In x l -> ~ In x m) -> NoDup (l ++ m).
Proof.
  intros Hl Hm D. induction l as [|a l IH]; [exact Hm|].
  inversion Hl; subst. cbn. constructor.
  - rewrite in_app_iff. intros [C|C]; [contradiction | apply (D a); [now left | exact C]].
  - apply IH; [assumption|]. intros x Hx. apply D. now right.
Qed.

Lemma grid_nodup n : forall radius, NoDup (grid n radius).
Proof.
  induction n as [|n IH]; intros radius; cbn [grid]; [repeat constructor; intros []|].
  generalize 0%nat at 1 as start. generalize (Datatypes.S radius) as many. intros many.
  induction many as [|many IHm]; intros start; cbn [seq flat_map]; [constructor|].
  apply nodup_app.
  - apply Injective_map_NoDup; [intros x y E; now inversion E | apply IH].
  - apply IHm.
  - intros l M C. apply in_map_iff in M. destruct M as [rest [<- _]].
    apply in_flat_map in C. destruct C as [first [F C]]. apply in_seq in F.
    apply in_map_iff in C. destruct C as [rest' [E _]]. inversion E. lia.
Qed.

Definition edge (l : list nat) : bool := existsb (Nat.eqb 0) l.
Lemma edge_spec l : edge l = true <-> In 0%nat l.
Proof.
  unfold edge. rewrite existsb_exists. split.
  - intros [x [I E]]. apply Nat.eqb_eq in E. now subst.
  - intros I. exists 0%nat. split; [exact I | reflexivity].
Qed.

Lemma filter_le {A} (f g : A -> bool) l : (forall x, In x l -> f x = true -> g x = true) ->
  (length (filter f l) <= length (filter g l))%nat.
Proof.
  induction l as [|a l IH]; intros K; [reflexivity|]. cbn.
  assert (K' := K a (or_introl eq_refl)).
  assert (IH' := IH (fun x I => K x (or_intror I))).
  destruct (f a) eqn:E; destruct (g a) eqn:E'; cbn; first [lia | discriminate (K' eq_refl)].
Qed.
Lemma filter_disjoint {A} (f g : A -> bool) l : (forall x, In x l -> f x = true -> g x = false) ->
  (length (filter f l) + length (filter g l) <= length l)%nat.
Proof.
  induction l as [|a l IH]; intros K; [reflexivity|]. cbn.
  assert (K' := K a (or_introl eq_refl)).
  assert (IH' := IH (fun x I => K x (or_intror I))).
  destruct (f a) eqn:E; destruct (g a) eqn:E'; cbn; first [lia | discriminate (K' eq_refl)].
Qed.

(** Of a list without repetitions: what certainly has the property, and what certainly has not. *)
Lemma counted_by (P : list nat -> Prop) (decide : forall l, {P l} + {~ P l}) all yes no (least spare : Z) :
  NoDup all ->
  (forall l, In l all -> yes l = true -> P l) -> (forall l, In l all -> no l = true -> ~ P l) ->
  (least <= Z.of_nat (length (filter yes all)))%Z ->
  (Z.of_nat (length all) - least - spare <= Z.of_nat (length (filter no all)))%Z ->
  counted (fun l => In l all /\ P l) least (least + spare).
Proof.
  intros U Y D L M. set (holds := fun l => if decide l then true else false).
  exists (filter holds all). split; [apply NoDup_filter, U|]. split.
  - intros l. rewrite filter_In. unfold holds. destruct (decide l); split; intros [A B]; auto; discriminate.
  - assert (A : (length (filter yes all) <= length (filter holds all))%nat).
    { apply filter_le. intros l I E. unfold holds. destruct (decide l) as [|C]; [reflexivity|].
      destruct (C (Y l I E)). }
    assert (B : (length (filter holds all) + length (filter no all) <= length all)%nat).
    { apply filter_disjoint. intros l I E. unfold holds in E. destruct (decide l) as [C|]; [|discriminate].
      destruct (no l) eqn:E'; [|reflexivity]. destruct (D l I E' C). }
    lia.
Qed.

(** * One job more or less *)
Section Steps.
Variable S : system.
Hypothesis ok : proper S.
Notation W Q := (total (N S) (alpha S) (energy S Q)).
Definition load_of (i q : nat) : R := exp (- alpha S * (v S i * INR q + kappa S i)).

Lemma N_pos : (0 < N S)%nat.
Proof.
  destruct ok as [[A B] _]. unfold N, capacity in *. destruct (servers S); [cbn in B; lra | cbn; lia].
Qed.
Lemma alpha_pos : 0 < alpha S.
Proof. apply ok. Qed.
Lemma W_pos Q : 0 < W Q.
Proof. apply total_pos, N_pos. Qed.
Lemma W_moved Q Q' i q : (i < N S)%nat -> (forall j, j <> i -> Q' j = Q j) -> Q' i = q ->
  W Q' = sum (N S) (fun j => if Nat.eqb j i then load_of i q else load_of j (Q j)).
Proof.
  intros Hi E Eq. apply sum_ext. intros j Hj. unfold weight, energy, load_of.
  destruct (Nat.eqb j i) eqn:C; [apply Nat.eqb_eq in C; subst; reflexivity|].
  apply Nat.eqb_neq in C. rewrite E by exact C. reflexivity.
Qed.
Lemma H_step Q Q' i : (i < N S)%nat -> (forall j, j <> i -> Q' j = Q j) ->
  H S Q' - H S Q = mu S i * v S i * (INR (Q' i) - INR (Q i))
    + lambda S / alpha S * ln (W Q' / W Q).
Proof.
  intros Hi E. unfold Rdiv at 2. rewrite ln_mult by (try apply Rinv_0_lt_compat; apply W_pos).
  rewrite ln_Rinv by apply W_pos. unfold H.
  assert (X := sum_single (N S) (fun j => mu S j * v S j * INR (Q' j))
                 (fun j => mu S j * v S j * INR (Q j)) i Hi).
  cbv beta in X.
  assert (Y := X ltac:(intros j _ Hj; rewrite (E j Hj); reflexivity)). lra.
Qed.

(** L H as sums over the servers. *)
Definition up_part (Q : state) (i : nat) : R := load_of i (Q i) / W Q *
  (mu S i * v S i + lambda S / alpha S *
    ln (sum (N S) (fun j => if Nat.eqb j i then load_of i (Datatypes.S (Q i)) else load_of j (Q j)) / W Q)).
Definition down_part (Q : state) (i : nat) : R :=
  if Nat.eqb (Q i) 0 then 0 else mu S i *
  (lambda S / alpha S * ln (sum (N S) (fun j => if Nat.eqb j i then load_of i (pred (Q i)) else load_of j (Q j)) / W Q)
   - mu S i * v S i).
Lemma generator_parts Q :
  generator S (H S) Q = lambda S * sum (N S) (up_part Q) + sum (N S) (down_part Q).
Proof.
  unfold generator. f_equal; [f_equal|]; apply sum_ext; intros i Hi.
  - unfold up_part. rewrite (H_step Q (up Q i) i Hi).
    + rewrite (W_moved Q (up Q i) i (Datatypes.S (Q i)) Hi).
      * unfold up at 1. destruct (Nat.eq_dec i i) as [_|]; [|contradiction].
        rewrite S_INR. unfold route, softmax, weight, load_of, energy. ring.
      * intros j Hj. unfold up. destruct (Nat.eq_dec j i); [contradiction | reflexivity].
      * unfold up. destruct (Nat.eq_dec i i); [reflexivity | contradiction].
    + intros j Hj. unfold up. destruct (Nat.eq_dec j i); [contradiction | reflexivity].
  - unfold down_part. destruct (Nat.eq_dec (Q i) 0) as [E|E].
    + rewrite E. reflexivity.
    + rewrite (proj2 (Nat.eqb_neq _ _) E). f_equal. rewrite (H_step Q (down Q i) i Hi).
      * rewrite (W_moved Q (down Q i) i (pred (Q i)) Hi).
        -- unfold down at 1. destruct (Nat.eq_dec i i) as [_|]; [|contradiction].
           destruct (Q i) as [|q]; [contradiction|]. rewrite S_INR. cbn [pred]. ring.
        -- intros j Hj. unfold down. destruct (Nat.eq_dec j i); [contradiction | reflexivity].
        -- unfold down. destruct (Nat.eq_dec i i); [reflexivity | contradiction].
      * intros j Hj. unfold down. destruct (Nat.eq_dec j i); [contradiction | reflexivity].
Qed.

Lemma route_load Q i : route S Q i = load_of i (Q i) / W Q.
Proof. reflexivity. Qed.
End Steps.

(** * The origin *)
(** With n equal servers every queue gets the share 1/n there. *)
Theorem origin_certified (S : system) (n : nat) (s : server) (value : Q) :
  (0 < n)%nat -> S = equal_servers n (lambda S) (alpha S) s ->
  lambda S * (rate s - lambda S / INR n) * per_job s = Q2R value ->
  origin_claim S value.
Proof.
  intros Hn E K. unfold origin_claim. rewrite <- K. rewrite E at 1.
  generalize (lambda S) (alpha S). clear - Hn. intros lam a.
  assert (Hn' : 0 < INR n) by (apply lt_0_INR; exact Hn).
  unfold boundary_term. rewrite count.
  rewrite (sum_ext n _ (fun _ => lam * / INR n * (per_job s * (rate s - lam * / INR n)))).
  - rewrite sum_const. field. lra.
  - intros i Hi. destruct (Nat.eq_dec 0 0) as [_|]; [|contradiction]. unfold pull.
    assert (P : route (equal_servers n lam a s) (fun _ => 0%nat) i = / INR n).
    { unfold route, softmax, total. rewrite count.
      set (w := exp (- a * (per_job s * INR 0 + at_empty s))).
      assert (Each : forall j, (j < n)%nat ->
        weight a (energy (equal_servers n lam a s) (fun _ => 0%nat)) j = w).
      { intros j Hj. unfold weight, energy, v, kappa. rewrite (server_at n lam a s j Hj). reflexivity. }
      cbn [alpha equal_servers]. rewrite (sum_ext n _ (fun _ => w)) by exact Each.
      rewrite (Each i Hi), sum_const. assert (0 < w) by apply exp_pos. field. lra. }
    rewrite P. unfold mu, v. rewrite (server_at n lam a s i Hi). reflexivity.
Qed.

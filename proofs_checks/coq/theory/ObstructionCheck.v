(** Certificates over a finite grid, by intervals (page [softmax-obstruction], parts (a), (b), (e)).

    - [grid_certified]: one computation, done by the kernel, proves [obstruction_claim];
    - [interior_certified]: another proves [interior_claim].

    Intervals have ends that are dyadic numbers of a chosen precision, over the library's own
    integers; their operations contain the real ones by the library's theorems. *)
From Coq Require Import Reals Lra Lia Arith List ZArith QArith Qreals Bool.
From Interval Require Import Xreal Interval Float_full Specific_bigint Specific_ops.
From Queues Require Import Sums Routing Softmax Obstruction ObstructionGrid.
Import ListNotations.

Module F := SpecificFloat BigIntRadix2.
Module I := FloatIntervalFull F.
Module J := IntervalExt I.

(** * Systems whose parameters are rational *)
Inductive family :=
  | Reflected (alpha beta gamma offset : Q) (rates : list Q)
  | Weighted (temperature : Q) (servers : list (Q * Q)).  (* weight, rate *)
Record data := { arrivals : Q; kind : family }.
Definition system_of (d : data) : system :=
  match kind d with
  | Reflected a b g o rates =>
      {| lambda := Q2R (arrivals d); alpha := Q2R a;
         servers := map (fun m => reflected_uas_server (Q2R a) (Q2R b) (Q2R g) (Q2R o) (Q2R m)) rates |}
  | Weighted t l =>
      {| lambda := Q2R (arrivals d); alpha := / Q2R t;
         servers := map (fun wm => wsq_server (Q2R (fst wm)) (Q2R (snd wm))) l |}
  end.

Open Scope R_scope.
Definition near (x : R) (i : I.type) : Prop := contains (I.convert i) (Xreal x).

Section Intervals.
Variable bits : positive.
Notation prec := (F.PtoP bits).
Definition number (q : Q) : I.type := I.div prec (I.fromZ prec (Qnum q)) (I.fromZ prec (Zpos (Qden q))).
Definition isum (n : nat) (f : nat -> I.type) : I.type :=
  nat_rect (fun _ => I.type) I.zero (fun k s => I.add prec s (f k)) n.
Definition at_most (i : I.type) (q : Q) : bool :=
  match I.sign_large (I.sub prec (number q) i) with Xgt | Xeq => true | _ => false end.
Definition at_least (q : Q) (i : I.type) : bool :=
  match I.sign_large (I.sub prec i (number q)) with Xgt | Xeq => true | _ => false end.
Definition above_zero (i : I.type) : bool := match I.sign_strict i with Xgt => true | _ => false end.
Definition not_above_zero (i : I.type) : bool :=
  match I.sign_large i with Xlt | Xeq => true | _ => false end.
(** For x in i:  x if it is negative, 0 if not. *)
Definition negative_part (i : I.type) : I.type :=
  match I.sign_strict i with Xgt => I.zero | Xlt => i | _ => I.join i I.zero end.

Lemma near_number q : near (Q2R q) (number q).
Proof. unfold number, Q2R. apply J.div_correct; apply I.fromZ_correct. Qed.
Lemma near_sum n f g : (forall i, (i < n)%nat -> near (f i) (g i)) -> near (sum n f) (isum n g).
Proof.
  induction n as [|n IH]; intros K; [apply J.zero_correct|].
  apply J.add_correct; [apply IH; intros; apply K; lia | apply K; lia].
Qed.
Lemma at_most_sound i q x : near x i -> at_most i q = true -> x <= Q2R q.
Proof.
  intros Hx. unfold at_most. assert (K := I.sign_large_correct (I.sub prec (number q) i)).
  assert (C := J.sub_correct prec _ _ _ _ (near_number q) Hx).
  destruct (I.sign_large _); intros E; try discriminate; specialize (K _ C).
  - injection K. lra.
  - destruct K as [_ K]. cbn in K. lra.
Qed.
Lemma at_least_sound i q x : near x i -> at_least q i = true -> Q2R q <= x.
Proof.
  intros Hx. unfold at_least. assert (K := I.sign_large_correct (I.sub prec i (number q))).
  assert (C := J.sub_correct prec _ _ _ _ Hx (near_number q)).
  destruct (I.sign_large _); intros E; try discriminate; specialize (K _ C).
  - injection K. lra.
  - destruct K as [_ K]. cbn in K. lra.
Qed.
Lemma above_zero_sound i x : near x i -> above_zero i = true -> 0 < x.
Proof.
  intros Hx. unfold above_zero. assert (K := I.sign_strict_correct i).
  destruct (I.sign_strict i); intros E; try discriminate. apply (K _ Hx).
Qed.
Lemma not_above_zero_sound i x : near x i -> not_above_zero i = true -> x <= 0.
Proof.
  intros Hx. unfold not_above_zero. assert (K := I.sign_large_correct i).
  destruct (I.sign_large i); intros E; try discriminate; specialize (K _ Hx).
  - injection K. lra.
  - apply K.
Qed.
Lemma near_negative_part x i : near x i -> near (Rmin x 0) (negative_part i).
Proof.
  intros Hx. unfold negative_part. assert (K := I.sign_strict_correct i).
  destruct (I.sign_strict i).
  - specialize (K _ Hx). injection K as ->. rewrite Rmin_left by lra.
    apply (J.join_correct _ _ 0 0); [exact Hx | apply J.zero_correct | lra].
  - destruct (K _ Hx) as [_ L]. cbn in L. rewrite Rmin_left by lra. exact Hx.
  - destruct (K _ Hx) as [_ L]. cbn in L. rewrite Rmin_right by lra. apply J.zero_correct.
  - destruct (Rle_or_lt x 0) as [L|L].
    + rewrite Rmin_left by exact L. apply (J.join_correct _ _ x 0); [exact Hx | apply J.zero_correct | lra].
    + apply I.join_correct. right. rewrite Rmin_right by lra. apply J.zero_correct.
Qed.

(** * The servers, and the weights at every queue length up to a limit *)
Record row := { mu_in : I.type; v_in : I.type; loads : list I.type }.
(** mu, v and kappa *)
Definition parameters (d : data) : list (I.type * I.type * I.type) :=
  match kind d with
  | Reflected a b g o rates =>
      map (fun m => let mu := number m in let l := I.ln prec mu in
        let v := I.inv prec (I.exp prec (I.mul prec (number b) l)) in
        (mu, v, I.sub prec (I.div prec (number o) (I.exp prec (I.mul prec (number b) l)))
                  (I.mul prec (I.div prec (number g) (number a)) l))) rates
  | Weighted t l =>
      map (fun wm => (number (snd wm), I.mul prec (I.fromZ prec 2) (number (fst wm)), number (fst wm))) l
  end.
Definition alpha_in (d : data) : I.type :=
  match kind d with Reflected a _ _ _ _ => number a | Weighted t _ => I.inv prec (number t) end.
Definition load_in (a : I.type) (p : I.type * I.type * I.type) (q : nat) : I.type :=
  I.exp prec (I.mul prec (I.neg a)
    (I.add prec (I.mul prec (snd (fst p)) (I.fromZ prec (Z.of_nat q))) (snd p))).
Definition row_of (a : I.type) (most : nat) (p : I.type * I.type * I.type) : row :=
  {| mu_in := fst (fst p); v_in := snd (fst p); loads := map (load_in a p) (seq 0 most) |}.
Definition rows_of (d : data) (most : nat) : list row :=
  let a := alpha_in d in map (row_of a most) (parameters d).

Definition no_row : row := {| mu_in := I.nai; v_in := I.nai; loads := [] |}.
Definition near_row (S : system) (i : nat) (r : row) : Prop :=
  near (mu S i) (mu_in r) /\ near (v S i) (v_in r)
  /\ forall q, near (load_of S i q) (nth q (loads r) I.nai).

(** * One state *)
Section State.
Variables (n : nat) (lam a : I.type) (rows : list row).
Definition mu_at i := mu_in (nth i rows no_row).
Definition v_at i := v_in (nth i rows no_row).
Definition load_at (i q : nat) : I.type := nth q (loads (nth i rows no_row)) I.nai.
Definition total_at (l : list nat) : I.type := isum n (fun i => load_at i (nth i l 0%nat)).
Definition moved_at (l : list nat) (i q : nat) : I.type :=
  isum n (fun j => if Nat.eqb j i then load_at i q else load_at j (nth j l 0%nat)).
Definition share_at (l : list nat) (W : I.type) (i : nat) : I.type :=
  I.div prec (load_at i (nth i l 0%nat)) W.
Definition step_at (l : list nat) (W : I.type) (i q : nat) : I.type :=
  I.mul prec (I.div prec lam a) (I.ln prec (I.div prec (moved_at l i q) W)).
Definition drift_at (l : list nat) (W : I.type) : I.type :=
  I.add prec
    (I.mul prec lam (isum n (fun i => I.mul prec (share_at l W i)
       (I.add prec (I.mul prec (mu_at i) (v_at i)) (step_at l W i (Datatypes.S (nth i l 0%nat)))))))
    (isum n (fun i => if Nat.eqb (nth i l 0%nat) 0 then I.zero
       else I.mul prec (mu_at i) (I.sub prec (step_at l W i (pred (nth i l 0%nat)))
                                    (I.mul prec (mu_at i) (v_at i))))).
(** mu_i - lambda p_i *)
Definition spare_at (l : list nat) (W : I.type) (i : nat) : I.type :=
  I.sub prec (mu_at i) (I.mul prec lam (share_at l W i)).
Definition pull_at (l : list nat) (W : I.type) (i : nat) : I.type :=
  I.mul prec (v_at i) (spare_at l W i).
Definition term_at (l : list nat) (W : I.type) : I.type :=
  isum n (fun i => if Nat.eqb (nth i l 0%nat) 0
    then I.mul prec (I.mul prec lam (share_at l W i)) (pull_at l W i) else I.zero).
(** minus the descent *)
Definition fall_at (l : list nat) (W : I.type) : I.type :=
  isum n (fun i => let x := spare_at l W i in
    I.mul prec (v_at i) (I.sqr prec (if Nat.eqb (nth i l 0%nat) 0 then negative_part x else x))).
Definition gap_at (l : list nat) (W : I.type) : I.type := I.add prec (drift_at l W) (fall_at l W).

Variable S : system.
Hypothesis ok : proper S.
Hypothesis size : N S = n.
Hypothesis near_lambda : near (lambda S) lam.
Hypothesis near_alpha : near (alpha S) a.
Hypothesis near_rows : forall i, (i < n)%nat -> near_row S i (nth i rows no_row).
Notation W l := (total (N S) (alpha S) (energy S (at_list l))).

Lemma near_load i q : (i < n)%nat -> near (load_of S i q) (load_at i q).
Proof. intros Hi. apply near_rows, Hi. Qed.
Lemma near_mu i : (i < n)%nat -> near (mu S i) (mu_at i).
Proof. intros Hi. apply near_rows, Hi. Qed.
Lemma near_v i : (i < n)%nat -> near (v S i) (v_at i).
Proof. intros Hi. apply near_rows, Hi. Qed.
Lemma near_total l : near (W l) (total_at l).
Proof.
  unfold total. rewrite size. apply near_sum. intros i Hi. apply (near_load i (nth i l 0%nat)), Hi.
Qed.
Lemma near_moved l i q : (i < n)%nat ->
  near (sum (N S) (fun j => if Nat.eqb j i then load_of S i q else load_of S j (at_list l j))) (moved_at l i q).
Proof.
  intros Hi. rewrite size. apply near_sum. intros j Hj. destruct (Nat.eqb j i); apply near_load; assumption.
Qed.
Lemma near_share l i : (i < n)%nat -> near (route S (at_list l) i) (share_at l (total_at l) i).
Proof. intros Hi. apply J.div_correct; [apply near_load, Hi | apply near_total]. Qed.
Lemma near_step l i q : (i < n)%nat ->
  near (lambda S / alpha S * ln (sum (N S) (fun j => if Nat.eqb j i then load_of S i q else load_of S j (at_list l j)) / W l))
    (step_at l (total_at l) i q).
Proof.
  intros Hi. apply J.mul_correct; [apply J.div_correct; assumption|].
  apply J.ln_correct, J.div_correct; [apply near_moved, Hi | apply near_total].
Qed.
Lemma near_drift l : near (generator S (H S) (at_list l)) (drift_at l (total_at l)).
Proof.
  rewrite (generator_parts S ok). apply J.add_correct; [apply J.mul_correct; [assumption|]|];
    rewrite size; apply near_sum; intros i Hi.
  - apply J.mul_correct; [apply (near_share l i Hi)|].
    apply J.add_correct; [apply J.mul_correct; [apply near_mu | apply near_v]; exact Hi|].
    apply (near_step l i _ Hi).
  - unfold down_part. change (at_list l i) with (nth i l 0%nat). destruct (Nat.eqb (nth i l 0%nat) 0); [apply J.zero_correct|].
    apply J.mul_correct; [apply near_mu, Hi|].
    apply J.sub_correct; [apply (near_step l i _ Hi)|].
    apply J.mul_correct; [apply near_mu | apply near_v]; exact Hi.
Qed.
Lemma near_spare l i : (i < n)%nat ->
  near (mu S i - lambda S * route S (at_list l) i) (spare_at l (total_at l) i).
Proof.
  intros Hi. apply J.sub_correct; [apply near_mu, Hi|]. apply J.mul_correct; [assumption | apply near_share, Hi].
Qed.
Lemma near_pull l i : (i < n)%nat -> near (pull S (at_list l) i) (pull_at l (total_at l) i).
Proof. intros Hi. apply J.mul_correct; [apply near_v, Hi | apply near_spare, Hi]. Qed.
Lemma near_term l : near (boundary_term S (at_list l)) (term_at l (total_at l)).
Proof.
  unfold boundary_term. rewrite size. apply near_sum. intros i Hi. change (at_list l i) with (nth i l 0%nat).
  destruct (Nat.eq_dec (nth i l 0%nat) 0) as [E|E].
  - rewrite (proj2 (Nat.eqb_eq _ _) E).
    apply J.mul_correct; [apply J.mul_correct; [assumption | apply near_share, Hi] | apply near_pull, Hi].
  - rewrite (proj2 (Nat.eqb_neq _ _) E). apply J.zero_correct.
Qed.
Lemma near_gap l : near (gap S (at_list l)) (gap_at l (total_at l)).
Proof.
  unfold gap. set (fall := sum (N S) (fun i => v S i *
    Rsqr (if Nat.eqb (nth i l 0%nat) 0 then Rmin (mu S i - lambda S * route S (at_list l) i) 0
          else mu S i - lambda S * route S (at_list l) i))).
  replace (generator S (H S) (at_list l) - descent S (at_list l))
    with (generator S (H S) (at_list l) + fall).
  - apply J.add_correct; [apply near_drift|]. unfold fall. rewrite size. apply near_sum. intros i Hi.
    apply J.mul_correct; [apply near_v, Hi|]. apply J.sqr_correct.
    destruct (Nat.eqb (nth i l 0%nat) 0); [apply near_negative_part|]; apply near_spare, Hi.
  - unfold Rminus. f_equal. unfold descent, fall.
    match goal with |- _ = - ?s => replace (- s) with (-1 * s) by ring end.
    rewrite <- sum_scal. apply sum_ext. intros i Hi. unfold pull, Rsqr. change (at_list l i) with (nth i l 0%nat).
    destruct (Nat.eq_dec (nth i l 0%nat) 0) as [E|E].
    + rewrite (proj2 (Nat.eqb_eq _ _) E). set (x := mu S i - lambda S * route S (at_list l) i).
      replace (lambda S * route S (at_list l) i - mu S i) with (- x) by (unfold x; ring).
      destruct (Rle_or_lt x 0); [rewrite Rmax_right, Rmin_left by lra | rewrite Rmax_left, Rmin_right by lra]; ring.
    + rewrite (proj2 (Nat.eqb_neq _ _) E). ring.
Qed.
End State.

(** * From the data of a certificate *)
Lemma near_alpha_in d : near (alpha (system_of d)) (alpha_in d).
Proof.
  unfold system_of, alpha_in. destruct (kind d); cbn [Routing.alpha].
  - apply near_number.
  - apply J.inv_correct, near_number.
Qed.
Lemma near_lambda_in d : near (lambda (system_of d)) (number (arrivals d)).
Proof. unfold system_of. destruct (kind d); apply near_number. Qed.

Definition near_parameters (s : server) (p : I.type * I.type * I.type) : Prop :=
  near (rate s) (fst (fst p)) /\ near (per_job s) (snd (fst p)) /\ near (at_empty s) (snd p).
Lemma near_all d : Forall2 near_parameters (servers (system_of d)) (parameters d).
Proof.
  unfold system_of, parameters. destruct (kind d) as [a b g o rates | t l]; cbn [Routing.servers].
  - induction rates as [|m rates IH]; cbn [map]; constructor; [|exact IH].
    assert (L : near (ln (Q2R m)) (I.ln prec (number m))) by apply J.ln_correct, near_number.
    assert (E : near (Rpower (Q2R m) (Q2R b)) (I.exp prec (I.mul prec (number b) (I.ln prec (number m))))).
    { apply J.exp_correct, J.mul_correct; [apply near_number | exact L]. }
    split; [apply near_number|]. split; [apply J.inv_correct, E|].
    apply J.sub_correct; [apply J.div_correct; [apply near_number | exact E]|].
    apply J.mul_correct; [apply J.div_correct; apply near_number | exact L].
  - induction l as [|[w m] l IH]; cbn [map]; constructor; [|exact IH].
    split; [apply near_number|]. split; [|apply near_number].
    apply J.mul_correct; [apply I.fromZ_correct | apply near_number].
Qed.
Lemma forall2_length {A B} (P : A -> B -> Prop) l m : Forall2 P l m -> length l = length m.
Proof. induction 1; cbn; congruence. Qed.
Lemma forall2_nth {A B} (P : A -> B -> Prop) l m a b i : Forall2 P l m -> (i < length l)%nat ->
  P (nth i l a) (nth i m b).
Proof.
  intros F. revert i. induction F as [|x y l m X F IH]; intros i Hi; [cbn in Hi; lia|].
  destruct i as [|i]; [exact X|]. apply IH. cbn in Hi. lia.
Qed.
Lemma near_rows_of d most i : (i < N (system_of d))%nat ->
  near_row (system_of d) i (nth i (rows_of d most) no_row).
Proof.
  intros Hi. assert (F := near_all d).
  set (none := (I.nai, I.nai, I.nai)).
  assert (P := forall2_nth near_parameters _ _ idle none i F Hi).
  assert (Len : (i < length (parameters d))%nat) by (rewrite <- (forall2_length _ _ _ F); exact Hi).
  unfold rows_of. rewrite (nth_indep _ no_row (row_of (alpha_in d) most none)) by (rewrite map_length; exact Len).
  rewrite map_nth. destruct P as [P1 [P2 P3]].
  split; [exact P1|]. split; [exact P2|]. intros q. cbn [loads row_of].
  destruct (Nat.lt_ge_cases q most) as [L|L].
  - rewrite (nth_indep _ I.nai (load_in (alpha_in d) (nth i (parameters d) none) 0)) by (rewrite map_length, seq_length; exact L).
    rewrite map_nth, seq_nth by exact L. cbn [Nat.add]. unfold load_in, load_of.
    apply J.exp_correct, J.mul_correct; [apply J.neg_correct, near_alpha_in|].
    apply J.add_correct; [|exact P3]. apply J.mul_correct; [exact P2|].
    rewrite INR_IZR_INZ. apply I.fromZ_correct.
  - rewrite nth_overflow by (rewrite map_length, seq_length; exact L). apply J.nai_correct.
Qed.

(** * The check *)
Definition within (n radius : nat) (l : list nat) : bool :=
  Nat.eqb (length l) n && Nat.leb (list_sum l) radius.
Definition rises (n : nat) (lam : I.type) (rows : list row) (l : list nat) : bool :=
  let W := total_at n rows l in
  existsb (fun i => Nat.eqb (nth i l 0%nat) 0 && above_zero (pull_at lam rows l W i)) (seq 0 n).
Definition rises_not (n : nat) (lam : I.type) (rows : list row) (l : list nat) : bool :=
  let W := total_at n rows l in
  forallb (fun i => negb (Nat.eqb (nth i l 0%nat) 0) || not_above_zero (pull_at lam rows l W i)) (seq 0 n).
Definition length_Z {A} (l : list A) : Z := Z.of_nat (length l).

Definition check_grid (d : data) (n radius : nat) (c : counts) (t bg g : peak) : bool :=
  let a := alpha_in d in let lam := number (arrivals d) in
  let rows := rows_of d (Datatypes.S (Datatypes.S radius)) in
  let all := grid n radius in let edges := filter edge all in
  let term := fun l => term_at n lam rows l (total_at n rows l) in
  let gap := fun l => gap_at n lam a rows l (total_at n rows l) in
  Nat.eqb (length rows) n
  && Z.eqb (length_Z all) (states c) && Z.eqb (length_Z edges) (boundary_states c)
  && Z.leb (positive_states c) (length_Z (filter (fun l => above_zero (term l)) edges))
  && Z.leb (length_Z edges - positive_states c - undecided c)
       (length_Z (filter (fun l => not_above_zero (term l)) edges))
  && Z.leb (positive_coordinate_states c) (length_Z (filter (rises n lam rows) edges))
  && Z.leb (length_Z edges - positive_coordinate_states c - undecided c)
       (length_Z (filter (rises_not n lam rows) edges))
  && forallb (fun l => at_most (term l) (peak_high t)) edges
  && within n radius (peak_at t) && edge (peak_at t) && at_least (peak_low t) (term (peak_at t))
  && forallb (fun l => let x := gap l in
       at_most x (peak_high g) && (negb (edge l) || at_most x (peak_high bg))) all
  && within n radius (peak_at bg) && edge (peak_at bg) && at_least (peak_low bg) (gap (peak_at bg))
  && within n radius (peak_at g) && at_least (peak_low g) (gap (peak_at g)).

Lemma within_spec S n radius l : N S = n -> within n radius l = true -> inside S radius l.
Proof.
  intros E. unfold within. rewrite andb_true_iff, Nat.eqb_eq, Nat.leb_le. unfold inside. rewrite E. tauto.
Qed.
Lemma some_below (P : nat -> Prop) (decide : forall i, {P i} + {~ P i}) n :
  {exists i, (i < n)%nat /\ P i} + {~ exists i, (i < n)%nat /\ P i}.
Proof.
  induction n as [|n IH].
  - right. intros [i [C _]]. lia.
  - destruct IH as [E|E]; [left; destruct E as [i [L H]]; exists i; split; [lia | exact H]|].
    destruct (decide n) as [D|D]; [left; exists n; split; [lia | exact D]|].
    right. intros [i [L H]]. destruct (Nat.eq_dec i n) as [->|C]; [contradiction|].
    apply E. exists i. split; [lia | exact H].
Qed.
Lemma counted_ext (P P' : list nat -> Prop) x y : (forall l, P l <-> P' l) -> counted P x y -> counted P' x y.
Proof.
  intros E [all [A [B C]]]. exists all. split; [exact A|]. split; [|exact C].
  intros l. rewrite B. apply E.
Qed.

Theorem grid_certified (S : system) (d : data) (n radius : nat) (c : counts) (t bg g : peak) :
  proper S -> S = system_of d -> check_grid d n radius c t bg g = true ->
  obstruction_claim S radius c t bg g.
Proof.
  intros ok E. unfold check_grid. cbv zeta.
  set (a := alpha_in d). set (lam := number (arrivals d)).
  set (rows := rows_of d (Datatypes.S (Datatypes.S radius))).
  rewrite !andb_true_iff, !Z.eqb_eq, !Z.leb_le, !forallb_forall.
  intros [[[[[[[[[[[[[[[[Size C1] C2] P1] P2] Q1] Q2] T1] T2] T3] T4] G1] B2] B3] B4] G2] G3].
  assert (size : N S = n).
  { apply Nat.eqb_eq in Size. rewrite <- Size. unfold rows, rows_of. rewrite map_length, E.
    apply (forall2_length _ _ _ (near_all d)). }
  assert (Hlam : near (lambda S) lam) by (rewrite E; apply near_lambda_in).
  assert (Ha : near (alpha S) a) by (rewrite E; apply near_alpha_in).
  assert (Hrows : forall i, (i < n)%nat -> near_row S i (nth i rows no_row)).
  { intros i Hi. rewrite E. apply near_rows_of. rewrite <- E, size. exact Hi. }
  assert (Term : forall l, near (boundary_term S (at_list l)) (term_at n lam rows l (total_at n rows l)))
    by (intros l; apply near_term; assumption).
  assert (Gap : forall l, near (gap S (at_list l)) (gap_at n lam a rows l (total_at n rows l)))
    by (intros l; apply near_gap; assumption).
  assert (Pull : forall l i, (i < n)%nat -> near (pull S (at_list l) i) (pull_at lam rows l (total_at n rows l) i))
    by (intros l i Hi; apply near_pull with (S := S); assumption).
  assert (Grid : forall l, In l (grid n radius) <-> inside S radius l).
  { intros l. rewrite grid_spec. unfold inside. rewrite size. tauto. }
  assert (Edges : forall l, In l (filter edge (grid n radius)) <-> on_boundary S radius l).
  { intros l. rewrite filter_In, Grid, edge_spec. unfold on_boundary. tauto. }
  assert (U := grid_nodup n radius). assert (U' := NoDup_filter edge U).
  unfold length_Z in *.
  split; [exact ok|]. split; [|split; [|split; [|split; [|split; [|split]]]]].
  - exists (grid n radius). split; [exact U|]. split; [exact Grid | lia].
  - exists (filter edge (grid n radius)). split; [exact U'|]. split; [exact Edges | lia].
  - apply counted_ext with (P := fun l => In l (filter edge (grid n radius)) /\ 0 < boundary_term S (at_list l)).
    { intros l. rewrite Edges. tauto. }
    apply counted_by with (5 := P1) (6 := P2); [intros l; apply Rlt_dec | exact U' | |].
    + intros l _ K. exact (above_zero_sound _ _ (Term l) K).
    + intros l _ K. apply Rle_not_lt. exact (not_above_zero_sound _ _ (Term l) K).
  - apply counted_ext with (P := fun l => In l (filter edge (grid n radius))
      /\ exists i, (i < N S)%nat /\ nth i l 0%nat = 0%nat /\ 0 < pull S (at_list l) i).
    { intros l. rewrite Edges. tauto. }
    apply counted_by with (5 := Q1) (6 := Q2).
    + intros l. apply some_below. intros i.
      destruct (Nat.eq_dec (nth i l 0%nat) 0) as [Z|Z]; [|right; tauto].
      destruct (Rlt_dec 0 (pull S (at_list l) i)) as [L|L]; [left | right]; tauto.
    + exact U'.
    + intros l _ K. unfold rises in K. apply existsb_exists in K. destruct K as [i [I K]].
      apply in_seq in I. rewrite andb_true_iff, Nat.eqb_eq in K. destruct K as [Z K].
      exists i. split; [lia|]. split; [exact Z|]. apply (above_zero_sound _ _ (Pull l i ltac:(lia)) K).
    + intros l _ K [i [L [Z H]]]. unfold rises_not in K. rewrite forallb_forall in K.
      specialize (K i ltac:(apply in_seq; lia)). rewrite Z, Nat.eqb_refl in K. change (negb true) with false in K. rewrite orb_false_l in K.
      apply (not_above_zero_sound _ _ (Pull l i ltac:(lia))) in K. lra.
  - split; [|split; [split|]].
    + intros l K. apply Edges in K. exact (at_most_sound _ _ _ (Term l) (T1 l K)).
    + exact (within_spec S n radius _ size T2).
    + apply edge_spec, T3.
    + exact (at_least_sound _ _ _ (Term _) T4).
  - split; [|split; [split|]].
    + intros l K. assert (I : In l (grid n radius)) by apply Grid, K. specialize (G1 l I).
      destruct K as [_ K]. apply edge_spec in K. rewrite K in G1. change (negb true) with false in G1.
      rewrite orb_false_l, andb_true_iff in G1. exact (at_most_sound _ _ _ (Gap l) (proj2 G1)).
    + exact (within_spec S n radius _ size B2).
    + apply edge_spec, B3.
    + exact (at_least_sound _ _ _ (Gap _) B4).
  - split; [|split].
    + intros l K. apply Grid in K. specialize (G1 l K). rewrite andb_true_iff in G1.
      exact (at_most_sound _ _ _ (Gap l) (proj1 G1)).
    + exact (within_spec S n radius _ size G2).
    + exact (at_least_sound _ _ _ (Gap _) G3).
Qed.

Definition check_interior (d : data) (l : list nat) (low high : Q) : bool :=
  let rows := rows_of d (Datatypes.S (Datatypes.S (list_sum l))) in let n := length rows in
  let x := drift_at n (number (arrivals d)) (alpha_in d) rows l (total_at n rows l) in
  Nat.eqb (length l) n && negb (edge l) && negb (Qle_bool low 0) && at_least low x && at_most x high.

Theorem interior_certified (S : system) (d : data) (l : list nat) (low high : Q) :
  proper S -> S = system_of d -> check_interior d l low high = true -> interior_claim S l low high.
Proof.
  intros ok E. unfold check_interior. cbv zeta.
  set (rows := rows_of d (Datatypes.S (Datatypes.S (list_sum l)))).
  rewrite !andb_true_iff, !negb_true_iff. intros [[[[L B] P] A1] A2].
  assert (size : N S = length rows).
  { unfold rows, rows_of. rewrite map_length, E. apply (forall2_length _ _ _ (near_all d)). }
  assert (K : near (generator S (H S) (at_list l))
    (drift_at (length rows) (number (arrivals d)) (alpha_in d) rows l (total_at (length rows) rows l))).
  { apply near_drift with (S := S); try assumption.
    - rewrite E; apply near_lambda_in.
    - rewrite E; apply near_alpha_in.
    - intros i Hi. rewrite E. apply near_rows_of. rewrite <- E, size. exact Hi. }
  split; [apply Nat.eqb_eq in L; congruence|]. split.
  { rewrite <- edge_spec, B. discriminate. }
  split.
  { destruct (Rlt_or_le 0 (Q2R low)) as [C|C]; [exact C|]. exfalso.
    replace 0 with (Q2R 0) in C by (unfold Q2R; cbn; ring). apply Rle_Qle, Qle_bool_iff in C. congruence. }
  split; [exact (at_least_sound _ _ _ K A1) | exact (at_most_sound _ _ _ K A2)].
Qed.
End Intervals.

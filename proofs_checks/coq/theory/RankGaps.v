(** The stationary law of the gaps in the system with pauses. Formalises Theorem 1 of the page
    [rank-gaps] but for uniqueness and convergence, and the formula of Theorem 2 for the threshold:

    - [product_reversible], [product_stationary]: the product law is in detailed balance along every
      transition from every state, hence stationary;
    - [balanced_traffic]: the balance equations give the traffic equations;
    - [queues_after_arrival]: the transitions of the gaps are those of the queues;
    - [one_gap], [none_tied_mean] and the lemmas after them: means under the product law;
    - [certified], [certified_threshold]: a test with rational numbers implies the claim. *)
From Coq Require Import Reals Lra Lia List QArith Qreals Bool Arith.
From Coquelicot Require Import Coquelicot.
From Coq Require Import List.
From Queues Require Import Sums RankModel.
Import ListNotations.
Open Scope R_scope.

(** * The chain *)
Lemma serve_after_arrival k : forall g g', arrive k g = Some g' -> serve k g' = Some g.
Proof.
  induction k as [|k IH]; intros [|m g] g'; simpl; try discriminate.
  - destruct g as [|[|above] g]; intros E; inversion E; reflexivity.
  - destruct (arrive k g) as [g1|] eqn:E1; simpl; [|discriminate]. intros E. inversion E. simpl.
    rewrite (IH g g1 E1). reflexivity.
Qed.
Lemma arrival_after_service k : forall g g', serve k g = Some g' -> arrive k g' = Some g.
Proof.
  induction k as [|k IH]; intros [|m g] g'; simpl; try discriminate.
  - destruct m as [|m]; destruct g as [|above g]; intros E; inversion E; reflexivity.
  - destruct (serve k g) as [g1|] eqn:E1; simpl; [|discriminate]. intros E. inversion E. simpl.
    rewrite (IH g g1 E1). reflexivity.
Qed.
Lemma arrive_length k : forall g g', arrive k g = Some g' -> length g' = length g.
Proof.
  induction k as [|k IH]; intros [|m g] g'; simpl; try discriminate.
  - destruct g as [|[|above] g]; intros E; inversion E; reflexivity.
  - destruct (arrive k g) as [g1|] eqn:E1; simpl; [|discriminate]. intros E. inversion E. simpl.
    f_equal. apply IH, E1.
Qed.
Lemma serve_length k g g' : serve k g = Some g' -> length g' = length g.
Proof. intros H. symmetry. apply (arrive_length k), arrival_after_service, H. Qed.

(** An arrival at place k makes the queue at place k longer by one and leaves the others alone. *)
Lemma queues_after_arrival_above k : forall g g' below, arrive k g = Some g' -> forall j,
  nth j (queues_above below g') 0%nat
  = (nth j (queues_above below g) 0 + if Nat.eq_dec j k then 1 else 0)%nat.
Proof.
  induction k as [|k IH]; intros [|m g] g' below; simpl; try discriminate.
  - destruct g as [|[|above] g]; intros E; inversion E; clear E; intros [|[|j]]; simpl; try lia.
    replace (below + S m + above)%nat with (below + m + S above)%nat by lia. lia.
  - destruct (arrive k g) as [g1|] eqn:E1; simpl; [|discriminate]. intros E. inversion E. intros [|j]; simpl.
    + lia.
    + rewrite (IH g g1 _ E1). destruct (Nat.eq_dec j k), (Nat.eq_dec (S j) (S k)); lia.
Qed.
Theorem queues_after_arrival k g g' : arrive k g = Some g' -> forall j,
  nth j (queues g') 0%nat = (nth j (queues g) 0 + if Nat.eq_dec j k then 1 else 0)%nat.
Proof. apply queues_after_arrival_above. Qed.

Lemma serve_allowed k : forall g, (k < length g)%nat ->
  (if serve k g then true else false) = (0 <? nth k g 0)%nat.
Proof.
  induction k as [|k IH]; intros [|m g]; simpl; try lia.
  - intros _. destruct m, g; reflexivity.
  - intros H. rewrite <- IH by lia. destruct (serve k g); reflexivity.
Qed.

(** * Detailed balance, global balance, traffic equations *)
Lemma balanced_length ranks : forall rho, balanced ranks rho -> length rho = length ranks.
Proof.
  induction ranks as [|s l IH]; intros [|r rho]; simpl; try tauto. intros [_ H]. f_equal. apply IH, H.
Qed.
Lemma balanced_at ranks : forall rho, balanced ranks rho -> forall k, (k < length ranks)%nat ->
  offered ranks k * nth (S k) (rho ++ [1]) 0 = served ranks k * nth k (rho ++ [1]) 0.
Proof.
  induction ranks as [|s l IH]; intros [|r rho]; simpl; try tauto; [lia|].
  intros [H B] [|k] Hk; unfold offered, served; simpl.
  - assert (E : nth 0 (rho ++ [1]) 0 = hd 1 rho) by (destruct rho; reflexivity). rewrite E. exact H.
  - apply (IH rho B). lia.
Qed.
Theorem balanced_traffic ranks rho : balanced ranks rho -> traffic ranks rho.
Proof.
  intros B [|k] Hk r down into; unfold down, into, r.
  - rewrite (balanced_at ranks rho B 0 Hk). ring.
  - rewrite (balanced_at ranks rho B (S k) Hk).
    generalize (balanced_at ranks rho B k ltac:(lia)). intros E. lra.
Qed.

Lemma law_balance ranks : forall rho k g g', balanced ranks rho ->
  length g = length ranks -> arrive k g = Some g' ->
  law rho g * offered ranks k = law rho g' * served ranks k.
Proof.
  induction ranks as [|s l IH]; intros [|r rho] k g g'; simpl; try tauto.
  - intros _ Hl. destruct g; [|discriminate]. destruct k; discriminate.
  - intros [H B] Hl. destruct k as [|k]; destruct g as [|m g]; simpl; try discriminate.
    + unfold offered, served. simpl. destruct g as [|[|above] g]; intros E; inversion E; clear E.
      * destruct l; [|discriminate]. destruct rho as [|? ?]; [|destruct B]. simpl in *.
        transitivity ((1 - r) * r ^ m * (offer s * 1)); [ring|]. rewrite H. ring.
      * destruct rho as [|r1 rho]; [simpl in *; ring|]. simpl in *.
        transitivity ((1 - r) * r ^ m * (1 - r1) * r1 ^ above * law rho g * (offer s * r1)); [ring|].
        rewrite H. ring.
    + destruct (arrive k g) as [g1|] eqn:E1; simpl; [|discriminate]. intros E. inversion E. simpl.
      assert (X := IH rho k g g1 B ltac:(simpl in Hl; lia) E1).
      unfold offered, served in *. simpl.
      transitivity ((1 - r) * r ^ m * (law rho g * offer (nth k l idle_rank))); [ring|]. rewrite X. ring.
Qed.
Theorem product_reversible ranks rho : balanced ranks rho -> reversible ranks (law rho).
Proof.
  intros B k g g' _ Hl E. split; [apply serve_after_arrival, E|]. apply law_balance; assumption.
Qed.

Lemma reversible_stationary ranks p : reversible ranks p -> stationary ranks p.
Proof.
  intros Rev g Hl. unfold accepted_rate, served_rate.
  rewrite Rmult_plus_distr_l, <- !sum_scal, Rplus_comm. f_equal; apply sum_ext; intros k Hk.
  - destruct (serve k g) as [g'|] eqn:E; [|ring].
    symmetry. apply (Rev k g' g Hk); [rewrite (serve_length k g g' E); exact Hl | apply arrival_after_service, E].
  - destruct (arrive k g) as [g'|] eqn:E; [|ring]. apply (Rev k g g' Hk Hl E).
Qed.
Theorem product_stationary ranks rho : balanced ranks rho -> stationary ranks (law rho).
Proof. intros B. apply reversible_stationary, product_reversible, B. Qed.

(** * Geometric series *)
Lemma series_eq (a : nat -> R) (x y : R) : x = y -> is_series a x -> is_series a y.
Proof. intros ->. exact (fun H => H). Qed.
Lemma scaled (a b : nat -> R) (c e : R) : is_series a e -> (forall m, b m = c * a m) -> is_series b (c * e).
Proof.
  intros H E. apply is_series_ext with (fun m => c * a m); [intros m; symmetry; apply E|].
  exact (is_series_scal_l c a e H).
Qed.
Lemma added (a b d : nat -> R) (e e' : R) : is_series a e -> is_series b e' ->
  (forall m, d m = a m + b m) -> is_series d (e + e').
Proof.
  intros H H' E. apply is_series_ext with (fun m => a m + b m); [intros m; symmetry; apply E|].
  exact (is_series_plus a b e e' H H').
Qed.
Lemma series_recursion (r C : R) (a c : nat -> R) : 0 < r < 1 -> a O = 0 -> (forall m, 0 <= a m) ->
  (forall m, a (S m) = r * a m + c m) -> (forall m, 0 <= c m) -> is_series c C -> is_series a (C / (1 - r)).
Proof.
  intros Hr a0 Ha Step Hc HC.
  assert (Partial : forall n, sum_n a (S n) = r * sum_n a n + sum_n c n).
  { induction n as [|n IH].
    - rewrite sum_Sn, !sum_O. rewrite (Step O), a0. unfold plus; simpl. ring.
    - assert (A : (sum_n a (S n) : R) = sum_n a n + a (S n)) by exact (sum_Sn a n).
      assert (A' : (sum_n a (S (S n)) : R) = sum_n a (S n) + a (S (S n))) by exact (sum_Sn a (S n)).
      assert (C' : (sum_n c (S n) : R) = sum_n c n + c (S n)) by exact (sum_Sn c n).
      assert (E : r * sum_n a (S n) = r * (sum_n a n + a (S n))) by (rewrite A; reflexivity).
      rewrite (Step (S n)) in A'. lra. }
  assert (Upto : forall n, sum_n c n <= C).
  { assert (L : is_lim_seq (sum_n c) C) by exact HC.
    apply is_lim_seq_incr_compare; [exact L|].
    intros n. rewrite sum_Sn. unfold plus; simpl. generalize (Hc (S n)). lra. }
  assert (Mono : forall n, sum_n a n <= sum_n a (S n)).
  { intros n. rewrite sum_Sn. unfold plus; simpl. generalize (Ha (S n)). lra. }
  assert (Bound : forall n, sum_n a n <= C / (1 - r)).
  { intros n. apply Rle_trans with (sum_n a (S n)); [apply Mono|].
    apply Rmult_le_reg_r with (1 - r); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    generalize (Partial n) (Mono n) (Upto n). intros P M U.
    assert (r * sum_n a n <= r * sum_n a (S n)) by (apply Rmult_le_compat_l; lra). lra. }
  destruct (ex_finite_lim_seq_incr (sum_n a) (C / (1 - r)) Mono Bound) as [x Hx].
  assert (L1 : is_lim_seq (fun n => sum_n a (S n)) x).
  { apply (is_lim_seq_incr_1 (sum_n a) x). exact Hx. }
  assert (L2 : is_lim_seq (fun n => sum_n a (S n)) (r * x + C)).
  { apply is_lim_seq_ext with (fun n => r * sum_n a n + sum_n c n); [intros n; symmetry; apply Partial|].
    apply is_lim_seq_plus'; [apply is_lim_seq_scal_l with (lu := Finite x), Hx | exact HC]. }
  assert (E : Finite x = Finite (r * x + C)).
  { rewrite <- (is_lim_seq_unique _ _ L1). apply is_lim_seq_unique, L2. }
  injection E as E. apply (series_eq a x); [|exact Hx].
  apply Rmult_eq_reg_r with (1 - r); [|lra]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Section Geometric.
Variable r : R.
Hypothesis Hr : 0 < r < 1.
Lemma power_pos m : 0 < r ^ m. Proof. apply pow_lt. lra. Qed.
Lemma series_0 : is_series (fun m => r ^ m) (/ (1 - r)).
Proof. apply is_series_geom. rewrite Rabs_pos_eq; lra. Qed.
Lemma series_1 : is_series (fun m => INR m * r ^ m) (r * / (1 - r) / (1 - r)).
Proof.
  apply series_recursion with (c := fun m => r * r ^ m); [exact Hr | simpl; ring | | | |].
  - intros m. apply Rmult_le_pos; [apply pos_INR | apply Rlt_le, power_pos].
  - intros m. rewrite S_INR. simpl. ring.
  - intros m. apply Rmult_le_pos; [lra | apply Rlt_le, power_pos].
  - exact (is_series_scal_l r _ _ series_0).
Qed.
Lemma series_2 : is_series (fun m => INR m * INR m * r ^ m)
  ((2 * r * (r * / (1 - r) / (1 - r)) + r * / (1 - r)) / (1 - r)).
Proof.
  apply series_recursion with (c := fun m => 2 * r * (INR m * r ^ m) + r * r ^ m); [exact Hr | simpl; ring | | | |].
  - intros m. apply Rmult_le_pos; [apply Rle_0_sqr | apply Rlt_le, power_pos].
  - intros m. rewrite S_INR. simpl. ring.
  - intros m. generalize (power_pos m) (pos_INR m). intros P I.
    assert (0 <= INR m * r ^ m) by (apply Rmult_le_pos; lra).
    assert (0 <= r * (INR m * r ^ m)) by (apply Rmult_le_pos; lra).
    assert (0 <= r * r ^ m) by (apply Rmult_le_pos; lra). lra.
  - apply added with (1 := scaled _ (fun m => 2 * r * (INR m * r ^ m)) _ _ series_1 (fun m => eq_refl))
      (2 := scaled _ (fun m => r * r ^ m) _ _ series_0 (fun m => eq_refl)). intros m. reflexivity.
Qed.

Lemma geometric_one : is_series (fun m => (1 - r) * r ^ m * 1) 1.
Proof.
  apply (series_eq _ ((1 - r) * / (1 - r))); [field; lra|].
  apply scaled with (1 := series_0). intros m. ring.
Qed.
Lemma geometric_mean x : x * (1 - r) = r -> is_series (fun m => (1 - r) * r ^ m * INR m) x.
Proof.
  intros E. apply (series_eq _ ((1 - r) * (r * / (1 - r) / (1 - r)))).
  - apply Rmult_eq_reg_r with (1 - r); [|lra]. rewrite E. field; lra.
  - apply scaled with (1 := series_1). intros m. ring.
Qed.
Lemma geometric_variance x y : x * (1 - r) = r -> y = x * (1 + x) ->
  is_series (fun m => (1 - r) * r ^ m * (INR m - x) ^ 2) y.
Proof.
  intros E Ey.
  assert (Ex : x = r / (1 - r)) by (apply Rmult_eq_reg_r with (1 - r); [rewrite E; field; lra | lra]).
  assert (A2 := scaled _ (fun m => (1 - r) * (INR m * INR m * r ^ m)) (1 - r) _ series_2 (fun m => eq_refl)).
  assert (A1 := scaled _ (fun m => - (2 * x * (1 - r)) * (INR m * r ^ m)) _ _ series_1 (fun m => eq_refl)).
  assert (A0 := scaled _ (fun m => x * x * (1 - r) * r ^ m) _ _ series_0 (fun m => eq_refl)).
  assert (A10 := added _ _ _ _ _ A1 A0 (fun m => eq_refl)).
  eapply series_eq; [|apply added with (1 := A2) (2 := A10); intros m; ring].
  rewrite Ey, Ex. field. lra.
Qed.
Lemma geometric_busy : is_series (fun m => (1 - r) * r ^ m * (if (0 <? m)%nat then 1 else 0)) r.
Proof.
  assert (Z : is_series (fun m => if (0 <? m)%nat then 0 else -1 * (1 - r)) (-1 * (1 - r))).
  { apply is_series_decr_1. apply (series_eq _ (0 * / (1 - r))); [change (0 * / (1 - r) = -1 * (1 - r) + - (-1 * (1 - r))); ring|].
    apply scaled with (1 := series_0). intros m. simpl. ring. }
  apply (series_eq _ (1 + -1 * (1 - r))); [ring|]. apply added with (1 := geometric_one) (2 := Z).
  intros [|m]; simpl; ring.
Qed.
End Geometric.

(** * Sums over all states *)
Lemma sums_ext n : forall f f' e, (forall g, length g = n -> f g = f' g) -> sums n f e -> sums n f' e.
Proof.
  induction n as [|n IH]; simpl; intros f f' e H.
  - intros <-. symmetry. apply H. reflexivity.
  - intros [h [Hh Hs]]. exists h. split; [|exact Hs]. intros m. eapply IH; [|apply Hh].
    intros g Hg. apply H. simpl. f_equal. exact Hg.
Qed.
Lemma sums_scal n c : forall f e, sums n f e -> sums n (fun g => c * f g) (c * e).
Proof.
  induction n as [|n IH]; simpl; intros f e; [intros <-; reflexivity|].
  intros [h [Hh Hs]]. exists (fun m => c * h m). split; [intros m; apply (IH (fun g => f (m :: g))), Hh|].
  exact (is_series_scal_l c _ _ Hs).
Qed.
Lemma sums_plus n : forall f f' e e', sums n f e -> sums n f' e' -> sums n (fun g => f g + f' g) (e + e').
Proof.
  induction n as [|n IH]; simpl; intros f f' e e'; [intros <- <-; reflexivity|].
  intros [h [Hh Hs]] [h' [Hh' Hs']]. exists (fun m => h m + h' m).
  split; [intros m; apply (IH (fun g => f (m :: g))); auto|]. exact (is_series_plus _ _ _ _ Hs Hs').
Qed.

Definition ratios_fine (rho : list R) : Prop := Forall (fun r => 0 < r < 1) rho.

Lemma law_mass rho : ratios_fine rho -> sums (length rho) (law rho) 1.
Proof.
  induction rho as [|r rho IH]; intros H; [reflexivity|]. inversion H as [|? ? Hr Hrho]; subst.
  exists (fun m => (1 - r) * r ^ m * 1). split; [|apply geometric_one, Hr].
  intros m. apply (sums_scal (length rho) _ (law rho)), IH, Hrho.
Qed.

(** The law of one gap is geometric. *)
Lemma one_gap (phi : nat -> R) (e : R) : forall rho k, ratios_fine rho -> (k < length rho)%nat ->
  is_series (fun m => (1 - nth k rho 0) * nth k rho 0 ^ m * phi m) e ->
  mean rho (fun g => phi (nth k g 0%nat)) e.
Proof.
  unfold mean. induction rho as [|r rho IH]; simpl; intros k H Hk; [lia|].
  inversion H as [|? ? Hr Hrho]; subst. destruct k as [|k]; intros Hs.
  - exists (fun m => (1 - r) * r ^ m * phi m). split; [|exact Hs]. intros m.
    assert (X := sums_scal (length rho) ((1 - r) * r ^ m * phi m) (law rho) 1 (law_mass rho Hrho)).
    rewrite Rmult_1_r in X. revert X. apply sums_ext. intros g _. ring.
  - exists (fun m => (1 - r) * r ^ m * e). split.
    + intros m. apply sums_ext with (fun g => ((1 - r) * r ^ m) * (law rho g * phi (nth k g 0%nat))); [intros; ring|].
      apply sums_scal. apply IH; [exact Hrho | lia | exact Hs].
    + apply (series_eq _ (e * 1)); [ring|].
      apply scaled with (1 := geometric_one r Hr). intros m. ring.
Qed.

Lemma mean_ext rho f f' e : (forall g, length g = length rho -> f g = f' g) -> mean rho f e -> mean rho f' e.
Proof. intros H. apply sums_ext. intros g Hg. rewrite H by exact Hg. reflexivity. Qed.
Lemma mean_plus rho f f' e e' : mean rho f e -> mean rho f' e' -> mean rho (fun g => f g + f' g) (e + e').
Proof.
  intros H H'. apply sums_ext with (fun g => law rho g * f g + law rho g * f' g); [intros; ring|].
  apply sums_plus; assumption.
Qed.
Lemma mean_scal rho c f e : mean rho f e -> mean rho (fun g => c * f g) (c * e).
Proof.
  intros H. apply sums_ext with (fun g => c * (law rho g * f g)); [intros; ring|]. apply sums_scal, H.
Qed.
Lemma mean_const rho c : ratios_fine rho -> mean rho (fun _ => c) c.
Proof.
  intros H. apply sums_ext with (fun g => c * law rho g); [intros; ring|].
  assert (X := sums_scal _ c _ _ (law_mass rho H)). rewrite Rmult_1_r in X. exact X.
Qed.
Lemma mean_sum rho (f : nat -> gaps -> R) (e : nat -> R) : ratios_fine rho -> forall n,
  (forall k, (k < n)%nat -> mean rho (f k) (e k)) -> mean rho (fun g => sum n (fun k => f k g)) (sum n e).
Proof.
  intros Hr. induction n as [|n IH]; intros H; simpl; [apply mean_const, Hr|].
  apply mean_plus; [apply IH; intros; apply H; lia | apply H; lia].
Qed.

Lemma none_tied_mean rho : ratios_fine rho ->
  mean rho (fun g => if forallb (fun m => 0 <? m)%nat g then 1 else 0) (fold_right Rmult 1 rho).
Proof.
  unfold mean. induction rho as [|r rho IH]; intros H; simpl; [ring|].
  inversion H as [|? ? Hr Hrho]; subst.
  exists (fun m => (1 - r) * r ^ m * (if (0 <? m)%nat then 1 else 0) * fold_right Rmult 1 rho). split.
  - intros m.
    apply sums_ext with (fun g => ((1 - r) * r ^ m * (if (0 <? m)%nat then 1 else 0))
      * (law rho g * (if forallb (fun m => 0 <? m)%nat g then 1 else 0))); [|apply sums_scal, IH, Hrho].
    intros g _. destruct (0 <? m)%nat; simpl; ring.
  - apply (series_eq _ (fold_right Rmult 1 rho * r)); [ring|].
    apply scaled with (1 := geometric_busy r Hr). intros m. ring.
Qed.

Lemma gap_mean rho : ratios_fine rho -> forall k, (k < length rho)%nat ->
  mean rho (gap k) (nth k rho 0 / (1 - nth k rho 0)).
Proof.
  intros Fine k Hk. unfold gap. apply (one_gap INR); [exact Fine | exact Hk |].
  assert (Hr : 0 < nth k rho 0 < 1) by (unfold ratios_fine in Fine; rewrite Forall_forall in Fine; apply Fine, nth_In, Hk).
  apply geometric_mean; [exact Hr | field; lra].
Qed.

Lemma tied_tail r rho : 0 < r < 1 -> ratios_fine rho -> mean (r :: rho) none_tied (fold_right Rmult 1 rho).
Proof.
  intros Hr H. exists (fun m => (1 - r) * r ^ m * fold_right Rmult 1 rho). split.
  - intros m. apply sums_ext with (fun g => ((1 - r) * r ^ m)
      * (law rho g * (if forallb (fun m => 0 <? m)%nat g then 1 else 0))); [intros g _; unfold none_tied; simpl; ring|].
    apply sums_scal, none_tied_mean, H.
  - apply (series_eq _ (fold_right Rmult 1 rho * 1)); [ring|].
    apply scaled with (1 := geometric_one r Hr). intros m. ring.
Qed.

(** Jobs are accepted at the rate at which they are served: place by place, by balance. *)
Lemma arrive_allowed k : forall g, (k < length g)%nat ->
  (if arrive k g then true else false) = if (S k <? length g)%nat then (0 <? nth (S k) g 0)%nat else true.
Proof.
  induction k as [|k IH]; intros [|m g] H; simpl in H; try lia.
  - destruct g as [|[|above] g]; reflexivity.
  - generalize (IH g ltac:(lia)). cbn [arrive]. destruct (arrive k g); exact (fun E => E).
Qed.
Lemma accepted_mean ranks rho e : balanced ranks rho -> ratios_fine rho ->
  e = sum (length ranks) (fun k => served ranks k * nth k rho 0) -> mean rho (accepted_rate ranks) e.
Proof.
  intros B Fine ->. assert (L := balanced_length ranks rho B). set (n := length ranks) in *.
  rewrite (sum_ext n _ (fun k => offered ranks k * nth (S k) (rho ++ [1]) 0)).
  2: { intros k Hk. rewrite (balanced_at ranks rho B k Hk), app_nth1 by lia. reflexivity. }
  apply mean_ext with (fun g => sum n (fun k => offered ranks k
    * if (S k <? n)%nat then (if (0 <? nth (S k) g 0)%nat then 1 else 0) else 1)).
  - intros g Hg. unfold accepted_rate. fold n. apply sum_ext. intros k Hk.
    assert (A := arrive_allowed k g ltac:(lia)). replace (length g) with n in A by lia.
    destruct (arrive k g), (S k <? n)%nat; try discriminate; rewrite <- ?A; ring.
  - apply mean_sum; [exact Fine|]. intros k Hk. apply mean_scal. destruct (Nat.ltb_spec (S k) n) as [C|C].
    + rewrite app_nth1 by lia. apply (one_gap (fun m => if (0 <? m)%nat then 1 else 0)); [exact Fine | lia |].
      apply geometric_busy. unfold ratios_fine in Fine. rewrite Forall_forall in Fine. apply Fine, nth_In. lia.
    + replace (nth (S k) (rho ++ [1]) 0) with 1; [apply mean_const, Fine|].
      rewrite app_nth2 by lia. replace (S k - length rho)%nat with O by lia. reflexivity.
Qed.

(** * The test with rational numbers *)
Open Scope Q_scope.
Fixpoint check_balance (ranks : list (Q * Q)) (rho : list Q) : bool :=
  match ranks, rho with
  | [], [] => true
  | s :: ranks, r :: rho =>
      Qeq_bool (fst s * hd 1 rho) (snd s * r) && check_balance ranks rho
  | _, _ => false
  end.
Fixpoint check_sums (below : Q) (means queues : list Q) : bool :=
  match means, queues with
  | [], [] => true
  | m :: means, q :: queues => Qeq_bool (below + m) q && check_sums q means queues
  | _, _ => false
  end.
Definition add (l : list Q) : Q := fold_right (fun x t => Qred (x + t)) 0 l.
Definition multiply (l : list Q) : Q := fold_right (fun x t => Qred (x * t)) 1 l.
Definition less (a b : Q) : bool := negb (Qle_bool b a).
Fixpoint counts_from (k : Z) (l : list Z) : bool :=
  match l with [] => true | z :: l => (z =? k)%Z && counts_from (k + 1) l end.
Definition check (n : nat) (ranks : list (Q * Q)) (x : figures) : bool :=
  (0 <? length ranks)%nat && (length ranks =? n)%nat
  && (length (listed x) =? n)%nat && counts_from 0 (listed x)
  && forallb (fun s => less 0 (fst s) && less 0 (snd s)) ranks
  && forallb (fun r => less 0 r && less r 1) (ratios x)
  && (length (gap_means x) =? length ranks)%nat && (length (gap_variances x) =? length ranks)%nat
  && check_balance ranks (ratios x)
  && forallb (fun p => Qeq_bool (snd p * (1 - fst p)) (fst p)) (combine (ratios x) (gap_means x))
  && forallb (fun p => Qeq_bool (snd p) (fst p * (1 + fst p))) (combine (gap_means x) (gap_variances x))
  && check_sums 0 (gap_means x) (queue_means x)
  && Qeq_bool (all_mean x) (add (queue_means x))
  && Qeq_bool (not_idle x) (hd 0 (ratios x)) && Qeq_bool (not_tied x) (multiply (tl (ratios x)))
  && Qeq_bool (flow x) (add (map (fun p => snd (fst p) * snd p) (combine ranks (ratios x))))
  && Qeq_bool (flow x) ((1 - paused x) * add (map fst ranks)).
Close Scope Q_scope.

Lemma q0 : Q2R 0 = 0. Proof. unfold Q2R; simpl; lra. Qed.
Lemma q1 : Q2R 1 = 1. Proof. unfold Q2R; simpl; lra. Qed.
Lemma eq_R a b : Qeq_bool a b = true -> Q2R a = Q2R b.
Proof. intros H. apply Qeq_eqR, Qeq_bool_iff, H. Qed.
Lemma less_R a b : less a b = true -> Q2R a < Q2R b.
Proof.
  unfold less. intros H. apply Qlt_Rlt. destruct (Qlt_le_dec a b) as [C|C]; [exact C|].
  apply Qle_bool_iff in C. rewrite C in H. discriminate.
Qed.
Lemma red_R a : Q2R (Qred a) = Q2R a. Proof. apply Qeq_eqR, Qred_correct. Qed.
Lemma nth_R l k : Q2R (nth k l 0%Q) = nth k (map Q2R l) 0.
Proof. rewrite <- q0. symmetry. apply map_nth. Qed.
Lemma add_R l : Q2R (add l) = sum (length l) (at_gap l).
Proof.
  induction l as [|a l IH]; [exact q0|]. change (length (a :: l)) with (S (length l)).
  rewrite sum_first. change (add (a :: l)) with (Qred (a + add l)). rewrite red_R, Q2R_plus, IH. reflexivity.
Qed.
Lemma multiply_R l : Q2R (multiply l) = fold_right Rmult 1 (map Q2R l).
Proof.
  induction l as [|a l IH]; [exact q1|]. change (multiply (a :: l)) with (Qred (a * multiply l)).
  rewrite red_R, Q2R_mult, IH. reflexivity.
Qed.
Lemma nth_map {A B : Type} (f : A -> B) (l : list A) (a : A) (b : B) k : (k < length l)%nat -> nth k (map f l) b = f (nth k l a).
Proof. intros H. rewrite (nth_indep _ b (f a)) by (rewrite map_length; exact H). apply map_nth. Qed.
Lemma combine_nth_in (A B : Type) (l : list A) (l' : list B) k a b :
  (k < length l)%nat -> length l' = length l -> In (nth k l a, nth k l' b) (combine l l').
Proof.
  intros H E. rewrite <- combine_nth by (symmetry; exact E). apply nth_In. rewrite combine_length, E. lia.
Qed.

Lemma balance_R ranks : forall rho, check_balance ranks rho = true -> balanced (by_rates ranks) (map Q2R rho).
Proof.
  induction ranks as [|s l IH]; intros [|r rho]; simpl; try discriminate; [tauto|].
  rewrite andb_true_iff. intros [H B]. split; [|apply IH, B]. apply eq_R in H. rewrite !Q2R_mult in H.
  rewrite <- H. f_equal. destruct rho; simpl; [symmetry; exact q1 | reflexivity].
Qed.
Lemma sums_R means : forall below queues, check_sums below means queues = true ->
  length queues = length means /\
  forall k, (k < length means)%nat -> at_gap queues k = Q2R below + sum (S k) (at_gap means).
Proof.
  unfold at_gap. induction means as [|m means IH]; intros below [|q queues]; simpl; try discriminate.
  - intros _. split; [reflexivity | intros; lia].
  - rewrite andb_true_iff. intros [H B]. apply eq_R in H. rewrite Q2R_plus in H.
    destruct (IH q queues B) as [L X]. split; [lia|]. intros [|k] Hk; simpl.
    + lra.
    + rewrite (X k) by lia. rewrite <- H.
      assert (E := sum_first (S k) (fun i => Q2R (nth i (m :: means) 0%Q))). simpl in E. simpl. lra.
Qed.

(** ** The queues as sums of gaps *)
Lemma queue_gaps g : forall below k, (k < length g)%nat ->
  INR (nth k (queues_above below g) 0%nat) = INR below + sum (S k) (fun i => INR (nth i g 0%nat)).
Proof.
  induction g as [|m g IH]; intros below k Hk; simpl in Hk; [lia|]. destruct k as [|k]; simpl.
  - rewrite plus_INR. lra.
  - rewrite IH by lia. rewrite plus_INR.
    assert (E := sum_first (S k) (fun i => INR (nth i (m :: g) 0%nat))). simpl in E. simpl. lra.
Qed.
Lemma queues_length g : forall below, length (queues_above below g) = length g.
Proof. induction g as [|m g IH]; intros below; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.
Lemma list_sum_nth l : INR (list_sum l) = sum (length l) (fun k => INR (nth k l 0%nat)).
Proof.
  induction l as [|a l IH]; [reflexivity|]. change (list_sum (a :: l)) with (a + list_sum l)%nat.
  rewrite plus_INR, IH. change (length (a :: l)) with (S (length l)). rewrite sum_first. reflexivity.
Qed.

(** ** What the test implies *)
Lemma nth_0 (rho : list R) : nth 0 rho 0 = hd 0 rho. Proof. destruct rho; reflexivity. Qed.

Lemma counts_R l : forall k, counts_from (Z.of_nat k) l = true -> l = map Z.of_nat (seq k (length l)).
Proof.
  induction l as [|z l IH]; intros k; simpl; [reflexivity|]. rewrite andb_true_iff. intros [E H].
  apply Z.eqb_eq in E. subst z. f_equal. apply IH. rewrite <- H. f_equal. lia.
Qed.
Theorem certified (n : nat) (ranks : list (Q * Q)) (x : figures) :
  check n ranks x = true -> gaps_claim n (by_rates ranks) x.
Proof.
  unfold check. rewrite !andb_true_iff.
  intros [[[[[[[[[[[[[[[[Hn Heq] Hlisted] Hcount] Hpos] Hrho] Lm] Lv] B] Hm] Hv] Hq] Ht] Hi] Htie] Hf] Hp].
  apply Nat.ltb_lt in Hn. apply Nat.eqb_eq in Heq. apply Nat.eqb_eq in Hlisted. apply (counts_R _ 0) in Hcount.
  subst n. apply Nat.eqb_eq in Lm. apply Nat.eqb_eq in Lv.
  rewrite forallb_forall in Hpos, Hrho, Hm, Hv. apply balance_R in B.
  apply eq_R in Ht. apply eq_R in Hi. apply eq_R in Htie. apply eq_R in Hp.
  destruct (sums_R _ _ _ Hq) as [Lq Q]. rewrite q0 in Q.
  assert (Ln : length (by_rates ranks) = length ranks) by apply map_length.
  assert (Lr : length (map Q2R (ratios x)) = length ranks) by (rewrite <- Ln; apply balanced_length, B).
  assert (Lr' : length (ratios x) = length ranks) by (rewrite <- Lr; symmetry; apply map_length).
  set (n := length ranks) in *. set (rho := map Q2R (ratios x)) in *.
  assert (Fine : ratios_fine rho).
  { apply Forall_forall. intros r Hr. apply in_map_iff in Hr. destruct Hr as [q [<- Hr]].
    specialize (Hrho q Hr). rewrite andb_true_iff in Hrho. destruct Hrho as [A C].
    apply less_R in A. apply less_R in C. rewrite q0 in A. rewrite q1 in C. split; assumption. }
  assert (At : forall k, (k < n)%nat -> 0 < nth k rho 0 < 1).
  { intros k Hk. unfold ratios_fine in Fine. rewrite Forall_forall in Fine. apply Fine, nth_In. lia. }
  assert (Means : forall k, (k < n)%nat -> at_gap (gap_means x) k * (1 - nth k rho 0) = nth k rho 0).
  { intros k Hk.
    assert (X := Hm _ (combine_nth_in _ _ (ratios x) (gap_means x) k 0%Q 0%Q ltac:(lia) ltac:(lia))).
    apply eq_R in X. cbn [fst snd] in X. rewrite Q2R_mult, Q2R_minus, q1 in X. unfold rho. rewrite <- nth_R. exact X. }
  assert (Variances : forall k, (k < n)%nat -> at_gap (gap_variances x) k = at_gap (gap_means x) k * (1 + at_gap (gap_means x) k)).
  { intros k Hk.
    assert (X := Hv _ (combine_nth_in _ _ (gap_means x) (gap_variances x) k 0%Q 0%Q ltac:(lia) ltac:(lia))).
    apply eq_R in X. cbn [fst snd] in X. rewrite Q2R_mult, Q2R_plus, q1 in X. exact X. }
  assert (Gaps : forall k, (k < n)%nat -> mean rho (gap k) (at_gap (gap_means x) k)).
  { intros k Hk. unfold gap. apply (one_gap INR); [exact Fine | lia |]. apply geometric_mean; auto. }
  assert (Queues : forall k, (k < n)%nat -> mean rho (queue_at k) (at_gap (queue_means x) k)).
  { intros k Hk. rewrite (Q k) by lia. rewrite Rplus_0_l.
    apply mean_ext with (fun g => sum (S k) (fun i => gap i g)).
    - intros g Hg. unfold queue_at, queues. rewrite queue_gaps by lia. simpl INR. unfold gap. lra.
    - apply mean_sum; [exact Fine|]. intros i Hi'. apply Gaps. lia. }
  assert (Flow : Q2R (flow x) = sum n (fun k => served (by_rates ranks) k * nth k rho 0)).
  { apply eq_R in Hf. rewrite Hf, add_R, map_length, combine_length, Lr'. fold n. rewrite Nat.min_id.
    apply sum_ext. intros k Hk. unfold at_gap.
    rewrite (nth_map _ _ (0%Q, 0%Q, 0%Q)) by (rewrite combine_length; lia).
    rewrite combine_nth by (symmetry; exact Lr'). cbn [fst snd]. rewrite Q2R_mult, nth_R. fold rho. f_equal.
    unfold served, by_rates. rewrite (nth_map _ _ (0%Q, 0%Q)) by exact Hk. reflexivity. }
  assert (Serve : mean rho (served_rate (by_rates ranks)) (Q2R (flow x))).
  { rewrite Flow. apply mean_ext with (fun g => sum n (fun k => served (by_rates ranks) k * (if (0 <? nth k g 0)%nat then 1 else 0))).
    - intros g Hg. unfold served_rate. rewrite Ln. apply sum_ext. intros k Hk.
      rewrite <- (serve_allowed k g) by lia. destruct (serve k g); ring.
    - apply mean_sum; [exact Fine|]. intros k Hk. apply mean_scal.
      apply (one_gap (fun m => if (0 <? m)%nat then 1 else 0)); [exact Fine | lia |]. apply geometric_busy. auto. }
  unfold gaps_claim. fold rho.
  repeat match goal with |- _ /\ _ => split end.
  - exact Hn.
  - exact Ln.
  - rewrite Hcount, Hlisted. reflexivity.
  - apply Forall_forall. intros s Hs. apply in_map_iff in Hs. destruct Hs as [p [<- Hs]].
    specialize (Hpos p Hs). rewrite andb_true_iff in Hpos. destruct Hpos as [A C].
    apply less_R in A. apply less_R in C. rewrite q0 in A, C. split; assumption.
  - exact Lr.
  - exact Lm.
  - exact Lv.
  - lia.
  - exact Fine.
  - exact B.
  - apply balanced_traffic, B.
  - rewrite <- Lr. apply law_mass, Fine.
  - apply product_reversible, B.
  - apply product_stationary, B.
  - intros k Hk. split; [apply Gaps, Hk|]. split; [|apply Queues, Hk].
    unfold gap. apply (one_gap (fun m => (INR m - at_gap (gap_means x) k) ^ 2)); [exact Fine | lia |].
    apply geometric_variance; auto.
  - rewrite Ht, add_R, Lq, Lm. apply mean_ext with (fun g => sum n (fun k => queue_at k g)).
    + intros g Hg. unfold all_queues. rewrite list_sum_nth. unfold queues at 1. rewrite queues_length.
      replace (length g) with n by lia. reflexivity.
    + apply mean_sum; [exact Fine | exact Queues].
  - rewrite Hi. assert (E : Q2R (hd 0%Q (ratios x)) = nth 0 rho 0).
    { unfold rho. rewrite <- nth_R. destruct (ratios x); reflexivity. }
    rewrite E. apply mean_ext with (fun g => if (0 <? nth 0 g 0)%nat then 1 else 0).
    + intros [|m g] _; reflexivity.
    + apply (one_gap (fun m => if (0 <? m)%nat then 1 else 0)); [exact Fine | lia |]. apply geometric_busy. auto.
  - rewrite Htie, multiply_R. clear - Fine. unfold rho in *. destruct (ratios x) as [|q l].
    + simpl. unfold mean, none_tied. simpl. ring.
    + simpl in *. inversion Fine as [|? ? Hr Hl]; subst. apply tied_tail; assumption.
  - exact Serve.
  - apply (accepted_mean _ _ _ B Fine). rewrite Ln. exact Flow.
  - rewrite Hp, Q2R_mult, Q2R_minus, q1, add_R, map_length. f_equal. apply sum_ext. intros k Hk.
    unfold at_gap, offered, by_rates. rewrite !(nth_map _ _ (0%Q, 0%Q)) by exact Hk. reflexivity.
Qed.

(** ** The marginal model, for n a square *)
Open Scope Q_scope.
Definition whole (n : nat) : Q := inject_Z (Z.of_nat n).
Definition rest (n side : nat) (a : Q) : Q := whole n - a / whole side.
Definition marginal_rates (n side : nat) (a b : Q) : list (Q * Q) :=
  (Qred (rest n side a + b * whole side), whole n) :: repeat (Qred (rest n side a), whole n) (n - 1).
Definition check_marginal (n side : nat) (a b critical : Q) (x : figures) : bool :=
  (0 <? side)%nat && (side * side =? n)%nat && less 0 a && less a (whole n * whole side) && less 0 b
  && check n (marginal_rates n side a b) x
  && Qeq_bool ((rest n side a + critical * whole side) * hd 1 (tl (ratios x))) (whole n).
Close Scope Q_scope.

Lemma whole_R n : Q2R (whole n) = INR n.
Proof. unfold whole, Q2R. simpl. rewrite INR_IZR_INZ. lra. Qed.
Lemma root_R n side : (side * side = n)%nat -> sqrt (INR n) = INR side.
Proof. intros <-. rewrite mult_INR. apply sqrt_square, pos_INR. Qed.
Lemma rest_R n side a : (0 < side)%nat -> Q2R (rest n side a) = INR n - Q2R a / INR side.
Proof.
  intros H. unfold rest. rewrite Q2R_minus, Q2R_div, !whole_R; [reflexivity|].
  intros E. apply Qeq_eqR in E. rewrite whole_R, q0 in E. apply lt_INR in H. simpl in H. lra.
Qed.
Lemma marginal_R n side a b : (0 < side)%nat -> (side * side = n)%nat ->
  marginal n a b = by_rates (marginal_rates n side a b).
Proof.
  intros H0 H. unfold marginal, by_rates, marginal_rates. cbv zeta. rewrite (root_R n side H).
  change (map ?f (?p :: ?l)) with (f p :: map f l). cbn [fst snd].
  f_equal.
  - rewrite red_R, Q2R_plus, Q2R_mult, rest_R, !whole_R by exact H0. reflexivity.
  - generalize (n - 1)%nat. intros m. induction m as [|m IH]; [reflexivity|].
    cbn [repeat map fst snd]. rewrite IH, red_R, rest_R, whole_R by exact H0. reflexivity.
Qed.

Lemma balanced_unique ranks : Forall (fun s => 0 < work s) ranks -> forall rho rho',
  balanced ranks rho -> balanced ranks rho' -> rho = rho'.
Proof.
  induction ranks as [|s l IH]; intros P [|r rho] [|r' rho']; simpl; try tauto.
  inversion P as [|? ? Ps Pl]; subst. intros [H B] [H' B'].
  assert (E := IH Pl rho rho' B B'). subst rho'. f_equal.
  apply Rmult_eq_reg_l with (work s); lra.
Qed.

Theorem certified_marginal (n side : nat) (a b critical : Q) (x : figures) :
  check_marginal n side a b critical x = true ->
  marginal_domain n a b /\ gaps_claim n (marginal n a b) x /\ threshold_claim n a critical.
Proof.
  unfold check_marginal. rewrite !andb_true_iff. intros [[[[[[H0 Hroot] Ha] Hsmall] Hb] Hx] Hc].
  apply Nat.ltb_lt in H0. apply Nat.eqb_eq in Hroot.
  apply less_R in Ha. apply less_R in Hsmall. apply less_R in Hb. apply eq_R in Hc.
  rewrite q0 in Ha, Hb. rewrite Q2R_mult, !whole_R in Hsmall. rewrite Q2R_mult, Q2R_plus, Q2R_mult, rest_R, !whole_R in Hc by exact H0.
  assert (X := certified _ _ _ Hx). rewrite <- (marginal_R n side a b H0 Hroot) in X.
  assert (Rroot : 0 < INR side) by (apply lt_INR in H0; exact H0).
  split; [|split; [exact X|]].
  - unfold marginal_domain. rewrite (root_R n side Hroot). lra.
  - destruct X as [_ [_ [_ [Pos [_ [_ [_ [_ [Fine [B _]]]]]]]]]].
    intros b' rho' B'. unfold marginal in B, B'. cbv zeta in B, B'. rewrite (root_R n side Hroot) in B, B'.
    unfold marginal in Pos. inversion Pos as [|? ? _ Pl]; subst; clear Pos.
    destruct (map Q2R (ratios x)) as [|r0 tail] eqn:Er; [destruct B|].
    destruct rho' as [|r0' tail']; [destruct B'|]. cbn [balanced offer work hd] in B, B'.
    destruct B as [_ B]. destruct B' as [H' B'].
    assert (E : tail' = tail).
    { refine (balanced_unique _ _ _ _ B' B). rewrite Forall_forall in *. intros s Hs.
      cbv zeta in Pl. rewrite (root_R _ side eq_refl) in Pl. apply Pl in Hs. apply Hs. }
    subst tail'. cbn [hd].
    assert (T : Q2R (hd 1%Q (tl (ratios x))) = hd 1 tail).
    { destruct (ratios x) as [|q [|q1' l]]; [discriminate | |]; injection Er as _ <-; [exact q1 | reflexivity]. }
    rewrite T in Hc.
    assert (P1 : 0 < hd 1 tail).
    { inversion Fine as [|? ? _ Ft]; subst. destruct tail as [|t l]; simpl; [lra|]. inversion Ft; subst; lra. }
    set (t := hd 1 tail) in *. set (N := INR (side * side)) in *. set (w := INR side) in *.
    assert (Nw : N = w * w) by apply mult_INR.
    assert (N0 : 0 < N) by (rewrite Nw; apply Rmult_lt_0_compat; assumption).
    assert (D : N * (r0' - 1) = (Q2R b' - Q2R critical) * (w * t)) by lra.
    assert (WT : 0 < w * t) by (apply Rmult_lt_0_compat; assumption).
    split; intros C.
    + destruct (Rlt_le_dec (Q2R b') (Q2R critical)) as [Y|Y]; [exact Y|]. exfalso.
      assert (0 <= (Q2R b' - Q2R critical) * (w * t)) by (apply Rmult_le_pos; lra).
      assert (0 < N * (1 - r0')) by (apply Rmult_lt_0_compat; lra). lra.
    + destruct (Rlt_le_dec r0' 1) as [Y|Y]; [exact Y|]. exfalso.
      assert (0 <= N * (r0' - 1)) by (apply Rmult_le_pos; lra).
      assert (0 < (Q2R critical - Q2R b') * (w * t)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

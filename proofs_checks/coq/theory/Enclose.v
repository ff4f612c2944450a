(** Tactics of the generated routing files (no theorem page: they find proofs, they state nothing).

    Every transcendental inequality is left to [interval], always with a stated precision. Without
    one the tactic falls back on hardware floating point, which would add 38 axioms about it to
    what must be believed. *)
From Coq Require Export Reals Lra Lia List QArith Qreals.
From Interval Require Export Tactic.
From Queues Require Obstruction ObstructionGrid ObstructionCheck.
From Queues Require Export Sums Routing Drift SharpDrift DriftCertificate Equilibrium.
Export ListNotations.

Ltac numbers := unfold Q2R; cbn [Qnum Qden].
Ltac functions :=
  unfold theta, profile, profile_slope, row_service, positive_part, queue_weight, reflected_uas_server, wsq_server, Rpower;
  cbn [rate per_job at_empty lambda alpha servers fst snd].
(** [interval] cannot prove an inequality that is an equality; [lra] can when all is rational. *)
Ltac decide_with bits := first [interval with (i_prec bits) | lra].
Ltac each_row tac := repeat (apply Forall_cons; [tac |]); apply Forall_nil.

(** [good server] *)
Ltac good_server server :=
  unfold server, good; functions; split; [lra | first [lra | apply Rinv_0_lt_compat, exp_pos]].

(** [proper S] but for the servers' own lemmas *)
Ltac proper_system unfold_servers :=
  unfold proper, capacity; cbn [lambda alpha servers total_of];
  split; [unfold_servers; functions; lra | split; [lra |]].

(** * Equilibrium *)
Ltac theta_between server entry bits :=
  unfold server, entry; functions; cbn [theta_low theta_high]; numbers; interval with (i_prec bits).
Ltac queue_bound server entry edge bits :=
  unfold server, entry, edge; functions; cbn [queue_low queue_high]; numbers; interval with (i_prec bits).

(** [placed a low high server entry busy_low busy_high] *)
Ltac place lemma server entry low is_good bits :=
  match goal with |- placed ?a _ _ _ _ _ _ =>
    apply lemma; [ lra | exact is_good | unfold low; numbers; lra | theta_between server entry bits | reflexivity | .. ]
  end.
Ltac theta_compared server edge bits :=
  unfold server, edge; functions; numbers; interval with (i_prec bits).
Ltac place_active server entry low high is_good bits :=
  place placed_active server entry low is_good bits;
  [ theta_compared server high bits | unfold low, high; numbers; lra
  | queue_bound server entry high bits | queue_bound server entry low bits ].
Ltac place_inactive server entry low high is_good bits :=
  place placed_inactive server entry low is_good bits;
  [ theta_compared server low bits | unfold low, high; numbers; lra
  | unfold entry; cbn [queue_low queue_high]; numbers; lra ].
Ltac place_undecided server entry low high is_good bits :=
  place placed_undecided server entry low is_good bits;
  [ theta_compared server low bits | theta_compared server high bits
  | first [ left; unfold entry; cbn [queue_low]; numbers; lra | right; queue_bound server entry high bits ]
  | unfold entry; cbn [queue_high]; numbers; lra | queue_bound server entry low bits ].

(** The two inequalities that place the root between low and high. *)
Ltac crossing rows edge unfold_servers bits :=
  unfold rows, edge; cbn [map at_low at_high fst snd busy spare lambda alpha];
  unfold_servers; functions; numbers; interval with (i_prec bits).

(** * Drift *)
(** [eps <= (mu - c) v]: rational, or by interval arithmetic, or by powers when both sides agree. *)
Ltac slack unfold_servers bits p q :=
  cbn [fst snd]; unfold_servers;
  first
  [ functions; decide_with bits
  | cbn [reflected_uas_server rate per_job fst snd];
    match goal with |- _ <= _ * / Rpower ?m ?b =>
      let H := fresh in
      assert (H : b = INR p / INR q) by (rewrite !INR_IZR_INZ; cbn [Z.of_nat]; simpl; lra);
      rewrite (f_equal (Rpower m) H);
      apply slack_by_powers; [lra | lra | lra | lia | simpl pow; lra]
    end ].
Ltac feasible_shares rows unfold_servers bits p q :=
  unfold feasible, rows; cbn [servers lambda];
  split; [reflexivity |]; split; [each_row ltac:(cbn [snd]; lra) |];
  split; [cbn [total_of snd]; lra |]; each_row ltac:(slack unfold_servers bits p q).

(** [INR (N S) - 1 <= k exp (1 + k)] *)
Ltac excess_allowed S bits :=
  rewrite INR_IZR_INZ;
  let z := eval vm_compute in (Z.of_nat (N S)) in change (Z.of_nat (N S)) with z;
  decide_with bits.

(** For every row, common part + own term <= constant, with the common part enclosed once; exactly
    when all numbers are rational. *)
Ltac upper_bound bits :=
  match goal with |- ?e <= _ => let H := fresh in interval_intro e upper with (i_prec bits) as H; exact H end.
Ltac absolute_values :=
  repeat match goal with |- context [Rabs ?x] =>
    first [rewrite (Rabs_pos_eq x) by lra | rewrite (Rabs_left1 x) by lra] end.
Ltac constants_below rows unfold_common unfold_servers bits :=
  first
  [ apply rows_below; eexists; split;
    [ unfold_common; unfold rows; cbn [total_of fst snd]; unfold_servers; functions; upper_bound bits
    | unfold_common; unfold rows; each_row ltac:(cbn [fst snd]; unfold_servers; functions; decide_with bits) ]
  | unfold_common; unfold rows; cbn [total_of fst snd]; unfold_servers; functions;
    each_row ltac:(functions; absolute_values; lra) ].

(** [value <= value_there S eps rows] *)
Ltac value_reached rows unfold_common unfold_servers bits :=
  unfold value_there, rows; unfold_common; cbn [total_of fst snd Z.eqb Pos.eqb];
  unfold_servers; functions; decide_with bits.

(** * Obstruction *)
(** [low <= diagonal_value n ... <= high] *)
Ltac diagonal_between n unfold_system server bits :=
  unfold Obstruction.diagonal_value; rewrite !INR_IZR_INZ;
  let z := eval vm_compute in (Z.of_nat n) in change (Z.of_nat n) with z;
  unfold_system; cbn [lambda alpha]; unfold server; functions; numbers; split; interval with (i_prec bits).

(** [S = system_of d]: the same numbers, as reals and as rationals *)
Ltac same_system unfold_system unfold_servers :=
  unfold_system; unfold_servers; unfold ObstructionCheck.system_of;
  cbn [ObstructionCheck.kind ObstructionCheck.arrivals map fst snd]; numbers;
  repeat f_equal; lra.

(** [lambda (mu - lambda/n) v = value], where v is rational: rates and weights, or a power that is
    whole, or one of 1 *)
Lemma power_of_one b : Rpower 1 b = 1.
Proof. unfold Rpower. rewrite ln_1, Rmult_0_r. apply exp_0. Qed.
Ltac origin_exact n unfold_system server p :=
  rewrite !INR_IZR_INZ;
  let z := eval vm_compute in (Z.of_nat n) in change (Z.of_nat n) with z;
  unfold_system; unfold server, reflected_uas_server, wsq_server;
  cbn [lambda alpha rate per_job at_empty]; numbers;
  first
  [ rewrite power_of_one; lra
  | lra
  | match goal with |- context [Rpower ?m ?b] =>
      let H := fresh in
      assert (H : b = INR p) by (rewrite !INR_IZR_INZ; cbn [Z.of_nat]; simpl; lra);
      rewrite (f_equal (Rpower m) H), Rpower_pow by lra; simpl pow; lra
    end ].

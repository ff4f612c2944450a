(** Generated from a certificate of the kind fluid-enclosure. *)
From Coq Require Import Reals Lra List QArith Qreals.
From Queues Require Import FluidUniform.
Import ListNotations.
Open Scope R_scope.

(** * Statement: from the claim alone *)
Definition a : R := (1 / 2).
Definition load : R := (3 / 4).
Definition exit_in : Q * Q := ((12583057392117916162 # 10000000000000000000), (12583057392117916163 # 10000000000000000000)).
Definition saving_in : Q * Q := ((138896474725 # 1000000000000), (138896474726 # 1000000000000)).
Definition row_0 := {| imbalance := (0 # 1); cutoff_in := ((0 # 1), (0 # 1)); value_in := ((129165528791 # 100000000000), (129165528792 # 100000000000)); time_in := ((179271018284 # 100000000000), (179271018285 # 100000000000)) |}.
Definition row_1 := {| imbalance := (1 # 2); cutoff_in := ((83234022690935667919 # 100000000000000000000), (8323402269093566792 # 10000000000000000000)); value_in := ((109922356405 # 100000000000), (109922356406 # 100000000000)); time_in := ((134506710609 # 100000000000), (13450671061 # 10000000000)) |}.
Definition rows := [row_0; row_1].

Definition claim : Prop := uniform_claim a load exit_in saving_in rows.

(** * Proof: with the hints of the witness *)
Lemma a_range : 0 <= a < 1. Proof. unfold a; lra. Qed.
Lemma load_range : 1 / 2 <= load < 1. Proof. unfold load; lra. Qed.
Lemma exit_right : between exit_in (exit_at a load).
Proof. enclosed ltac:(unfold a, load, exit_in) 136%positive. Qed.
Lemma saving_right : between saving_in (/ reach_lower a load 0).
Proof. enclosed ltac:(unfold a, load, saving_in) 136%positive. Qed.
Lemma row_0_right : row_claim a load (exit_at a load) row_0.
Proof. tied_row a_range load_range ltac:(unfold a, load, row_0) 136%positive. Qed.
Lemma row_1_right : row_claim a load (exit_at a load) row_1.
Proof. row_by row_upper a_range load_range ltac:(unfold a, load, row_1) 136%positive. Qed.

Theorem fluid_enclosure_uniform : claim.
Proof.
  unfold claim.
  apply (uniform_certified a load exit_in saving_in rows a_range load_range).
  - exact exit_right.
  - exact saving_right.
  - apply Forall_cons; [exact row_0_right |].
    apply Forall_cons; [exact row_1_right |].
    apply Forall_nil.
Qed.

(** * What was proved, and on which axioms it rests *)
Check (fluid_enclosure_uniform : claim).
Print Assumptions fluid_enclosure_uniform.

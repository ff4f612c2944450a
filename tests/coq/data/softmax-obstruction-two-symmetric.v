(** Generated from a certificate of the kind softmax-obstruction. *)
From Coq Require Import Reals Lra List QArith Qreals.
From Queues Require Import Enclose Obstruction ObstructionGrid ObstructionCheck.
Import ListNotations.
Open Scope R_scope.

(** * Statement: from the claim alone *)
Definition server_0 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) 1.
Definition server_1 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) 1.
Definition fleet := [server_0; server_1].
Definition S := {| lambda := (8 / 5); alpha := 20; servers := fleet |}.
Definition radius : nat := 4%nat.
Definition c : counts := {| states := 15; boundary_states := 9; positive_states := 1; positive_coordinate_states := 1; undecided := 0 |}.
Definition max_term : peak := {| peak_low := (31999999999999999999 # 100000000000000000000); peak_high := (32000000000000000001 # 100000000000000000000); peak_at := [0; 0]%nat |}.
Definition max_edge_gap : peak := {| peak_low := (15112771611521546637 # 10000000000000000000); peak_high := (15112771611521546638 # 10000000000000000000); peak_at := [0; 0]%nat |}.
Definition max_gap : peak := {| peak_low := (26803736125923479935 # 10000000000000000000); peak_high := (26803736125923479936 # 10000000000000000000); peak_at := [1; 1]%nat |}.
Definition interior : list nat := [1; 1]%nat.
Definition interior_low : Q := (26003736125923479935 # 10000000000000000000).
Definition interior_high : Q := (26003736125923479936 # 10000000000000000000).
Definition diagonal_low : Q := (26003736125923479935 # 10000000000000000000).
Definition diagonal_high : Q := (26003736125923479936 # 10000000000000000000).
Definition origin : Q := (8 # 25).

Definition claim : Prop := reflected_uas_domain (17 / 20) (1 / 2) /\ obstruction_claim S radius c max_term max_edge_gap max_gap /\ interior_claim S interior interior_low interior_high /\ diagonal_claim S diagonal_low diagonal_high /\ origin_claim S origin.

(** * Proof: with the hints of the witness *)
Ltac unfold_servers := unfold server_0, server_1.
Lemma good_0 : good server_0. Proof. good_server server_0. Qed.
Lemma good_1 : good server_1. Proof. good_server server_1. Qed.
Lemma system_ok : proper S.
Proof.
  unfold S, fleet. proper_system unfold_servers.
  apply Forall_cons; [exact good_0 |].
  apply Forall_cons; [exact good_1 |].
  apply Forall_nil.
Qed.
Definition d : data := {| arrivals := (8 # 5); kind := Reflected (20 # 1) (17 # 20) (1 # 2) (1 # 2) [(1 # 1); (1 # 1)] |}.
Lemma same : S = system_of d. Proof. same_system ltac:(unfold S, fleet, d) unfold_servers. Qed.
Lemma grid_checked : check_grid 208%positive d 2 radius c max_term max_edge_gap max_gap = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma interior_checked : check_interior 208%positive d interior interior_low interior_high = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem softmax_obstruction_two_symmetric : claim.
Proof.
  unfold claim.
  split; [unfold reflected_uas_domain; lra |].
  split; [exact (grid_certified 208%positive S d _ radius c max_term max_edge_gap max_gap system_ok same grid_checked) |].
  split; [exact (interior_certified 208%positive S d interior _ _ system_ok same interior_checked) |].
  split; [apply (diagonal_certified S 2 server_0 _ _ system_ok); [lia | reflexivity | diagonal_between 2%nat ltac:(unfold S, diagonal_low, diagonal_high) server_0 208%positive] |].
  apply (origin_certified S 2 server_0); [lia | reflexivity | origin_exact 2%nat ltac:(unfold S, origin) server_0 17%nat].
Qed.

(** * What was proved, and on which axioms it rests *)
Check (softmax_obstruction_two_symmetric : claim).
Print Assumptions softmax_obstruction_two_symmetric.

(** Generated from a certificate of the kind softmax-equilibrium. *)
From Coq Require Import Reals Lra List QArith Qreals.
From Queues Require Import Enclose.
Import ListNotations.
Open Scope R_scope.

(** * Statement: from the claim alone *)
Definition server_0 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) 1.
Definition server_1 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) 2.
Definition server_2 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) 3.
Definition fleet := [server_0; server_1; server_2].
Definition S := {| lambda := (57 / 10); alpha := 20; servers := fleet |}.
Definition low : Q := (6485704251783550219 # 100000000000000000000000).
Definition high : Q := (648570425178355022 # 10000000000000000000000).
Definition entry_0 := {| theta_low := (45399929762484851 # 1000000000000000000000); theta_high := (45399929762484852 # 1000000000000000000000); queue_low := (0 # 1); queue_high := (0 # 1); state_of := Inactive |}.
Definition entry_1 := {| theta_low := (27547710297789345 # 10000000000000000000); theta_high := (27547710297789346 # 10000000000000000000); queue_low := (33787015593133062 # 100000000000000000); queue_high := (33787015593133063 # 100000000000000000); state_of := Active |}.
Definition entry_2 := {| theta_low := (11335699373135756 # 1000000000000000000); theta_high := (11335699373135757 # 1000000000000000000); queue_low := (65685498907207648 # 100000000000000000); queue_high := (65685498907207649 # 100000000000000000); state_of := Active |}.
Definition entries := [entry_0; entry_1; entry_2].

Definition claim : Prop := reflected_uas_domain (17 / 20) (1 / 2) /\ equilibrium_claim S low high entries.

(** * Proof: with the hints of the witness *)
Ltac unfold_servers := unfold server_0, server_1, server_2.
Lemma good_0 : good server_0. Proof. good_server server_0. Qed.
Lemma good_1 : good server_1. Proof. good_server server_1. Qed.
Lemma good_2 : good server_2. Proof. good_server server_2. Qed.
Lemma system_ok : proper S.
Proof.
  unfold S, fleet. proper_system unfold_servers.
  apply Forall_cons; [exact good_0 |].
  apply Forall_cons; [exact good_1 |].
  apply Forall_cons; [exact good_2 |].
  apply Forall_nil.
Qed.
Definition rows : list row := [(server_0, entry_0, (false, false)); (server_1, entry_1, (true, true)); (server_2, entry_2, (true, true))].
Lemma placed_0 : placed 20 low high server_0 entry_0 false false.
Proof. place_inactive server_0 entry_0 low high good_0 168%positive. Qed.
Lemma placed_1 : placed 20 low high server_1 entry_1 true true.
Proof. place_active server_1 entry_1 low high good_1 168%positive. Qed.
Lemma placed_2 : placed 20 low high server_2 entry_2 true true.
Proof. place_active server_2 entry_2 low high good_2 168%positive. Qed.
Lemma all_placed : Forall (fun r => placed (alpha S) low high
  (fst (fst r)) (snd (fst r)) (fst (snd r)) (snd (snd r))) rows.
Proof.
  apply Forall_cons; [exact placed_0 |].
  apply Forall_cons; [exact placed_1 |].
  apply Forall_cons; [exact placed_2 |].
  apply Forall_nil.
Qed.

Theorem softmax_equilibrium_three : claim.
Proof.
  unfold claim.
  split; [unfold reflected_uas_domain; lra |].
  apply (Equilibrium.certified S low high entries rows system_ok).
  - unfold low; numbers; lra.
  - unfold low, high; numbers; lra.
  - reflexivity.
  - reflexivity.
  - exact all_placed.
  - unfold S. crossing rows low unfold_servers 168%positive.
  - unfold S. crossing rows high unfold_servers 168%positive.
Qed.

(** * What was proved, and on which axioms it rests *)
Check (softmax_equilibrium_three : claim).
Print Assumptions softmax_equilibrium_three.

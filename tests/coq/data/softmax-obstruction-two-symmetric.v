(** Generated from a certificate of the kind softmax-obstruction. *)
From Coq Require Import Reals Lra List QArith Qreals.
From Queues Require Import Enclose Obstruction.
Import ListNotations.
Open Scope R_scope.

(** * Statement: from the claim alone *)
Definition server_0 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) 1.
Definition server_1 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) 1.
Definition fleet := [server_0; server_1].
Definition S := {| lambda := (8 / 5); alpha := 20; servers := fleet |}.
Definition low : Q := (26003736125923479935 # 10000000000000000000).
Definition high : Q := (26003736125923479936 # 10000000000000000000).

Definition claim : Prop := reflected_uas_domain (17 / 20) (1 / 2) /\ diagonal_claim S low high.

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

Theorem softmax_obstruction_two_symmetric : claim.
Proof.
  unfold claim.
  split; [unfold reflected_uas_domain; lra |].
  apply (diagonal_certified S 2 server_0 low high system_ok).
  - lia.
  - reflexivity.
  - diagonal_between 2%nat ltac:(unfold S, low, high) server_0 210%positive.
Qed.

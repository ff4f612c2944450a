(** Generated from a certificate of the kind softmax-drift. *)
From Coq Require Import Reals Lra List QArith Qreals.
From Queues Require Import Enclose.
Import ListNotations.
Open Scope R_scope.

(** * Statement: from the claim alone *)
Definition server_0 := reflected_uas_server 20 2 (1 / 2) (1 / 2) 1.
Definition server_1 := reflected_uas_server 20 2 (1 / 2) (1 / 2) 2.
Definition fleet := [server_0; server_1].
Definition S := {| lambda := (12 / 5); alpha := 20; servers := fleet |}.
Definition eps : R := (3 / 25).
Definition crude : R := (178583123 / 125000000).
Definition sharp : R := (34507053 / 25000000).
Definition bound : R := (11502351 / 1000000).
Definition queues : list Z := [(1); (5)]%Z.
Definition value : R := (128645761 / 100000000).

Definition claim : Prop := reflected_uas_domain 2 (1 / 2) /\ drift_claim S eps [crude; sharp] bound /\ attained S eps queues value.

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
Definition rows : list (server * R) := [(server_0, (22 / 25)); (server_1, (38 / 25))].
Lemma rows_ok : feasible S eps rows.
Proof. unfold eps, S. feasible_shares rows unfold_servers 150%positive 2%nat 1%nat. Qed.
Lemma drift_crude : drift S eps crude.
Proof.
  apply (DriftCertificate.certified S eps crude (139232271381 / 500000000000) rows system_ok rows_ok).
  - lra.
  - excess_allowed S 150%positive.
  - constants_below rows ltac:(unfold base, S, eps, crude) unfold_servers 150%positive.
Qed.
Definition points : list (server * R * R) := [(server_0, (22 / 25), (56250998002663333 / 144115188075855872)); (server_1, (38 / 25), (43932095036596269 / 72057594037927936))].
Lemma drift_sharp : drift S eps sharp.
Proof.
  apply (certified_sharp S eps sharp rows points system_ok rows_ok).
  - reflexivity.
  - unfold points; each_row ltac:(cbn [snd]; lra).
  - constants_below points
      ltac:(unfold sharp_base, S, eps, sharp) unfold_servers 150%positive.
Qed.
Definition places : list (server * Z) := [(server_0, (1)%Z); (server_1, (5)%Z)].

Theorem softmax_drift_two : claim.
Proof.
  unfold claim.
  split; [unfold reflected_uas_domain; lra |].
  split.
  { split; [exact system_ok |]. split; [unfold eps; lra |]. split.
    - apply Forall_cons; [exact drift_crude |].
      apply Forall_cons; [exact drift_sharp |].
      apply Forall_nil.
    - apply Exists_cons_tl. apply Exists_cons_hd. unfold eps, bound, sharp; lra.
  }
  apply (attained_value S eps value places).
  - cbn. lia.
  - reflexivity.
  - unfold places; each_row ltac:(cbn [snd]; lia).
  - value_reached places ltac:(unfold S, eps, value) unfold_servers 150%positive.
Qed.

(** * What was proved, and on which axioms it rests *)
Check (softmax_drift_two : claim).
Print Assumptions softmax_drift_two.

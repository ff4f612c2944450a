(** Generated from a certificate of the kind softmax-drift. *)
From Coq Require Import Reals Lra List QArith Qreals.
From Queues Require Import Enclose.
Import ListNotations.
Open Scope R_scope.

(** * Statement: from the claim alone *)
Definition server_0 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) 2.
Definition server_1 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) 3.
Definition server_2 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) 5.
Definition fleet := [server_0; server_1; server_2].
Definition S := {| lambda := 2; alpha := 20; servers := fleet |}.
Definition eps : R := (2417126775685498411 / 2500000000000000000).
Definition crude : R := (21705874121806253603 / 10000000000000000000).
Definition sharp : R := (5288917326477523493 / 2500000000000000000).
Definition bound : R := (5470252305009512573 / 2500000000000000000).
Definition queues : list Z := [(612); (864); (1334)]%Z.
Definition value : R := (5288808416057673497 / 2500000000000000000).

Definition claim : Prop := reflected_uas_domain (17 / 20) (1 / 2) /\ drift_claim S eps [crude; sharp] bound /\ attained S eps queues value.

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
Definition rows : list (server * R) := [(server_0, (1214832084222589231059 / 4722366482869645213696)); (server_1, (1275341475498725174891 / 2361183241434822606848)); (server_2, (5679217930519250846551 / 4722366482869645213696))].
Lemma rows_ok : feasible S eps rows.
Proof. unfold eps, S. feasible_shares rows unfold_servers 168%positive 17%nat 20%nat. Qed.
Lemma drift_crude : drift S eps crude.
Proof.
  apply (DriftCertificate.certified S eps crude (926111026731097714809 / 2000000000000000000000) rows system_ok rows_ok).
  - lra.
  - excess_allowed S 168%positive.
  - constants_below rows ltac:(unfold base, S, eps, crude) unfold_servers 168%positive.
Qed.
Definition points : list (server * R * R) := [(server_0, (1214832084222589231059 / 4722366482869645213696), (108386512272859 / 562949953421312)); (server_1, (1275341475498725174891 / 2361183241434822606848), (168119932916715 / 562949953421312)); (server_2, (5679217930519250846551 / 4722366482869645213696), (35805438528967 / 70368744177664))].
Lemma drift_sharp : drift S eps sharp.
Proof.
  apply (certified_sharp S eps sharp rows points system_ok rows_ok).
  - reflexivity.
  - unfold points; each_row ltac:(cbn [snd]; lra).
  - constants_below points
      ltac:(unfold sharp_base, S, eps, sharp) unfold_servers 168%positive.
Qed.
Definition places : list (server * Z) := [(server_0, (612)%Z); (server_1, (864)%Z); (server_2, (1334)%Z)].

Theorem softmax_drift_light_3 : claim.
Proof.
  unfold claim.
  split; [unfold reflected_uas_domain; lra |].
  split.
  { split; [exact system_ok |]. split; [unfold eps; lra |]. split.
    - apply Forall_cons; [exact drift_crude |].
      apply Forall_cons; [exact drift_sharp |].
      apply Forall_nil.
    - apply Exists_cons_tl. apply Exists_cons_hd. unfold eps, bound, sharp; lra. }
  apply (attained_value S eps value places).
  - cbn. lia.
  - reflexivity.
  - unfold places; each_row ltac:(cbn [snd]; lia).
  - value_reached places ltac:(unfold S, eps, value) unfold_servers 168%positive.
Qed.

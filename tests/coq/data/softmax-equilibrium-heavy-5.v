(** Generated from a certificate of the kind softmax-equilibrium. *)
From Coq Require Import Reals Lra List QArith Qreals.
From Queues Require Import Enclose.
Import ListNotations.
Open Scope R_scope.

(** * Statement: from the claim alone *)
Definition server_0 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) 1.
Definition server_1 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) (3 / 2).
Definition server_2 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) 2.
Definition server_3 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) (5 / 2).
Definition server_4 := reflected_uas_server 20 (17 / 20) (1 / 2) (1 / 2) 3.
Definition fleet := [server_0; server_1; server_2; server_3; server_4].
Definition S := {| lambda := (19 / 2); alpha := 20; servers := fleet |}.
Definition low : Q := (90799859524969703071183031121101220475836177733129938 # 1000000000000000000000000000000000000000000000000000000000).
Definition high : Q := (90799859524969703071183031121101220475836177733129939 # 1000000000000000000000000000000000000000000000000000000000).
Definition entry_0 := {| theta_low := (4539992976248485153559151556055061023791808886656496 # 100000000000000000000000000000000000000000000000000000000); theta_high := (4539992976248485153559151556055061023791808886656497 # 100000000000000000000000000000000000000000000000000000000); queue_low := (0 # 1); queue_high := (0 # 1); state_of := Inactive |}.
Definition entry_1 := {| theta_low := (6840713758695270995796767777603742804717696453547607 # 10000000000000000000000000000000000000000000000000000000); theta_high := (6840713758695270995796767777603742804717696453547608 # 10000000000000000000000000000000000000000000000000000000); queue_low := (1425183873391832181735013922762034800727418539145197 # 10000000000000000000000000000000000000000000000000000); queue_high := (1425183873391832181735013922762034800727418539145198 # 10000000000000000000000000000000000000000000000000000); state_of := Active |}.
Definition entry_2 := {| theta_low := (2754771029778934542171189385187480921775960059496196 # 1000000000000000000000000000000000000000000000000000000); theta_high := (2754771029778934542171189385187480921775960059496197 # 1000000000000000000000000000000000000000000000000000000); queue_low := (307545580040273734977112672541893673186943442537613 # 1000000000000000000000000000000000000000000000000000); queue_high := (3075455800402737349771126725418936731869434425376131 # 10000000000000000000000000000000000000000000000000000); state_of := Active |}.
Definition entry_3 := {| theta_low := (6425419309257957391777252030843292762211721273274592 # 1000000000000000000000000000000000000000000000000000000); theta_high := (6425419309257957391777252030843292762211721273274593 # 1000000000000000000000000000000000000000000000000000000); queue_low := (4640484237193475685017905277462460189591206998292157 # 10000000000000000000000000000000000000000000000000000); queue_high := (4640484237193475685017905277462460189591206998292158 # 10000000000000000000000000000000000000000000000000000); state_of := Active |}.
Definition entry_4 := {| theta_low := (1133569937313575624596424358619868277632560023473549 # 100000000000000000000000000000000000000000000000000000); theta_high := (113356993731357562459642435861986827763256002347355 # 10000000000000000000000000000000000000000000000000000); queue_low := (614052176652417592792249984006771143101935317236446 # 1000000000000000000000000000000000000000000000000000); queue_high := (6140521766524175927922499840067711431019353172364461 # 10000000000000000000000000000000000000000000000000000); state_of := Active |}.
Definition entries := [entry_0; entry_1; entry_2; entry_3; entry_4].

Definition claim : Prop := reflected_uas_domain (17 / 20) (1 / 2) /\ equilibrium_claim S low high entries.

(** * Proof: with the hints of the witness *)
Ltac unfold_servers := unfold server_0, server_1, server_2, server_3, server_4.
Lemma good_0 : good server_0. Proof. good_server server_0. Qed.
Lemma good_1 : good server_1. Proof. good_server server_1. Qed.
Lemma good_2 : good server_2. Proof. good_server server_2. Qed.
Lemma good_3 : good server_3. Proof. good_server server_3. Qed.
Lemma good_4 : good server_4. Proof. good_server server_4. Qed.
Lemma system_ok : proper S.
Proof.
  unfold S, fleet. proper_system unfold_servers.
  apply Forall_cons; [exact good_0 |].
  apply Forall_cons; [exact good_1 |].
  apply Forall_cons; [exact good_2 |].
  apply Forall_cons; [exact good_3 |].
  apply Forall_cons; [exact good_4 |].
  apply Forall_nil.
Qed.
Definition rows : list row := [(server_0, entry_0, (false, false)); (server_1, entry_1, (true, true)); (server_2, entry_2, (true, true)); (server_3, entry_3, (true, true)); (server_4, entry_4, (true, true))].
Lemma placed_0 : placed 20 low high server_0 entry_0 false false.
Proof. place_inactive server_0 entry_0 low high good_0 281%positive. Qed.
Lemma placed_1 : placed 20 low high server_1 entry_1 true true.
Proof. place_active server_1 entry_1 low high good_1 281%positive. Qed.
Lemma placed_2 : placed 20 low high server_2 entry_2 true true.
Proof. place_active server_2 entry_2 low high good_2 281%positive. Qed.
Lemma placed_3 : placed 20 low high server_3 entry_3 true true.
Proof. place_active server_3 entry_3 low high good_3 281%positive. Qed.
Lemma placed_4 : placed 20 low high server_4 entry_4 true true.
Proof. place_active server_4 entry_4 low high good_4 281%positive. Qed.
Lemma all_placed : Forall (fun r => placed (alpha S) low high
  (fst (fst r)) (snd (fst r)) (fst (snd r)) (snd (snd r))) rows.
Proof.
  apply Forall_cons; [exact placed_0 |].
  apply Forall_cons; [exact placed_1 |].
  apply Forall_cons; [exact placed_2 |].
  apply Forall_cons; [exact placed_3 |].
  apply Forall_cons; [exact placed_4 |].
  apply Forall_nil.
Qed.

Theorem softmax_equilibrium_heavy_5 : claim.
Proof.
  unfold claim.
  split; [unfold reflected_uas_domain; lra |].
  apply (Equilibrium.certified S low high entries rows system_ok).
  - unfold low; numbers; lra.
  - unfold low, high; numbers; lra.
  - reflexivity.
  - reflexivity.
  - exact all_placed.
  - unfold S. crossing rows low unfold_servers 281%positive.
  - unfold S. crossing rows high unfold_servers 281%positive.
Qed.

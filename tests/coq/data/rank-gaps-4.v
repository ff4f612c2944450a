(** Generated from a certificate of the kind rank-gaps. *)
From Coq Require Import Reals Lra List QArith Qreals.
From Queues Require Import RankModel RankGaps.
Import ListNotations.
Open Scope R_scope.

(** * Statement: from the claim alone *)
Definition n : nat := 4%nat.
Definition x : figures := {|
  listed := [0; 1; 2; 3]%Z;
  ratios := [(135 # 256); (27 # 64); (9 # 16); (3 # 4)]%Q;
  gap_means := [(135 # 121); (27 # 37); (9 # 7); (3 # 1)]%Q;
  gap_variances := [(34560 # 14641); (1728 # 1369); (144 # 49); (12 # 1)]%Q;
  queue_means := [(135 # 121); (8262 # 4477); (98127 # 31339); (192144 # 31339)]%Q;
  all_mean := (383070 # 31339);
  not_idle := (135 # 256);
  not_tied := (729 # 4096);
  flow := (579 # 64);
  paused := (317 # 896) |}.
Definition a : Q := (2 # 1).
Definition b : Q := (1 # 1).
Definition critical : Q := (175 # 54).

Definition claim : Prop := marginal_domain n a b /\ gaps_claim n (marginal n a b) x /\ threshold_claim n a critical.

(** * Proof: with the hints of the witness *)
Lemma checked : check_marginal n 2%nat a b critical x = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem rank_gaps_4 : claim.
Proof.
  unfold claim.
  exact (certified_marginal n _ a b critical x checked).
Qed.

(** * What was proved, and on which axioms it rests *)
Check (rank_gaps_4 : claim).
Print Assumptions rank_gaps_4.

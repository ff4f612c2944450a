(** Generated from a certificate of the kind fluid-value. *)
From Coq Require Import Reals Lra List QArith Qreals.
From Queues Require Import FluidModel FluidValue.
Import ListNotations.
Open Scope R_scope.

(** * Statement: from the claim alone *)
Definition law : list atom := [
  {| size := (1 # 2); mass := (1 # 2) |}; 
  {| size := (3 # 2); mass := (1 # 2) |}].
Definition load : Q := (3 # 4).
Definition sectors : list sector := [
  {| from := (0 # 1); to := (3 # 13); cxx := (33 # 28); cxd := (-3 # 14); cdd := (-15 # 28) |}; 
  {| from := (3 # 13); to := (1 # 1); cxx := (6 # 5); cxd := (-2 # 5); cdd := (-2 # 15) |}].
Definition values : list (Q * Q) := [
  ((0 # 1), (33 # 28)); 
  ((3 # 13), (186 # 169)); 
  ((1 # 2), (29 # 30)); 
  ((1 # 1), (2 # 3))]%Q.
Definition saving : Q := (3 # 14).

Definition claim : Prop := value_claim law load sectors values saving.

(** * Proof: with the hints of the witness *)
Lemma checked : check_value law load sectors values saving = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Theorem fluid_value_running : claim.
Proof.
  unfold claim.
  exact (certified law load sectors values saving checked).
Qed.

(** * What was proved, and on which axioms it rests *)
Check (fluid_value_running : claim).
Print Assumptions fluid_value_running.

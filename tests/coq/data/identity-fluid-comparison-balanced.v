(** Generated from a certificate of the kind identity. *)
From Coq Require Import Reals Lra List QArith Qreals.
From Queues Require Import Identity.
Import ListNotations.
Open Scope R_scope.

(** * Statement: from the claim alone *)
Definition v_rho := Var 0.  (* a variable *)
Definition v_total := Var 1.  (* a variable *)
Definition v_imbalance := Var 2.  (* a variable *)
Definition d_value := (Product (Num (1 # 2)) (Sum (Product (Quotient v_rho (Sum (Num (1 # 1)) (Minus v_rho))) (Power v_total 2)) (Minus (Power v_imbalance 2)))).
Definition r_flow (n : nat) : expression := match n with | 1%nat => (Sum v_rho (Minus (Num (1 # 1)))) | 2%nat => (Minus v_rho) | _ => Num 0 end.
Definition left := (derive r_flow d_value).
Definition right := (Minus (Product v_rho (Sum v_total (Minus v_imbalance)))).

Definition claim : Prop := identity_claim left right.

(** * Proof: with the hints of the witness *)
Definition point (n : nat) : Q := nth n [(2 # 1); (3 # 1); (5 # 1)] (1 # 1).

Theorem identity_fluid_comparison_balanced : claim.
Proof.
  unfold claim.
  apply (certified left right point).
  - by_polynomials left right.
  - vm_cast_no_check (eq_refl true).
Qed.

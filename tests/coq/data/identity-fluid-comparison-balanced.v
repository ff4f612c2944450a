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
Definition i_flow_1 := (Sum v_rho (Minus (Num (1 # 1)))).
Definition i_flow_2 := (Minus v_rho).
Definition r_flow (n : nat) : expression := match n with | 1%nat => i_flow_1 | 2%nat => i_flow_2 | _ => Num 0 end.
Definition left := (derive r_flow d_value).
Definition right := (Minus (Product v_rho (Sum v_total (Minus v_imbalance)))).
Definition written : list expression := [d_value; i_flow_1; i_flow_2].

Definition claim : Prop := identity_claim written left right.

(** * Proof: with the hints of the witness *)
Definition points : list (list Q) := [[(2 # 1); (3 # 1); (5 # 1)]; [(9 # 2); (13 # 2); (24 # 2)]; [(16 # 3); (23 # 3); (43 # 3)]; [(23 # 4); (33 # 4); (62 # 4)]; [(30 # 5); (43 # 5); (81 # 5)]; [(37 # 6); (53 # 6); (100 # 6)]].

Theorem identity_fluid_comparison_balanced : claim.
Proof.
  unfold claim.
  apply (certified written left right points).
  - by_polynomials left right.
  - vm_cast_no_check (eq_refl true).
Qed.

(** * What was proved, and on which axioms it rests *)
Check (identity_fluid_comparison_balanced : claim).
Print Assumptions identity_fluid_comparison_balanced.

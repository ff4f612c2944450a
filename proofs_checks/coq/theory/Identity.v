(** Identities between rational expressions with derivations. Formalises the page
    [identity] of the kind of that name.

    - [identity_claim] is the statement: both sides are equal wherever no divisor is zero, and there
      is a point where none is;
    - [derive_sound]: the derivation rules are those of calculus: if every variable is a function
      of time whose derivative is the rule's image, then [derive rule e] is the derivative of e. *)
From Coq Require Import Reals Lra List QArith Qreals Bool Nsatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Inductive expression :=
  | Num (q : Q)
  | Var (n : nat)
  | Sum (a b : expression)
  | Product (a b : expression)
  | Minus (a : expression)
  | Quotient (a b : expression)
  | Power (a : expression) (n : nat).

Fixpoint eval (values : nat -> R) (e : expression) : R :=
  match e with
  | Num q => Q2R q
  | Var n => values n
  | Sum a b => eval values a + eval values b
  | Product a b => eval values a * eval values b
  | Minus a => - eval values a
  | Quotient a b => eval values a / eval values b
  | Power a n => eval values a ^ n
  end.

(** No divisor is zero. *)
Fixpoint defined (values : nat -> R) (e : expression) : Prop :=
  match e with
  | Num _ | Var _ => True
  | Sum a b | Product a b => defined values a /\ defined values b
  | Minus a | Power a _ => defined values a
  | Quotient a b => defined values a /\ defined values b /\ eval values b <> 0
  end.

(** The derivation that takes the variable n to [rule n]. *)
Fixpoint derive (rule : nat -> expression) (e : expression) : expression :=
  match e with
  | Num _ => Num 0
  | Var n => rule n
  | Sum a b => Sum (derive rule a) (derive rule b)
  | Product a b => Sum (Product (derive rule a) b) (Product a (derive rule b))
  | Minus a => Minus (derive rule a)
  | Quotient a b =>
      Quotient (Sum (Product (derive rule a) b) (Minus (Product a (derive rule b)))) (Power b 2)
  | Power a n =>
      match n with
      | O => Num 0
      | S m => Product (Product (Num (inject_Z (Z.of_nat n))) (Power a m)) (derive rule a)
      end
  end.

Definition identity_claim (left right : expression) : Prop :=
  (forall values, defined values left -> defined values right -> eval values left = eval values right)
  /\ (exists values, defined values left /\ defined values right).

Theorem derive_sound rule (f : R -> nat -> R) (t : R) :
  (forall n, is_derive (fun s => f s n) t (eval (f t) (rule n))) ->
  forall e, defined (f t) e -> is_derive (fun s => eval (f s) e) t (eval (f t) (derive rule e)).
Proof.
  intros H e. induction e as [q|n|a IHa b IHb|a IHa b IHb|a IHa|a IHa b IHb|a IHa n]; intros D; simpl in *.
  - replace (Q2R 0) with 0 by (unfold Q2R; simpl; lra). apply (is_derive_const (Q2R q)).
  - apply H.
  - apply (is_derive_plus (fun s => eval (f s) a) (fun s => eval (f s) b)); [apply IHa | apply IHb]; apply D.
  - apply (is_derive_mult (fun s => eval (f s) a) (fun s => eval (f s) b));
      [apply IHa, D | apply IHb, D | intros; apply Rmult_comm].
  - apply (is_derive_opp (fun s => eval (f s) a)). apply IHa, D.
  - destruct D as [Da [Db Hb]].
    replace ((eval (f t) (derive rule a) * eval (f t) b + - (eval (f t) a * eval (f t) (derive rule b)))
        / (eval (f t) b * (eval (f t) b * 1)))
      with ((eval (f t) (derive rule a) * eval (f t) b - eval (f t) a * eval (f t) (derive rule b))
        / (eval (f t) b ^ 2)) by (field; exact Hb).
    apply (is_derive_div (fun s => eval (f s) a) (fun s => eval (f s) b)); [apply IHa, Da | apply IHb, Db | exact Hb].
  - destruct n as [|m].
    + simpl. replace (Q2R 0) with 0 by (unfold Q2R; simpl; lra). apply (is_derive_const 1).
    + assert (E : Q2R (inject_Z (Z.of_nat (S m))) = INR (S m)).
      { unfold Q2R, inject_Z. cbn [Qnum Qden]. rewrite INR_IZR_INZ. field. }
      change (eval (f t) (Product (Product (Num (inject_Z (Z.of_nat (S m)))) (Power a m)) (derive rule a)))
        with (Q2R (inject_Z (Z.of_nat (S m))) * eval (f t) a ^ m * eval (f t) (derive rule a)).
      rewrite E.
      replace (INR (S m) * eval (f t) a ^ m * eval (f t) (derive rule a))
        with (INR (S m) * eval (f t) (derive rule a) * eval (f t) a ^ m) by ring.
      apply (is_derive_pow (fun s => eval (f s) a) (S m)). apply IHa, D.
Qed.

(** * A point where nothing is divided by zero, by computation with rationals *)
Fixpoint power_Q (q : Q) (n : nat) : Q :=
  match n with O => 1%Q | S m => Qred (q * power_Q q m) end.
Fixpoint eval_Q (values : nat -> Q) (e : expression) : Q :=
  match e with
  | Num q => q
  | Var n => values n
  | Sum a b => Qred (eval_Q values a + eval_Q values b)
  | Product a b => Qred (eval_Q values a * eval_Q values b)
  | Minus a => Qopp (eval_Q values a)
  | Quotient a b => Qred (eval_Q values a / eval_Q values b)
  | Power a n => power_Q (eval_Q values a) n
  end.
Fixpoint defined_Q (values : nat -> Q) (e : expression) : bool :=
  match e with
  | Num _ | Var _ => true
  | Sum a b | Product a b => defined_Q values a && defined_Q values b
  | Minus a | Power a _ => defined_Q values a
  | Quotient a b => defined_Q values a && defined_Q values b && negb (Qeq_bool (eval_Q values b) 0)
  end.

Lemma Qred_R a : Q2R (Qred a) = Q2R a.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma defined_sound values e : defined_Q values e = true ->
  defined (fun n => Q2R (values n)) e /\ eval (fun n => Q2R (values n)) e = Q2R (eval_Q values e).
Proof.
  induction e as [q|n|a IHa b IHb|a IHa b IHb|a IHa|a IHa b IHb|a IHa n];
    cbn [eval_Q defined_Q eval defined]; rewrite ?andb_true_iff; intros H.
  - split; [exact I | reflexivity].
  - split; [exact I | reflexivity].
  - destruct (IHa (proj1 H)) as [A1 A2]. destruct (IHb (proj2 H)) as [B1 B2].
    split; [split; assumption|]. rewrite Qred_R, Q2R_plus, A2, B2. reflexivity.
  - destruct (IHa (proj1 H)) as [A1 A2]. destruct (IHb (proj2 H)) as [B1 B2].
    split; [split; assumption|]. rewrite Qred_R, Q2R_mult, A2, B2. reflexivity.
  - destruct (IHa H) as [A1 A2]. split; [exact A1|]. rewrite Q2R_opp, A2. reflexivity.
  - destruct H as [[Ha Hb] Hz]. destruct (IHa Ha) as [A1 A2]. destruct (IHb Hb) as [B1 B2].
    assert (N : ~ (eval_Q values b == 0)%Q).
    { intros C. apply Qeq_bool_iff in C. rewrite C in Hz. discriminate. }
    split; [split; [exact A1 | split; [exact B1|]]|].
    + rewrite B2. intros C. apply N, eqR_Qeq. rewrite C. unfold Q2R. simpl. lra.
    + rewrite Qred_R, Q2R_div, A2, B2 by exact N. reflexivity.
  - destruct (IHa H) as [A1 A2]. split; [exact A1|]. rewrite A2.
    induction n as [|n IH]; [unfold Q2R; simpl; lra|].
    change (Q2R (power_Q (eval_Q values a) (S n))) with (Q2R (Qred (eval_Q values a * power_Q (eval_Q values a) n))).
    rewrite Qred_R, Q2R_mult, <- IH. reflexivity.
Qed.

Theorem certified left right (point : nat -> Q) :
  (forall values, defined values left -> defined values right -> eval values left = eval values right) ->
  defined_Q point left && defined_Q point right = true -> identity_claim left right.
Proof.
  intros H D. apply andb_true_iff in D. destruct D as [Dl Dr].
  split; [exact H|]. exists (fun n => Q2R (point n)).
  split; [apply defined_sound, Dl | apply defined_sound, Dr].
Qed.

(** * The tactic of the generated files *)
(** What [field] leaves: a divisor, written anew, or a factor of one that is not zero. *)
Ltac not_zero depth :=
  first
  [ assumption
  | apply Rgt_not_eq; lra | apply Rlt_not_eq; lra
  | match goal with H : ?y <> 0 |- ?x <> 0 =>
      let E := fresh "E" in intros E; apply H; first [lra | rewrite <- E; ring | solve [timeout 5 nsatz]] end
  | match depth with S ?less =>
      match goal with H : ?y <> 0 |- ?x <> 0 =>
        match y with context [_ / _] =>
          let E := fresh "E" in intros E; apply H; clear H;
          field_simplify_eq; [solve [timeout 5 nsatz] | repeat split; not_zero less] end end end ].
Ltac by_field :=
  intros values; cbn [defined eval derive]; unfold Q2R; cbn [Qnum Qden inject_Z Z.of_nat Pos.of_succ_nat Pos.succ];
  rewrite ?Rinv_1, ?Rmult_1_r; intros Hl Hr;
  repeat match goal with
  | H : _ /\ _ |- _ => destruct H | H : True |- _ => clear H
  | H : ?x <> 0, K : ?x <> 0 |- _ => clear K
  | H : ?b ^ _ <> 0 |- _ =>
      let K := fresh "K" in
      assert (K : b <> 0) by (let E := fresh in intros E; apply H; rewrite E; simpl; ring); clear H
  end;
  field; repeat split; not_zero 2%nat.

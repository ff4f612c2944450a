(** Identities between rational expressions with derivations. Formalises the page
    [identity] of the kind of that name.

    - [identity_claim] is the statement: both sides are equal wherever no divisor is zero, neither on
      a side nor in any other expression that is written, and there is a point where none is;
    - [derive_sound]: the derivation rules are those of calculus: if every variable is a function
      of time whose derivative is the rule's image, then [derive rule e] is the derivative of e. *)
From Coq Require Import Reals Lra List QArith Qreals Bool.
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

(** [written]: the definitions, the images of the rules, and what is derived. *)
Definition identity_claim (written : list expression) (left right : expression) : Prop :=
  (forall values, List.Forall (defined values) (left :: right :: written) -> eval values left = eval values right)
  /\ (exists values, List.Forall (defined values) (left :: right :: written)).

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

(** * Fractions of polynomials *)
(** A divisor is kept as a list of factors, so that a common denominator takes common factors once.
    Every factor is the numerator of something that was divided by, hence not zero. *)
Definition same (a b : expression) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.

Fixpoint without (x : expression) (l : list expression) : option (list expression) :=
  match l with
  | nil => None
  | cons y l' => if same x y then Some l' else option_map (cons y) (without x l')
  end.
(** What l has over m, and m over l. *)
Fixpoint excess (l m : list expression) : list expression * list expression :=
  match l with
  | nil => (nil, m)
  | cons x l' =>
      match without x m with
      | Some m' => excess l' m'
      | None => let (p, q) := excess l' m in (cons x p, q)
      end
  end.
Fixpoint times (e : expression) (l : list expression) : expression :=
  match l with nil => e | cons x l' => times (Product e x) l' end.
Fixpoint copies (n : nat) (l : list expression) : list expression :=
  match n with O => nil | S m => l ++ copies m l end.
Fixpoint fraction (e : expression) : expression * list expression :=
  match e with
  | Num _ | Var _ => (e, nil)
  | Minus a => let (na, da) := fraction a in (Minus na, da)
  | Sum a b =>
      let (na, da) := fraction a in let (nb, db) := fraction b in
      let (p, q) := excess da db in (Sum (times na q) (times nb p), da ++ q)
  | Product a b =>
      let (na, da) := fraction a in let (nb, db) := fraction b in (Product na nb, da ++ db)
  | Quotient a b =>
      let (na, da) := fraction a in let (nb, db) := fraction b in
      let (p, q) := excess da db in (times na q, cons nb p)
  | Power a n => let (na, da) := fraction a in (Power na n, copies n da)
  end.
(** The two polynomials that are to be equal. *)
Definition crossed (left right : expression) : expression * expression :=
  let (nl, dl) := fraction left in let (nr, dr) := fraction right in
  let (p, q) := excess dl dr in (times nl q, times nr p).

Section Sound.
Variable values : nat -> R.
Notation ev := (eval values).
Fixpoint product (l : list expression) : R := match l with nil => 1 | cons x l' => ev x * product l' end.
Notation nonzero := (List.Forall (fun x => ev x <> 0)).

Lemma times_value e l : ev (times e l) = ev e * product l.
Proof.
  revert e. induction l as [|x l IH]; intros e; simpl; [ring|]. rewrite IH. simpl. ring.
Qed.
Lemma product_app l m : product (l ++ m) = product l * product m.
Proof. induction l as [|x l IH]; simpl; [ring | rewrite IH; ring]. Qed.
Lemma product_nonzero l : nonzero l -> product l <> 0.
Proof.
  intros H. induction H as [|x l Hx _ IH]; simpl; [lra|]. apply Rmult_integral_contrapositive_currified; assumption.
Qed.
Lemma without_value x l l' : without x l = Some l' -> product l = ev x * product l'.
Proof.
  revert l'. induction l as [|y l IH]; intros l' H; [discriminate|]. simpl in H.
  destruct (same x y) as [->|_]; [injection H as <-; reflexivity|].
  destruct (without x l) as [k|]; [|discriminate]. injection H as <-. simpl. rewrite (IH k eq_refl). ring.
Qed.
Lemma without_nonzero x l l' : without x l = Some l' -> nonzero l -> nonzero l'.
Proof.
  revert l'. induction l as [|y l IH]; intros l' H Hl; [discriminate|]. simpl in H. inversion Hl; subst.
  destruct (same x y) as [->|_]; [injection H as <-; assumption|].
  destruct (without x l) as [k|]; [|discriminate]. injection H as <-. constructor; [assumption | apply IH; auto].
Qed.
Lemma excess_value l m : product l * product (snd (excess l m)) = product m * product (fst (excess l m)).
Proof.
  revert m. induction l as [|x l IH]; intros m; simpl; [ring|].
  destruct (without x m) as [m'|] eqn:E.
  - rewrite (without_value x m m' E), Rmult_assoc, IH. ring.
  - specialize (IH m). destruct (excess l m) as [p q]. simpl in *. rewrite Rmult_assoc, IH. ring.
Qed.
Lemma excess_nonzero l m : nonzero l -> nonzero m -> nonzero (fst (excess l m)) /\ nonzero (snd (excess l m)).
Proof.
  intros Hl. revert m. induction Hl as [|x l Hx Hl IH]; intros m Hm; simpl; [split; [constructor | exact Hm]|].
  destruct (without x m) as [m'|] eqn:E; [apply IH, (without_nonzero x m m' E Hm)|].
  specialize (IH m Hm). destruct (excess l m) as [p q]. simpl in *.
  split; [constructor; [exact Hx | apply IH] | apply IH].
Qed.
Lemma copies_value n l : product (copies n l) = product l ^ n.
Proof. induction n as [|n IH]; simpl; [reflexivity|]. rewrite product_app, IH. reflexivity. Qed.
Lemma nonzero_app l m : nonzero l -> nonzero m -> nonzero (l ++ m).
Proof. intros H K. apply Forall_app. split; assumption. Qed.
Lemma copies_nonzero n l : nonzero l -> nonzero (copies n l).
Proof. intros H. induction n as [|n IH]; simpl; [constructor | apply nonzero_app; assumption]. Qed.

Lemma fraction_sound e : defined values e ->
  nonzero (snd (fraction e)) /\ ev e * product (snd (fraction e)) = ev (fst (fraction e)).
Proof.
  induction e as [q|n|a IHa b IHb|a IHa b IHb|a IHa|a IHa b IHb|a IHa n]; simpl; intros D.
  - split; [constructor | ring].
  - split; [constructor | ring].
  - destruct (IHa (proj1 D)) as [Za Ea]. destruct (IHb (proj2 D)) as [Zb Eb].
    destruct (fraction a) as [na da]. destruct (fraction b) as [nb db]. simpl in *.
    assert (X := excess_value da db). assert (Z := excess_nonzero da db Za Zb).
    destruct (excess da db) as [p q]. simpl in *. split; [apply nonzero_app; [exact Za | apply Z]|].
    rewrite product_app, !times_value, <- Ea, <- Eb.
    transitivity (ev a * product da * product q + ev b * (product da * product q)); [ring|].
    rewrite X. ring.
  - destruct (IHa (proj1 D)) as [Za Ea]. destruct (IHb (proj2 D)) as [Zb Eb].
    destruct (fraction a) as [na da]. destruct (fraction b) as [nb db]. simpl in *.
    split; [apply nonzero_app; assumption|]. rewrite product_app, <- Ea, <- Eb. ring.
  - destruct (IHa D) as [Za Ea]. destruct (fraction a) as [na da]. simpl in *.
    split; [exact Za|]. rewrite <- Ea. ring.
  - destruct D as [Da [Db Hb]]. destruct (IHa Da) as [Za Ea]. destruct (IHb Db) as [Zb Eb].
    destruct (fraction a) as [na da]. destruct (fraction b) as [nb db]. simpl in *.
    assert (X := excess_value da db). assert (Z := excess_nonzero da db Za Zb).
    assert (Pa := product_nonzero da Za). assert (Pb := product_nonzero db Zb).
    destruct (excess da db) as [p q]. simpl in *.
    assert (Hnb : ev nb <> 0).
    { rewrite <- Eb. apply Rmult_integral_contrapositive_currified; assumption. }
    split; [constructor; [exact Hnb | apply Z]|].
    rewrite times_value, <- Ea, <- Eb.
    transitivity (ev a * (product db * product p)); [field; exact Hb|]. rewrite <- X. ring.
  - destruct (IHa D) as [Za Ea]. destruct (fraction a) as [na da]. simpl in *.
    split; [apply copies_nonzero, Za|]. rewrite copies_value, <- Ea, Rpow_mult_distr. reflexivity.
Qed.

Lemma crossed_sound left right : defined values left -> defined values right ->
  ev (fst (crossed left right)) = ev (snd (crossed left right)) -> ev left = ev right.
Proof.
  intros Dl Dr. destruct (fraction_sound left Dl) as [Zl El]. destruct (fraction_sound right Dr) as [Zr Er].
  unfold crossed. destruct (fraction left) as [nl dl]. destruct (fraction right) as [nr dr]. simpl in *.
  assert (X := excess_value dl dr). assert (Z := excess_nonzero dl dr Zl Zr).
  destruct (excess dl dr) as [p q]. simpl in *. rewrite !times_value, <- El, <- Er. intros H.
  apply Rmult_eq_reg_r with (product dl * product q).
  - rewrite <- Rmult_assoc, H, X. ring.
  - apply Rmult_integral_contrapositive_currified; apply product_nonzero; [exact Zl | apply Z].
Qed.
End Sound.

(** Whether no divisor is zero at one of some points. *)
Fixpoint defined_somewhere (points : list (list Q)) (all : list expression) : bool :=
  match points with
  | nil => false
  | point :: others =>
      if forallb (defined_Q (fun n => nth n point 1%Q)) all then true else defined_somewhere others all
  end.

Theorem certified written left right (points : list (list Q)) :
  (forall values, eval values (fst (crossed left right)) = eval values (snd (crossed left right))) ->
  defined_somewhere points (left :: right :: written) = true -> identity_claim written left right.
Proof.
  intros H D. split.
  - intros values F. inversion F as [|? ? Hl F']; subst. inversion F' as [|? ? Hr _]; subst.
    apply (crossed_sound values left right Hl Hr), H.
  - induction points as [|point others IH]; [discriminate|]. cbn [defined_somewhere] in D.
    destruct (forallb (defined_Q (fun n => nth n point 1%Q)) (left :: right :: written)) eqn:E.
    + rewrite forallb_forall in E. exists (fun n => Q2R (nth n point 1%Q)).
      apply Forall_forall. intros e He. apply defined_sound, E, He.
    + apply IH, D.
Qed.

(** The tactic of the generated files: two polynomials with rational coefficients are equal. *)
Ltac by_polynomials left right :=
  intros values;
  let e := eval vm_compute in (crossed left right) in
  change (crossed left right) with e;
  cbn [fst snd eval]; unfold Q2R; cbn [Qnum Qden]; field.

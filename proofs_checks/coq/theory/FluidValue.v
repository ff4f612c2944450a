(** The certificate theorem of the kind [fluid-value] (theorem page [fluid-value]).

    - [certified]: if the Boolean function [check_value] answers true on the numbers of a
      certificate, the certificate's whole statement, [value_claim] of FluidModel.v, is true.

    A re-proved certificate is this theorem and one evaluation of [check_value] by the kernel. *)
From Coq Require Import Reals Lra Lia QArith Qreals Qabs Bool.
From Coquelicot Require Import Coquelicot.
From Coq Require Import List.
From Queues Require Import FluidModel RightDerivative FluidSectors FluidLowerBound FluidOptimal FluidFast.
Import ListNotations.

Open Scope Q_scope.
Fixpoint check_proper (law : list atom) : bool :=
  match law with
  | [] => true
  | a :: l => Qle_bool 0 (size a) && qlt 0 (mass a) && check_proper l
              && match l with [] => true | b :: _ => qlt (size a) (size b) end
  end.
Definition balanced_Q (load : Q) : Q := Qred (load / (2 * (1 - load))).
Definition check_value (law : list atom) (load : Q) (l : list sector) (values : list (Q * Q))
    (saving : Q) : bool :=
  check_proper law && fast_claim law load l values
  && Qeq_bool (eval l 1 0) ((1 - saving) * balanced_Q load).
Close Scope Q_scope.
Open Scope R_scope.

Lemma check_proper_sound law : check_proper law = true -> proper_law law.
Proof.
  induction law as [|a l IH]; intros H; [exact I|].
  change (check_proper (a :: l)) with (Qle_bool 0 (size a) && qlt 0 (mass a) && check_proper l
    && match l with [] => true | b :: _ => qlt (size a) (size b) end) in H.
  rewrite !andb_true_iff in H. destruct H as [[[H1 H2] H3] H4].
  apply qle_R in H1. apply qlt_R in H2. rewrite q0 in H1, H2.
  change (0 <= Q2R (size a) /\ 0 < Q2R (mass a) /\ proper_law l
    /\ match l with [] => True | b :: _ => Q2R (size a) < Q2R (size b) end).
  repeat split; [exact H1 | exact H2 | exact (IH H3) |].
  destruct l as [|b l]; [exact I | apply qlt_R, H4].
Qed.

(** Keeping two equal queues equal, by sending half of the jobs of each size to either, empties
    them at cost load x^2 / (2 (1 - load)). *)
Lemma balanced_drains law load : 0 < load < 1 -> mean (fun _ => 1) law = 1 ->
  mean (fun a => Q2R (size a)) law = 1 -> drains law load (1 / 2) (1 / 2) (balanced_cost load).
Proof.
  intros Hr H1 H2.
  assert (W : work_share law (fun _ => / 2) = / 2).
  { transitivity (/ 2 * mean (fun a => Q2R (size a)) law); [|rewrite H2; ring].
    unfold work_share. rewrite <- mean_scale. reflexivity. }
  assert (P : job_share law (fun _ => / 2) = / 2).
  { transitivity (/ 2 * mean (fun _ => 1) law); [|rewrite H1; ring].
    unfold job_share. rewrite <- mean_scale. apply mean_ext. intros; ring. }
  set (x := fun t => 1 + (load - 1) * t). set (T := / (1 - load)).
  assert (HT : 0 < T) by (apply Rinv_0_lt_compat; lra).
  assert (XT : x T = 0) by (unfold x, T; field; lra).
  assert (Hx : forall t, 0 <= t <= T -> 0 <= x t).
  { intros t Ht. unfold x. assert ((1 - load) * t <= (1 - load) * T) by (apply Rmult_le_compat_l; lra).
    assert ((1 - load) * T = 1) by (unfold T; field; lra). lra. }
  set (c := fun t => balanced_cost load * (1 - x t * x t)).
  assert (Du : forall t, is_derive (fun t => x t / 2) t (load * / 2 - / 2 + 0)).
  { intros t. unfold x. auto_derive; [exact I | field]. }
  assert (Dc : forall t, is_derive c t (2 * load * (/ 2 * (x t / 2) + (1 - / 2) * (x t / 2)))).
  { intros t. unfold c, x, balanced_cost. auto_derive; [exact I | field; lra]. }
  exists T, (fun t => x t / 2), (fun t => x t / 2), c.
  split; [lra|]. split.
  - constructor.
    + intros t _. repeat split; apply poly_cont; eexists; eauto.
    + intros t Ht. generalize (Hx t Ht). lra.
    + unfold c, x. ring.
    + intros t Ht. exists (fun _ => / 2), 0, 0. rewrite W, P.
      split; [intros; lra|]. split; [lra|]. split; [lra|]. split; [lra|]. split; [lra|].
      replace (load * (1 - / 2) - / 2 + 0) with (load * / 2 - / 2 + 0) by field.
      repeat split; apply rderiv_of_is_derive; auto.
  - unfold c. rewrite XT. unfold x. repeat split; field.
Qed.

Theorem certified law load l values saving :
  check_value law load l values saving = true -> value_claim law load l values saving.
Proof.
  unfold check_value. rewrite !andb_true_iff. intros [[Hp Hf] Hs].
  assert (Ho := fast_optimal _ _ _ _ Hf).
  assert (Hv : valid law (Q2R load) l).
  { apply check_valid. unfold check_optimal in Ho. rewrite !andb_true_iff in Ho. apply Ho. }
  assert (Hin : forall s, In s l -> 0 <= Q2R (from s) /\ Q2R (to s) <= 1).
  { unfold check_optimal in Ho. rewrite !andb_true_iff, forallb_forall in Ho. intros s Is.
    destruct Ho as [[_ D] _]. specialize (D s Is). unfold check_drive in D.
    rewrite !andb_true_iff in D. destruct D as [[F T] _]. apply qle_R in F. apply qle_R in T.
    rewrite q0 in F. rewrite q1 in T. split; assumption. }
  assert (Hopt := optimal law load l Ho).
  assert (Hcone : forall x d, 0 <= d <= x ->
    least_cost law (Q2R load) ((x - d) / 2) ((x + d) / 2) (V l x d)).
  { intros x d Hd. assert (K := Hopt ((x - d) / 2) ((x + d) / 2) ltac:(lra) ltac:(lra)).
    unfold value_at in K.
    replace ((x - d) / 2 + (x + d) / 2) with x in K by field.
    replace ((x + d) / 2 - (x - d) / 2) with d in K by field.
    rewrite Rabs_pos_eq in K by lra. exact K. }
  assert (Hr := FluidLowerBound.load _ _ _ Hv).
  split; [apply check_proper_sound, Hp|]. split; [apply Hv|]. split; [apply Hv|]. split; [exact Hr|].
  split; [|split; [|split; [|split]]].
  - intros s x d Is Hx Hd. destruct (Hin s Is) as [F T].
    rewrite <- (pieces_in l s x d Hx (edges _ _ _ Hv) (widths _ _ _ Hv) Is Hd).
    apply Hcone. split.
    + apply Rle_trans with (Q2R (from s) * x); [apply Rmult_le_pos; lra | apply Hd].
    + apply Rle_trans with (Q2R (to s) * x); [apply Hd|].
      rewrite <- (Rmult_1_l x) at 2. apply Rmult_le_compat_r; lra.
  - intros x d Hx Hd.
    unfold check_optimal in Ho. rewrite !andb_true_iff in Ho. destruct Ho as [[Hc _] _].
    unfold check in Hc. rewrite !andb_true_iff in Hc. destruct Hc as [_ He].
    destruct l as [|s l]; [discriminate|].
    unfold check_ends in He. cbv zeta in He. rewrite !andb_true_iff in He.
    destruct He as [[[E1 E2] _] _]. apply qeq_R in E1. apply qeq_R in E2. rewrite q0 in E1. rewrite q1 in E2.
    replace (last (s :: l) s) with (last l s) in E2 by (destruct l; reflexivity).
    destruct (locate s l x d Hx (edges _ _ _ Hv) (widths _ _ _ Hv)) as [t [It [Hd' _]]].
    + rewrite E1, E2. lra.
    + exists t. split; assumption.
  - apply (fast_claim_sound law load l values Hf).
  - apply balanced_drains; [exact Hr | apply Hv | apply Hv].
  - assert (K := Hcone 1 0 ltac:(lra)).
    replace ((1 - 0) / 2) with (1 / 2) in K by field. replace ((1 + 0) / 2) with (1 / 2) in K by field.
    apply qeq_R in Hs. rewrite eval_R, q0, q1 in Hs. rewrite Hs in K.
    replace ((1 - Q2R saving) * balanced_cost (Q2R load))
      with (Q2R ((1 - saving) * balanced_Q load)); [exact K|].
    unfold balanced_Q, balanced_cost. autorewrite with q2r.
    rewrite Q2R_div; autorewrite with q2r; [reflexivity|].
    intros C. apply Qeq_eqR in C. autorewrite with q2r in C. lra.
Qed.

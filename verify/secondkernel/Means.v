(* Rules of a proof about means, noises and samples over finitely many values, and about sequences.
Nothing is admitted. *)
From RateProof Require Export Functions.

(* --- means over finitely many values *)
Section Sums.
Variable I : Type.
Fixpoint sum (l : list I) (f : I -> R) : R := match l with nil => 0 | i :: t => f i + sum t f end.
Lemma sum_ext l f g : (forall i, In i l -> f i = g i) -> sum l f = sum l g.
Proof. induction l; simpl; intro H; [reflexivity|]. rewrite (H a), IHl; auto. Qed.
Lemma sum_add l f g : sum l (fun i => f i + g i) = sum l f + sum l g.
Proof. induction l; simpl; [ring|]. rewrite IHl; ring. Qed.
Lemma sum_scal l c f : sum l (fun i => c * f i) = c * sum l f.
Proof. induction l; simpl; [ring|]. rewrite IHl; ring. Qed.
Lemma sum_le l f g : (forall i, In i l -> f i <= g i) -> sum l f <= sum l g.
Proof. induction l; simpl; intro H; [lra|]. pose proof (H a (or_introl eq_refl)).
pose proof (IHl (fun i h => H i (or_intror h))). lra. Qed.
Lemma sum_pos l f : (forall i, In i l -> 0 <= f i) -> 0 <= sum l f.
Proof. intro H. pose proof (sum_le l (fun _ => 0) f H) as P. enough (sum l (fun _ => 0) = 0) by lra.
clear; induction l; simpl; lra. Qed.
Lemma sum_app l m f : sum (l ++ m) f = sum l f + sum m f.
Proof. induction l; simpl; [ring|]. rewrite IHl; ring. Qed.
Lemma sum_ones l : sum l (fun _ => 1) = INR (length l).
Proof. induction l; simpl length; [reflexivity|]. rewrite S_INR, <- IHl. simpl. ring. Qed.
(* a sum of nonnegative terms with factors of at most c *)
Lemma sum_factor l c w f : (forall i, In i l -> 0 <= f i) -> (forall i, In i l -> w i <= c) ->
  sum l (fun i => w i * f i) <= c * sum l f.
Proof. intros F W. rewrite <- sum_scal. apply sum_le. intros i H. apply Rmult_le_compat_r; auto. Qed.
Fixpoint vsum {E : ips} (l : list I) (u : I ->
  E) : E := match l with nil => vzero | i :: t => vadd (u i) (vsum t u) end.
Lemma vsum_dot {E : ips} l (u : I -> E) v : dot (vsum l u) v = sum l (fun i => dot (u i) v).
Proof. induction l; simpl; [apply dot_zero|]. now rewrite dot_add, IHl. Qed.
Lemma vsum_dotr {E : ips} l (u : I -> E) v : dot v (vsum l u) = sum l (fun i => dot v (u i)).
Proof. induction l; simpl; [apply dot_zeror|]. now rewrite dot_addr, IHl. Qed.
End Sums.
Arguments sum {I} _ _. Arguments vsum {I E} _ _.
Lemma sum_map {I J} (h : I -> J) l f : sum (map h l) f = sum l (fun i => f (h i)).
Proof. induction l; simpl; congruence. Qed.
Lemma sum_swap {I J} (l : list I) (m : list J) f : sum l (fun i => sum m (f i))
  = sum m (fun j => sum l (fun i => f i j)).
Proof.
induction l; simpl.
- induction m; simpl; [reflexivity | rewrite <- IHm; ring].
- now rewrite IHl, <- sum_add.
Qed.

(* A finite law: values, and a weight for each. Random vectors are again a real inner product space, with E<u, v> as its
   inner product, so that what is proved of vectors is proved of random ones. *)
Record law (I : Type) := { values : list I; weight : I -> R;
  weight_pos : forall i, In i values -> 0 <= weight i; weight_one : sum values weight = 1 }.
Arguments values {I} _. Arguments weight {I} _ _. Arguments weight_pos {I} _ _ _. Arguments weight_one {I} _.

Section Means.
Variables (I : Type) (P : law I) (E : ips).
Definition mean (f : I -> R) : R := sum (values P) (fun i => weight P i * f i).
Lemma mean_const c : mean (fun _ => c) = c.
Proof. unfold mean. rewrite (sum_ext _ _ _ (fun i => c * weight P i)) by (intros; ring).
rewrite sum_scal, weight_one; ring. Qed.
Lemma mean_add f g : mean (fun i => f i + g i) = mean f + mean g.
Proof. unfold mean. rewrite <- sum_add. apply sum_ext; intros; ring. Qed.
Lemma mean_scal c f : mean (fun i => c * f i) = c * mean f.
Proof. unfold mean. rewrite <- sum_scal. apply sum_ext; intros; ring. Qed.
Lemma mean_le f g : (forall i, f i <= g i) -> mean f <= mean g.
Proof. intro H. apply sum_le. intros i L. apply Rmult_le_compat_l; [now apply weight_pos | apply H]. Qed.
Lemma mean_ext f g : (forall i, f i = g i) -> mean f = mean g.
Proof. intro H. apply sum_ext. intros; now rewrite H. Qed.
Lemma mean_pos f : (forall i, 0 <= f i) -> 0 <= mean f.
Proof. intro H. apply sum_pos. intros i L. apply Rmult_le_pos; [now apply weight_pos | apply H]. Qed.

Definition random : ips.
Proof.
refine {| car := I -> E; vzero := fun _ => vzero; vadd u v := fun i => vadd (u i) (v i);
  vscal c u := fun i => vscal c (u i);
          dot u v := mean (fun i => dot (u i) (v i)) |}.
- intros; apply mean_ext; intros; apply dot_sym.
- intros v. rewrite (mean_ext _ (fun _ => 0)) by (intros; apply dot_zero). apply mean_const.
- intros. rewrite <- mean_add. apply mean_ext; intros; apply dot_add.
- intros. rewrite <- mean_scal. apply mean_ext; intros; apply dot_scal.
- intros; apply mean_pos; intros; apply dot_pos.
Defined.
Definition constant (v : E) : random := fun _ => v.
Definition expected (u : random) : E := vsum (values P) (fun i => vscal (weight P i) (u i)).

(* mean: the same inner product as what it is the mean of, with every vector that does not have the index *)
Lemma mean_dot (u : random) (v : E) : dot (constant (expected u)) (constant v) = dot u (constant v).
Proof.
change (mean (fun _ => dot (expected u) v) = mean (fun i => dot (u i) v)).
rewrite mean_const. unfold expected. rewrite vsum_dot. apply sum_ext. intros; apply dot_scal.
Qed.
(* jensen, and the split of a second moment *)
Lemma split_of_mean (u : random) : norm2 (vsub u (constant (expected u))) = norm2 u - norm2 (constant (expected u)).
Proof. rewrite norm2_sub. rewrite <- (mean_dot u (expected u)). unfold norm2. ring. Qed.
Lemma jensen (u : random) : norm2 (constant (expected u)) <= norm2 u.
Proof. pose proof (norm2_pos random (vsub u (constant (expected u)))) as N. rewrite split_of_mean in N. lra. Qed.
(* fresh: what has mean zero is orthogonal to all that does not depend on it *)
Lemma centred_orthogonal (u : random) (v : E) : (forall w, dot (expected u) w = 0) -> dot u (constant v) = 0.
Proof. intro Z. rewrite <- mean_dot. change (mean (fun _ => dot (expected u) v) = 0). now rewrite mean_const. Qed.
End Means.
Arguments mean {I} _ _. Arguments expected {I P E} _. Arguments constant {I P E} _. Arguments random {I} _ _.

(* fresh, as it is used: a noise that has mean zero given all that came before (i), in the space of both *)
Section Fresh.
Variables (I J : Type) (P : law I) (Q : I -> law J) (E : ips).
Definition both_values := flat_map (fun i => map (fun j => (i, j)) (values (Q i))) (values P).
Lemma sum_both f : sum both_values f = sum (values P) (fun i => sum (values (Q i)) (fun j => f (i, j))).
Proof. unfold both_values. induction (values P); simpl; [reflexivity|]. now rewrite sum_app, sum_map, IHl. Qed.
Lemma both_in i j : In (i, j) both_values -> In i (values P) /\ In j (values (Q i)).
Proof.
unfold both_values. rewrite in_flat_map. intros [k [A B]]. rewrite in_map_iff in B. destruct B as [m [B C]].
injection B; intros; subst. now split.
Qed.
Definition then_ : law (I * J).
Proof.
refine {| values := both_values; weight ij := weight P (fst ij) * weight (Q (fst ij)) (snd ij) |}.
- intros [i j] H. apply both_in in H as [A B]. apply Rmult_le_pos; simpl; apply weight_pos; assumption.
- rewrite sum_both. rewrite <- (weight_one P). apply sum_ext. intros i _. simpl.
  now rewrite sum_scal, weight_one, Rmult_1_r.
Defined.
Lemma fresh (e : random then_ E) (v : I -> E) :
  (forall i w, dot (@expected _ (Q i) E (fun j => e (i, j))) w = 0) ->
    dot e ((fun ij => v (fst ij)) : random then_ E) = 0.
Proof.
intro Z. simpl. unfold mean. simpl. rewrite sum_both.
rewrite (sum_ext _ _ _ (fun i => 0 * weight P i)). { rewrite sum_scal; ring. }
intros i _. simpl. rewrite (sum_ext _ _ _ (fun j => weight P i * (weight (Q i) j * dot (e (i, j)) (v i)))) by (intros;
  ring).
rewrite sum_scal. pose proof (Z i (v i)) as H. unfold expected in H. rewrite vsum_dot in H.
rewrite (sum_ext _ _ _ (fun j => weight (Q i) j * dot (e (i, j)) (v i))) in H by (intros; apply dot_scal).
rewrite H; ring.
Qed.
End Fresh.

(* variance: of a mean of n vectors of which any two are orthogonal *)
Section Variance.
Variables (I : Type) (E : ips).
Implicit Types (l : list I) (u : I -> E).
Lemma orthogonal_sum l u : NoDup l -> (forall i j, In i l -> In j l -> i <> j -> dot (u i) (u j) = 0) ->
  norm2 (vsum l u) = sum l (fun i => norm2 (u i)).
Proof.
induction l as [|a l IH]; intros N O; simpl; [unfold norm2; apply dot_zero|]. inversion N; subst.
rewrite norm2_add, IH by (try assumption; intros; apply O; simpl; auto).
rewrite vsum_dotr, (sum_ext _ _ _ (fun i => 0 * 0)). { rewrite sum_scal; ring. }
intros i H. rewrite O; simpl; auto; [ring | intro; subst; contradiction].
Qed.
Lemma variance l u n : n = INR (length l) -> 0 < n -> NoDup l ->
  (forall i j, In i l -> In j l -> i <> j -> dot (u i) (u j) = 0) ->
  n * norm2 (vscal (/ n) (vsum l u)) = / n * sum l (fun i => norm2 (u i)).
Proof. intros _ P N O. rewrite norm2_scal, orthogonal_sum by assumption. field. lra. Qed.
End Variance.

(* --- sampling: n of the values, each set of n as likely as any other, without replacement (Cochran 1977,
  Theorem 2.2) *)
Section Sampling.
Variables (I : Type) (E : ips) (u : I -> E).
Fixpoint subsets (n : nat) (l : list I) : list (list I) :=
  match n, l with
  | O, _ => [nil]
  | S _, nil => nil
  | S m, i :: t => map (cons i) (subsets m t) ++ subsets n t
  end.
(* how many there are, how many have a given value, how many have two given values *)
Fixpoint choose (n N : nat) : R :=
  match n, N with O, _ => 1 | S _, O => 0 | S m, S M => choose m M + choose n M end.
Definition with_one (n N : nat) : R := match n, N with S m, S M => choose m M | _, _ => 0 end.
Definition with_two (n N : nat) : R := match n, N with S m, S M => with_one m M | _, _ => 0 end.
Lemma choose_0 N : choose 0 N = 1. Proof. now destruct N. Qed.
Lemma subsets_0 l : subsets 0 l = [nil]. Proof. now destruct l. Qed.
Lemma pascal_one n N : with_one n (S N) + with_one (S n) (S N) = with_one (S n) (S (S N)).
Proof. destruct n; [change (0 + choose 0 N = choose 0 (S N)); rewrite !choose_0; ring | reflexivity]. Qed.
Lemma pascal_two n N : with_two n (S (S N)) + with_two (S n) (S (S N)) = with_two (S n) (S (S (S N))).
Proof. destruct n; [change (0 + 0 = 0); ring | apply (pascal_one n N)]. Qed.
Lemma absorb_choose N : forall n, INR n * choose n N = INR N * with_one n N.
Proof.
induction N as [|N IH]; intros [|n]; try (simpl; ring).
change (choose (S n) (S N)) with (choose n N + choose (S n) N). change (with_one (S n) (S N)) with (choose n N).
destruct N as [|N]; [destruct n; simpl; ring|].
pose proof (IH n) as A. pose proof (IH (S n)) as B. pose proof (pascal_one n N) as C.
change (with_one (S n) (S (S N))) with (choose n (S N)) in C. set (M := S N) in *. rewrite !S_INR in *.
set (m := INR M) in *. nra.
Qed.
Lemma absorb_one n N : (1 <= n)%nat -> (1 <= N)%nat -> (INR n - 1) * with_one n N = (INR N - 1) * with_two n N.
Proof.
intros H K. destruct n as [|n]; [inversion H|]. destruct N as [|N]; [inversion K|]. rewrite !S_INR.
change (with_one (S n) (S N)) with (choose n N). change (with_two (S n) (S N)) with (with_one n N).
pose proof (absorb_choose N n). lra.
Qed.
Lemma choose_pos N : forall n, (n <= N)%nat -> 0 < choose n N.
Proof.
assert (forall M n, 0 <= choose n M) as NN.
{ induction M; intros [|n]; simpl; try lra. pose proof (IHM n). pose proof (IHM (S n)). lra. }
induction N as [|N IH]; intros [|n] H; simpl; try lra; [inversion H|].
pose proof (IH n (le_S_n _ _ H)). pose proof (NN N (S n)). lra.
Qed.
Lemma count_subsets l : forall n, sum (subsets n l) (fun _ => 1) = choose n (length l).
Proof.
induction l as [|i l IH]; intros [|n]; simpl; try ring. rewrite sum_app, sum_map, !IH. reflexivity.
Qed.
Lemma total_of_subsets l w : forall n, sum (subsets n l) (fun S => dot (vsum S u) w)
  = with_one n (length l) * sum l (fun i => dot (u i) w).
Proof.
induction l as [|i l IH]; intros [|n].
- simpl. rewrite dot_zero; ring.
- simpl; ring.
- simpl. rewrite dot_zero; ring.
- change (subsets (S n) (i :: l)) with (map (cons i) (subsets n l) ++ subsets (S n) l). rewrite sum_app, sum_map, IH.
  rewrite (sum_ext _ _ _ (fun S => dot (u i) w * 1 + dot (vsum S u) w)) by (intros; simpl; rewrite dot_add; ring).
  rewrite sum_add, sum_scal, count_subsets, IH. change (length (i :: l)) with (S (length l)).
  change (with_one (S n) (S (length l))) with (choose n (length l)).
  destruct l as [|j l]; [simpl; ring|]. pose proof (pascal_one n (length l)) as P.
  change (with_one (S n) (S (S (length l)))) with (choose n (length (j :: l))) in P.
  change (S (length l)) with (length (j :: l)) in P.
  change (sum (i :: j :: l) (fun k => dot (u k) w)) with (dot (u i) w + sum (j :: l) (fun k => dot (u k) w)).
  rewrite <- P. ring.
Qed.
Lemma squares_of_subsets l : forall n, sum (subsets n l) (fun S => norm2 (vsum S u))
  = with_two n (length l) * norm2 (vsum l u)
    + (with_one n (length l) - with_two n (length l)) * sum l (fun i => norm2 (u i)).
Proof.
induction l as [|i l IH]; intros [|n].
- simpl. unfold norm2. rewrite dot_zero; ring.
- simpl; ring.
- simpl. unfold norm2. rewrite dot_zero; ring.
- change (subsets (S n) (i :: l)) with (map (cons i) (subsets n l) ++ subsets (S n) l). rewrite sum_app, sum_map, IH.
  rewrite (sum_ext _ _ _ (fun S => (norm2 (u i) * 1 + 2 * dot (vsum S u) (u i)) + norm2 (vsum S u)))
    by (intros; simpl; rewrite norm2_add, (dot_sym E (u i)); ring).
  rewrite !sum_add, !sum_scal, count_subsets, total_of_subsets, IH.
  change (length (i :: l)) with (S (length l)). change (vsum (i :: l) u) with (vadd (u i) (vsum l u)).
  change (sum (i :: l) (fun k => norm2 (u k))) with (norm2 (u i) + sum l (fun k => norm2 (u k))).
  rewrite norm2_add, vsum_dotr.
  rewrite (sum_ext _ l (fun j => dot (u i) (u j)) (fun j => dot (u j) (u i))) by (intros; apply dot_sym).
  change (with_one (S n) (S (length l))) with (choose n (length l)).
  change (with_two (S n) (S (length l))) with (with_one n (length l)).
  destruct l as [|j [|k t]].
  + simpl. unfold norm2. rewrite dot_zero; ring.
  + pose proof (pascal_one n 0) as P. change (with_one (S n) 2) with (choose n 1) in P. change (length [j]) with 1%nat.
    assert (norm2 (vsum [j] u) = norm2 (u j)) as -> by (simpl; rewrite norm2_add, dot_zeror; unfold norm2;
      rewrite dot_zero; ring).
    change (sum [j] (fun k => norm2 (u k))) with (norm2 (u j) + 0). rewrite <- P. ring.
  + pose proof (pascal_one n (length (k :: t))) as P. pose proof (pascal_two n (length t)) as Q.
    change (length (j :: k :: t)) with (S (S (length t))). change (length (k :: t)) with (S (length t)) in P.
    change (with_one (S n) (S (S (S (length t))))) with (choose n (S (S (length t)))) in P.
    change (with_two (S n) (S (S (S (length t))))) with (with_one n (S (S (length t)))) in Q.
    set (M := S (S (length t))) in *. set (V := norm2 (vsum (j :: k :: t) u)).
    set (W := sum (j :: k :: t) (fun i => norm2 (u i))).
    replace (with_one (S n) M) with (choose n M - with_one n M) by lra.
    replace (with_two (S n) M) with (with_one n M - with_two n M) by lra. ring.
Qed.

Definition sample (n : nat) (l : list I) (H : (n <= length l)%nat) : law (list I).
Proof.
refine {| values := subsets n l; weight _ := / choose n (length l) |}.
- intros; left; apply Rinv_0_lt_compat, choose_pos, H.
- rewrite (sum_ext _ _ _ (fun _ => / choose n (length l) * 1)) by (intros; ring). rewrite sum_scal, count_subsets.
  apply Rinv_l, Rgt_not_eq, choose_pos, H.
Defined.
Variables (n : nat) (l : list I).
Hypothesis H1 : (1 <= n)%nat.
Hypothesis HN : (n <= length l)%nat.
Let N := length l.
Definition average : E := vscal (/ INR N) (vsum l u).
Definition sampled : random (sample n l HN) E := fun S => vscal (/ INR n) (vsum S u).
Lemma sizes : 0 < INR n /\ 0 < INR N /\ 0 < choose n N.
Proof. repeat split; [apply lt_0_INR | apply lt_0_INR | apply choose_pos; exact HN]; unfold N; lia. Qed.
Lemma sampled_mean w : dot sampled (constant w) = dot average w.
Proof.
destruct sizes as [A [B C]].
change (sum (subsets n l) (fun S => / choose n N * dot (vscal (/ INR n) (vsum S u)) w) = dot average w).
rewrite (sum_ext _ _ _ (fun S => / choose n N * / INR n * dot (vsum S u) w)) by (intros; rewrite dot_scal; ring).
rewrite sum_scal, total_of_subsets. fold N. unfold average. rewrite dot_scal, vsum_dot.
pose proof (absorb_choose N n) as K.
replace (with_one n N) with (INR n * choose n N / INR N) by (rewrite K; field; lra).
field. lra.
Qed.
Lemma sampling : INR n * (INR N - 1) * norm2 (vsub sampled (constant average))
  = (INR N - INR n) * (/ INR N * sum l (fun i => norm2 (vsub (u i) average))).
Proof.
destruct sizes as [A [B C]].
assert (norm2 sampled
  = / choose n N * (/ INR n * / INR n) * (with_two n N * norm2 (vsum l u)
    + (with_one n N - with_two n N) * sum l (fun i => norm2 (u i)))) as S.
{ unfold N. rewrite <- squares_of_subsets, <- sum_scal. apply sum_ext. intros s _.
  change (/ choose n (length l) * norm2 (vscal (/ INR n) (vsum s u))
    = / choose n (length l) * (/ INR n * / INR n) * norm2 (vsum s u)).
  rewrite norm2_scal. ring. }
assert (norm2 (@constant _ (sample n l HN) E average) = norm2 average) as D
  by exact (mean_const _ (sample n l HN) (norm2 average)).
rewrite norm2_sub, sampled_mean, S, D.
rewrite (sum_ext _ l (fun i => norm2 (vsub (u i) average)) (fun i => (norm2 (u i) + (-2) * dot (u i) average)
  + norm2 average * 1)) by (intros; rewrite norm2_sub; ring).
rewrite !sum_add, !sum_scal.
assert (sum l (fun _ => 1) = INR N) as L by (apply sum_ones).
rewrite L, <- (vsum_dot _ l u average).
assert (norm2 average = / INR N * / INR N * norm2 (vsum l u)) as Q by (unfold average; apply norm2_scal).
assert (dot average average = norm2 average) as Q' by reflexivity.
assert (dot (vsum l u) average = / INR N * norm2 (vsum l u)) as T by (unfold average; rewrite dot_scalr; reflexivity).
rewrite Q', T, Q. set (V := norm2 (vsum l u)). set (W := sum l (fun i => norm2 (u i))).
pose proof (absorb_choose N n) as K1. pose proof (absorb_one n N H1 ltac:(unfold N; lia)) as K2.
assert (with_one n N = INR n * choose n N / INR N) as O by (rewrite K1; field; lra).
replace (INR n * (INR N - 1) * (/ choose n N * (/ INR n * / INR n) * (with_two n N * V
  + (with_one n N - with_two n N) * W) - 2 * (/ INR N * / INR N * V) + / INR N * / INR N * V))
  with (/ choose n N * / INR n * ((INR N - 1) * with_two n N * (V - W)
    + (INR N - 1) * with_one n N * W) - INR n * (INR N - 1) * (/ INR N * / INR N * V)) by (field; lra).
rewrite <- K2, O. field. lra.
Qed.
(* what follows for a sample of at most all: the two bounds that a proof uses *)
Lemma sampling_bounds :
  INR n * norm2 (vsub sampled (constant average)) <= / INR N * sum l (fun i => norm2 (vsub (u i) average)) /\
  INR n * INR N * norm2 (vsub sampled (constant average))
    <= 2 * (INR N - INR n) * (/ INR N * sum l (fun i => norm2 (vsub (u i) average))).
Proof.
destruct sizes as [A [B C]]. pose proof sampling as S. set (X := norm2 (vsub sampled (constant average))) in *.
set (Y := / INR N * sum l (fun i => norm2 (vsub (u i) average))) in *.
assert (0 <= X) by apply norm2_pos.
assert (0 <= Y) by (apply Rmult_le_pos; [left; apply Rinv_0_lt_compat; lra | apply sum_pos; intros; apply norm2_pos]).
assert (1 <= INR n) by (apply (le_INR 1); exact H1). assert (INR n <= INR N) as Le by (apply le_INR; exact HN).
destruct (Rle_lt_or_eq_dec 1 (INR N) ltac:(lra)) as [O | O]; [|symmetry in O].
- assert (2 <= INR N) as G2.
  { assert (1 < N)%nat as G by (apply INR_lt; exact O). pose proof (le_INR 2 N G) as K. simpl in K. lra. }
  assert (0 <= (INR N - INR n) * Y) by (apply Rmult_le_pos; lra).
  split; apply Rmult_le_reg_l with (INR N - 1); try lra.
  + replace ((INR N - 1) * (INR n * X)) with ((INR N - INR n) * Y) by lra. apply Rmult_le_compat_r; lra.
  + replace ((INR N - 1) * (INR n * INR N * X)) with (INR N * ((INR N - INR n) * Y)) by (rewrite <- S; ring).
    replace ((INR N - 1) * (2 * (INR N - INR n) * Y)) with ((2 * (INR N - 1)) * ((INR N - INR n) * Y)) by ring.
    apply Rmult_le_compat_r; lra.
- assert (INR n = 1) as On by lra.
  (* one value: the sample is all of it, and nothing spreads *)
  assert (forall m k, INR (length m) = 1 -> INR k = 1 -> subsets k m = [m]) as All.
  { intros m k M K. apply (INR_eq k 1) in K. apply (INR_eq (length m) 1) in M. subst k.
  destruct m as [|i [|j t]]; inversion M. reflexivity. }
  assert (X = 0) as X0.
  { subst X. change (norm2 (vsub sampled (constant average)))
    with (sum (subsets n l) (fun S => / choose n N * norm2 (vsub (vscal (/ INR n) (vsum S u)) average))).
    rewrite (All l n O On).
    change (/ choose n N * norm2 (vsub (vscal (/ INR n) (vsum l u)) average) + 0 = 0).
    unfold average. rewrite O, On. rewrite norm2_sub. unfold norm2. ring. }
  rewrite X0. split; [lra|]. rewrite On, O. lra.
Qed.
End Sampling.

(* --- weights: a law of N values none of which weighs more than most/N *)
Section Weighted.
Variables (I : Type) (E : ips) (v : I -> E) (l : list I) (w : I -> R) (most : R) (n : nat).
Let N := INR (length l).
Hypothesis W0 : forall i, In i l -> 0 <= w i.
Hypothesis WM : forall i, In i l -> N * w i <= most.
Lemma weighted_squares : 0 < N ->
  N * sum l (fun i => norm2 (vscal (w i) (v i))) <= most * sum l (fun i => w i * norm2 (v i)).
Proof.
intro P. rewrite <- !sum_scal. apply sum_le. intros i H. rewrite norm2_scal.
replace (N * (w i * w i * norm2 (v i))) with (N * w i * (w i * norm2 (v i))) by ring.
apply Rmult_le_compat_r; [apply Rmult_le_pos; [now apply W0 | apply norm2_pos] | now apply WM].
Qed.
(* variance, of a weighted mean of vectors of which any two are orthogonal *)
Lemma weighted_variance : 0 < N -> NoDup l -> (forall i j, In i l -> In j l -> i <> j -> dot (v i) (v j) = 0) ->
  N * norm2 (vsum l (fun i => vscal (w i) (v i))) <= most * sum l (fun i => w i * norm2 (v i)).
Proof.
intros P D O. rewrite orthogonal_sum; [now apply weighted_squares | assumption |].
intros i j Hi Hj Ne. rewrite dot_scal, dot_scalr, O by assumption. ring.
Qed.
(* sampling, of the values N w_i v_i, whose plain mean is the weighted one *)
Hypothesis H1 : (1 <= n)%nat.
Hypothesis HN : (n <= length l)%nat.
Let heavy i := vscal (N * w i) (v i).
Let weighted_mean := vsum l (fun i => vscal (w i) (v i)).
Lemma heavy_average x : dot (average I E heavy l) x = dot weighted_mean x.
Proof.
destruct (sizes I n l H1 HN) as [A [B C]]. unfold average, weighted_mean. rewrite dot_scal, !vsum_dot, <- sum_scal.
apply sum_ext. intros. unfold heavy, N. rewrite !dot_scal. field. lra.
Qed.
Lemma sampling_second_moment u : INR n * (N - 1) * norm2 (sampled I E u n l HN)
  = N * (INR n - 1) * norm2 (average I E u l) + (N - INR n) * (/ N * sum l (fun i => norm2 (u i))).
Proof.
destruct (sizes I n l H1 HN) as [A [B C]]. pose proof (sampling I E u n l H1 HN) as S. revert S.
rewrite norm2_sub, sampled_mean by assumption.
assert (norm2 (@constant _ (sample I n l HN) E (average I E u l)) = norm2 (average I E u l)) as D
  by exact (mean_const _ (sample I n l HN) (norm2 (average I E u l))).
rewrite D. set (a := average I E u l) in *. change (dot a a) with (norm2 a).
rewrite (sum_ext _ l (fun i => norm2 (vsub (u i) a)) (fun i => (norm2 (u i) + (-2) * dot (u i) a) + norm2 a * 1))
  by (intros; rewrite norm2_sub; ring).
rewrite !sum_add, !sum_scal.
assert (sum l (fun _ => 1) = N) as L by (apply sum_ones).
assert (sum l (fun i => dot (u i) a) = N * norm2 a) as M.
{ rewrite <- vsum_dot. unfold norm2 at 1. unfold a at 2. unfold average. rewrite dot_scal. fold N. field.
unfold N; lra. }
rewrite L, M. fold N in B |- *. set (U := sum l (fun i => norm2 (u i))). set (X := norm2 (sampled I E u n l HN)).
set (Q := norm2 a).
intro S. replace ((N - INR n) * (/ N * (U + -2 * (N * Q) + Q * N)))
  with ((N - INR n) * (/ N * U) - (N - INR n) * Q) in S by (field; lra). lra.
Qed.
Lemma sampling_square u : norm2 (sampled I E u n l HN) <= / N * sum l (fun i => norm2 (u i)).
Proof.
destruct (sizes I n l H1 HN) as [A [B C]]. pose proof (sampling_bounds I E u n l H1 HN) as [S _]. revert S.
assert (1 <= INR n) as One by (apply (le_INR 1); exact H1).
set (a := average I E u l). set (s := sampled I E u n l HN).
assert (norm2 (vsub s (constant a)) = norm2 s - norm2 a) as Split.
{ rewrite norm2_sub. unfold s at 2. rewrite sampled_mean by assumption. fold a.
  assert (norm2 (@constant _ (sample I n l HN) E a) = norm2 a) as -> by exact (mean_const _ (sample I n l HN) (norm2 a)).
  unfold norm2. ring. }
assert (/ N * sum l (fun i => norm2 (vsub (u i) a)) = / N * sum l (fun i => norm2 (u i)) - norm2 a) as Spread.
{ rewrite (sum_ext _ l (fun i => norm2 (vsub (u i) a)) (fun i => (norm2 (u i) + (-2) * dot (u i) a) + norm2 a * 1))
    by (intros; rewrite norm2_sub; ring).
  rewrite !sum_add, !sum_scal, <- vsum_dot.
  assert (sum l (fun _ => 1) = N) as ->
    by (apply sum_ones).
  assert (dot (vsum l u) a = N * norm2 a) as ->.
  { unfold norm2 at 1. unfold a at 2. unfold average. rewrite dot_scal. fold N. field. unfold N; lra. }
  field. unfold N; lra. }
pose proof (norm2_pos _ (vsub s (constant a))) as P. fold N. intro S. rewrite Spread, Split in *. nra.
Qed.
Lemma weighted_sampling : INR n * (N - 1) * norm2 (sampled I E heavy n l HN)
  <= N * (INR n - 1) * norm2 weighted_mean + (N - INR n) * most * sum l (fun i => w i * norm2 (v i)).
Proof.
destruct (sizes I n l H1 HN) as [A [B C]]. rewrite sampling_second_moment.
assert (norm2 (average I E heavy l) = norm2 weighted_mean) as -> by (unfold norm2;
  rewrite heavy_average, dot_sym, heavy_average; reflexivity).
assert (INR n <= N) as Le by (apply le_INR; exact HN).
apply Rplus_le_compat_l. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
apply Rmult_le_reg_l with N; [exact B|].
replace (N * (/ N * sum l (fun i => norm2 (heavy i)))) with (sum l (fun i => norm2 (heavy i))) by (field; fold N in B;
  lra).
pose proof (weighted_squares B) as S. apply Rmult_le_compat_l with (r := N) in S; [|fold N in B; lra].
eapply Rle_trans; [|exact S]. right. rewrite <- !sum_scal. apply sum_ext. intros. unfold heavy. rewrite !norm2_scal.
ring.
Qed.
Lemma weighted_sampling_square : norm2 (sampled I E heavy n l HN) <= most * sum l (fun i => w i * norm2 (v i)).
Proof.
destruct (sizes I n l H1 HN) as [A [B C]]. eapply Rle_trans; [apply sampling_square|].
pose proof (weighted_squares B) as S.
assert (/ N * sum l (fun i => norm2 (heavy i)) = N * sum l (fun i => norm2 (vscal (w i) (v i)))) as ->; [|exact S].
rewrite <- !sum_scal. apply sum_ext. intros. unfold heavy. rewrite !norm2_scal. field. unfold N; lra.
Qed.
End Weighted.

(* cauchy_schwarz, in the mean: a vector that is never longer than c *)
Lemma cauchy_schwarz_mean I (P : law I) (E : ips) (u v : random P E) c : 0 <= c -> (forall i, norm2 (u i) <= c * c) ->
  dot u v <= c * mean P (fun i => sqrt (norm2 (v i))) /\ - (c * mean P (fun i => sqrt (norm2 (v i)))) <= dot u v.
Proof.
intros C U. change (dot u v) with (mean P (fun i => dot (u i) (v i))). rewrite <- mean_scal.
assert (forall i, dot (u i) (v i) <= c * sqrt (norm2 (v i)) /\ - (c * sqrt (norm2 (v i))) <= dot (u i) (v i)) as H.
{ intro i. apply (cauchy_schwarz E); auto using sqrt_pos. rewrite sqrt_sqrt; [lra | apply norm2_pos]. }
split; [apply mean_le; intro; apply H|].
replace (- mean P (fun i => c * sqrt (norm2 (v i)))) with (mean P (fun i => - 1 * (c * sqrt (norm2 (v i)))))
  by (rewrite mean_scal; ring).
apply mean_le. intro i. pose proof (H i). lra.
Qed.

(* affine: the gradient of a quadratic function at a mean of points is the mean of its gradients there *)
Definition Affine {E : ips} (g : E -> E) := exists A b, (forall x w, dot (g x) w = dot (A x) w + dot b w) /\
  (forall x y w, dot (A (vadd x y)) w = dot (A x) w + dot (A y) w) /\
    (forall c x w, dot (A (vscal c x)) w = c * dot (A x) w) /\
  (forall w, dot (A vzero) w = 0).
Lemma affine I (P : law I) (E : ips) (g : E -> E) (u : random P E) w :
  Affine g -> dot (g (expected u)) w = dot (@expected _ P E (fun i => g (u i))) w.
Proof.
intros [A [b [G [Add [Scal Zero]]]]]. rewrite G. unfold expected. rewrite vsum_dot.
rewrite (sum_ext _ _ (fun i => dot (vscal (weight P i) (g (u i))) w) (fun i => weight P i * dot (A (u i)) w
  + dot b w * weight P i))
  by (intros; rewrite dot_scal, G; ring).
rewrite sum_add, sum_scal, weight_one, Rmult_1_r. f_equal.
induction (values P) as [|i t IH]; simpl; [apply Zero|]. now rewrite Add, Scal, IH.
Qed.

(* sharp: Jensen's inequality for a power; the power of zero is zero *)
Definition pow_of (x k : R) : R := if Rle_dec x 0 then 0 else Rpower x k.
Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [L | ->]; [left; now apply exp_increasing | lra]. Qed.
Lemma bernoulli x k : 1 <= k -> 0 <= x -> 1 + k * (x - 1) <= pow_of x k.
Proof.
intros K X. unfold pow_of. destruct (Rle_dec x 0) as [Z | Z]; [nra|].
assert (0 < x) as P by lra. clear X Z.
set (h := fun t => Rpower t k - k * t). set (k' := fun t => k * Rpower t (k - 1) - k).
assert (forall t, 0 < t -> derivable_pt_lim h t (k' t)) as D.
{ intros t T. apply derivable_pt_lim_minus; [now apply derivable_pt_lim_power|].
  replace k with (k * 1) at 2 by ring. apply derivable_pt_lim_scal, derivable_pt_lim_id. }
assert (h 1 = 1 - k) as One by (unfold h, Rpower; rewrite ln_1, Rmult_0_r, exp_0; ring).
enough (h 1 <= h x) by (unfold h in *; lra).
assert (forall t, 0 < t -> Rpower t (k - 1) = exp ((k - 1) * ln t)) as Q by reflexivity.
destruct (Rtotal_order x 1) as [L | [-> | G]]; [|lra|].
- destruct (MVT_cor2 h k' x 1 L ltac:(intros; apply D; lra)) as [c [A [C1 C2]]].
  assert (k' c <= 0) as S; [|nra]. unfold k'.
  assert (Rpower c (k - 1) <= 1) as R; [|nra].
  apply Rle_trans with (exp 0); [|rewrite exp_0; lra]. apply exp_le. pose proof (ln_increasing c 1 ltac:(lra) C2) as I.
  rewrite ln_1 in I. nra.
- destruct (MVT_cor2 h k' 1 x G ltac:(intros; apply D; lra)) as [c [A [C1 C2]]].
  assert (0 <= k' c) as S; [|nra]. unfold k'.
  assert (1 <= Rpower c (k - 1)) as R; [|nra].
  apply Rle_trans with (exp 0); [rewrite exp_0; lra|]. apply exp_le. pose proof (ln_increasing 1 c ltac:(lra) C1) as I.
  rewrite ln_1 in I. nra.
Qed.
Lemma jensen_power I (P : law I) d k : 1 <= k -> (forall i, 0 <= d i) ->
  pow_of (mean P d) k <= mean P (fun i => pow_of (d i) k).
Proof.
intros K D. unfold pow_of at 1. destruct (Rle_dec (mean P d) 0) as [Z | Z].
- apply mean_pos. intro i. unfold pow_of. destruct (Rle_dec (d i) 0); [lra | left; apply exp_pos].
- set (m := mean P d) in *. assert (0 < m) as M by lra.
  assert (forall i, Rpower m k * (1 + k * (d i / m - 1)) <= pow_of (d i) k) as T.
  { intro i. pose proof (bernoulli (d i / m) k K ltac:(apply div_nn; auto)) as B.
    apply Rmult_le_compat_l with (r := Rpower m k) in B; [|left; apply exp_pos].
    eapply Rle_trans; [exact B|]. right. unfold pow_of.
    destruct (Rle_dec (d i / m) 0) as [A | A], (Rle_dec (d i) 0) as [C | C].
    - ring.
    - exfalso. assert (0 < d i / m) by (apply Rdiv_lt_0_compat; lra). lra.
    - exfalso. apply A. assert (d i = 0) as -> by (pose proof (D i); lra). unfold Rdiv; lra.
    - rewrite Rpower_mult_distr; [f_equal; field; lra | lra | apply Rdiv_lt_0_compat; lra]. }
  apply Rle_trans with (mean P (fun i => Rpower m k * (1 + k * (d i / m - 1)))); [|apply mean_le, T].
  right. rewrite mean_scal.
  rewrite (mean_ext _ P _ (fun i => (1 - k) + k / m * d i)) by (intro; field; lra).
  rewrite mean_add, mean_const, mean_scal. fold m. field. lra.
Qed.
(* of a function h with alpha dist^kappa <= h - least + offset: what that says of the means, without a root *)
Lemma sharp I (P : law I) dist h alpha kappa least offset : 1 <= kappa -> 0 < alpha -> (forall i, 0 <= dist i) ->
  (forall i, alpha * pow_of (dist i) kappa <= h i - least + offset) ->
  alpha * pow_of (mean P dist) kappa <= mean P h - least + offset.
Proof.
intros K A D H. apply Rle_trans with (alpha * mean P (fun i => pow_of (dist i) kappa)).
- apply Rmult_le_compat_l; [lra | now apply jensen_power].
- rewrite <- mean_scal.
apply Rle_trans with (mean P (fun i => h i + (offset - least))); [apply mean_le; intro i; pose proof (H i); lra|].
  rewrite mean_add, mean_const. lra.
Qed.

(* --- sequences: what telescopes, and what shrinks *)
Lemma telescoping (a d : nat -> R) n : (forall k, (k < n)%nat -> d k <= a k - a (S k)) ->
  sum (seq 0 n) d <= a O - a n.
Proof.
induction n as [|n IH]; intro H; [simpl; lra|]. rewrite seq_S, sum_app. simpl. rewrite Rplus_0_r.
pose proof (IH ltac:(intros; apply H; lia)). pose proof (H n ltac:(lia)). lra.
Qed.
Lemma geometric (a : nat -> R) q c n : 0 <= q -> q < 1 -> (forall k, (k < n)%nat -> a (S k) <= q * a k + c) ->
  a n <= q ^ n * a O + c * ((1 - q ^ n) / (1 - q)).
Proof.
intros Q Q1. induction n as [|n IH]; intro H; [simpl; unfold Rdiv; lra|].
pose proof (IH ltac:(intros; apply H; lia)) as A. pose proof (H n ltac:(lia)) as B.
apply Rmult_le_compat_l with (r := q) in A; [|assumption].
replace (q ^ S n * a O + c * ((1 - q ^ S n) / (1 - q))) with (q * (q ^ n * a O + c * ((1 - q ^ n) / (1 - q))) + c)
  by (simpl; field; lra). lra.
Qed.

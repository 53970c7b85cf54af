(* The library on which every exported claim rests: real inner product spaces, squares, the arithmetic of a
   certificate, sums over an index, induction. Standard library of Rocq only; nothing is admitted. *)
Require Export Reals Lra Psatz List.
Require Classical_Prop.
Export ListNotations.
Open Scope R_scope.

(* --- real inner product spaces *)

Record ips := { car :> Type; vzero : car; vadd : car -> car -> car; vscal : R -> car -> car; dot : car -> car -> R;
  dot_sym : forall u v, dot u v = dot v u;
  dot_zero : forall v, dot vzero v = 0;
  dot_add : forall u v w, dot (vadd u v) w = dot u w + dot v w;
  dot_scal : forall c u w, dot (vscal c u) w = c * dot u w;
  dot_pos : forall u, 0 <= dot u u }.
Arguments dot {i} _ _. Arguments vzero {i}. Arguments vadd {i} _ _. Arguments vscal {i} _ _.

Section Squares.
Variable E : ips.
(* a combination of vectors, and its square written out in inner products *)
Fixpoint lc (l : list (R * E)) : E := match l with nil => vzero | (c, u) :: t => vadd (vscal c u) (lc t) end.
Fixpoint cross (c : R) (u : E) (l : list (R * E)) : R :=
  match l with nil => 0 | (d, v) :: t => 2 * c * d * dot u v + cross c u t end.
Fixpoint sq (l : list (R * E)) : R := match l with nil => 0 | (c, u) :: t => c * c * dot u u + cross c u t + sq t end.
Lemma cross_lc c u l : cross c u l = 2 * c * dot u (lc l).
Proof. induction l as [|[d v] t IH]; simpl.
- rewrite dot_sym, dot_zero; ring.
- rewrite IH, (dot_sym E u (vadd _ _)), dot_add, dot_scal, (dot_sym E v u), (dot_sym E (lc t) u); ring. Qed.
Lemma sq_lc l : sq l = dot (lc l) (lc l).
Proof. induction l as [|[c u] t IH]; simpl.
- now rewrite dot_zero.
- rewrite IH, cross_lc, dot_add, !dot_scal, (dot_sym E u (vadd _ _)), (dot_sym E (lc t) (vadd _ _)), !dot_add, !dot_scal.
  rewrite (dot_sym E (lc t) u); ring. Qed.
Lemma sq_nonneg l : 0 <= sq l.
Proof. rewrite sq_lc; apply dot_pos. Qed.
(* the inner product of two combinations, written out; it is zero where one of them vanishes *)
Fixpoint row (c : R) (u : E) (m : list (R * E)) : R := match m with nil => 0 | (d, v) :: t => c * d * dot u v + row c u t end.
Fixpoint pair (l m : list (R * E)) : R := match l with nil => 0 | (c, u) :: t => row c u m + pair t m end.
Lemma row_lc c u m : row c u m = c * dot u (lc m).
Proof. induction m as [|[d v] t IH]; simpl.
- rewrite dot_sym, dot_zero; ring.
- rewrite IH, (dot_sym E u (vadd _ _)), dot_add, dot_scal, (dot_sym E v u), (dot_sym E (lc t) u); ring. Qed.
Lemma pair_lc l m : pair l m = dot (lc l) (lc m).
Proof. induction l as [|[c u] t IH]; simpl.
- now rewrite dot_zero.
- rewrite IH, row_lc, dot_add, dot_scal; ring. Qed.
Lemma vanish_dot (u w : E) : dot u u <= 0 -> dot u w = 0.
Proof.
intro H. assert (Z : dot u u = 0) by (pose proof (dot_pos E u); lra).
assert (K : forall t, 0 <= 2 * t * dot u w + dot w w).
{ intro t. pose proof (dot_pos E (vadd (vscal t u) w)) as P.
  rewrite dot_add, dot_scal, (dot_sym E u (vadd _ _)), (dot_sym E w (vadd _ _)), !dot_add, !dot_scal, Z, (dot_sym E w u) in P. lra. }
destruct (Req_dec (dot u w) 0) as [|N]; [assumption|]. exfalso.
pose proof (K (- (dot w w + 1) / (2 * dot u w))) as A.
replace (2 * (- (dot w w + 1) / (2 * dot u w)) * dot u w + dot w w) with (-1) in A by (field; assumption). lra.
Qed.
Lemma vanish l m : sq l <= 0 -> pair l m = 0.
Proof. rewrite sq_lc, pair_lc. apply vanish_dot. Qed.
End Squares.
Arguments pair {E} _ _. Arguments row {E} _ _ _. Arguments vanish_dot {E} _ _ _.
Arguments sq {E} _. Arguments cross {E} _ _ _. Arguments lc {E} _. Arguments sq_nonneg {E} _.

(* --- the arithmetic of a certificate: large side less small side = a sum of what is nonnegative *)

Lemma gap_le (s l g : R) : l - s = g -> 0 <= g -> s <= l. Proof. lra. Qed.
Lemma gap_lt (s l g : R) : l - s = g -> 0 < g -> s < l. Proof. lra. Qed.
Lemma mul_le (m s l : R) : 0 <= m -> s <= l -> 0 <= m * (l - s).
Proof. intros; apply Rmult_le_pos; lra. Qed.
Lemma mul_eq (m s l : R) : s = l -> 0 <= m * (l - s). Proof. intros ->; right; ring. Qed.
Lemma mul_sq (E : ips) (w : R) (l : list (R * E)) : 0 <= w -> 0 <= w * sq l.
Proof. intros; apply Rmult_le_pos; [assumption | apply sq_nonneg]. Qed.
Lemma pls (a b : R) : 0 <= a -> 0 <= b -> 0 <= a + b. Proof. lra. Qed.
Lemma both (a b : R) : a <= b -> b <= a -> a = b. Proof. lra. Qed.
Lemma conv_le (s l s' l' : R) : s <= l -> l' - s' = l - s -> s' <= l'. Proof. lra. Qed.
Lemma conv_lt (s l s' l' : R) : s < l -> l' - s' = l - s -> s' < l'. Proof. lra. Qed.
Lemma conv_eq (s l s' l' : R) : s = l -> l' - s' = l - s -> s' = l'. Proof. lra. Qed.

Lemma conv_ne (s l s' l' : R) : s <> l -> l' - s' = l - s -> s' <> l'. Proof. intros N H K; apply N; lra. Qed.

(* --- signs *)

Lemma div_nn (a b : R) : 0 <= a -> 0 < b -> 0 <= a / b.
Proof. intros; apply Rmult_le_pos; [assumption | left; now apply Rinv_0_lt_compat]. Qed.
Lemma inv_nn (b : R) : 0 < b -> 0 <= / b. Proof. intros; left; now apply Rinv_0_lt_compat. Qed.
Lemma pow2_nn (x : R) : 0 <= x ^ 2. Proof. nra. Qed.
Lemma even_nn (x : R) n : 0 <= x ^ (2 * n). Proof. rewrite pow_mult. apply pow_le, pow2_nn. Qed.
Lemma even_p (x : R) n : x <> 0 -> 0 < x ^ (2 * n).
Proof. intro H. destruct (even_nn x n) as [L | L]; [assumption|]. exfalso. apply (pow_nonzero x (2 * n) H). now symmetry. Qed.
Lemma nn_nz_p (x : R) : 0 <= x -> x <> 0 -> 0 < x. Proof. lra. Qed.
Lemma ge1_p (x : R) : 1 <= x -> 0 < x. Proof. lra. Qed.
Lemma ge1_nn (x : R) : 1 <= x -> 0 <= x. Proof. lra. Qed.
Lemma rmax_p_l a b : 0 < a -> 0 < Rmax a b. Proof. intros; eapply Rlt_le_trans; [eassumption | apply Rmax_l]. Qed.
Lemma rmax_p_r a b : 0 < b -> 0 < Rmax a b. Proof. intros; eapply Rlt_le_trans; [eassumption | apply Rmax_r]. Qed.
Lemma rmax_nn_l a b : 0 <= a -> 0 <= Rmax a b. Proof. intros; eapply Rle_trans; [eassumption | apply Rmax_l]. Qed.
Lemma rmax_nn_r a b : 0 <= b -> 0 <= Rmax a b. Proof. intros; eapply Rle_trans; [eassumption | apply Rmax_r]. Qed.
Lemma rmin_p a b : 0 < a -> 0 < b -> 0 < Rmin a b. Proof. intros; now apply Rmin_glb_lt. Qed.
Lemma rmin_nn a b : 0 <= a -> 0 <= b -> 0 <= Rmin a b. Proof. intros; now apply Rmin_glb. Qed.

Lemma equal_le (a b a' b' : R) : a = a' -> b = b' -> a' <= b' -> a <= b. Proof. now intros -> ->. Qed.
Lemma eq_nn (a m n : R) : n = 0 -> 0 <= a -> 0 <= a + m * n. Proof. intros ->; lra. Qed.
Lemma eq_p (a m n : R) : n = 0 -> 0 < a -> 0 < a + m * n. Proof. intros ->; lra. Qed.
Lemma sub_nn (s l : R) : s <= l -> 0 <= l - s. Proof. lra. Qed.
Lemma sub_p (s l : R) : s < l -> 0 < l - s. Proof. lra. Qed.
Lemma neg_nz (x : R) : 0 < - x -> x <> 0. Proof. lra. Qed.

Lemma by_factor_p (a b : R) : 0 < a -> 0 < a * b -> 0 < b.
Proof. intros A H. apply Rmult_lt_reg_l with a; [assumption | lra]. Qed.
Lemma by_factor_nn (a b : R) : 0 < a -> 0 <= a * b -> 0 <= b.
Proof. intros A H. apply Rmult_le_reg_l with a; [assumption | lra]. Qed.
Lemma by_factor_eq (a b : R) : 0 < a -> a * b = 0 -> b = 0.
Proof. intros A H. destruct (Rmult_integral a b H); lra. Qed.

Lemma refute_p (t n s : R) : n = - t -> (0 <= n -> 0 < s) -> s = 0 -> 0 < t.
Proof. intros N P Z. destruct (Rlt_or_le 0 t) as [H|H]; [assumption|]. exfalso. assert (0 < s) by (apply P; lra). lra. Qed.
Lemma refute_nn (t n s : R) : n = - t -> (0 < n -> 0 < s) -> s = 0 -> 0 <= t.
Proof. intros N P Z. destruct (Rle_or_lt 0 t) as [H|H]; [assumption|]. exfalso. assert (0 < s) by (apply P; lra). lra. Qed.

(* --- powers with any exponent of a base that is not negative: 0 to the power 0 is 1 *)

Definition rpow (x y : R) : R := if Rlt_dec 0 x then Rpower x y else if Req_EM_T y 0 then 1 else 0.
Lemma rpow_p x y : 0 < x -> 0 < rpow x y.
Proof. intro H. unfold rpow. destruct (Rlt_dec 0 x); [apply exp_pos | contradiction]. Qed.
Lemma rpow_nn x y : 0 <= rpow x y.
Proof. unfold rpow. destruct (Rlt_dec 0 x); [left; apply exp_pos|]. destruct (Req_EM_T y 0); lra. Qed.
Lemma rpow_pos x y : 0 < x -> rpow x y = Rpower x y.
Proof. intro H. unfold rpow. destruct (Rlt_dec 0 x); [reflexivity | contradiction]. Qed.

Lemma Rpower_1b y : Rpower 1 y = 1. Proof. unfold Rpower. rewrite ln_1, Rmult_0_r. apply exp_0. Qed.
Lemma rpow_1 y : rpow 1 y = 1. Proof. rewrite rpow_pos by lra. apply Rpower_1b. Qed.
Lemma ln_rpow x y : 0 < x -> ln (rpow x y) = y * ln x.
Proof. intro H. rewrite rpow_pos by assumption. unfold Rpower. apply ln_exp. Qed.
Lemma ln_root x : 0 < x -> ln (sqrt x) = / 2 * ln x.
Proof.
intro H. assert (0 < sqrt x) as P by now apply sqrt_lt_R0.
rewrite <- (sqrt_sqrt x) at 2 by lra. rewrite ln_mult by assumption. lra.
Qed.
Lemma sqrt_ge1 x : 1 <= x -> 1 <= sqrt x.
Proof. intro H. rewrite <- sqrt_1. now apply sqrt_le_1_alt. Qed.
Lemma root_ge1 x : 1 <= x -> 0 <= - 1 + sqrt x. Proof. intro H. pose proof (sqrt_ge1 x H). lra. Qed.
Lemma ln_eq x y : 0 < x -> 0 < y -> ln x = ln y -> x = y. Proof. apply ln_inv. Qed.
Lemma rpow_le x y p : 0 <= x -> x <= y -> 0 <= p -> rpow x p <= rpow y p.
Proof.
intros H L P. unfold rpow. destruct (Rlt_dec 0 x) as [a|a]; destruct (Rlt_dec 0 y) as [b|b]; try lra.
- unfold Rpower. destruct (Req_dec x y) as [->|D]; [lra|]. destruct (Req_dec p 0) as [->|Q]; [rewrite !Rmult_0_l; lra|].
  left. apply exp_increasing. apply Rmult_lt_compat_l; [lra|]. apply ln_increasing; lra.
- destruct (Req_EM_T p 0) as [->|Q]; [unfold Rpower; rewrite Rmult_0_l, exp_0; lra | left; apply exp_pos].
Qed.
Lemma rpow_0 p : 0 < p -> rpow 0 p = 0.
Proof. intro H. unfold rpow. destruct (Rlt_dec 0 0); [lra|]. destruct (Req_EM_T p 0); lra. Qed.
Lemma rpow_prod x y p : 0 <= x -> 0 <= y -> rpow (x * y) p = rpow x p * rpow y p.
Proof.
intros [H| <-] [K| <-].
- rewrite !rpow_pos by (try apply Rmult_lt_0_compat; assumption). symmetry. now apply Rpower_mult_distr.
- rewrite Rmult_0_r. unfold rpow. destruct (Rlt_dec 0 0); [lra|]. destruct (Req_EM_T p 0) as [->|]; [|lra].
  destruct (Rlt_dec 0 x); [rewrite Rpower_O; lra | lra].
- rewrite Rmult_0_l. unfold rpow. destruct (Rlt_dec 0 0); [lra|]. destruct (Req_EM_T p 0) as [->|]; [|lra].
  destruct (Rlt_dec 0 y); [rewrite Rpower_O; lra | lra].
- rewrite Rmult_0_l. unfold rpow. destruct (Rlt_dec 0 0); [lra|]. destruct (Req_EM_T p 0); lra.
Qed.
Lemma rpow_rpow x p q : 0 <= x -> rpow (rpow x p) q = rpow x (p * q).
Proof.
intros [H| <-].
- rewrite (rpow_pos x p), (rpow_pos x (p * q)) by assumption. rewrite rpow_pos by apply exp_pos. apply Rpower_mult.
- unfold rpow. destruct (Rlt_dec 0 0); [lra|]. destruct (Req_EM_T p 0) as [->|P].
  + rewrite Rmult_0_l. destruct (Req_EM_T 0 0); [|lra]. destruct (Rlt_dec 0 1); [|lra]. apply Rpower_1b.
  + destruct (Rlt_dec 0 0); [lra|]. destruct (Req_EM_T q 0) as [->|Q].
    * rewrite Rmult_0_r. destruct (Req_EM_T 0 0); lra.
    * destruct (Req_EM_T (p * q) 0) as [Z|]; [|reflexivity]. apply Rmult_integral in Z. destruct Z; contradiction.
Qed.
Lemma rpow_zero x e : e = 0 -> rpow x e = 1.
Proof. intros ->. unfold rpow. destruct (Rlt_dec 0 x); [now apply Rpower_O|]. destruct (Req_EM_T 0 0); lra. Qed.
Lemma rpow_plus x p q : 0 < x -> rpow x (p + q) = rpow x p * rpow x q.
Proof. intro H. rewrite !rpow_pos by assumption. apply Rpower_plus. Qed.
Lemma rpow_succ x p : 0 <= x -> 0 <= p -> rpow x (p + 1) = rpow x p * x.
Proof.
intros [H| <-] P.
- rewrite rpow_plus, (rpow_pos x 1), Rpower_1 by assumption. reflexivity.
- rewrite Rmult_0_r. apply rpow_0. lra.
Qed.
Lemma rpow_nat x n : 0 <= x -> rpow x (INR n) = x ^ n.
Proof.
intro H. induction n as [|n IH]; [simpl; unfold rpow; destruct (Rlt_dec 0 x); [apply Rpower_O; assumption|]; destruct (Req_EM_T 0 0); lra|].
rewrite S_INR, rpow_succ by (try assumption; apply pos_INR). rewrite IH. simpl. ring.
Qed.
Lemma rpow_whole x e n : 0 <= x -> e = INR n -> rpow x e = x ^ n.
Proof. intros H ->. now apply rpow_nat. Qed.
Lemma rpow_pow x n p : 0 <= x -> rpow (x ^ n) p = rpow x (INR n * p).
Proof. intro H. rewrite <- (rpow_nat x n) by assumption. now apply rpow_rpow. Qed.
Lemma rpow_one x : 0 <= x -> rpow x 1 = x.
Proof. intro H. rewrite <- INR_1 at 1 || idtac. replace 1 with (INR 1) by reflexivity. rewrite rpow_nat by assumption. simpl; ring. Qed.
Lemma sqrt_rpow x : 0 <= x -> sqrt x = rpow x (/ 2).
Proof.
intros [H| <-]; [rewrite rpow_pos by assumption; symmetry; now apply Rpower_sqrt|].
rewrite sqrt_0. symmetry. apply rpow_0. lra.
Qed.
Lemma rpow_scale c y p : 0 < c -> rpow (c * y) p = rpow c p * rpow y p.
Proof.
intro C. destruct (Rle_or_lt 0 y) as [Y|Y]; [apply rpow_prod; lra|].
assert (~ 0 < c * y) as N by (intro K; apply (Rlt_not_le _ _ K); left; rewrite <- (Rmult_0_r c); now apply Rmult_lt_compat_l).
destruct (Req_dec p 0) as [->|P]; [rewrite !rpow_zero; lra|].
unfold rpow at 1 3. destruct (Rlt_dec 0 (c * y)); [contradiction|]. destruct (Rlt_dec 0 y); [lra|].
destruct (Req_EM_T p 0); [contradiction | ring].
Qed.
Lemma rpow_inv x p : 0 < x -> rpow (/ x) p = / rpow x p.
Proof.
intro H. apply Rmult_eq_reg_l with (rpow x p); [|apply Rgt_not_eq; now apply rpow_p].
rewrite <- rpow_scale, !Rinv_r by (try apply Rgt_not_eq; try apply rpow_p; assumption). rewrite rpow_pos by lra. apply Rpower_1b.
Qed.
Lemma rpow_quotient x y p : 0 < x -> 0 < y -> rpow (x * / y) p = rpow x p * / rpow y p.
Proof. intros X Y. now rewrite rpow_scale, rpow_inv. Qed.
Lemma rpow_opp x p : 0 < x -> rpow x (- 1 * p) = / rpow x p.
Proof. intro X. rewrite !rpow_pos by assumption. rewrite <- Rpower_Ropp. f_equal. ring. Qed.
(* logarithms of products of positive numbers *)
Lemma ln_below x : 0 < x -> ln x <= x - 1.
Proof. intro H. pose proof (exp_ineq1_le (ln x)) as E. rewrite exp_ln in E by assumption. lra. Qed.
Lemma ln_above x : 0 < x -> 1 - / x <= ln x.
Proof. intro H. pose proof (ln_below (/ x) (Rinv_0_lt_compat _ H)) as L. rewrite ln_Rinv in L by assumption. lra. Qed.
Lemma ln_nn x : 1 <= x -> 0 <= ln x.
Proof. intros [H| <-]; [left; rewrite <- ln_1; apply ln_increasing; lra | rewrite ln_1; lra]. Qed.
Lemma ln_p x : 1 < x -> 0 < ln x. Proof. intro H. rewrite <- ln_1. apply ln_increasing; lra. Qed.
Lemma one_plus x : 0 <= x -> 1 <= 1 + x. Proof. lra. Qed.
Lemma one_plus_p x : 0 < x -> 1 < 1 + x. Proof. lra. Qed.
Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]; [left; now apply exp_increasing | lra]. Qed.
Lemma ln_le x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros P [H| ->]; [left; now apply ln_increasing | lra]. Qed.
Lemma split_pow x y p : 0 <= x -> 0 <= y -> 0 <= p <= 1 -> rpow (x + y) p <= rpow x p + rpow y p.
Proof.
intros X Y [P Q].
assert (forall u v, 0 < v -> 0 <= u <= v -> u * rpow v p <= v * rpow u p) as K.
{ intros u v V [[U| <-] L]; [|rewrite Rmult_0_l; apply Rmult_le_pos; [lra | apply rpow_nn]].
  rewrite !rpow_pos by assumption.
  rewrite <- (exp_ln u) at 1 by assumption. rewrite <- (exp_ln v) at 2 by assumption. unfold Rpower. rewrite <- !exp_plus.
  apply exp_le. pose proof (ln_le u v U L). nra. }
destruct X as [X| <-]; [|rewrite Rplus_0_l; pose proof (rpow_nn 0 p); lra].
destruct Y as [Y| <-]; [|rewrite Rplus_0_r; pose proof (rpow_nn 0 p); lra].
pose proof (K x (x + y) ltac:(lra) ltac:(lra)) as A. pose proof (K y (x + y) ltac:(lra) ltac:(lra)) as B.
apply Rmult_le_reg_l with (x + y); [lra|]. nra.
Qed.
Fixpoint total (x : R) (l : list R) : R := match l with nil => x | y :: t => x + total y t end.
Lemma split_total p : 0 <= p <= 1 -> forall l x, (forall y, In y (x :: l) -> 0 <= y) ->
  0 <= total x l /\ rpow (total x l) p <= total (rpow x p) (map (fun y => rpow y p) l).
Proof.
intros P l. induction l as [|y t IH]; intros x H; simpl; [split; [apply H; now left | lra]|].
destruct (IH y) as [N L]; [intros z Z; apply H; now right|].
assert (0 <= x) as X by (apply H; now left). split; [lra|]. pose proof (split_pow x (total y t) p X N P). simpl in L. lra.
Qed.
Ltac each_in := let y := fresh in let H := fresh in intros y H; cbn [In] in H; repeat destruct H as [<- | H]; [assumption .. | destruct H].

(* --- probabilities of events, sets of what may be drawn *)

Record drawing := { outcome :> Type; pr : (outcome -> Prop) -> R;
  pr_more : forall A B : outcome -> Prop, (forall o, A o -> B o) -> pr A <= pr B;
  pr_both : forall A B : outcome -> Prop, pr A + pr B <= 1 + pr (fun o => A o /\ B o);
  pr_not : forall A : outcome -> Prop, pr A + pr (fun o => ~ A o) = 1;
  pr_sure : pr (fun _ => True) = 1 }.
Arguments pr {d} _. Arguments pr_more {d} _ _ _. Arguments pr_both {d} _ _. Arguments pr_not {d} _.
(* what fails with probability f and g, and what fails where one of them does *)
Lemma pr_and (P : drawing) (A B : P -> Prop) f g : 1 - f <= pr A -> 1 - g <= pr B -> 1 - (f + g) <= pr (fun o => A o /\ B o).
Proof. intros. pose proof (pr_both A B). lra. Qed.
Lemma pr_any (P : drawing) : 1 - 0 <= pr (fun _ : P => True). Proof. rewrite pr_sure. lra. Qed.
Lemma pr_implies (P : drawing) (A B : P -> Prop) f p : 1 - f <= pr A -> (forall o, A o -> B o) -> p <= 1 - f -> p <= pr B.
Proof. intros H K L. pose proof (pr_more A B K). lra. Qed.
Lemma pr_moved (P : drawing) (A B : P -> Prop) p q : p <= pr A -> q = p -> (forall o, A o -> B o) -> q <= pr B.
Proof. intros H -> K. pose proof (pr_more A B K). lra. Qed.
Lemma pr_opposite (P : drawing) (A T : P -> Prop) f : pr T <= f -> (forall o, ~ T o -> A o) -> 1 - f <= pr A.
Proof. intros H K. pose proof (pr_not T). pose proof (pr_more _ A K). lra. Qed.
Lemma pr_tail (P : drawing) (A T : P -> Prop) f p : 1 - f <= pr A -> (forall o, A o -> ~ T o) -> f <= p -> pr T <= p.
Proof. intros H K L. pose proof (pr_not T). pose proof (pr_more A _ K). lra. Qed.
Lemma pr_smaller (P : drawing) (A B : P -> Prop) f p : pr B <= f -> (forall o, A o -> B o) -> f <= p -> pr A <= p.
Proof. intros H K L. pose proof (pr_more A B K). lra. Qed.
(* something is drawn *)
Lemma pr_outcome (P : drawing) : exists o : P, True.
Proof.
destruct (Classical_Prop.classic (exists o : P, True)) as [|N]; [assumption|]. exfalso.
pose proof (pr_not (fun _ : P => True)) as H. rewrite pr_sure in H.
pose proof (pr_more (fun _ : P => True) (fun _ => ~ True) (fun o _ => False_ind _ (N (ex_intro _ o I)))) as K. rewrite pr_sure in K. lra.
Qed.
Ltac opposite := let o := fresh "o" in let N := fresh "N" in intros o N; cbv beta in *;
  first [apply Rnot_le_lt in N | apply Rnot_lt_le in N]; lra.
Ltac apart := repeat match goal with H : _ /\ _ |- _ => destruct H end.

(* --- sums over start, start + 1, ..., last *)

Definition isnat (x : R) := exists n : nat, x = INR n.
Definition isint (x : R) := exists z : Z, x = IZR z.
Lemma isint_nat x : isint x -> 0 <= x -> isnat x.
Proof. intros [z ->] H. exists (Z.to_nat z). rewrite INR_IZR_INZ, Z2Nat.id; [reflexivity | now apply le_IZR]. Qed.
Lemma isnat_isint x : isnat x -> isint x.
Proof. intros [n ->]. exists (Z.of_nat n). apply INR_IZR_INZ. Qed.
Lemma isint_num z : isint (IZR z). Proof. now exists z. Qed.
Lemma isint_plus x y : isint x -> isint y -> isint (x + y).
Proof. intros [n ->] [m ->]. exists (n + m)%Z. now rewrite plus_IZR. Qed.
Lemma isint_mult x y : isint x -> isint y -> isint (x * y).
Proof. intros [n ->] [m ->]. exists (n * m)%Z. now rewrite mult_IZR. Qed.
Lemma isint_minus x y : isint x -> isint y -> isint (x - y).
Proof. intros [n ->] [m ->]. exists (n - m)%Z. now rewrite minus_IZR. Qed.
Fixpoint nsum (f : R -> R) (start : R) (n : nat) : R :=
  match n with O => 0 | S m => nsum f start m + f (start + INR m) end.
Definition rsum (f : R -> R) (start last : R) : R := nsum f start (Z.to_nat (up (last - start))).

Lemma count_terms (start last : R) n : last - start + 1 = INR n -> Z.to_nat (up (last - start)) = n.
Proof.
intro H. assert (up (last - start) = Z.of_nat n) as ->; [|apply Nat2Z.id].
symmetry. apply tech_up; rewrite <- INR_IZR_INZ; lra.
Qed.
Lemma rsum_nat f start last n : last - start + 1 = INR n -> rsum f start last = nsum f start n.
Proof. intro H. unfold rsum. now rewrite (count_terms _ _ _ H). Qed.
Lemma rsum_none f start last : last = start - 1 -> rsum f start last = 0.
Proof. intros ->. rewrite (rsum_nat f _ _ 0); [reflexivity | simpl; ring]. Qed.
Lemma rsum_last f start last : isnat (last - start + 1) -> rsum f start (last + 1) = rsum f start last + f (last + 1).
Proof.
intros [n H]. rewrite (rsum_nat f start last n H), (rsum_nat f start (last + 1) (S n)).
- simpl. f_equal. f_equal. rewrite <- H; ring.
- rewrite S_INR, <- H; ring.
Qed.
Lemma nsum_le f g start n : (forall i, (i < n)%nat -> f (start + INR i) <= g (start + INR i)) -> nsum f start n <= nsum g start n.
Proof. induction n as [|n IH]; simpl; intro H; [lra|]. apply Rplus_le_compat; [apply IH; auto | apply H; auto]. Qed.
Lemma rsum_le f g start last : isnat (last - start + 1) ->
  (forall k, isnat (k - start) -> start <= k <= last -> f k <= g k) -> rsum f start last <= rsum g start last.
Proof.
intros [n H] K. rewrite (rsum_nat f _ _ n H), (rsum_nat g _ _ n H). apply nsum_le. intros i Hi. apply K.
- exists i; ring.
- pose proof (pos_INR i). apply lt_INR in Hi. assert (INR i + 1 <= INR n); [|lra].
  rewrite <- S_INR. apply le_INR. apply INR_lt in Hi. lia.
Qed.
Lemma rsum_ext f g start last : (forall k, f k = g k) -> rsum f start last = rsum g start last.
Proof. intro H. unfold rsum. induction (Z.to_nat (up (last - start))) as [|n IH]; simpl; congruence. Qed.
Lemma rsum_nn f start last : (forall k, isnat (k - start) -> start <= k -> 0 <= f k) -> 0 <= rsum f start last.
Proof.
intro H. unfold rsum. induction (Z.to_nat (up (last - start))) as [|n IH]; simpl; [lra|].
apply pls; [assumption|]. apply H; [exists n; ring | pose proof (pos_INR n); lra].
Qed.

Lemma rsum_ind f (g : R -> R) start : g (start - 1) = 0 ->
  (forall b, isnat (b - start + 1) -> start - 1 <= b -> g (b + 1) = g b + f (b + 1)) -> forall b, isnat (b - start + 1) -> rsum f start b = g b.
Proof.
intros H0 HS b [n H]. replace b with (start + INR n - 1) by lra. clear b H. induction n as [|n IH].
- simpl. replace (start + 0 - 1) with (start - 1) by ring. rewrite H0. now apply rsum_none.
- rewrite S_INR. replace (start + (INR n + 1) - 1) with (start + INR n - 1 + 1) by ring.
  pose proof (pos_INR n). rewrite rsum_last, IH, HS; [reflexivity | exists n; ring | lra | exists n; ring].
Qed.
Lemma rsum_step f start b c v : isnat (b - start + 1) -> c = b + 1 -> f (b + 1) = v -> rsum f start c = rsum f start b + v.
Proof. intros H -> <-. now apply rsum_last. Qed.
Lemma rsum_one f a b : b = a -> rsum f a b = f a.
Proof. intros ->. rewrite (rsum_step f a (a - 1) a _ ltac:(exists 0%nat; simpl; ring) ltac:(ring) eq_refl), rsum_none by ring.
replace (a - 1 + 1) with a by ring. ring. Qed.
Lemma rsum_two f a b : b = a + 1 -> rsum f a b = f a + f (a + 1).
Proof. intro H. rewrite (rsum_step f a a b _ ltac:(exists 1%nat; simpl; ring) H eq_refl), rsum_one; reflexivity. Qed.
Lemma rsum_to f start b : b = start - 1 -> rsum f start b = 0. Proof. apply rsum_none. Qed.
Lemma limit_le (f g : R -> R) : continuity_pt f 0 -> continuity_pt g 0 -> (forall x, 0 < x -> f x <= g x) -> f 0 <= g 0.
Proof.
intros Cf Cg H. destruct (Rle_or_lt (f 0) (g 0)) as [L|L]; [assumption|]. exfalso.
set (e := (f 0 - g 0) / 2). assert (0 < e) as P by (unfold e; lra).
destruct (Cf e P) as [a [A1 A2]]. destruct (Cg e P) as [b [B1 B2]].
set (x := Rmin a b / 2). assert (0 < Rmin a b) as M by now apply Rmin_glb_lt.
assert (0 < x) as X by (unfold x; lra).
pose proof (Rmin_l a b). pose proof (Rmin_r a b).
assert (R_dist x 0 < a) as Da by (unfold R_dist; rewrite Rminus_0_r, Rabs_pos_eq; unfold x; lra).
assert (R_dist x 0 < b) as Db by (unfold R_dist; rewrite Rminus_0_r, Rabs_pos_eq; unfold x; lra).
specialize (A2 x). specialize (B2 x). simpl in A2, B2.
assert (Dx : D_x no_cond 0 x) by (split; [exact I | lra]).
specialize (A2 (conj Dx Da)). specialize (B2 (conj Dx Db)). unfold R_dist in A2, B2.
apply Rabs_def2 in A2. apply Rabs_def2 in B2. specialize (H x X). unfold e in *. lra.
Qed.

(* --- induction over a real index that runs through start, start + 1, ... *)

Lemma induct (P : R -> Prop) (a : R) : P a -> (forall k, isnat (k - a) -> a <= k -> P k -> P (k + 1)) -> forall k, isnat (k - a) -> P k.
Proof.
intros H0 HS k [n Hn]. replace k with (a + INR n) by lra. clear k Hn. induction n as [|n IH].
- simpl; now rewrite Rplus_0_r.
- rewrite S_INR, <- Rplus_assoc. apply HS; auto.
  + exists n; ring.
  + pose proof (pos_INR n); lra.
Qed.

(* --- tactics: no search beyond the shape of a term *)

Ltac pos :=
  match goal with
  | |- 0 < ?a => assumption
  | |- 0 <= ?a => assumption
  | H : forall _ : R, 0 <= ?f _ |- 0 <= ?f _ => apply H
  | H : forall _ _ : R, 0 <= ?f _ _ |- 0 <= ?f _ _ => apply H
  | H : forall _ : R, 0 < ?f _ |- 0 < ?f _ => apply H
  | H : forall _ : R, 0 < ?f _ |- 0 <= ?f _ => left; apply H
  | H : forall _ _ : R, 0 < ?f _ _ |- 0 < ?f _ _ => apply H
  | H : forall _ _ : R, 0 < ?f _ _ |- 0 <= ?f _ _ => left; apply H
  | H : 0 < ?a |- 0 <= ?a => left; exact H
  | H : 1 <= ?a |- 0 <= ?a => exact (ge1_nn _ H)
  | H : 1 <= ?a |- 0 < ?a => exact (ge1_p _ H)
  | H : 0 <= ?a, N : ?a <> 0 |- 0 < ?a => exact (nn_nz_p _ H N)
  | |- 0 < PI => exact PI_RGT_0
  | |- 0 <= PI => left; exact PI_RGT_0
  | |- 0 < ?a * ?b => apply Rmult_lt_0_compat; pos
  | |- 0 <= ?a * ?b => apply Rmult_le_pos; pos
  | |- 0 < ?a / ?b => apply Rdiv_lt_0_compat; pos
  | |- 0 <= ?a / ?b => apply div_nn; pos
  | |- 0 < / ?a => apply Rinv_0_lt_compat; pos
  | |- 0 <= / ?a => apply inv_nn; pos
  | |- 0 < ?a + ?b => first [apply Rplus_lt_0_compat; [solve [pos] | solve [pos]] | apply Rplus_le_lt_0_compat; [solve [pos] | solve [pos]] | apply Rplus_lt_le_0_compat; [solve [pos] | solve [pos]]]
  | |- 0 <= ?a + ?b => apply pls; pos
  | |- 0 < ?a ^ ?n => first [apply pow_lt; solve [pos] | let m := eval compute in (Nat.div2 n) in change n with (2 * m)%nat; apply even_p; assumption]
  | |- 0 <= ?a ^ ?n => first [apply pow_le; solve [pos] | let m := eval compute in (Nat.div2 n) in change n with (2 * m)%nat; apply even_nn]
  | |- 0 < sqrt _ => apply sqrt_lt_R0; pos
  | |- 0 <= sqrt _ => apply sqrt_pos
  | |- 0 < rpow _ _ => apply rpow_p; pos
  | |- 0 <= rpow _ _ => apply rpow_nn
  | |- 0 < Rpower _ _ => unfold Rpower; apply exp_pos
  | |- 0 <= Rpower _ _ => left; unfold Rpower; apply exp_pos
  | |- 0 < exp _ => apply exp_pos
  | |- 0 <= exp _ => left; apply exp_pos
  | |- 0 <= ln _ => apply ln_nn; first [assumption | solve [lra] | solve [apply one_plus; pos]]
  | |- 0 < ln _ => apply ln_p; first [assumption | solve [lra] | solve [apply one_plus_p; pos]]
  | |- 0 < Rmax _ _ => first [apply rmax_p_l; solve [pos] | apply rmax_p_r; solve [pos]]
  | |- 0 <= Rmax _ _ => first [apply rmax_nn_l; solve [pos] | apply rmax_nn_r; solve [pos]]
  | |- 0 < Rmin _ _ => apply rmin_p; pos
  | |- 0 <= Rmin _ _ => apply rmin_nn; pos
  | |- 0 <= rsum _ _ _ => apply rsum_nn; intros; pos
  | |- 0 < IZR _ => apply IZR_lt; reflexivity
  | |- 0 <= IZR _ => apply IZR_le; discriminate
  | |- ?a <> 0 => first [assumption | apply Rgt_not_eq; red; solve [pos]]
  end.
(* what field asks for: each factor is known to be nonzero, up to ring *)
Ltac nz1 := first [assumption
  | apply Rmult_integral_contrapositive_currified; nz1
  | apply pow_nonzero; nz1
  | apply Rinv_neq_0_compat; nz1
  | apply Rgt_not_eq; red; solve [pos]
  | match goal with N : ?d <> 0 |- ?e <> 0 => let Hz := fresh in (intro Hz; apply N; rewrite <- Hz; ring) end
  | match goal with N : ?d <> 0 |- ?e <> 0 => let Hz := fresh in (intro Hz; apply N; replace d with (- e) by ring; rewrite Hz; ring) end
  | solve [discrR] | solve [lra] ].
Ltac nz := repeat split; nz1.
(* what a lemma asks for beside its premise: the range of an index, a sign *)
Lemma isnat_0 : isnat 0. Proof. now exists 0%nat. Qed.
Lemma isnat_1 : isnat 1. Proof. now exists 1%nat. Qed.
Lemma isnat_plus x y : isnat x -> isnat y -> isnat (x + y).
Proof. intros [n ->] [m ->]. exists (n + m)%nat. now rewrite plus_INR. Qed.
Lemma isnat_mult x y : isnat x -> isnat y -> isnat (x * y).
Proof. intros [n ->] [m ->]. exists (n * m)%nat. now rewrite mult_INR. Qed.
Lemma isnat_eq x y : isnat x -> y = x -> isnat y. Proof. now intros H ->. Qed.
Lemma isnat_nn x : isnat x -> 0 <= x. Proof. intros [n ->]. apply pos_INR. Qed.
Lemma isnat_minus x y : isnat x -> isnat y -> y <= x -> isnat (x - y).
Proof. intros [n ->] [m ->] H. apply INR_le in H. exists (n - m)%nat. now rewrite minus_INR. Qed.
Lemma isnat_back y s : isnat s -> isnat (y - s) -> isnat y.
Proof. intros H K. apply (isnat_eq (s + (y - s))); [now apply isnat_plus | ring]. Qed.
Lemma isnat_num p : isnat (IZR (Zpos p)).
Proof. exists (Pos.to_nat p). now rewrite INR_IZR_INZ, positive_nat_Z. Qed.
Ltac nat1 := first [assumption | exact isnat_0 | exact isnat_1 | apply isnat_num | apply isnat_plus; nat1 | apply isnat_mult; nat1].
Ltac int := first [assumption | apply isint_num | apply isint_plus; int | apply isint_minus; int | apply isint_mult; int
  | apply isnat_isint; nat1].
Ltac nat := first [nat1
  | match goal with H : isnat ?x |- isnat ?y => apply (isnat_eq x y H); ring end
  | match goal with H : isint ?x |- isnat ?y => apply (isnat_eq x y); [apply (isint_nat x H); lra | ring] end
  | match goal with H : isnat ?x |- isnat ?y => apply (isnat_eq (x + 1) y (isnat_plus _ _ H isnat_1)); ring end
  | match goal with |- isint _ => int | |- isnat _ => apply isint_nat; [solve [int] | lra] end ].
Ltac side := first [assumption | solve [pos] | solve [nat] | solve [lra] | solve [apply isnat_nn; nat]].
(* roots: what stands under one is a power of it *)
(* two roots of one number, as powers of a third *)
Lemma rpow_part x p q n : 0 <= x -> p = INR n * q -> rpow x p = rpow x q ^ n.
Proof. intros H ->. rewrite <- (rpow_nat (rpow x q) n) by apply rpow_nn. rewrite rpow_rpow by assumption. f_equal. ring. Qed.
Ltac one_root := match goal with
  | |- context [rpow ?x (1 / IZR ?p)] => match goal with
    | |- context [rpow x (1 / IZR ?q)] => lazymatch q with p => fail | _ => idtac end;
      let r := eval compute in (Z.lcm p q) in
      let part k := lazymatch k with r => idtac | _ => let n := eval compute in (Z.to_nat (r / k)) in
        rewrite (rpow_part x (1 / IZR k) (1 / IZR r) n) in * by first [side | simpl; field] end in
      part p; part q
    | |- context [sqrt x] => replace (sqrt x) with (rpow x (1 / 2)) in * by (rewrite sqrt_rpow by side; f_equal; field)
    end end.
Ltac roots := repeat match goal with
  | |- context [sqrt (?r ^ ?n)] => let m := eval compute in (Nat.div2 n) in
  rewrite (sqrt_rpow (r ^ n)), (rpow_pow r n), (rpow_whole r (INR n * / 2) m) by first [side | simpl; field]
  | |- context [rpow (?r ^ ?n) (IZR ?a / IZR ?b)] => let m := eval compute in (Z.to_nat (Z.of_nat n * a / b)) in
  rewrite (rpow_pow r n), (rpow_whole r (INR n * (IZR a / IZR b)) m) by first [side | simpl; field]
  | |- context [rpow ?x (IZR (Zpos ?a) / IZR ?q)] => lazymatch a with 1%positive => fail | _ =>
  let n := eval compute in (Pos.to_nat a) in
  replace (rpow x (IZR (Zpos a) / IZR q)) with (rpow x (1 / IZR q) ^ n)
    by (rewrite <- (rpow_nat _ n) by apply rpow_nn; rewrite rpow_rpow by side; f_equal; simpl; field) end
  | |- context [rpow ?x (IZR (Zneg ?a) / IZR ?q)] => let n := eval compute in (Pos.to_nat a) in
  replace (rpow x (IZR (Zneg a) / IZR q)) with (/ (rpow x (1 / IZR q) ^ n))
    by (rewrite <- (rpow_nat _ n) by apply rpow_nn; rewrite rpow_rpow, <- rpow_opp by side; f_equal; simpl; field)
  | _ => one_root
  | |- context [rpow ?x (1 / IZR ?q)] =>
  let n := eval compute in (Z.to_nat q) in
  let r := fresh "r" in let H := fresh "H" in let P := fresh "P" in
  assert (H : x = rpow x (1 / IZR q) ^ n) by (rewrite <- (rpow_nat _ n) by apply rpow_nn; rewrite rpow_rpow by side;
    replace (1 / IZR q * INR n) with 1 by (simpl; field); symmetry; apply rpow_one; side);
  first [assert (P : 0 < rpow x (1 / IZR q)) by pos | assert (P : 0 <= rpow x (1 / IZR q)) by pos];
  set (r := rpow x (1 / IZR q)) in *; clearbody r; try rewrite H
  | |- context [sqrt ?x] =>
  let r := fresh "r" in let H := fresh "H" in let P := fresh "P" in
  assert (H : x = sqrt x * sqrt x) by (symmetry; apply sqrt_sqrt; side);
  first [assert (P : 0 < sqrt x) by pos | assert (P : 0 <= sqrt x) by pos];
  set (r := sqrt x) in *; clearbody r; try rewrite H end.
(* powers that are known, of bases that are equal by ring *)
Ltac known_powers := repeat match goal with H : rpow ?x ?e = _ |- context [rpow ?y ?e] =>
  lazymatch y with x => fail | _ => replace y with x by ring; rewrite H end end.
(* powers of one base, and of its root, with exponents that are equal or opposite by field *)
Lemma rpow_root x p : 0 <= x -> rpow (sqrt x) p = rpow x (/ 2 * p).
Proof. intro H. now rewrite (sqrt_rpow x H), rpow_rpow. Qed.
Ltac alike_powers :=
  repeat match goal with |- context [rpow (sqrt ?x) ?p] => rewrite (rpow_root x p) by side end;
  repeat match goal with |- context [rpow ?x ?a] => match goal with |- context [rpow x ?b] =>
    lazymatch a with context [b] => fail | _ => first [replace b with a by (field; nz)
      | replace b with (- 1 * a) by (field; nz); rewrite (rpow_opp x a) by side] end end end.
(* sums that are known, and sums that stand there twice, of terms that are equal by ring *)
Ltac known_sums := repeat match goal with
  | H : rsum ?f ?s ?t = ?v |- context [rsum ?g ?s ?t] => lazymatch g with f => fail
      | _ => replace (rsum g s t) with v by (rewrite <- H; apply rsum_ext; intro; ring) end
  | |- context [rsum ?f ?s ?t] => match goal with |- context [rsum ?g ?s ?t] => lazymatch g with f => fail
      | _ => replace (rsum g s t) with (rsum f s t) by (apply rsum_ext; intro; ring) end end
  end.
(* roots of what is equal by ring *)
Ltac same_roots := repeat match goal with |- context [sqrt ?x] => match goal with |- context [sqrt ?y] =>
  lazymatch x with context [y] => fail | _ => replace y with x by first [ring | field; nz] end end end.
(* the square of a root is what stands under it *)
Ltac root_rules := match goal with
  | H : _ = ?r * ?r, G : _ = ?s * ?s |- _ => lazymatch r with s => fail | _ =>
      first [ring [(eq_sym H) (eq_sym G)] | field [(eq_sym H) (eq_sym G)]; nz] end
  | H : _ = ?r * ?r |- _ => first [ring [(eq_sym H)] | field [(eq_sym H)]; nz] end.
(* powers of products as products of powers, their exponents as fractions *)
Ltac fraction e := lazymatch e with
  | IZR ?z => constr:((z, 1%Z))
  | INR ?n => eval compute in (Z.of_nat n, 1%Z)
  | ?a / ?b => let p := fraction a in let q := fraction b in eval compute in (fst p * snd q, snd p * fst q)%Z
  | ?a * ?b => let p := fraction a in let q := fraction b in eval compute in (fst p * fst q, snd p * snd q)%Z
  | / ?a => let p := fraction a in eval compute in (snd p, fst p)
  end.
(* the sign of a sum that is known otherwise written *)
Ltac known_sign x := lazymatch x with _ + _ => idtac end; lazymatch goal with H : 0 < x |- _ => fail | _ => idtac end;
  match goal with H : 0 < ?y |- _ => assert (0 < x) by (replace x with y by ring; exact H) end.
Ltac composed x := lazymatch x with _ * _ => idtac | / _ => idtac | _ ^ _ => idtac | rpow _ _ => idtac | sqrt _ => idtac end.
Ltac spread1 := match goal with
  | |- context [rpow ?x _] => known_sign x
  | |- context [sqrt ?x] => known_sign x
  | |- context [/ ?x] => known_sign x
  | |- context [rpow (?a * ?b) ?p] => rewrite (rpow_prod a b p) by side
  | |- context [rpow (/ ?a) ?p] => rewrite (rpow_inv a p) by side
  | |- context [rpow (?a ^ ?n) ?p] => rewrite (rpow_pow a n p) by side
  | |- context [rpow (rpow ?a ?q) ?p] => rewrite (rpow_rpow a q p) by side
  | |- context [rpow (sqrt ?a) ?p] => rewrite (rpow_root a p) by side
  | |- context [sqrt ?x] => composed x; rewrite (sqrt_rpow x) by side
  | |- context [rpow ?x (1 / 2)] => tryif composed x then fail else replace (rpow x (1 / 2)) with (sqrt x) by (rewrite sqrt_rpow by side; f_equal; field)
  | |- context [rpow ?x ?e] => lazymatch e with IZR _ / IZR _ => fail | _ => idtac end;
      let f := fraction e in let g := eval compute in (Z.gcd (fst f) (snd f)) in
      let p := eval compute in (fst f / g)%Z in let q := eval compute in (snd f / g)%Z in
      lazymatch q with
      | 1%Z => let n := eval compute in (Z.to_nat p) in rewrite (rpow_whole x e n) by first [side | simpl; field]
      | _ => replace e with (IZR p / IZR q) by (simpl; field)
      end
  end.
Ltac spread := repeat spread1.
Ltac ident := try (cbn [sq cross pair row]); first [ring | field; nz | progress roots; first [ring | field; nz]
  | progress known_powers; first [ring | field; nz]
  | progress same_roots; first [ring | field; nz | progress roots; first [ring | field; nz]]
  | progress known_sums; first [ring | field; nz] | progress alike_powers; first [ring | field; nz]
  | progress roots; root_rules
  | progress (rewrite ?pow2_sqrt by side); same_roots; first [ring | field; nz | progress roots; first [ring | field; nz]]
  | progress spread; first [ring | field; nz | progress roots; first [ring | field; nz | root_rules]]].
Ltac ident_lra := first [lra | match goal with |- ?s <= ?l => apply (conv_le 0 (l - s)) end; [|ring]; match goal with |- 0 <= ?e => ring_simplify e; lra end].
(* arguments of one function, and ends of one sum, that are equal by ring *)
Ltac args1 := match goal with
  | |- context [?f ?x] => is_var f; match type of f with R -> _ => idtac end;
      match goal with |- context [f ?y] => lazymatch x with context [y] => fail | _ => replace y with x by ring end end
  | |- context [?f ?u ?x] => is_var f; match type of f with R -> R -> _ => idtac end;
      match goal with |- context [f u ?y] => lazymatch x with context [y] => fail | _ => replace y with x by ring end end
  | |- context [rsum ?f ?s ?x] => match goal with |- context [rsum f s ?y] => lazymatch x with context [y] => fail | _ => replace y with x by ring end end
  | |- context [ln ?x] => match goal with |- context [ln ?y] => lazymatch x with context [y] => fail | _ => replace y with x by ring end end
  end.
Ltac exps1 := match goal with
  | |- context [rpow ?x ?e] => rewrite (rpow_zero x e) by ring
  | |- context [rpow ?x ?e] => first [rewrite (rpow_whole x e 1) by first [simpl; ring | side]
      | rewrite (rpow_whole x e 2) by first [simpl; ring | side] | rewrite (rpow_whole x e 4) by first [simpl; ring | side]]
  | |- context [rpow ?x ?a] => match goal with |- context [rpow x ?b] =>
      lazymatch a with context [b] => fail | _ => replace b with a by ring end end
  end.
Ltac args := cbn beta; repeat args1; repeat exps1.
(* logarithms and powers of what is equal by ring *)
Ltac alike := cbv beta; rewrite ?ln_1, ?rpow_1; repeat match goal with
  | |- context [ln ?x] => match goal with |- context [ln ?y] => lazymatch x with context [y] => fail | _ => replace y with x by first [ring | field; nz] end end
  | |- context [rpow ?x _] => match goal with |- context [rpow ?y _] => lazymatch x with context [y] => fail | _ => replace y with x by ring end end
  end.
(* an event whose bound is written otherwise *)
Ltac same_event := let o := fresh "o" in intros o ?; cbv beta in *; apart; repeat split;
  match goal with H : ?a <= ?b |- ?c <= ?d => apply (conv_le a b c d H); alike; ident end.
Ltac nums := repeat match goal with |- context [INR ?n] => let v := eval compute in (Z.of_nat n) in replace (INR n) with (IZR v) by (simpl; ring) end.
(* the least factor of a whole number, from d on *)
Fixpoint least_factor (fuel : nat) (d n : Z) : Z :=
  match fuel with
  | O => n
  | S less => if (n <? d * d)%Z then n else if (n mod d =? 0)%Z then d else least_factor less (d + 1)%Z n
  end.
Ltac ln_factors := match goal with |- context [ln (IZR ?n)] =>
  let d := eval compute in (least_factor 100 2 n) in let q := eval compute in (n / d)%Z in
  lazymatch q with 1%Z => fail | _ => replace (IZR n) with (IZR d * IZR q) by ring end end.
Ltac lns := repeat first [ln_factors | rewrite ln_mult by pos | rewrite ln_Rinv by pos | rewrite ln_pow by pos | rewrite ln_rpow by pos
  | rewrite ln_root by pos | rewrite ln_exp | rewrite ln_1]; nums.
Ltac logs := unfold Rdiv; lns; first [ring | field; nz].
Ltac natfrom := first [nat | apply isnat_minus; [nat | nat | solve [lra | side]]
  | match goal with H : isnat (?y - ?s) |- isnat ?y => apply (isnat_back y s); [nat | exact H] end
  | match goal with H : isnat (?y - ?s) |- isnat (?y + 1) => apply isnat_plus; [apply (isnat_back y s); [nat | exact H] | exact isnat_1] end].
Lemma isnat_pred x : isnat x -> 0 < x -> isnat (x - 1).
Proof. intros [[|n] ->] H; [simpl in H; lra|]. exists n. rewrite S_INR. ring. Qed.
(* what the for-all of an index supposes of its value: that it is a whole number, and not negative *)
Ltac range := first [side | natfrom
  | match goal with H : isnat ?x |- isnat ?y => apply (isnat_eq (x - 1) y); [apply isnat_pred; [exact H | side] | ring] end
  | match goal with |- 0 <= _ => apply isnat_nn; range end].
Ltac natcount := match goal with |- isnat (?l - ?s + 1) =>
  first [nat | apply (isnat_eq (l + 1 - s)); [apply isnat_minus; [nat | nat | lra] | ring]] end.
Ltac exact_count := first [assumption | natcount].
(* powers to minus an index of a quotient, by powers of its parts *)
Ltac geometric y :=
  repeat match goal with |- context [rpow ?x (- 1 * ?p)] => rewrite (rpow_opp x p) by side end;
  repeat match goal with |- context [rpow ?u ?e] => lazymatch e with y => fail | _ => replace e with y by ring end end;
  rewrite ?rpow_succ by side;
  try match goal with |- context [/ (rpow ?x y * ?x)] => match goal with |- context [rpow ?u y] => match goal with |- context [rpow ?v y] =>
    replace (rpow x y) with (rpow u y * / rpow v y) by
      (replace x with (u * / v) by (field; nz); rewrite rpow_quotient by side; reflexivity);
    assert (rpow u y * u <> 0) by nz; assert (rpow v y * v <> 0) by nz end end end;
  field; nz.
(* powers of positive numbers whose exponents are sums: one factor for each part of the exponent *)
Lemma rpow_minus_one x : 0 < x -> rpow x (- 1) = / x.
Proof. intro X. rewrite <- (rpow_one x) at 2 by lra. rewrite <- (rpow_opp x 1) by assumption. f_equal. ring. Qed.
Lemma rpow_minus x p q : 0 < x -> rpow x (p - q) = rpow x p * / rpow x q.
Proof. intro X. rewrite <- (rpow_opp x q), <- rpow_plus by assumption. f_equal. ring. Qed.
Ltac exponents :=
  repeat match goal with
  | |- context [rpow ?x (?a + ?b)] => rewrite (rpow_plus x a b) by side
  | |- context [rpow ?x (?a - ?b)] => rewrite (rpow_minus x a b) by side
  | |- context [rpow ?x (- 1 * ?p)] => rewrite (rpow_opp x p) by side
  | |- context [rpow ?x (- 1)] => rewrite (rpow_minus_one x) by side
  | |- context [rpow ?x 1] => rewrite (rpow_one x) by side
  end; ident.
(* the last term of each sum that ends one later *)
Ltac grow y := repeat match goal with |- context [rsum ?h ?s ?t] =>
  match t with context C [y + 1] => let b := context C [y] in
    rewrite (rsum_step h s b t _ ltac:(nat) ltac:(ring) eq_refl) end end.
Lemma nat_lt x y : isnat x -> isnat y -> x < y -> x + 1 <= y.
Proof. intros [n ->] [m ->] H. rewrite <- S_INR. apply le_INR. apply INR_lt in H. lia. Qed.
(* powers of numbers that are zero *)
Ltac zero0 := cbn [pow]; repeat first [rewrite Rmult_0_l | rewrite Rmult_0_r | rewrite sqrt_0 | rewrite Rplus_0_l | rewrite Rplus_0_r 
  | match goal with |- context [rpow 0 ?p] => rewrite (rpow_0 p) by pos end]; first [reflexivity | ring | lra].
Ltac pwz x := let P := fresh in destruct (Rle_lt_or_eq_dec 0 x ltac:(side)) as [P | P]; [ | rewrite <- P; zero0].
(* powers of positive numbers, by their logarithms; of nonnegative ones by the laws of powers *)
Ltac pw := first [apply ln_eq; [solve [pos] | solve [pos] | logs]
  | rewrite ?rpow_succ by side; ring
  | rewrite ?rpow_scale by solve [pos]; rewrite ?rpow_inv by solve [pos]; ring
  | rewrite ?sqrt_rpow by side; rewrite ?rpow_prod by side; rewrite ?rpow_rpow, ?rpow_pow by side; nums; rewrite ?rpow_one by side; first [ring | f_equal; field; nz] ].
Ltac wholes := repeat match goal with |- context [rpow ?x (IZR (Zpos ?p))] =>
  let n := eval compute in (Pos.to_nat p) in rewrite (rpow_whole x (IZR (Zpos p)) n) by first [side | simpl; ring] end.
(* an identity in which roots are squared, those of numbers too *)
Ltac squared := repeat match goal with |- context [sqrt ?x] => let r := fresh "r" in let E := fresh "E" in
    try assert (0 < sqrt x) by (apply sqrt_lt_R0; side); assert (sqrt x * sqrt x = x) by (apply sqrt_def; side);
    remember (sqrt x) as r eqn:E in *; clear E end;
  match goal with
  | A : ?a * ?a = _ |- _ => first [ring [A] | field [A]; nz]
  | A : ?a * ?a = _, B : ?b * ?b = _ |- _ => lazymatch a with b => fail | _ => first [ring [A B] | field [A B]; nz] end
  | A : ?a * ?a = _, B : ?b * ?b = _, C : ?c * ?c = _ |- _ => lazymatch a with b => fail | c => fail | _ =>
      lazymatch b with c => fail | _ => first [ring [A B C] | field [A B C]; nz] end end
  end.
Ltac half := match goal with |- ?a = rpow ?b (1 / 2) =>
  replace (rpow b (1 / 2)) with (sqrt b) by (rewrite sqrt_rpow by side; f_equal; field);
  symmetry; apply sqrt_lem_1; [side | side | first [ident | squared]] end.
Ltac powers := first [pw | wholes; ident | half | zero0].
(* q^(n k) is the n-th power of q^k, also where q is zero *)
Ltac pwk := match goal with |- rpow ?x ?e = rpow ?x ?k ^ ?n =>
  rewrite <- (rpow_nat (rpow x k) n) by apply rpow_nn; rewrite rpow_rpow by side; f_equal; nums; first [ring | field; nz] end.
Ltac extreme := first [lra | apply Rmax_l | apply Rmax_r | apply Rmin_l | apply Rmin_r
  | eapply Rle_trans; [|apply Rmax_l]; extreme | eapply Rle_trans; [apply Rmin_l|]; extreme].
Ltac extreme_case := unfold Rmax, Rmin; repeat match goal with |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b) end; lra.
(* what a bound on a maximum or minimum says of one of its arguments *)
Ltac extreme_part W := first
  [ eapply Rle_lt_trans; [|exact W]; extreme | eapply Rle_trans; [|exact W]; extreme
  | eapply Rlt_le_trans; [exact W|]; extreme | eapply Rle_trans; [exact W|]; extreme ].
(* numbers: exp 1 and PI between those that the standard library knows, powers of exp 1 by them *)
Lemma exp_1_above n : sum_f_R0 (fun i => / INR (fact i)) n <= exp 1.
Proof.
unfold exp. destruct (exist_exp 1) as [l H]. simpl.
apply sum_incr.
- unfold exp_in, infinite_sum in H. intros e He. destruct (H e He) as [N K]. exists N. intros m Hm.
  specialize (K m Hm). replace (sum_f_R0 (fun i => / INR (fact i)) m) with (sum_f_R0 (fun i => / INR (fact i) * 1 ^ i) m); [exact K|].
  apply sum_eq. intros. rewrite pow1. ring.
- intro k. left. apply Rinv_0_lt_compat. apply lt_0_INR. apply lt_O_fact.
Qed.
Lemma exp_1_from : 2718281 / 1000000 <= exp 1.
Proof. eapply Rle_trans; [|apply (exp_1_above 9)]. 
 cbn [sum_f_R0]. rewrite ?fact_simpl, ?mult_INR. change (fact 0) with 1%nat. simpl INR. lra. Qed.
Lemma exp_m1_above : 36787942 / 100000000 <= exp (-1).
Proof.
unfold exp. destruct (exist_exp (-1)) as [l H]. simpl.
assert (D : Un_decreasing (fun i => / INR (fact i))).
{ intro n. apply Rinv_le_contravar; [apply lt_0_INR, lt_O_fact|]. apply le_INR. apply fact_le. lia. }
assert (Z : Un_cv (fun i => / INR (fact i)) 0).
{ pose proof (cv_speed_pow_fact 1) as C. intros e He. destruct (C e He) as [N K]. exists N. intros m Hm. specialize (K m Hm).
  replace (/ INR (fact m)) with (1 ^ m / INR (fact m)); [exact K|]. rewrite pow1. unfold Rdiv. ring. }
assert (S : Un_cv (fun N => sum_f_R0 (tg_alt (fun i => / INR (fact i))) N) l).
{ intros e He. destruct (H e He) as [N K]. exists N. intros m Hm. specialize (K m Hm).
  replace (sum_f_R0 (tg_alt (fun i => / INR (fact i))) m) with (sum_f_R0 (fun i => / INR (fact i) * (-1) ^ i) m); [exact K|].
  apply sum_eq. intros. unfold tg_alt. ring. }
destruct (alternated_series_ineq _ l 5 D Z S) as [L _].
eapply Rle_trans; [|exact L]. unfold tg_alt. cbn [Nat.mul Nat.add sum_f_R0].
rewrite ?fact_simpl, ?mult_INR. change (fact 0) with 1%nat. simpl INR.
cbn [pow]. lra.
Qed.
Lemma exp_1_upto : exp 1 <= 2718282 / 1000000.
Proof.
pose proof exp_m1_above as H. pose proof (exp_pos 1) as P. replace (-1) with (Ropp 1) in H by lra. rewrite exp_Ropp in H.
apply Rmult_le_reg_r with (/ exp 1); [now apply Rinv_0_lt_compat|]. rewrite Rinv_r by lra. lra.
Qed.
(* logarithms of numbers between fractions, by powers of exp 1 *)
Lemma exp_times n x : exp (INR n * x) = exp x ^ n.
Proof.
induction n; [now cbn [INR pow]; rewrite Rmult_0_l, exp_0 |].
rewrite S_INR; replace ((INR n + 1) * x) with (x + INR n * x) by ring; now rewrite exp_plus, IHn.
Qed.
Lemma exp_1_times n : exp (INR n) = exp 1 ^ n. Proof. rewrite <- exp_times; f_equal; ring. Qed.
Lemma ln_from p q x : 0 < x -> (2718282 / 1000000) ^ p <= x ^ q -> INR p <= INR q * ln x.
Proof.
intros Hx H; apply Rnot_lt_le; intro W; apply exp_increasing in W; rewrite exp_times, exp_ln, exp_1_times in W by exact Hx.
assert (exp 1 ^ p <= (2718282 / 1000000) ^ p) by (apply pow_incr; split; [left; apply exp_pos | exact exp_1_upto]); lra.
Qed.
Lemma ln_upto p q x : 0 < x -> x ^ q <= (2718281 / 1000000) ^ p -> INR q * ln x <= INR p.
Proof.
intros Hx H; apply Rnot_lt_le; intro W; apply exp_increasing in W; rewrite exp_times, exp_ln, exp_1_times in W by exact Hx.
assert ((2718281 / 1000000) ^ p <= exp 1 ^ p) by (apply pow_incr; split; [lra | exact exp_1_from]); lra.
Qed.
Ltac ln_number law p q x := let G := fresh in assert (G := law p q x ltac:(lra) ltac:(lra)); cbn [INR] in G; lra.
Ltac extreme_or_number := first [solve [extreme] | pose proof exp_1_from; pose proof exp_1_upto; lra
  | pose proof PI2_3_2; pose proof PI_4; lra | pose proof ln_lt_2; lra].
Ltac root_eq := first [rewrite !pow2_sqrt by side; ident | ident].
Lemma rmax_le a b c : a <= c -> b <= c -> Rmax a b <= c. Proof. intros; now apply Rmax_lub. Qed.
Lemma rmax_lt a b c : a < c -> b < c -> Rmax a b < c. Proof. intros; now apply Rmax_lub_lt. Qed.

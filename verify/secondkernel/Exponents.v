(* Rounds that an accuracy needs, from a bound that decays with them: which of its terms is large, what that says of the
   rounds, and that a monomial of the accuracy is as large. What O(.) hides is made of the numbers named here. Nothing is admitted. *)
From RateProof Require Export RateProof.

(* --- one of some terms is above its share *)
Fixpoint added (l : list R) : R := match l with nil => 0 | x :: t => x + added t end.
Lemma shares m t l : 0 < m -> (forall x, In x l -> m * x <= t) -> m * added l <= INR (length l) * t.
Proof.
intros M. induction l as [|x l IH]; intro H; [simpl; lra|].
change (length (x :: l)) with (S (length l)). rewrite S_INR. cbn [added].
pose proof (IH (fun y I => H y (or_intror I))). pose proof (H x (or_introl eq_refl)). lra.
Qed.
Lemma one_above m t l : 0 < m -> m = INR (length l) -> t < added l -> exists x, In x l /\ t < m * x.
Proof.
intros M E A. destruct (Classical_Prop.classic (exists x, In x l /\ t < m * x)) as [|N]; [assumption|]. exfalso.
assert (m * added l <= m * t) as L.
{ rewrite E at 2. apply shares; [assumption|]. intros x I. apply Rnot_lt_le. intro K. apply N. now exists x. }
apply Rmult_le_reg_l in L; lra.
Qed.
Lemma added_nn l : Forall (Rle 0) l -> 0 <= added l.
Proof. induction 1; simpl; lra. Qed.
Lemma in_added x l : Forall (Rle 0) l -> In x l -> x <= added l.
Proof.
induction 1 as [|y l Y H IH]; simpl; [contradiction|]. pose proof (added_nn l H). intros [-> | I]; [lra | specialize (IH I); lra].
Qed.
(* a bound by one constant and one term is one by all of them *)
Lemma by_all r c g C gs : 0 <= c <= C -> Forall (Rle 0) gs -> In g gs -> r <= c * g -> r <= C * added gs.
Proof.
intros [P Q] G J H. pose proof (in_added g gs G J). pose proof (added_nn gs G).
assert (0 <= g) by (rewrite Forall_forall in G; now apply G).
apply Rle_trans with (1 := H). apply Rmult_le_compat; assumption.
Qed.
Ltac listed := cbn [In]; repeat first [left; reflexivity | right].

(* --- powers *)
Lemma rpow_exp x e : 0 < x -> rpow x e = exp (e * ln x). Proof. apply rpow_pos. Qed.
Lemma rpow_below x p q : 1 <= x -> p <= q -> rpow x p <= rpow x q.
Proof. intros X P. rewrite !rpow_exp by lra. apply exp_le. pose proof (ln_nn x X). nra. Qed.
Lemma rpow_above x p : 0 < p -> 1 <= rpow x p -> 1 <= x.
Proof.
intros P H. destruct (Rlt_dec 0 x) as [X|X].
- apply Rnot_lt_le. intro L. rewrite rpow_exp, <- exp_0 in H by assumption.
  assert (ln x < 0) by (rewrite <- ln_1; now apply ln_increasing).
  assert (p * ln x < 0) as N by nra. apply exp_increasing in N. lra.
- unfold rpow in H. destruct (Rlt_dec 0 x); [contradiction|]. destruct (Req_EM_T p 0); lra.
Qed.
Lemma root_above t c s e : 0 < c -> 0 < e -> 0 < t -> t < c * rpow s e -> rpow (t * / c) (/ e) < s.
Proof.
intros C E T H. assert (0 < / c) by now apply Rinv_0_lt_compat.
assert (t * / c < rpow s e) as K by (apply Rmult_lt_reg_l with c; [assumption|]; replace (c * (t * / c)) with t by (field; lra); lra).
assert (0 < t * / c) by now apply Rmult_lt_0_compat.
destruct (Rlt_dec 0 s) as [S|S].
- apply ln_increasing in K; [|assumption]. rewrite ln_rpow in K by assumption.
  rewrite <- (exp_ln s) at 1 by assumption. rewrite rpow_exp by assumption. apply exp_increasing.
  apply Rmult_lt_reg_l with e; [assumption|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. assumption.
- exfalso. unfold rpow in K. destruct (Rlt_dec 0 s); [contradiction|]. destruct (Req_EM_T e 0); lra.
Qed.
Lemma sqrt_any x : sqrt x = rpow x (1 / 2).
Proof.
replace (1 / 2) with (/ 2) by field. destruct (Rle_or_lt 0 x) as [H|H]; [now apply sqrt_rpow|].
rewrite sqrt_neg_0 by lra. unfold rpow. destruct (Rlt_dec 0 x); [lra|]. destruct (Req_EM_T (/ 2) 0); lra.
Qed.
(* 1 / (r^c - 1) *)
Definition less_one (c : R) : R := 1 - rpow 2 (- c).
Lemma less_one_p c : 0 < c -> 0 < less_one c.
Proof.
intro C. unfold less_one. assert (- c * ln 2 < 0) by (pose proof (ln_p 2 ltac:(lra)); nra).
rewrite rpow_exp by lra. assert (exp (- c * ln 2) < exp 0) by now apply exp_increasing. rewrite exp_0 in *. lra.
Qed.
Lemma above_one r c : 2 <= r -> 0 < c -> 0 < rpow r c - 1 /\ / (rpow r c - 1) <= / (less_one c * rpow r c).
Proof.
intros Hr C. assert (0 < rpow r c) as P by (apply rpow_p; lra). pose proof (less_one_p c C) as L.
assert (less_one c * rpow r c <= rpow r c - 1) as H.
{ unfold less_one. assert (1 <= rpow 2 (- c) * rpow r c); [|nra].
  assert (rpow 2 c <= rpow r c) by (apply rpow_le; lra).
  replace 1 with (rpow 2 (- c) * rpow 2 c) by (rewrite <- rpow_plus by lra; apply rpow_zero; ring).
  apply Rmult_le_compat_l; [apply rpow_nn | assumption]. }
assert (0 < less_one c * rpow r c) as Q by now apply Rmult_lt_0_compat. split; [lra|]. now apply Rinv_le_contravar.
Qed.

(* --- what one term says of the rounds r: it is x, and x is above t *)
Lemma share_above t x y : 0 < t -> t < x -> x = t * y -> 1 < y.
Proof. intros T H ->. apply Rmult_lt_reg_l with t; lra. Qed.
Lemma root_below r q w : 0 < r -> 0 < q -> 0 < w -> 1 < rpow w q * / rpow r q -> r <= w.
Proof.
intros P Q W H. assert (0 < rpow r q) by now apply rpow_p.
assert (rpow r q < rpow w q) as K by (apply Rmult_lt_reg_r with (/ rpow r q); [now apply Rinv_0_lt_compat|]; rewrite Rinv_r; lra).
apply ln_increasing in K; [|assumption]. rewrite !ln_rpow in K by assumption. apply Rmult_lt_reg_l in K; [|assumption].
left. now apply ln_lt_inv.
Qed.
Lemma inverted r q w t x : 1 <= r -> 0 < q -> 0 < w -> 0 < t -> t < x -> x = t * (rpow w q * / rpow r q) -> r <= w.
Proof. intros P Q W T H E. pose proof (share_above _ _ _ T H E). apply (root_below r q); [lra | assumption ..]. Qed.
Lemma inverted_less r q l w t x : 2 <= r -> 0 < q -> l <= 0 -> 0 < w -> 0 < t -> t < x ->
  x = t * (rpow w q * / rpow r q * (rpow (ln r) l * / rpow (ln 2) l)) -> r <= w.
Proof.
intros P Q L W T H E. pose proof (share_above _ _ _ T H E) as K. apply (root_below r q); [lra | assumption | assumption |].
apply Rlt_le_trans with (1 := K). rewrite <- (Rmult_1_r (rpow w q * / rpow r q)) at 2.
apply Rmult_le_compat_l; [apply Rmult_le_pos; [apply rpow_nn | left; apply Rinv_0_lt_compat, rpow_p; lra]|].
assert (0 < ln 2) as Two by (apply ln_p; lra). assert (ln 2 <= ln r) as B by (apply ln_le; lra).
apply Rmult_le_reg_r with (rpow (ln 2) l); [now apply rpow_p|].
rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by (apply Rgt_not_eq; now apply rpow_p).
rewrite !rpow_exp by lra. apply exp_le. pose proof (ln_le _ _ Two B). nra.
Qed.
Lemma exp_square v : 0 < v -> v < exp (v / 2).
Proof.
intro V. assert (exp (v / 2) = exp 1 * exp (v / 2 - 1)) as -> by (rewrite <- exp_plus; f_equal; ring).
pose proof exp_1_from. pose proof (exp_ineq1_le (v / 2 - 1)). pose proof (exp_pos (v / 2 - 1)). nra.
Qed.
Lemma inverted_log r q l w t x : 1 < r -> 0 < q -> 0 < l -> 0 < w -> 0 < t -> t < x ->
  x = t * (rpow (w * (q / l)) l * / rpow r q * rpow (ln r) l) -> 1 < ln w /\ r <= rpow (2 * w * ln w) (l / q).
Proof.
intros P Q L W T H E. pose proof (share_above _ _ _ T H E) as K. clear x t T H E.
assert (0 < q / l) as QL by (now apply Rdiv_lt_0_compat). assert (0 < ln r) as X by (apply ln_p; lra).
set (v := q / l * ln r). assert (0 < v) as V by (unfold v; nra).
assert (exp v < w * v) as A.
{ apply ln_lt_inv; [apply exp_pos | nra |]. rewrite ln_exp, ln_mult by assumption. unfold v at 2. rewrite ln_mult by assumption.
  assert (0 < ln (rpow (w * (q / l)) l * / rpow r q * rpow (ln r) l)) as Y by (apply ln_p; assumption).
  assert (0 < r) by lra. rewrite !ln_mult, ln_Rinv, !ln_rpow, ln_mult in Y by pos.
  apply Rmult_lt_reg_l with l; [assumption|]. unfold v. replace (l * (q / l * ln r)) with (q * ln r) by (field; lra). lra. }
pose proof (exp_square v V) as S. assert (exp v = exp (v / 2) * exp (v / 2)) as D by (rewrite <- exp_plus; f_equal; field).
assert (exp (v / 2) < w) as B by (pose proof (exp_pos (v / 2)); nra).
assert (v / 2 < ln w) as G by (rewrite <- (ln_exp (v / 2)); apply ln_increasing; [apply exp_pos | assumption]).
split.
- assert (exp 1 < w); [|rewrite <- (ln_exp 1); apply ln_increasing; [apply exp_pos | assumption]].
  assert (exp 1 * v <= exp v); [|nra]. replace (exp v) with (exp 1 * exp (v - 1)) by (rewrite <- exp_plus; f_equal; ring).
  apply Rmult_le_compat_l; [left; apply exp_pos|]. pose proof (exp_ineq1_le (v - 1)). lra.
- replace r with (rpow (exp v) (l / q)).
  + apply rpow_le; [left; apply exp_pos | nra | left; now apply Rdiv_lt_0_compat].
  + rewrite rpow_exp, ln_exp by apply exp_pos. unfold v. replace (l / q * (q / l * ln r)) with (ln r) by (field; lra). apply exp_ln. lra.
Qed.

(* --- a term of the goal, g ln(1 + a)^e, is as large: c g is a power of w, and a is d times one *)
Definition least_log (d e : R) : R := rpow (ln (1 + d)) (- e).
Definition by_log (f d s e : R) : R := rpow 2 f * rpow (/ (s * Rmin 1 d)) e.
Definition by_power (f p : R) : R := rpow (2 * (f / (p - f))) f.
Lemma least_log_nn d e : 0 <= least_log d e. Proof. apply rpow_nn. Qed.
Lemma by_log_nn f d s e : 0 <= by_log f d s e. Proof. apply Rmult_le_pos; apply rpow_nn. Qed.
Lemma by_power_nn f p : 0 <= by_power f p. Proof. apply rpow_nn. Qed.

Lemma log_least d w s e : 1 <= w -> 0 < d -> 0 < s -> 0 <= e -> 1 <= least_log d e * rpow (ln (1 + d * rpow w s)) e.
Proof.
intros W D S E. assert (1 <= rpow w s) as P by (rewrite <- (rpow_zero w 0) by reflexivity; apply rpow_below; lra).
assert (0 < ln (1 + d)) as L by (apply ln_p; lra). assert (ln (1 + d) <= ln (1 + d * rpow w s)) as M by (apply ln_le; nra).
unfold least_log. replace (- e) with (- 1 * e) by ring. rewrite rpow_opp by assumption.
apply Rmult_le_reg_l with (rpow (ln (1 + d)) e); [now apply rpow_p|].
rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l, Rmult_1_r by (apply Rgt_not_eq; now apply rpow_p). apply rpow_le; lra.
Qed.
Lemma log_most d w s : 1 <= w -> 0 < d -> 0 < s -> ln w <= / (s * Rmin 1 d) * ln (1 + d * rpow w s).
Proof.
intros W D S. set (m := Rmin 1 d). assert (0 < m) as P by (unfold m; apply Rmin_glb_lt; lra).
assert (m <= 1 /\ m <= d) as [M N] by (unfold m; split; [apply Rmin_l | apply Rmin_r]).
assert (1 <= rpow w s) as Q by (rewrite <- (rpow_zero w 0) by reflexivity; apply rpow_below; lra).
set (y := rpow w s) in *. assert (ln y = s * ln w) as Y by (unfold y; apply ln_rpow; lra).
apply Rmult_le_reg_l with (s * m); [nra|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by nra.
(* the logarithm is concave *)
assert (m * ln y <= ln (1 + m * y)) as C.
{ assert (rpow (1 + y) m <= 1 + m * y) as B.
  { rewrite rpow_exp by lra. destruct (Req_dec m 1) as [->|D1]; [rewrite !Rmult_1_l, exp_ln; lra|].
    replace (1 + m * y) with ((1 - m) * 1 + m * (1 + y)) by ring.
    set (k := (1 - m) * 1 + m * (1 + y)). assert (0 < k) by (unfold k; nra).
    rewrite <- (exp_ln k) by assumption. apply exp_le.
    pose proof (ln_below (/ k) (Rinv_0_lt_compat _ ltac:(eassumption))) as A. pose proof (ln_below ((1 + y) / k) ltac:(apply Rdiv_lt_0_compat; lra)) as B.
    unfold Rdiv in B. rewrite ln_mult in B by (try apply Rinv_0_lt_compat; lra). rewrite ln_Rinv in A, B by assumption.
    assert ((1 - m) * / k + m * ((1 + y) * / k) = 1) by (transitivity (k * / k); [unfold k; ring | apply Rinv_r; lra]). nra. }
  apply Rle_trans with (m * ln (1 + y)); [apply Rmult_le_compat_l; [lra | apply ln_le; lra]|].
  rewrite <- ln_rpow by lra. apply ln_le; [apply rpow_p; lra | assumption]. }
replace (s * m * ln w) with (m * ln y) by (rewrite Y; ring). apply Rle_trans with (1 := C). apply ln_le; nra.
Qed.

Lemma covered r w p c g : 1 <= r -> r <= w -> 1 <= p -> rpow w p = c * g -> r <= c * g.
Proof.
intros P H Q <-. apply Rle_trans with (1 := H). rewrite <- (rpow_one w) at 1 by lra. apply rpow_below; lra.
Qed.
Lemma covered_more r c g d w s e : 1 <= w -> 0 < d -> 0 < s -> 0 <= e -> 0 <= c * g -> r <= c * g ->
  r <= c * least_log d e * (g * rpow (ln (1 + d * rpow w s)) e).
Proof.
intros W D S E P H. pose proof (log_least d w s e W D S E) as L.
replace (c * least_log d e * (g * rpow (ln (1 + d * rpow w s)) e)) with (c * g * (least_log d e * rpow (ln (1 + d * rpow w s)) e)) by ring.
nra.
Qed.
Lemma log_split w f : 1 < ln w -> 0 < w -> rpow (2 * w * ln w) f = rpow 2 f * rpow w f * rpow (ln w) f.
Proof. intros L W. rewrite !rpow_prod by lra. reflexivity. Qed.
Lemma covered_log r w f p c g d s e : 0 < w -> 1 < ln w -> r <= rpow (2 * w * ln w) f -> 0 < f -> f <= p -> f <= e -> 0 < s -> 0 < d ->
  rpow w p = c * g -> r <= c * by_log f d s e * (g * rpow (ln (1 + d * rpow w s)) e).
Proof.
intros W L H F P E S D M.
assert (1 <= w) as W1 by (apply Rnot_lt_le; intro N; assert (ln w < ln 1) by (apply ln_increasing; lra); rewrite ln_1 in *; lra).
pose proof (log_most d w s W1 D S) as K.
set (k := / (s * Rmin 1 d)) in *. set (h := ln (1 + d * rpow w s)) in *.
assert (0 < k) as KP by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; [assumption | apply Rmin_glb_lt; lra]).
assert (0 <= h) as HP by nra.
apply Rle_trans with (1 := H). rewrite log_split by assumption. unfold by_log. fold k.
replace (c * (rpow 2 f * rpow k e) * (g * rpow h e)) with (rpow 2 f * (c * g) * (rpow k e * rpow h e)) by ring.
rewrite <- M, <- (rpow_prod k h e) by lra. apply Rmult_le_compat; [apply Rmult_le_pos; apply rpow_nn | apply rpow_nn | |].
- apply Rmult_le_compat_l; [apply rpow_nn | now apply rpow_below].
- apply Rle_trans with (rpow (ln w) e); [apply rpow_below; lra | apply rpow_le; lra].
Qed.
Lemma covered_power r w f p c g : 0 < w -> 1 < ln w -> r <= rpow (2 * w * ln w) f -> 0 < f -> f < p ->
  rpow w p = c * g -> r <= c * by_power f p * g.
Proof.
intros W L H F P M. set (v := (p - f) / f). assert (0 < v) as V by (apply Rdiv_lt_0_compat; lra).
assert (ln w <= f / (p - f) * rpow w v) as B.
{ assert (v * ln w <= rpow w v) as A by (rewrite rpow_exp by assumption; pose proof (exp_ineq1_le (v * ln w)); lra).
  apply Rmult_le_reg_l with v; [assumption|]. replace (v * (f / (p - f) * rpow w v)) with (rpow w v) by (unfold v; field; lra). assumption. }
assert (0 < f / (p - f)) by (apply Rdiv_lt_0_compat; lra).
apply Rle_trans with (1 := H). replace (c * by_power f p * g) with (by_power f p * (c * g)) by ring. rewrite <- M. unfold by_power.
apply Rle_trans with (rpow (2 * w * (f / (p - f) * rpow w v)) f).
- apply rpow_le; [nra | | lra]. apply Rmult_le_compat_l; [lra | assumption].
- right. replace (2 * w * (f / (p - f) * rpow w v)) with (2 * (f / (p - f)) * (w * rpow w v)) by ring.
  rewrite rpow_prod by (try apply Rmult_le_pos; try apply rpow_nn; lra). f_equal.
  rewrite <- (rpow_one w) at 1 by lra. rewrite <- rpow_plus, rpow_rpow by lra. f_equal. unfold v. field. lra.
Qed.
Lemma log_one w : 0 < w -> 1 < ln w -> 1 <= w.
Proof. intros W L. apply Rnot_lt_le. intro N. assert (ln w < ln 1) by (apply ln_increasing; lra). rewrite ln_1 in *; lra. Qed.
(* --- what is put together from the terms *)
Lemma part_most x l : Forall (Rle 0) l -> In x l -> 0 <= x <= 1 + added l.
Proof. intros H I. pose proof (in_added x l H I). rewrite Forall_forall in H. specialize (H x I). lra. Qed.
Lemma by_more r h C g G : 0 <= g -> h <= C -> r <= h * g -> G = C * g -> r <= G.
Proof. intros P L H ->. apply Rle_trans with (1 := H). now apply Rmult_le_compat_r. Qed.
Lemma from_two r : isnat r -> 1 <= r -> 0 < ln r -> 2 <= r.
Proof.
intros [n ->] H L. destruct n as [|[|n]]; [simpl in H; lra | simpl in L; rewrite ln_1 in L; lra|].
rewrite !S_INR. pose proof (pos_INR n). lra.
Qed.
Lemma ln_back r : 1 <= r -> 0 < ln r -> 1 < r.
Proof. intros [H | <-] L; [assumption | rewrite ln_1 in L; lra]. Qed.
Ltac constant_nn := lazymatch goal with
  | |- 0 <= _ * _ => apply Rmult_le_pos; constant_nn
  | |- 0 <= least_log _ _ => apply least_log_nn
  | |- 0 <= by_log _ _ _ _ => apply by_log_nn
  | |- 0 <= by_power _ _ => apply by_power_nn
  | |- _ => pos
  end.
Ltac all_nn := repeat (apply Forall_cons; [constant_nn|]); apply Forall_nil.

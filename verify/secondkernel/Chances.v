(* Rules of a proof about chances: Hoeffding's lemma, McDiarmid's inequality, symmetrisation; for finitely many values.
Nothing is admitted. *)
From RateProof Require Export Means.

(* --- concentration: Hoeffding 1963, (4.16); McDiarmid 1989, Lemma 1.2, for finitely many values *)
Lemma exp_tangent x y : exp x * (1 + (y - x)) <= exp y.
Proof.
replace (exp y) with (exp x * exp (y - x)) by (rewrite <- exp_plus; f_equal; ring).
apply Rmult_le_compat_l; [left; apply exp_pos | apply exp_ineq1_le].
Qed.
Lemma exp_chord t h : 0 <= t <= 1 -> exp (t * h) <= 1 - t + t * exp h.
Proof.
intro T. pose proof (exp_tangent (t * h) 0) as A. pose proof (exp_tangent (t * h) h) as B. rewrite exp_0 in A.
apply Rmult_le_compat_l with (r := 1 - t) in A; [|lra]. apply Rmult_le_compat_l with (r := t) in B; [|lra]. lra.
Qed.
(* what is 0 at 0 and rises before and after it *)
Lemma away_from_zero (G G' : R -> R) : (forall x, derivable_pt_lim G x (G' x)) -> G 0 = 0 ->
  (forall x, 0 <= x -> 0 <= G' x) -> (forall x, x <= 0 -> G' x <= 0) -> forall h, 0 <= G h.
Proof.
intros D Z P N h. destruct (Rtotal_order h 0) as [L | [-> | L]]; [| lra |].
- destruct (MVT_cor2 G G' h 0 L (fun c _ => D c)) as [c [A [_ C]]]. pose proof (N c ltac:(lra)). nra.
- destruct (MVT_cor2 G G' 0 h L (fun c _ => D c)) as [c [A [C _]]]. pose proof (P c ltac:(lra)). nra.
Qed.
Lemma two_points p h : 0 <= p <= 1 -> 1 - p + p * exp h <= exp (p * h + h * h / 8).
Proof.
intro P. set (D := fun x => 1 - p + p * exp x).
assert (forall x, 0 < D x) as Dp.
{ intro x. unfold D. pose proof (exp_pos x). destruct (Req_dec p 0) as [-> | Z]; [lra|].
  assert (0 < p * exp x) by (apply Rmult_lt_0_compat; lra). lra. }
set (q := fun x => p * exp x / D x).
assert (forall x, derivable_pt_lim D x (p * exp x)) as dD.
{ intro x. replace (p * exp x) with (0 + p * exp x) by ring.
apply derivable_pt_lim_plus; [apply derivable_pt_lim_const|].
  apply derivable_pt_lim_scal, derivable_pt_lim_exp. }
assert (forall x, derivable_pt_lim q x (q x * (1 - q x))) as dq.
{ intro x. replace (q x * (1 - q x)) with ((p * exp x * D x - p * exp x * (p * exp x)) / Rsqr (D x))
    by (unfold q, Rsqr; field; apply Rgt_not_eq, Dp).
  apply (derivable_pt_lim_div (fun y => p * exp y) D); [|apply dD | apply Rgt_not_eq, Dp].
  apply derivable_pt_lim_scal, derivable_pt_lim_exp. }
assert (q 0 = p) as q0 by (unfold q, D; rewrite exp_0; field; lra).
set (H := fun x => / 4 * x + (p - q x)).
assert (forall x, derivable_pt_lim H x (/ 4 * 1 + (0 - q x * (1 - q x)))) as dH.
{ intro x. apply derivable_pt_lim_plus; [apply derivable_pt_lim_scal, derivable_pt_lim_id|].
  apply derivable_pt_lim_minus; [apply derivable_pt_lim_const | apply dq]. }
assert (forall x, 0 <= / 4 * 1 + (0 - q x * (1 - q x))) as HH.
{ intro x. replace (/ 4 * 1 + (0 - q x * (1 - q x))) with (Rsqr (q x - / 2)) by (unfold Rsqr; field). apply Rle_0_sqr. }
assert (H 0 = 0) as H0 by (unfold H; rewrite q0; ring).
assert (forall x, 0 <= x -> 0 <= H x) as Hp.
{ intros x [L | <-]; [|lra]. destruct (MVT_cor2 H _ 0 x L (fun c _ => dH c)) as [c [A _]]. pose proof (HH c). nra. }
assert (forall x, x <= 0 -> H x <= 0) as Hn.
{ intros x [L | ->]; [|lra]. destruct (MVT_cor2 H _ x 0 L (fun c _ => dH c)) as [c [A _]]. pose proof (HH c). nra. }
pose proof (away_from_zero (fun x => (/ 8 * (x * x) + p * x) - ln (D x)) H) as G. cbv beta in G.
assert (0 <= (/ 8 * (h * h) + p * h) - ln (D h)) as K.
{ apply G; auto.
  - intro x. replace (H x) with ((/ 8 * (1 * x + x * 1) + p * 1) - / D x * (p * exp x))
      by (unfold H, q; field; apply Rgt_not_eq, Dp).
    apply derivable_pt_lim_minus.
    + apply derivable_pt_lim_plus; apply derivable_pt_lim_scal; [|apply derivable_pt_lim_id].
      apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
    + apply (derivable_pt_lim_comp D ln); [apply dD | apply derivable_pt_lim_ln, Dp].
  - unfold D. rewrite exp_0. replace (1 - p + p * 1) with 1 by ring. rewrite ln_1. ring. }
change (D h <= exp (p * h + h * h / 8)). rewrite <- (exp_ln (D h)) by apply Dp. apply exp_le. lra.
Qed.
Section Concentration.
Variable I : Type.
Lemma mean_le_in (P : law I) f g : (forall i, In i (values P) -> f i <= g i) -> mean P f <= mean P g.
Proof. intro H. apply sum_le. intros i L. apply Rmult_le_compat_l; [now apply weight_pos | now apply H]. Qed.
Lemma least_value (l : list I) (f : I -> R) : l <> nil -> exists i, In i l /\ forall j, In j l -> f i <= f j.
Proof.
induction l as [|a [|b t] IH]; intro Z; [contradiction | exists a; split; [now left | intros j [<- | []]; lra] |].
destruct IH as [i [A B]]; [discriminate|]. destruct (Rle_or_lt (f a) (f i)) as [L | L].
- exists a. split; [now left|]. intros j [<- | J]; [lra|]. pose proof (B j J). lra.
- exists i. split; [now right|]. intros j [<- | J]; [lra | auto].
Qed.
Lemma hoeffding (P : law I) X c w : 0 <= w -> (forall i j, In i (values P) -> In j (values P) -> X i - X j <= w) ->
  mean P (fun i => exp (c * (X i - mean P X))) <= exp (c * c * (w * w) / 8).
Proof.
intros W D.
assert (values P <> nil) as V by (intro Z; pose proof (weight_one P) as O; rewrite Z in O; simpl in O; lra).
destruct (least_value _ X V) as [m [M L]]. set (a := X m) in *. set (e := mean P X).
assert (a <= e <= a + w) as R.
{ pose proof (mean_le_in P (fun _ => a) X L) as A. pose proof (mean_le_in P X (fun _ => a + w)) as B.
  rewrite mean_const in A, B. split; [exact A|]. apply B. intros i Hi. pose proof (D i m Hi M) as C. fold a in C. lra. }
destruct (Req_dec w 0) as [Z | Z].
- apply Rle_trans with (mean P (fun _ => 1)).
  + apply mean_le_in. intros i Hi. pose proof (L i Hi). pose proof (D i m Hi M) as B. fold a in B.
  replace (X i - e) with 0 by lra.
    rewrite Rmult_0_r, exp_0. lra.
  + rewrite mean_const, <- exp_0. apply exp_le. rewrite Z. lra.
- set (p := (e - a) / w). set (h := c * w).
  assert (0 <= p <= 1) as Pp.
  { unfold p. split; [apply div_nn; lra|]. apply Rmult_le_reg_r with w; [lra|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l; lra. }
  apply Rle_trans with (mean P (fun i => exp (- (p * h)) * (1 + (exp h - 1) * / w * (X i - a)))).
  + apply mean_le_in. intros i Hi. pose proof (L i Hi) as A. pose proof (D i m Hi M) as B. fold a in B.
    replace (c * (X i - e)) with (- (p * h) + (X i - a) / w * h) by (unfold p, h; field; assumption). rewrite exp_plus.
    apply Rmult_le_compat_l; [left; apply exp_pos|].
    pose proof (exp_chord ((X i - a) / w) h) as C. eapply Rle_trans; [apply C | right; field; assumption].
    split; [apply div_nn; lra|].
    apply Rmult_le_reg_r with w; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  + rewrite mean_scal, mean_add, mean_const, mean_scal.
    assert (mean P (fun i => X i - a) = e - a) as E.
    { unfold Rminus. rewrite mean_add, mean_const. reflexivity. }
    rewrite E. replace (1 + (exp h - 1) * / w * (e - a)) with (1 - p + p * exp h) by (unfold p; field; assumption).
    pose proof (two_points p h Pp) as T.
    apply Rmult_le_compat_l with (r := exp (- (p * h))) in T; [|left; apply exp_pos].
    eapply Rle_trans; [exact T|]. rewrite <- exp_plus. apply exp_le. unfold h. lra.
Qed.

(* independent draws, and functions of them that change by at most c_k with the k-th *)
Fixpoint draws_values (Ps : list (law I)) : list (list I) :=
  match Ps with nil => [nil] | P :: t => flat_map (fun i => map (cons i) (draws_values t)) (values P) end.
Fixpoint draws_weight (Ps : list (law I)) (x : list I) : R :=
  match Ps, x with P :: t, i :: y => weight P i * draws_weight t y | _, _ => 1 end.
Lemma draws_sum P t f : sum (draws_values (P :: t)) f
  = sum (values P) (fun i => sum (draws_values t) (fun y => f (i :: y))).
Proof. simpl. induction (values P) as [|i l IH]; simpl; [reflexivity|]. now rewrite sum_app, sum_map, IH. Qed.
Lemma draws_in P t x : In x (draws_values (P :: t)) -> exists i y, x = i :: y /\ In i (values P) /\
  In y (draws_values t).
Proof.
simpl. rewrite in_flat_map. intros [i [A B]]. rewrite in_map_iff in B. destruct B as [y [B C]]. exists i, y. now split.
Qed.
Definition draws (Ps : list (law I)) : law (list I).
Proof.
refine {| values := draws_values Ps; weight := draws_weight Ps |}.
- induction Ps as [|P t IH]; [intros; simpl; lra|]. intros x H. apply draws_in in H as [i [y [-> [A B]]]]. simpl.
  apply Rmult_le_pos; [now apply weight_pos | now apply IH].
- induction Ps as [|P t IH]; [simpl; lra|]. rewrite draws_sum, <- (weight_one P). apply sum_ext. intros i _. simpl.
  now rewrite sum_scal, IH, Rmult_1_r.
Defined.
Lemma draws_mean P t f : mean (draws (P :: t)) f = mean P (fun i => mean (draws t) (fun y => f (i :: y))).
Proof.
unfold mean. change (values (draws (P :: t))) with (draws_values (P :: t)). rewrite draws_sum. apply sum_ext.
intros i _.
rewrite <- sum_scal. apply sum_ext. intros y _. simpl. ring.
Qed.
(* x and y are alike but for the first that they differ in, after which they are the same *)
Fixpoint bounded_differences (Ps : list (law I)) (c : list R) (f : list I -> R) : Prop :=
  match Ps, c with
  | P :: t, b :: d => 0 <= b /\ (forall i j y, In i (values P) -> In j (values P) -> In y (draws_values t) ->
    f (i :: y) - f (j :: y) <= b)
      /\ forall i, In i (values P) -> bounded_differences t d (fun y => f (i :: y))
  | nil, nil => True
  | _, _ => False
  end.
Lemma exponential_moment Ps : forall c f s, bounded_differences Ps c f ->
  mean (draws Ps) (fun x => exp (s * (f x - mean (draws Ps) f))) <= exp (s * s * sum c (fun b => b * b) / 8).
Proof.
induction Ps as [|P t IH]; intros [|b d] f s B; try contradiction.
- unfold mean. simpl. rewrite Rmult_0_r. right. replace (f nil - (1 * f nil + 0)) with 0 by ring.
  rewrite Rmult_0_r, exp_0. replace (0 / 8) with 0 by field. rewrite exp_0. ring.
- destruct B as [B0 [B1 B2]]. rewrite draws_mean. set (g := fun i => mean (draws t) (fun y => f (i :: y))).
  change (mean (draws (P :: t)) f) with (mean (draws (P :: t)) f). rewrite (draws_mean P t f). fold g.
  set (e := mean P g). change (mean P (fun i => mean (draws t) (fun y => f (i :: y)))) with e.
  apply Rle_trans with (mean P (fun i => exp (s * s * sum d (fun b => b * b) / 8) * exp (s * (g i - e)))).
  + apply mean_le_in. intros i Hi. pose proof (IH d (fun y => f (i :: y)) s (B2 i Hi)) as A. fold (g i) in A.
    rewrite (mean_ext _ _ _ (fun y => exp (s * (g i - e)) * exp (s * (f (i :: y) - g i)))).
    * rewrite mean_scal, Rmult_comm. apply Rmult_le_compat_r; [left; apply exp_pos | exact A].
    * intro y. rewrite <- exp_plus. f_equal. ring.
  + rewrite mean_scal.
    assert (mean P (fun i => exp (s * (g i - e))) <= exp (s * s * (b * b) / 8)) as K.
    { apply hoeffding; [exact B0|]. intros i j Hi Hj. unfold g.
      replace (mean (draws t) (fun y => f (i :: y)) - mean (draws t) (fun y => f (j :: y)))
        with (mean (draws t) (fun y => f (i :: y) + -1 * f (j :: y))) by (rewrite mean_add, mean_scal; ring).
      rewrite <- (mean_const _ (draws t) b). apply sum_le. intros y Hy.
      apply Rmult_le_compat_l; [now apply (weight_pos (draws t))|]. pose proof (B1 i j y Hi Hj Hy). lra. }
    apply Rmult_le_compat_l with (r := exp (s * s * sum d (fun b => b * b) / 8)) in K; [|left; apply exp_pos].
    eapply Rle_trans; [exact K|]. rewrite <- exp_plus. apply exp_le. simpl. lra.
Qed.
Definition chance (P : law (list I)) (A : list I -> Prop) (dec : forall x, {A x} + {~ A x}) : R :=
  mean P (fun x => if dec x then 1 else 0).
Lemma mcdiarmid Ps c f u : bounded_differences Ps c f -> 0 <= u -> 0 < sum c (fun b => b * b) ->
  chance (draws Ps) (fun x => mean (draws Ps) f + u <= f x) (fun x => Rle_dec _ _)
    <= exp (- (2 * (u * u)) / sum c (fun b => b * b)).
Proof.
intros B U S. set (v := sum c (fun b => b * b)) in *. set (e := mean (draws Ps) f). set (s := 4 * u / v).
assert (0 <= s) as S0 by (apply div_nn; lra).
apply Rle_trans with (mean (draws Ps) (fun x => exp (- (s * u)) * exp (s * (f x - e)))).
- apply sum_le. intros x Hx. apply Rmult_le_compat_l; [now apply (weight_pos (draws Ps))|]. rewrite <- exp_plus.
  destruct (Rle_dec (e + u) (f x)) as [L | L]; [|left; apply exp_pos].
  rewrite <- exp_0. apply exp_le. nra.
- rewrite mean_scal. pose proof (exponential_moment Ps c f s B) as K. fold e v in K.
  apply Rmult_le_compat_l with (r := exp (- (s * u))) in K; [|left; apply exp_pos].
  eapply Rle_trans; [exact K|]. rewrite <- exp_plus. apply exp_le. right. unfold s. field. lra.
Qed.
End Concentration.
(* a finite law as what exported claims call a drawing *)
Definition drawn (I : Type) (P : law I) : drawing.
Proof.
set (one := fun (A : I -> Prop) i => if ClassicalDedekindReals.sig_not_dec (A i) then 1 else 0).
assert (L : forall A B : I -> Prop, (forall i, A i -> B i) -> forall i, one A i <= one B i).
{ intros A B H i. unfold one. do 2 destruct (ClassicalDedekindReals.sig_not_dec _); try lra.
  exfalso. apply n. intro a. apply n0. now apply H. }
refine {| outcome := I; pr := fun A => mean P (one A) |}.
- intros A B H. now apply mean_le, L.
- intros A B. rewrite <- mean_add, <- (mean_const _ P 1), <- mean_add. apply mean_le. intro i. unfold one.
  do 3 destruct (ClassicalDedekindReals.sig_not_dec _); try lra. exfalso. tauto.
- intro A. rewrite <- mean_add, <- (mean_const _ P 1). apply mean_ext. intro i. unfold one.
  do 2 destruct (ClassicalDedekindReals.sig_not_dec _); try lra; exfalso; tauto.
- rewrite <- (mean_const _ P 1). apply mean_ext. intro i. unfold one.
  destruct (ClassicalDedekindReals.sig_not_dec _); [reflexivity | tauto].
Defined.

(* sums of functions that are as near their means as bounded differences make them, whether independent or not *)
Lemma exp_convex p q x y : 0 <= p -> 0 <= q -> p + q = 1 -> exp (p * x + q * y) <= p * exp x + q * exp y.
Proof.
intros P Q O. set (z := p * x + q * y). pose proof (exp_tangent z x) as A. pose proof (exp_tangent z y) as B.
apply Rmult_le_compat_l with (r := p) in A; [|exact P]. apply Rmult_le_compat_l with (r := q) in B; [|exact Q].
assert (p * (exp z * (1 + (x - z))) + q * (exp z * (1 + (y - z))) = exp z) as E; [|lra].
replace (p * (exp z * (1 + (x - z))) + q * (exp z * (1 + (y - z))))
  with (exp z * ((p + q) + (p * x + q * y) - (p + q) * z)) by ring.
rewrite O. fold z. ring.
Qed.
Section Sums.
Variables (J : Type) (P : law J).
Definition concentrates r f := forall s, mean P (fun x => exp (s * (f x - mean P f))) <= exp (s * s * (r * r) / 8).
Lemma concentrates_scal a r f : concentrates r f -> concentrates (a * r) (fun x => a * f x).
Proof.
intros C s. rewrite (mean_ext _ _ _ (fun x => exp (s * a * (f x - mean P f)))).
- eapply Rle_trans; [apply C|]. apply exp_le. right. field.
- intro x. rewrite mean_scal. f_equal. ring.
Qed.
Lemma concentrates_add r t f g : 0 < r -> 0 < t -> concentrates r f -> concentrates t g ->
  concentrates (r + t) (fun x => f x + g x).
Proof.
intros Rp Tp C D s. set (p := r / (r + t)). set (q := t / (r + t)).
assert (0 <= p /\ 0 <= q /\ p + q = 1) as [Pp [Qp O]].
{ repeat split; [apply div_nn; lra | apply div_nn; lra | unfold p, q; field; lra]. }
pose proof (C (s / p)) as A. pose proof (D (s / q)) as B.
replace (s / p * (s / p) * (r * r) / 8) with (s * s * ((r + t) * (r + t)) / 8) in A by (unfold p; field; lra).
replace (s / q * (s / q) * (t * t) / 8) with (s * s * ((r + t) * (r + t)) / 8) in B by (unfold q; field; lra).
apply Rle_trans with (mean P (fun x => p * exp (s / p * (f x - mean P f)) + q * exp (s / q * (g x - mean P g)))).
- apply mean_le. intro x. rewrite mean_add.
  replace (s * (f x + g x - (mean P f + mean P g)))
    with (p * (s / p * (f x - mean P f)) + q * (s / q * (g x - mean P g))) by (unfold p, q; field; lra).
  now apply exp_convex.
- rewrite mean_add, !mean_scal. apply Rmult_le_compat_l with (r := p) in A; [|exact Pp].
  apply Rmult_le_compat_l with (r := q) in B; [|exact Qp].
  replace (exp (s * s * ((r + t) * (r + t)) / 8))
    with (p * exp (s * s * ((r + t) * (r + t)) / 8) + q * exp (s * s * ((r + t) * (r + t)) / 8));
    [lra | rewrite <- Rmult_plus_distr_r, O; ring].
Qed.
Lemma concentrated_tail r f u : concentrates r f -> 0 <= u -> 0 < r ->
  mean P (fun x => if Rle_dec (mean P f + u) (f x) then 1 else 0) <= exp (- (2 * (u * u)) / (r * r)).
Proof.
intros C U Rp. set (s := 4 * u / (r * r)).
assert (0 <= s) as S0 by (apply div_nn; [lra | now apply Rmult_lt_0_compat]).
apply Rle_trans with (mean P (fun x => exp (- (s * u)) * exp (s * (f x - mean P f)))).
- apply mean_le. intro x. rewrite <- exp_plus.
  destruct (Rle_dec (mean P f + u) (f x)) as [L | L]; [|left; apply exp_pos].
  rewrite <- exp_0. apply exp_le. nra.
- rewrite mean_scal. pose proof (C s) as K.
  apply Rmult_le_compat_l with (r := exp (- (s * u))) in K; [|left; apply exp_pos].
  eapply Rle_trans; [exact K|]. rewrite <- exp_plus. apply exp_le. right. unfold s. field. lra.
Qed.
(* a function with its root of the squares and its factor, and others *)
Definition factor (e : (R * R) * (J -> R)) := fst (fst e).
Definition root (e : (R * R) * (J -> R)) := snd (fst e).
Definition good e := 0 < factor e /\ 0 < root e /\ concentrates (root e) (snd e).
Lemma mcdiarmid_sum e l u : good e -> Forall good l -> 0 <= u ->
  let total := fun x => sum (e :: l) (fun h => factor h * snd h x) in
  let r := sum (e :: l) (fun h => factor h * root h) in
  mean P (fun x => if Rle_dec (mean P total + u) (total x) then 1 else 0) <= exp (- (2 * (u * u)) / (r * r)).
Proof.
intros G A U total r.
assert (0 < r /\ concentrates r total) as [Rp C]; [|now apply concentrated_tail].
unfold r, total. clear r total. revert e G. induction A as [|h l H A IH]; intros e [G1 [G2 G3]].
- simpl. split; [nra|]. rewrite Rplus_0_r. intro s.
  rewrite (mean_ext _ _ (fun x => factor e * snd e x + 0) (fun x => factor e * snd e x)) by (intro; ring).
  rewrite (mean_ext _ _ _ (fun x => exp (s * (factor e * snd e x - mean P (fun y => factor e * snd e y)))))
    by (intro; f_equal; ring). now apply concentrates_scal.
- destruct (IH h H) as [Q C]. split; [simpl in *; nra|].
  change (concentrates (factor e * root e + sum (h :: l) (fun h => factor h * root h))
    (fun x => factor e * snd e x + sum (h :: l) (fun h => factor h * snd h x))).
  apply concentrates_add; [nra | exact Q | now apply concentrates_scal | exact C].
Qed.
End Sums.
(* functions of independent draws are such, and so are functions of some of the draws *)
Lemma draws_concentrate I Ps c (f : list I -> R) : bounded_differences I Ps c f ->
  concentrates _ (draws I Ps) (sqrt (sum c (fun b => b * b))) f.
Proof.
intros B s. rewrite sqrt_sqrt by (apply sum_pos; intros; nra). now apply exponential_moment.
Qed.

(* --- symmetrisation: Boucheron, Lugosi and Massart 2013, Lemma 11.4, for finitely many values and functions *)
Section Symmetrisation.
Variables (Z F : Type) (f : F -> Z -> R) (first : F) (others : list F).
Fixpoint sup_of (l : list F) (g : F -> R) : R := match l with nil => g first | h :: t => Rmax (g h) (sup_of t g) end.
Definition sup := sup_of others.
Lemma sup_mono g h : (forall k, g k <= h k) -> sup g <= sup h.
Proof. intro H. unfold sup. induction others; simpl; [apply H|].
apply Rmax_case; eapply Rle_trans; [apply H | apply Rmax_l | exact IHl | apply Rmax_r]. Qed.
Lemma sup_add g h : sup (fun k => g k + h k) <= sup g + sup h.
Proof.
unfold sup. induction others as [|k t IH]; simpl; [lra|]. pose proof (Rmax_l (g k) (sup_of t g)).
pose proof (Rmax_r (g k) (sup_of t g)).
pose proof (Rmax_l (h k) (sup_of t h)). pose proof (Rmax_r (h k) (sup_of t h)). apply Rmax_case; lra.
Qed.
Lemma sup_mean (P : law Z) (g : Z -> F -> R) : sup (fun k => mean P (fun z => g z k)) <= mean P (fun z => sup (g z)).
Proof.
unfold sup. induction others as [|k t IH]; simpl; [lra|]. apply Rmax_case.
- apply mean_le. intro; apply Rmax_l.
- eapply Rle_trans; [exact IH|]. apply mean_le. intro; apply Rmax_r.
Qed.

(* means over independent draws, one after the other, of the largest of phi(h) and what each draw adds to it *)
Definition coin : law R.
Proof. refine {| values := [1; -1]; weight _ := / 2 |}; simpl; intros; lra. Defined.
Fixpoint below_mean (l : list (law Z * R)) (phi : F -> R) : R := match l with
  | nil => sup phi
  | (P, a) :: t => mean P (fun z => below_mean t (fun h => phi h + a * (mean P (f h) - f h z))) end.
Fixpoint with_ghosts (l : list (law Z * R)) (phi : F -> R) : R := match l with
  | nil => sup phi
  | (P, a) :: t => mean P (fun z => mean P (fun y => with_ghosts t (fun h => phi h + a * (f h y - f h z)))) end.
Fixpoint signed_ghosts (l : list (law Z * R)) (phi : F -> R) : R := match l with
  | nil => sup phi
  | (P, a) :: t => mean coin (fun s => mean P (fun z => mean P (fun y => signed_ghosts t (fun h => phi h
    + s * a * (f h y - f h z))))) end.
Fixpoint signed (l : list (law Z * R)) (phi : F -> R) : R := match l with
  | nil => sup phi
  | (P, a) :: t => mean coin (fun s => mean P (fun z => signed t (fun h => phi h + s * a * f h z))) end.

Lemma mean_coin g : mean coin g = / 2 * (g 1 + g (-1)).
Proof. unfold mean. simpl. ring. Qed.
Lemma mean_swap (P : law Z) (g : Z -> Z ->
  R) : mean P (fun z => mean P (g z)) = mean P (fun y => mean P (fun z => g z y)).
Proof.
unfold mean. rewrite (sum_ext _ _ _ (fun z => sum (values P) (fun y => weight P z * (weight P y * g z y)))) by (intros;
  now rewrite sum_scal).
rewrite sum_swap. apply sum_ext. intros y _. rewrite <- sum_scal. apply sum_ext. intros; ring.
Qed.
Lemma below_mean_mono l : forall phi psi, (forall h, phi h <= psi h) -> below_mean l phi <= below_mean l psi.
Proof.
induction l as [|[P a] t IH]; simpl; intros phi psi H; [now apply sup_mono|]. apply mean_le. intro z. apply IH.
intro h. pose proof (H h). lra.
Qed.
Lemma with_ghosts_mono l : forall phi psi, (forall h, phi h <= psi h) -> with_ghosts l phi <= with_ghosts l psi.
Proof.
induction l as [|[P a] t IH]; simpl; intros phi psi H; [now apply sup_mono|]. apply mean_le. intro z. apply mean_le.
intro y. apply IH. intro h. pose proof (H h). lra.
Qed.
Lemma signed_mono l : forall phi psi, (forall h, phi h <= psi h) -> signed l phi <= signed l psi.
Proof.
induction l as [|[P a] t IH]; simpl; intros phi psi H; [now apply sup_mono|]. apply mean_le. intro s. apply mean_le.
intro z. apply IH. intro h. pose proof (H h). lra.
Qed.
Lemma signed_ghosts_mono l : forall phi psi, (forall h, phi h <= psi h) -> signed_ghosts l phi <= signed_ghosts l psi.
Proof.
induction l as [|[P a] t IH]; simpl; intros phi psi H; [now apply sup_mono|]. apply mean_le. intro s. apply mean_le.
intro z. apply mean_le. intro y. apply IH. intro h. pose proof (H h). lra.
Qed.
Lemma below_mean_jensen l : forall (P : law Z) (phi : Z -> F ->
  R), below_mean l (fun h => mean P (fun z => phi z h)) <= mean P (fun z => below_mean l (phi z)).
Proof.
induction l as [|[Q a] t IH]; simpl; intros P phi; [apply sup_mean|].
apply Rle_trans with (mean Q (fun z => mean P (fun y => below_mean t (fun h => phi y h + a * (mean Q (f h) - f h z))))).
- apply mean_le. intro z. eapply Rle_trans; [|apply IH]. apply below_mean_mono. intro h. rewrite mean_add, mean_const.
lra.
- right. unfold mean at 1.
rewrite (sum_ext _ _ _ (fun z => sum (values P) (fun y => weight P y * (weight Q z * below_mean t (fun h => phi y h
  + a * (mean Q (f h) - f h z)))))).
  + rewrite sum_swap. unfold mean at 2. apply sum_ext. intros y _. unfold mean. now rewrite sum_scal.
  + intros z _. unfold mean at 1. rewrite <- sum_scal. apply sum_ext. intros; ring.
Qed.
Lemma ghosts_enter l : forall phi, below_mean l phi <= with_ghosts l phi.
Proof.
induction l as [|[P a] t IH]; simpl; intro phi; [lra|]. apply mean_le. intro z.
apply Rle_trans with (mean P (fun y => below_mean t (fun h => phi h + a * (f h y - f h z)))).
- eapply Rle_trans; [|apply below_mean_jensen]. apply below_mean_mono. intro h.
  rewrite mean_add, mean_const, mean_scal. right. f_equal. f_equal. unfold Rminus. now rewrite mean_add, mean_const.
- apply mean_le. intro y. apply IH.
Qed.
Lemma signs_enter l : forall phi, with_ghosts l phi <= signed_ghosts l phi.
Proof.
induction l as [|[P a] t IH]; simpl; intro phi; [lra|]. rewrite mean_coin.
assert (forall s, mean P (fun z => mean P (fun y => with_ghosts t (fun h => phi h + s * a * (f h y - f h z))))
  <= mean P (fun z => mean P (fun y => signed_ghosts t (fun h => phi h + s * a * (f h y - f h z))))) as S.
{ intro s. apply mean_le. intro z. apply mean_le. intro y. apply IH. }
pose proof (S 1) as A. pose proof (S (-1)) as B.
assert (mean P (fun z => mean P (fun y => with_ghosts t (fun h => phi h + a * (f h y - f h z))))
  <= mean P (fun z => mean P (fun y => with_ghosts t (fun h => phi h + 1 * a * (f h y - f h z))))) as C.
{ apply mean_le. intro z. apply mean_le. intro y. apply with_ghosts_mono. intro; lra. }
assert (mean P (fun z => mean P (fun y => with_ghosts t (fun h => phi h + a * (f h y - f h z))))
  <= mean P (fun z => mean P (fun y => with_ghosts t (fun h => phi h + -1 * a * (f h y - f h z))))) as D.
{ rewrite mean_swap. apply mean_le. intro z. apply mean_le. intro y. apply with_ghosts_mono. intro; lra. }
lra.
Qed.
Lemma ghosts_leave l : forall phi psi, signed_ghosts l (fun h => phi h + psi h) <= signed l phi + signed l psi.
Proof.
induction l as [|[P a] t IH]; simpl; intros phi psi; [apply sup_add|]. rewrite !mean_coin.
assert (forall s, mean P (fun z => mean P (fun y => signed_ghosts t (fun h => phi h + psi h + s * a * (f h y - f h z))))
  <= mean P (fun z => signed t (fun h => phi h + s * a * f h z)) + mean P (fun z => signed t (fun h => psi h
    + (- s) * a * f h z))) as S.
{ intro s. apply Rle_trans
  with (mean P (fun z => mean P (fun y => signed t (fun h => phi h + s * a * f h y) + signed t (fun h => psi h
    + (- s) * a * f h z)))).
  - apply mean_le. intro z. apply mean_le. intro y. eapply Rle_trans; [|apply IH]. apply signed_ghosts_mono. intro; lra.
  - right. rewrite (mean_ext _ _ _ (fun z => mean P (fun y => signed t (fun h => phi h + s * a * f h y))
    + signed t (fun h => psi h + (- s) * a * f h z))).
    + now rewrite mean_add, mean_const.
    + intro z. now rewrite mean_add, mean_const. }
pose proof (S 1) as A. pose proof (S (-1)) as B. replace (Ropp 1) with (IZR (-1)) in A by ring.
replace (Ropp (IZR (-1))) with 1 in B by ring. lra.
Qed.
Lemma symmetrisation l : below_mean l (fun _ => 0) <= 2 * signed l (fun _ => 0).
Proof.
eapply Rle_trans; [apply ghosts_enter|]. eapply Rle_trans; [apply signs_enter|].
pose proof (ghosts_leave l (fun _ => 0) (fun _ => 0)) as G.
assert (signed_ghosts l (fun _ => 0) <= signed_ghosts l (fun _ => 0 + 0)) by (apply signed_ghosts_mono; intro; lra).
lra.
Qed.
End Symmetrisation.

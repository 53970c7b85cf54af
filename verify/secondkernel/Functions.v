(* Rules of a proof about functions, gradients and sets, from what the assumptions say, in any real inner product
   space. Nothing is admitted. *)
From RateProof Require Export RateProof.

Section Vectors.
Variable E : ips.
Definition vsub (u v : E) : E := vadd u (vscal (-1) v).
Definition norm2 (u : E) : R := dot u u.
Lemma dot_zeror (v : E) : dot v vzero = 0.
Proof. rewrite dot_sym; apply dot_zero. Qed.
Lemma dot_addr (u v w : E) : dot w (vadd u v) = dot w u + dot w v.
Proof. rewrite dot_sym, dot_add, (dot_sym _ u), (dot_sym _ v); ring. Qed.
Lemma dot_scalr (c : R) (u w : E) : dot w (vscal c u) = c * dot w u.
Proof. rewrite dot_sym, dot_scal, dot_sym; ring. Qed.
End Vectors.
Arguments vsub {E} _ _. Arguments norm2 {E} _.

(* inner products of combinations in those of their parts, each pair in one order *)
Ltac expand := unfold norm2, vsub;
  repeat rewrite ?dot_add, ?dot_addr, ?dot_scal, ?dot_scalr, ?dot_zero, ?dot_zeror;
  repeat match goal with |- context [@dot ?E ?a ?b] =>
    match goal with |- context [@dot E b a] => tryif constr_eq a b then fail else rewrite (dot_sym E b a) end end.

Section Inequalities.
Variable E : ips.
Implicit Types u v w x y : E.

Lemma norm2_add u v : norm2 (vadd u v) = norm2 u + 2 * dot u v + norm2 v.
Proof. expand. ring. Qed.
Lemma norm2_sub u v : norm2 (vsub u v) = norm2 u - 2 * dot u v + norm2 v.
Proof. expand. ring. Qed.
Lemma norm2_scal c u : norm2 (vscal c u) = c * c * norm2 u.
Proof. expand; ring. Qed.
Lemma norm2_pos u : 0 <= norm2 u.
Proof. apply dot_pos. Qed.

(* young: for every t > 0 *)
Lemma young u v t : 0 < t -> 2 * dot u v <= t * norm2 u + / t * norm2 v.
Proof.
intro T. pose proof (norm2_pos (vsub (vscal t u) v)) as P. rewrite norm2_sub, norm2_scal in P.
assert (dot (vscal t u) v = t * dot u v) as D by apply dot_scal. rewrite D in P.
apply Rmult_le_reg_l with t; [exact T|].
replace (t * (t * norm2 u + / t * norm2 v)) with (t * t * norm2 u + norm2 v) by (field; lra). lra.
Qed.

Lemma quadratic_in_t a b c : 0 <= c -> (forall t, 0 <= a + 2 * t * b + t * t * c) -> b * b <= a * c.
Proof.
intros C H. destruct (Req_dec c 0) as [Z | Z].
- destruct (Req_dec b 0) as [B | B]; [rewrite B, Z; lra|].
  pose proof (H (- (a + 1) / (2 * b))) as A. rewrite Z in A.
  replace (2 * (- (a + 1) / (2 * b)) * b) with (- (a + 1)) in A by (field; assumption). lra.
- pose proof (H (- b / c)) as A.
  replace (a + 2 * (- b / c) * b + - b / c * (- b / c) * c) with ((a * c - b * b) * / c) in A by (field; assumption).
  apply Rmult_le_reg_r with (/ c); [apply Rinv_0_lt_compat; lra | lra].
Qed.

(* cauchy_schwarz: squared, and with bounds on the two norms *)
Lemma cauchy_schwarz_squared u v : dot u v * dot u v <= norm2 u * norm2 v.
Proof.
apply quadratic_in_t; [apply norm2_pos|]. intro t.
pose proof (norm2_pos (vadd u (vscal t v))) as P. rewrite norm2_add, norm2_scal in P. revert P; expand; lra.
Qed.
Lemma cauchy_schwarz u v c l :
  0 <= c -> 0 <= l -> norm2 u <= c * c -> norm2 v <= l * l -> dot u v <= c * l /\ - (c * l) <= dot u v.
Proof.
intros C L U V. pose proof (cauchy_schwarz_squared u v) as S.
assert (dot u v * dot u v <= (c * l) * (c * l)) as Q.
{ eapply Rle_trans; [exact S|]. replace (c * l * (c * l)) with ((c * c) * (l * l)) by ring.
  apply Rmult_le_compat; auto using norm2_pos. }
assert (0 <= c * l) as P by (apply Rmult_le_pos; assumption). split; nra.
Qed.
End Inequalities.

(* --- functions: a value and a gradient at every point *)
Section Functions.
Variable E : ips.
Implicit Types x y z p : E.

Definition Convex (f : E -> R) (g : E -> E) := forall x y, f y + dot (g y) (vsub x y) <= f x.
Definition StronglyConvex (mu : R) (f : E -> R) (g : E -> E) :=
  forall x y, f y + dot (g y) (vsub x y) + mu / 2 * norm2 (vsub x y) <= f x.
Definition Smooth (L : R) (f : E -> R) (g : E -> E) :=
  forall x y, f x <= f y + dot (g y) (vsub x y) + L / 2 * norm2 (vsub x y)
           /\ f y + dot (g y) (vsub x y) - L / 2 * norm2 (vsub x y) <= f x.
Definition Lipschitz (L : R) (g : E -> E) := forall x y, norm2 (vsub (g x) (g y)) <= L * L * norm2 (vsub x y).

(* smooth_convex: Nesterov 2018, Theorem 2.1.5; only the upper bound is needed *)
Section SmoothConvex.
Variables (f : E -> R) (g : E -> E) (L : R).
Hypothesis L0 : 0 <= L.
Hypothesis conv : Convex f g.
Hypothesis upper : forall x y, f x <= f y + dot (g y) (vsub x y) + L / 2 * norm2 (vsub x y).
Lemma smooth_convex x y : norm2 (vsub (g x) (g y)) <= 2 * L * (f x - f y - dot (g y) (vsub x y)).
Proof.
assert (forall t, t * norm2 (vsub (g x) (g y)) - L / 2 * t * t * norm2 (vsub (g x) (g y))
        <= f x - f y - dot (g y) (vsub x y)) as K.
{ intro t. set (z := vadd x (vscal (- t) (vsub (g x) (g y)))).
  pose proof (conv z y) as A. pose proof (upper z x) as B. subst z. revert A B. expand. intros A B. nra. }
pose proof (norm2_pos E (vsub (g x) (g y))) as P.
set (w := norm2 (vsub (g x) (g y))) in *. set (c := f x - f y - dot (g y) (vsub x y)) in *.
destruct (Req_dec L 0) as [Z | Z].
- destruct (Req_dec w 0) as [Q | Q]; [rewrite Q, Z; lra|].
  exfalso. pose proof (K 0). pose proof (K ((c + 1) / w)) as A. rewrite Z in A.
  replace ((c + 1) / w * w - 0 / 2 * ((c + 1) / w) * ((c + 1) / w) * w) with (c + 1) in A by (field; assumption). lra.
- pose proof (K (/ L)) as A.
  replace (/ L * w - L / 2 * / L * / L * w) with (w * / (2 * L)) in A by (field; assumption).
  apply Rmult_le_reg_r with (/ (2 * L)); [apply Rinv_0_lt_compat; lra|].
  replace (2 * L * c * / (2 * L)) with c by (field; lra). exact A.
Qed.
Lemma cocoercive x y : norm2 (vsub (g x) (g y)) <= L * dot (vsub (g x) (g y)) (vsub x y).
Proof.
pose proof (smooth_convex x y) as A. pose proof (smooth_convex y x) as B. revert A B. expand. nra.
Qed.
End SmoothConvex.

(* a function with a multiple of the square of the norm added *)
Definition shifted (a : R) (f : E -> R) x := f x + a / 2 * norm2 x.
Definition shifted_gradient (a : R) (g : E -> E) x := vadd (g x) (vscal a x).

(* lipschitz, of a gradient: from the two quadratic bounds *)
Lemma smooth_lipschitz f g L : 0 <= L -> Smooth L f g -> Lipschitz L g.
Proof.
intros L0 S x y.
assert (Convex (shifted L f) (shifted_gradient L g)) as C.
{ intros u v. destruct (S u v) as [_ A]. revert A. unfold shifted, shifted_gradient. expand. lra. }
assert (forall u v, shifted L f u
  <= shifted L f v + dot (shifted_gradient L g v) (vsub u v) + 2 * L / 2 * norm2 (vsub u v)) as U.
{ intros u v. destruct (S u v) as [A _]. revert A. unfold shifted, shifted_gradient. expand. lra. }
pose proof (cocoercive _ _ (2 * L) ltac:(lra) C U x y) as H. revert H.
unfold shifted_gradient. expand.
nra.
Qed.

(* curvature: on a space that is not a point *)
Lemma curvature f g mu L x : 0 < norm2 x -> StronglyConvex mu f g -> Smooth L f g -> mu <= L.
Proof.
intros P C S. pose proof (C x vzero) as A. destruct (S x vzero) as [B _]. revert A B. expand.
rewrite ?dot_zeror. unfold norm2 in P. intros A B. nra.
Qed.

(* strongly_convex_smooth: Nesterov 2018, Theorem 2.1.12 *)
Lemma strongly_convex_smooth f g mu L : StronglyConvex mu f g -> Smooth L f g -> forall x y,
  mu * L * norm2 (vsub x y) + norm2 (vsub (g x) (g y)) <= (mu + L) * dot (vsub (g x) (g y)) (vsub x y).
Proof.
intros C S x y. destruct (Rle_or_lt mu L) as [ML | ML].
2: { (* then no vector is longer than zero *)
  assert (forall u : E, norm2 u = 0) as O.
  { intro u. destruct (norm2_pos E u) as [P | P]; [|auto]. pose proof (curvature f g mu L u P C S). lra. }
  pose proof (cauchy_schwarz_squared E (vsub (g x) (g y)) (vsub x y)) as Q. rewrite !O in *.
  assert (dot (vsub (g x) (g y)) (vsub x y) = 0) as -> by nra. lra. }
assert (Convex (shifted (- mu) f) (shifted_gradient (- mu) g)) as C'.
{ intros u v. pose proof (C u v) as A. revert A. unfold shifted, shifted_gradient. expand. lra. }
assert (forall u v, shifted (- mu) f u <= shifted (- mu) f v + dot (shifted_gradient (- mu) g v) (vsub u v)
        + (L - mu) / 2 * norm2 (vsub u v)) as U.
{ intros u v. destruct (S u v) as [A _]. revert A. unfold shifted, shifted_gradient. expand. lra. }
pose proof (cocoercive _ _ (L - mu) ltac:(lra) C' U x y) as H. revert H.
unfold shifted_gradient. expand.
nra.
Qed.

(* a strongly convex function is convex; monotone gradients *)
Lemma strongly_convex_convex f g mu : 0 <= mu -> StronglyConvex mu f g -> Convex f g.
Proof. intros M C x y. pose proof (C x y). pose proof (norm2_pos E (vsub x y)). nra. Qed.
Lemma strongly_convex_monotone f g mu : StronglyConvex mu f g ->
  forall x y, mu * norm2 (vsub x y) <= dot (vsub (g x) (g y)) (vsub x y).
Proof.
intros C x y. pose proof (C x y) as A. pose proof (C y x) as B. revert A B. expand. lra.
Qed.

(* what sums with nonnegative factors have; a mean is such a sum *)
Lemma smooth_sum f g L h k M a b : 0 <= a -> 0 <= b -> Smooth L f g -> Smooth M h k ->
  Smooth (a * L + b * M) (fun x => a * f x + b * h x) (fun x => vadd (vscal a (g x)) (vscal b (k x))).
Proof.
intros A B S T x y. destruct (S x y) as [S1 S2], (T x y) as [T1 T2]. rewrite dot_add, !dot_scal.
apply (Rmult_le_compat_l a) in S1, S2; auto. apply (Rmult_le_compat_l b) in T1, T2; auto. split; lra.
Qed.
Lemma strongly_convex_sum f g mu h k nu a b : 0 <= a -> 0 <= b -> StronglyConvex mu f g -> StronglyConvex nu h k ->
  StronglyConvex (a * mu + b * nu) (fun x => a * f x + b * h x) (fun x => vadd (vscal a (g x)) (vscal b (k x))).
Proof.
intros A B S T x y. pose proof (S x y) as S1. pose proof (T x y) as T1. rewrite dot_add, !dot_scal.
apply (Rmult_le_compat_l a) in S1; auto. apply (Rmult_le_compat_l b) in T1; auto. lra.
Qed.
Lemma convex_sum f g h k a b : 0 <= a -> 0 <= b -> Convex f g -> Convex h k ->
  Convex (fun x => a * f x + b * h x) (fun x => vadd (vscal a (g x)) (vscal b (k x))).
Proof.
intros A B S T x y. pose proof (S x y) as S1. pose proof (T x y) as T1. rewrite dot_add, !dot_scal.
apply (Rmult_le_compat_l a) in S1; auto. apply (Rmult_le_compat_l b) in T1; auto. lra.
Qed.
Lemma half_square_smooth c : Smooth 1 (fun x => / 2 * norm2 (vsub x c)) (fun x => vsub x c).
Proof.
intros x y. expand.
split; [lra|]. pose proof (norm2_pos E (vsub x y)) as P. revert P. expand. lra.
Qed.
Lemma half_square_strongly_convex c : StronglyConvex 1 (fun x => / 2 * norm2 (vsub x c)) (fun x => vsub x c).
Proof. intros x y. expand. lra. Qed.
End Functions.
Arguments Convex {E} _ _. Arguments StronglyConvex {E} _ _ _. Arguments Smooth {E} _ _ _. Arguments Lipschitz {E} _ _.

(* --- what a gradient is: the derivative along every segment *)
Section Gradients.
Variable E : ips.
Implicit Types x y z p d : E.
Definition along x d t : E := vadd x (vscal t d).
Definition HasGradient (f : E -> R) (g : E -> E) :=
  forall x d t, derivable_pt_lim (fun s => f (along x d s)) t (dot (g (along x d t)) d).
(* values and gradients see a vector through its inner products alone *)
Definition same x y := norm2 (vsub x y) = 0.
Definition Respects (f : E -> R) (g : E -> E) := forall x y, same x y -> f x = f y /\
  forall w, dot (g x) w = dot (g y) w.

Lemma same_along_0 x d : same (along x d 0) x.
Proof. unfold same, along. expand. ring. Qed.
Lemma same_along_1 x y : same (along x (vsub y x) 1) y.
Proof. unfold same, along. expand. ring. Qed.
Lemma same_dot x y w : same x y -> dot x w = dot y w.
Proof.
unfold same. intro S. pose proof (cauchy_schwarz_squared E (vsub x y) w) as C. rewrite S in C.
assert (dot (vsub x y) w = 0) as Z by nra. revert Z. expand. lra.
Qed.

(* a function that does not rise has no larger value later *)
Lemma no_rise (h k : R -> R) : (forall t, derivable_pt_lim h t (k t)) -> (forall t, 0 < t < 1 -> k t <= 0) ->
  h 1 <= h 0.
Proof.
intros D K. destruct (MVT_cor2 h k 0 1 ltac:(lra) (fun c _ => D c)) as [c [A B]]. pose proof (K c B). lra.
Qed.

(* smooth: the descent lemma, from a Lipschitz gradient *)
Lemma descent_lemma f g L : 0 <= L -> HasGradient f g -> Respects f g -> Lipschitz L g -> Smooth L f g.
Proof.
intros L0 D Rs Lp y x.
assert (forall t, 0 <= t -> dot (vsub (g (along x (vsub y x) t)) (g x)) (vsub y x) <= L * t * norm2 (vsub y x)
  /\ - (L * t * norm2 (vsub y x)) <= dot (vsub (g (along x (vsub y x) t)) (g x)) (vsub y x)) as B.
{ intros t T.
  pose proof (Lp (along x (vsub y x) t) x) as A.
  assert (norm2 (vsub (along x (vsub y x) t) x) = t * t * norm2 (vsub y x)) as Q.
  { unfold along. expand. ring. }
  rewrite Q in A.
  pose proof (sqrt_sqrt _ (norm2_pos E (vsub y x))) as N.
  set (n := sqrt (norm2 (vsub y x))) in *. assert (0 <= n) as NN by apply sqrt_pos.
  pose proof (cauchy_schwarz E (vsub (g (along x (vsub y x) t)) (g x)) (vsub y x) (L * t * n) n) as C.
  rewrite <- N. replace (L * t * (n * n)) with (L * t * n * n) by ring. apply C; auto.
  - apply Rmult_le_pos; [apply Rmult_le_pos|]; assumption.
  - rewrite <- N in A. lra.
  - lra. }
destruct (Rs _ _ (same_along_0 x (vsub y x))) as [F0 _]. destruct (Rs _ _ (same_along_1 x y)) as [F1 _].
split.
- pose proof (no_rise (fun t => f (along x (vsub y x) t) - (dot (g x) (vsub y x) * t
  + L / 2 * norm2 (vsub y x) * (t * t)))
    (fun t => dot (g (along x (vsub y x) t)) (vsub y x) - (dot (g x) (vsub y x) * 1
      + L / 2 * norm2 (vsub y x) * (1 * t + t * 1)))) as H.
  cbv beta in H. rewrite F0, F1 in H.
  enough (f y - (dot (g x) (vsub y x) * 1 + L / 2 * norm2 (vsub y x) * (1 * 1))
    <= f x - (dot (g x) (vsub y x) * 0 + L / 2 * norm2 (vsub y x) * (0 * 0))) by lra.
  apply H.
  + intro t. apply derivable_pt_lim_minus; [apply D|]. apply derivable_pt_lim_plus.
    * apply derivable_pt_lim_scal, derivable_pt_lim_id.
    * apply derivable_pt_lim_scal, (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
  + intros t T. destruct (B t ltac:(lra)) as [U _]. revert U. unfold vsub at 1. rewrite dot_add, dot_scal. lra.
- pose proof (no_rise (fun t => (dot (g x) (vsub y x) * t - L / 2 * norm2 (vsub y x) * (t * t)) - f (along x (vsub y x)
  t))
    (fun t => (dot (g x) (vsub y x) * 1 - L / 2 * norm2 (vsub y x) * (1 * t
      + t * 1)) - dot (g (along x (vsub y x) t)) (vsub y x))) as H.
  cbv beta in H. rewrite F0, F1 in H.
  enough ((dot (g x) (vsub y x) * 1 - L / 2 * norm2 (vsub y x) * (1 * 1)) - f y
    <= (dot (g x) (vsub y x) * 0 - L / 2 * norm2 (vsub y x) * (0 * 0)) - f x) by lra.
  apply H.
  + intro t. apply derivable_pt_lim_minus; [|apply D]. apply derivable_pt_lim_minus.
    * apply derivable_pt_lim_scal, derivable_pt_lim_id.
    * apply derivable_pt_lim_scal, (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
  + intros t T. destruct (B t ltac:(lra)) as [_ U]. revert U. unfold vsub at 2. rewrite dot_add, dot_scal. lra.
Qed.

(* a function whose values along a segment are at least those at its start does not fall at its start *)
Lemma slope_at_start (h : R -> R) k : derivable_pt_lim h 0 k -> (forall t, 0 < t < 1 -> h 0 <= h t) -> 0 <= k.
Proof.
intros D H. destruct (Rle_or_lt 0 k) as [P | N]; [exact P|]. exfalso.
destruct (D (- k / 2) ltac:(lra)) as [[e E0] Q]. simpl in Q. set (s := Rmin (e / 2) (/ 2)).
assert (0 < s /\ s < 1 /\ s < e) as [S0 [S1 S2]].
{ unfold s. pose proof (Rmin_l (e / 2) (/ 2)). pose proof (Rmin_r (e / 2) (/ 2)).
  pose proof (Rmin_glb_lt (e / 2) (/ 2) 0 ltac:(lra) ltac:(lra)). lra. }
pose proof (Q s ltac:(lra) ltac:(rewrite Rabs_pos_eq; lra)) as A. rewrite Rplus_0_l in A.
pose proof (H s ltac:(lra)) as B.
assert (0 <= (h s - h 0) / s) as C by (apply div_nn; lra).
apply Rabs_def2 in A. lra.
Qed.

(* convex: the first-order inequality, from Jensen's inequality on segments *)
Lemma first_order f g : HasGradient f g -> Respects f g ->
  (forall x y t, 0 <= t <= 1 -> f (along x (vsub y x) t) <= (1 - t) * f x + t * f y) -> Convex f g.
Proof.
intros D Rs J y x.
pose proof (slope_at_start (fun t => ((1 - t) * f x
  + t * f y) - f (along x (vsub y x) t)) ((f y - f x) - dot (g (along x (vsub y x) 0)) (vsub y x))) as S.
destruct (Rs _ _ (same_along_0 x (vsub y x))) as [F G]. rewrite G in S.
enough (0 <= f y - f x - dot (g x) (vsub y x)) by lra. apply S.
- replace (f y - f x) with ((0 - 1) * f x + 1 * f y) by ring. rewrite <- G.
  apply derivable_pt_lim_minus; [|apply D]. apply derivable_pt_lim_plus.
  + replace ((0 - 1) * f x) with ((0 - 1) * f x + (1 - 0) * 0) by ring.
    apply (derivable_pt_lim_mult (fun t => 1 - t) (fun _ => f x)); [|apply derivable_pt_lim_const].
    apply derivable_pt_lim_minus; [apply derivable_pt_lim_const | apply derivable_pt_lim_id].
  + replace (1 * f y) with (1 * f y + 0 * 0) by ring.
    apply (derivable_pt_lim_mult id (fun _ => f y)); [apply derivable_pt_lim_id | apply derivable_pt_lim_const].
- intros t T. pose proof (J x y t ltac:(lra)). rewrite F. lra.
Qed.

(* --- sets *)
Definition ConvexSet (C : E -> Prop) := forall x y t, C x -> C y -> 0 <= t <= 1 -> C (along x (vsub y x) t).

(* optimal: at a minimum over a convex set the gradient makes no obtuse angle with a way inside *)
Lemma optimal f g C x p : HasGradient f g -> Respects f g -> ConvexSet C -> C x -> C p ->
  (forall y, C y -> f x <= f y) -> 0 <= dot (g x) (vsub p x).
Proof.
intros D Rs CC X P M. destruct (Rs _ _ (same_along_0 x (vsub p x))) as [F G]. rewrite <- G.
apply (slope_at_start (fun t => f (along x (vsub p x) t))); [apply D|].
intros t T. rewrite F. apply M, CC; auto; lra.
Qed.
(* stationary: on the whole space it vanishes *)
Lemma stationary f g x w : HasGradient f g -> Respects f g -> (forall y, f x <= f y) -> dot (g x) w = 0.
Proof.
intros D Rs M.
assert (forall v, 0 <= dot (g x) v) as H.
{ intro v. destruct (Rs _ _ (same_along_0 x v)) as [F G]. rewrite <- G.
  apply (slope_at_start (fun t => f (along x v t))); [apply D|]. intros; rewrite F; apply M. }
pose proof (H w). pose proof (H (vscal (-1) w)) as N. rewrite dot_scalr in N. lra.
Qed.

(* projection: the nearest point of a convex set, with its three-point inequality;
  two projections are no further apart *)
Definition Projection (C : E -> Prop) (P : E -> E) := forall x, C (P x) /\ forall p, C p ->
  norm2 (vsub x (P x)) <= norm2 (vsub x p).
Lemma projection C P x p : ConvexSet C -> Projection C P -> C p -> dot (vsub x (P x)) (vsub p (P x)) <= 0.
Proof.
intros CC PP Cp. destruct (PP x) as [Q M]. set (q := P x) in *. set (a := dot (vsub x q) (vsub p q)).
destruct (Rle_or_lt a 0) as [N | N]; [exact N|]. exfalso. set (n := norm2 (vsub p q)).
assert (forall t, 0 <= t <= 1 -> 2 * t * a <= t * t * n) as H.
{ intros t T. pose proof (M _ (CC q p t Q Cp T)) as A. revert A. subst a n. unfold along. expand.
  lra. }
pose proof (norm2_pos E (vsub p q)) as NP. fold n in NP.
destruct (Rle_or_lt n a) as [S | S].
- pose proof (H 1 ltac:(lra)). lra.
- assert (0 < a / n < 1) as T.
  { split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_reg_r with n; [lra|]. unfold Rdiv.
  rewrite Rmult_assoc, Rinv_l; lra. }
  pose proof (H (a / n) ltac:(lra)) as A. replace (a / n * (a / n) * n) with (a / n * a) in A by (field; lra). nra.
Qed.
Lemma projection_nonexpansive C P x y : ConvexSet C -> Projection C P ->
  norm2 (vsub (P x) (P y)) <= dot (vsub (P x) (P y)) (vsub x y) /\ norm2 (vsub (P x) (P y)) <= norm2 (vsub x y).
Proof.
intros CC PP. destruct (PP x) as [X _], (PP y) as [Y _].
pose proof (projection C P x (P y) CC PP Y) as A. pose proof (projection C P y (P x) CC PP X) as B.
assert (norm2 (vsub (P x) (P y)) <= dot (vsub (P x) (P y)) (vsub x y)) as F.
{ revert A B. expand. lra. }
split; [exact F|]. pose proof (norm2_pos E (vsub (vsub (P x) (P y)) (vsub x y))) as N. rewrite norm2_sub in N. lra.
Qed.
End Gradients.

(* Quadratic forms in points, with whole numbers as coefficients, and a test by computation that one is never negative.
*)
From RateProof Require Export RateProof.

Local Open Scope bool_scope.
Section Forms.
Variable E : ips.
(* <p, sum_j b_j t_j>, and the form whose upper triangle is given: the squares of each point, and twice the products *)
Fixpoint along (b : list Z) (t : list E) : E :=
  match b, t with c :: b', q :: t' => vadd (vscal (IZR c) q) (along b' t') | _, _ => vzero end.
Fixpoint products (p : E) (b : list Z) (t : list E) : R :=
  match b, t with c :: b', q :: t' => 2 * IZR c * dot p q + products p b' t' | _, _ => 0 end.
Fixpoint quad (M : list (list Z)) (pts : list E) : R :=
  match M, pts with
  | (a :: b) :: M', p :: t => IZR a * dot p p + products p b t + quad M' t
  | _, _ => 0
  end.

(* a M less the square that its first row makes: Schur's complement, without a fraction *)
Fixpoint less (a c : Z) (r b : list Z) : list Z :=
  match r, b with m :: r', d :: b' => (a * m - c * d)%Z :: less a c r' b' | _, _ => nil end.
Fixpoint schur (a : Z) (b : list Z) (M : list (list Z)) : list (list Z) :=
  match b, M with c :: b', r :: M' => less a c r b :: schur a b' M' | _, _ => nil end.
Fixpoint shaped (n : nat) (M : list (list Z)) : bool :=
  match n, M with O, nil => true | S m, r :: M' => Nat.eqb (length r) n && shaped m M' | _, _ => false end.

Lemma products_less p : forall r b t a c, length r = length b ->
  products p (less a c r b) t = IZR a * products p r t - IZR c * (2 * dot p (along b t)).
Proof.
induction r as [|m r IH]; intros [|d b] [|q t] a c L; try discriminate; try (simpl; rewrite dot_sym, dot_zero; ring).
injection L as L. cbn [less products along]. rewrite IH by exact L.
rewrite minus_IZR, !mult_IZR, (dot_sym E p (vadd _ _)), dot_add, dot_scal, (dot_sym E q), (dot_sym E (along b t)). ring.
Qed.
Lemma complete p a : forall n b t M, length b = n -> length t = n -> shaped n M = true ->
  IZR a * (IZR a * dot p p + products p b t + quad M t)
  = dot (vadd (vscal (IZR a) p) (along b t)) (vadd (vscal (IZR a) p) (along b t)) + quad (schur a b M) t.
Proof.
assert (forall n b t M, length b = n -> length t = n -> shaped n M = true ->
  IZR a * quad M t = dot (along b t) (along b t) + quad (schur a b M) t) as Q.
{ induction n as [|n IH]; intros [|c b] [|q t] [|r M] B T S; simpl in *; try discriminate.
  - rewrite dot_zero; ring.
  - apply andb_prop in S as [R S]. apply Nat.eqb_eq in R. destruct r as [|m r]; [discriminate|]. simpl in R.
    injection B as B. injection T as T. injection R as R.
    cbn [less]. rewrite Rmult_plus_distr_l, (IH b t M B T S), products_less by congruence.
    rewrite minus_IZR, !mult_IZR, !dot_add, !dot_scal, (dot_sym E q (vadd _ _)), (dot_sym E (along b t) (vadd _ _)),
      !dot_add, !dot_scal, (dot_sym E (along b t) q). ring. }
assert (forall b t, products p b t = 2 * dot p (along b t)) as P.
{ induction b as [|c b IH]; intros [|q t]; simpl; try (rewrite dot_sym, dot_zero; ring).
  rewrite IH, (dot_sym E p (vadd _ _)), dot_add, dot_scal, (dot_sym E q), (dot_sym E (along b t)). ring. }
intros n b t M B T S. rewrite Rmult_plus_distr_l, (Q n b t M B T S), P, !dot_add, !dot_scal.
rewrite (dot_sym E p (vadd _ _)), (dot_sym E (along b t) (vadd _ _)), !dot_add, !dot_scal, (dot_sym E (along b t) p).
ring.
Qed.

(* what all coefficients have in common can be taken out *)
Definition content (M : list (list Z)) : Z := fold_right (fun r g => fold_right Z.gcd g r) 0%Z M.
Definition times (g : Z) : list (list Z) -> list (list Z) := map (map (Z.mul g)).
Lemma products_times g p : forall b t, products p (map (Z.mul g) b) t = IZR g * products p b t.
Proof. induction b as [|c b IH]; intros [|q t]; simpl; try ring. rewrite IH, mult_IZR; ring. Qed.
Lemma quad_times g : forall M t, quad (times g M) t = IZR g * quad M t.
Proof.
induction M as [|[|a b] M IH]; intros [|p t]; simpl; try ring. rewrite IH, products_times, mult_IZR. ring.
Qed.
Definition same_rows (M N : list (list Z)) : bool := if list_eq_dec (list_eq_dec Z.eq_dec) M N then true else false.
Definition reduced (M : list (list Z)) : list (list Z) :=
  let g := content M in let N := map (map (fun x => Z.div x g)) M in
  if (0 <? g)%Z && same_rows (times g N) M then N else M.
Lemma reduced_sign M t : 0 <= quad (reduced M) t -> 0 <= quad M t.
Proof.
unfold reduced. destruct (0 <? content M)%Z eqn:G; simpl; [|auto].
unfold same_rows. destruct (list_eq_dec _ _ _) as [A | A]; [|auto]. intro H. rewrite <- A, quad_times.
apply Rmult_le_pos; [|exact H]. apply IZR_le. apply Z.ltb_lt in G. lia.
Qed.

Fixpoint never_negative (n : nat) (M : list (list Z)) : bool :=
  shaped n M && match n, M with
  | S m, (a :: b) :: M' =>
      if Z.eqb a 0 then forallb (Z.eqb 0) b && never_negative m M' else (0 <? a)%Z && never_negative m (reduced (schur a
        b M'))
  | _, _ => true
  end.
Lemma never_negative_holds : forall n M t, length t = n -> never_negative n M = true -> 0 <= quad M t.
Proof.
induction n as [|n IH]; intros M [|p t] T N; simpl in T; try discriminate.
- destruct M as [|[|a b] M]; simpl; lra.
- injection T as T. destruct M as [|[|a b] M]; try (simpl; lra). cbn [never_negative] in N.
apply andb_prop in N as [Sh N].
  cbn [shaped] in Sh. apply andb_prop in Sh as [L Sh]. apply Nat.eqb_eq in L. simpl in L. injection L as L.
  cbn [quad]. destruct (Z.eqb a 0) eqn:Z0.
  + apply Z.eqb_eq in Z0. apply andb_prop in N as [F N]. subst a.
    assert (forall b t, forallb (Z.eqb 0) b = true -> products p b t = 0) as P0.
    { induction b0 as [|c b0 IHb]; intros [|q u] F0; try reflexivity. cbn [forallb] in F0.
      cbn [products]. apply andb_prop in F0 as [C F0]. apply Z.eqb_eq in C. subst c. rewrite (IHb _ F0). ring. }
    rewrite (P0 _ _ F). pose proof (IH M t T N). lra.
  + apply andb_prop in N as [A N]. apply Z.ltb_lt in A. apply IZR_lt in A.
    pose proof (complete p a n b t M L T Sh) as C. pose proof (reduced_sign _ _ (IH _ t T N)) as Q.
    pose proof (dot_pos E (vadd (vscal (IZR a) p) (along b t))) as D.
    apply Rmult_le_reg_l with (IZR a); [exact A|]. rewrite C. lra.
Qed.
End Forms.
Arguments quad {E} _ _. Arguments products {E} _ _ _.

"""Machine proofs of the theorems of the control group: their steps, made of the statement and hypotheses of the claim.

The minimum is ``h* = 0`` at ``x* = 0``, and ``k`` counts iterations. Young's and Jensen's inequalities for powers are
no inequalities between inner products and have no proof here.
"""

from collections.abc import Iterator

import sympy as sp

from rateproof.theory import gram
from rateproof.theory.claim import Claim
from rateproof.theory.papers.textbook.notation import (
    M_h,
    apart,
    batch,
    end2,
    gap_at,
    gap_best,
    gap_end,
    gap_mean,
    grad2_at,
    grads_apart,
    inner_uv,
    lam_h,
    mu_h,
    norm2_u,
    norm2_v,
    remainder,
    rho_h,
    sampling2,
    start2,
    zeta2,
)
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import K, L_h, N, R, S, gamma_l, sigma_h2
from rateproof.verify.deciders.machine import Fact, Form, Proof, Step, Total, sides

ORIGIN, ZERO = gram.Vector(), sp.S.Zero
k = sp.Symbol("k", positive=True, integer=True)


# --- inequalities at one or two points


def young_steps(claim: Claim) -> Iterator[Step]:
    """The statement for free vectors u and v."""
    u, v = gram.vectors("u v")
    measured = {inner_uv: gram.dot(u, v), norm2_u: gram.norm2(u), norm2_v: gram.norm2(v)}
    yield Form("right minus left", le(*sides(claim)).xreplace(measured))


def moreau_steps(claim: Claim) -> Iterator[Step]:
    """The square of the statement, with p and q the proximal points of x and y."""
    x, y, p, q = gram.vectors("x y p q")
    u, v = (x - p) / lam_h, (y - q) / lam_h
    lhs, rhs = sides(claim)
    if not rhs.is_nonnegative:
        raise ValueError(f"the right side {rhs} is not known to be nonnegative, so the statement is not its square")
    squares = {grads_apart**2: gram.norm2(u - v), apart**2: gram.norm2(x - y)}
    monotone = Fact(gram.monotone(-rho_h, (p, u), (q, v)), ("weakly_convex",))
    yield Form("the squares", le(lhs**2, rhs**2).xreplace(squares), (monotone,))


def gradient_steps(claim: Claim) -> Iterator[Step]:
    """One gradient step of length 1/L; for L = 0 one that is long enough to pass below inf h."""
    x, g = gram.vectors("x g")
    at_x, after_step, lowest = sp.symbols("h(x) h(x+) inf", real=True)
    size, gap = sp.Symbol("G", positive=True), sp.Symbol("D", nonnegative=True)
    bounded = Fact(gram.Given("inf h <= h", (le(lowest, after_step),)), ("bounded_below",))

    def step(L: sp.Expr, length: sp.Expr) -> tuple[Fact, Fact]:
        return Fact(gram.smooth(L, (x, g, at_x), (x - length * g, None, after_step)), ("smooth",)), bounded

    lhs, rhs = sides(claim)
    measured = {grad2_at: gram.norm2(g), gap_at: at_x - lowest}
    positive = sp.Gt(L_h, 0, evaluate=False)
    yield Form("L > 0", le(lhs, rhs).xreplace(measured), step(L_h, 1 / L_h), (positive,))
    length = (gap + 1) / size
    supposed = (sp.Eq(gram.norm2(g), size), sp.Eq(at_x - lowest, gap))
    yield Form(
        "L = 0, where a gradient other than zero is absurd",
        le(sp.S.One, sp.S.Zero),
        (*step(sp.S.Zero, length), *supposed),
        multipliers=(sp.S.One, sp.S.Zero, sp.S.One, length, -sp.S.One),
    )
    flat = {L_h: 0, grad2_at: 0}
    yield Form("L = 0 and the gradient zero", le(lhs.subs(flat), rhs.subs(flat)), values=(gap_at,))


def remainder_steps(claim: Claim) -> Iterator[Step]:
    """Both sides at ``x + t (y - x)``: their values at t = 0 and their derivatives."""
    # grad h(x + t d) - grad h(x) = L t c with ||c|| <= ||d||: the same as L-smoothness, and without a division by L
    d, c = gram.vectors("d c")
    t = sp.Symbol("t", positive=True)
    lhs, rhs = sides(claim)
    if lhs != remainder:
        raise ValueError(f"the left side should be {remainder}, got {lhs}")
    slope = sp.diff(rhs.subs(apart, t * apart), t)
    smooth = Fact(
        gram.Given("||grad h(x + t d) - grad h(x)|| <= L t ||d||", (le(gram.norm2(c), gram.norm2(d)),)), ("smooth",)
    )
    yield Form("both sides at t = 0", le(sp.S.Zero, rhs.subs(apart, 0)))
    yield Form("their derivatives", le(gram.dot(L_h * t * c, d), slope).xreplace({apart**2: gram.norm2(d)}), (smooth,))


# --- deterministic methods


def gd_steps(claim: Claim) -> Iterator[Step]:
    """A potential that no step increases and that the gap at its end is bounded by."""
    x, now, after_step = gram.vectors("x g g+")
    h, h_after = sp.symbols("h h+", real=True)
    y = x - gamma_l * now

    def potential(count: sp.Expr, gap: sp.Expr, at: gram.Vector, gradient: gram.Vector) -> sp.Expr:
        weight = gamma_l**2 * count**2 + gamma_l * count / L_h
        return 2 * gamma_l * count * gap + gram.norm2(at) + weight * gram.norm2(gradient)

    lhs, rhs = sides(claim)
    given = ("convex", "smooth", "attained")
    at_x = (x, now, h)
    end = Fact(gram.interpolation(0, L_h, at_x, (ORIGIN, ORIGIN, ZERO)), given)
    step = Fact(gram.interpolation(0, L_h, at_x, (y, after_step, h_after), (ORIGIN, ORIGIN, ZERO)), given)
    flat = Fact(gram.convex((x, ORIGIN, gap_end), (ORIGIN, ORIGIN, ZERO)), given)
    after = potential(k + 1, h_after, y, after_step)
    # of the pairs (x, y), (x, x*), (y, x), (y, x*), (x*, x), (x*, y)
    decrease, increase = 2 * (k + 1) * (gamma_l * (k + 1) + 1 / L_h), 2 * (k + 1) * (gamma_l * k + 1 / L_h)
    weights = (decrease, ZERO, increase, ZERO, 2 * gamma_l, ZERO)
    positive = (sp.Gt(L_h, 0, evaluate=False),)
    last = le(potential(R, h, x, now), start2)
    yield Form("L = 0, where all gradients are zero", le(lhs, rhs.subs(L_h, 0)), (flat,))
    yield Form("the gap from the last potential", le(lhs, rhs).xreplace({gap_end: h}), (end, last), positive)
    yield Form(
        "the first potential",
        le(after.subs(k, 0), gram.norm2(x)),
        (step,),
        positive,
        multipliers=tuple(weight.subs(k, 0) for weight in weights),
    )
    yield Form(
        "no step increases the potential",
        le(after, potential(k, h, x, now)),
        (step,),
        positive,
        multipliers=weights,
    )


def contraction_steps(
    claim: Claim, *, steps: sp.Expr = R, noise2: sp.Expr = ZERO, hypotheses: tuple[str, ...] = ()
) -> Iterator[Step]:
    """The statement for every number of steps by induction; ``w`` is ``(1 - gamma mu)^2`` to that number.

    Args:
        claim: bounds ``end2``.
        steps: their number in the statement.
        noise2: bound on the variance of the gradient; then ``<u, v>`` stands for ``E <u, v>``.
        hypotheses: what the mean gradient rests on, beside smoothness and strong convexity.
    """
    x, g, noise = gram.vectors("x g e")
    w = sp.Symbol("w", nonnegative=True)
    factor = (1 - gamma_l * mu_h) ** 2
    lhs, rhs = sides(claim)
    bound = rhs.xreplace({(1 - gamma_l * mu_h) ** (2 * steps): w})
    if lhs != end2 or bound.free_symbols & steps.free_symbols:
        raise ValueError(f"the bound should be one on {end2} that depends on {steps} by (1 - gamma mu)^(2 {steps})")
    given = (*hypotheses, "smooth", "strongly_convex")
    # h - mu/2 ||x||^2 is convex and (L - mu)-smooth, also where L = mu
    cocoercive = gram.cocoercive(L_h - mu_h, (x, g - mu_h * x), (ORIGIN, ORIGIN))
    facts = [Fact(cocoercive, given), Fact(gram.monotone(mu_h, (x, g), (ORIGIN, ORIGIN)), given)]
    multipliers = [gamma_l**2, 2 * gamma_l - gamma_l**2 * (L_h + mu_h)]
    if noise2 != 0:
        orthogonal = [sp.Eq(gram.dot(noise, u), 0) for u in (x, g)]
        facts.append(Fact(gram.Given("noise of mean zero", tuple(orthogonal)), ("unbiased", "independent")))
        small = gram.Given("its variance", (le(gram.norm2(noise), noise2),))
        facts.append(Fact(small, ("variance_bounded", "independent")))
        multipliers += [2 * gamma_l, -2 * gamma_l**2, gamma_l**2]
    moved = x - gamma_l * (g + noise if noise2 != 0 else g)
    yield Form("no step", le(start2, bound.subs(w, 1)))
    yield Form(
        "one step more",
        le(gram.norm2(moved), bound.subs(w, w * factor)),
        (*facts, le(gram.norm2(x), bound)),
        multipliers=(*multipliers, factor),
    )


def subgradient_steps(claim: Claim) -> Iterator[Step]:
    """The sum over the iterates so far, in which every gap is at least the best."""
    x, g = gram.vectors("x g")
    gap = sp.Symbol("gap", real=True)

    def summed(count: sp.Expr, at: gram.Vector) -> sp.Rel:
        return le(gram.norm2(at) + 2 * gamma_l * count * gap_best, start2 + count * gamma_l**2 * M_h**2)

    step = (
        le(gap_best, gap),
        Fact(gram.convex((x, g, gap), (ORIGIN, None, ZERO)), ("convex", "attained")),
        Fact(gram.Given("bounded subgradients", (le(gram.norm2(g), M_h**2),)), ("subgradients_bounded",)),
    )
    moved = x - gamma_l * g
    yield Form("the best gap from the sum", le(*sides(claim)), (summed(R, x),))
    yield Form("the sum after one step", summed(sp.S.One, moved), (*step, le(gram.norm2(x), start2)))
    yield Form("the sum after one step more", summed(k + 1, moved), (*step, summed(k, x)))


def prox_steps(claim: Claim) -> Iterator[Step]:
    """A potential as for gradient descent, with the subgradient of F that the proximal step yields.

    ``a`` is the gradient of h and ``z`` the subgradient of g at x, ``c`` and ``-c`` are theirs at x*.
    """
    x, a, z, a_after, z_after, c = gram.vectors("x a z a+ z+ c")
    h, g, h_after, g_after = sp.symbols("h g h+ g+", real=True)
    y = x - gamma_l * (a + z_after)

    def potential(count: sp.Expr, gap: sp.Expr, at: gram.Vector, slope: gram.Vector) -> sp.Expr:
        return 2 * gamma_l * count * gap + gram.norm2(at) + gamma_l**2 * count**2 * gram.norm2(slope)

    lhs, rhs = sides(claim)
    smooth, nonsmooth = ("convex", "smooth", "attained"), ("g_convex", "attained")
    h_x, h_y, h_star = (x, a, h), (y, a_after, h_after), (ORIGIN, c, ZERO)
    g_x, g_y, g_star = (x, z, g), (y, z_after, g_after), (ORIGIN, -c, ZERO)
    # by the first step h is 1/gamma-smooth: no division by L, which may be zero
    h_step = Fact(gram.interpolation(0, 1 / gamma_l, h_x, h_y, h_star), smooth)
    after = potential(k + 1, h_after + g_after, y, a_after + z_after)
    # of the pairs (x, y), (x, x*), (y, x), (y, x*), (x*, x), (x*, y)
    h_weights = [2 * gamma_l * weight for weight in ((k + 1) ** 2, ZERO, k * (k + 1), ZERO, sp.S.One, ZERO)]
    g_weights = [2 * gamma_l * weight for weight in (k * (k + 1), ZERO, k**2, ZERO, ZERO, sp.S.One)]
    yield Form("L <= 1/gamma", le(L_h, 1 / gamma_l))
    yield Form(
        "the gap from the last potential",
        le(lhs, rhs).xreplace({gap_end: h + g}),
        (
            Fact(gram.convex(h_x, h_star), smooth),
            Fact(gram.convex(g_x, g_star), nonsmooth),
            le(potential(R, h + g, x, a + z), start2),
        ),
    )
    yield Form(
        "the first potential",
        le(after.subs(k, 0), gram.norm2(x)),
        (h_step, Fact(gram.convex(g_y, g_star), nonsmooth)),
        multipliers=(*(weight.subs(k, 0) for weight in h_weights), ZERO, 2 * gamma_l),
    )
    yield Form(
        "no step increases the potential",
        le(after, potential(k, h + g, x, a + z)),
        (h_step, Fact(gram.convex(g_x, g_y, g_star), nonsmooth)),
        multipliers=(*h_weights, *g_weights),
    )


# --- stochastic methods, and sampling of clients


def sgd_steps(claim: Claim) -> Iterator[Step]:
    """Gradient descent with a noise whose variance the mini-batch divides."""
    return contraction_steps(claim, noise2=sigma_h2 / batch)


def fedavg_steps(claim: Claim) -> Iterator[Step]:
    """Gradient descent of the clients' mean, with the mean of their noises."""
    alike = ("quadratic", "identical_clients", "full_participation")
    return contraction_steps(claim, steps=K * R, noise2=sigma_h2 / N, hypotheses=alike)


def log_steps(claim: Claim) -> Iterator[Step]:
    """``E ||x_k - x*||^2 <= sigma^2/(mu^2 k)`` by induction, and the sum of these bounds."""
    x, g, noise = gram.vectors("x g e")
    j, n = sp.symbols("j n", positive=True, integer=True)
    square, mixed = sp.Eq(gram.norm2(g), mu_h**2 * gram.norm2(x)), sp.Eq(gram.dot(g, x), mu_h * gram.norm2(x))
    orthogonal = tuple(sp.Eq(gram.dot(noise, u), 0) for u in (x, g))
    facts = (
        Fact(gram.Given("grad h = mu (x - x*)", (square, mixed)), ("isotropic",)),
        Fact(gram.Given("noise of mean zero", orthogonal), ("unbiased", "independent")),
        Fact(gram.Given("its variance", (le(gram.norm2(noise), sigma_h2),)), ("variance_bounded",)),
    )

    def bound(count: sp.Expr) -> sp.Expr:
        return sigma_h2 / (mu_h**2 * count)

    def step(name: str, count: sp.Expr, *given: sp.Rel) -> Form:
        gamma = 1 / (mu_h * count)
        multipliers = (
            -(gamma**2),
            2 * gamma,
            2 * gamma,
            -2 * gamma**2,
            gamma**2,
            *((1 - 1 / count) ** 2 for _ in given),
        )
        moved = gram.norm2(x - gamma * (g + noise))
        return Form(name, le(moved, bound(count)), (*facts, *given), multipliers=multipliers)

    lhs, rhs = sides(claim)
    if lhs != gap_mean:
        raise ValueError(f"the left side should be {gap_mean}, got {lhs}")
    one_gap = sigma_h2 / (2 * mu_h)
    so_far = le(gram.norm2(x), bound(k))
    yield Total("their sum", le(sp.Sum(1 / j, (j, 1, n)), sp.simplify(rhs * R / one_gap).subs(R, n)), n)
    yield step("the first step", sp.S.One)
    yield step("one step more", k + 1, so_far)
    yield Form("one gap", le(mu_h / 2 * gram.norm2(x), one_gap / k), (so_far,))


def sampling_steps(claim: Claim) -> Iterator[Step]:
    """With ``u_i = v_i - mean v``: P the sum of ``||u_i||^2`` and X that of ``<u_i, u_j>`` over i != j."""
    P, X = sp.symbols("P X", real=True)
    drawn = (S / N * P + S * (S - 1) / (N * (N - 1)) * X) / S**2
    chances = gram.Given(
        "one client is drawn with probability S/N, two with S(S-1)/(N(N-1))", (sp.Eq(sampling2, drawn),)
    )
    given = (sp.Eq(P + X, 0), sp.Eq(P, N * zeta2), Fact(chances, ("without_replacement",)))
    yield Form("right minus left", le(*sides(claim)), given, values=(sampling2, P, X))


IN_EXPECTATION = "induction over the steps, <u, v> standing for E <u, v>"
PROOFS: dict[str, Proof] = {
    "textbook.moreau_smooth": Proof(
        moreau_steps, "the envelope has the gradient (x - prox(x))/lambda, which is a subgradient of h at prox(x)"
    ),
    "textbook.young": Proof(young_steps),
    "textbook.gradient_bound": Proof(gradient_steps),
    "textbook.descent_lemma": Proof(
        remainder_steps, "along the segment from x to y, by the mean value theorem for right minus left side"
    ),
    "textbook.gd_smooth": Proof(
        gd_steps,
        "induction for the potential 2 gamma k (h - h*) + ||x - x*||^2 + (gamma^2 k^2 + gamma k/L) ||grad h||^2",
    ),
    "textbook.gd_strongly_convex": Proof(contraction_steps, "induction over the steps"),
    "textbook.subgradient": Proof(
        subgradient_steps, "induction for ||x_k - x*||^2 + 2 gamma k min gap <= ||x_0 - x*||^2 + k gamma^2 M^2"
    ),
    "textbook.prox_gradient": Proof(
        prox_steps,
        "induction for the potential 2 gamma k (F - F*) + ||x - x*||^2 + gamma^2 k^2 ||s||^2, s the subgradient of F "
        "that the proximal step yields",
    ),
    "textbook.sgd_quadratic": Proof(sgd_steps, f"{IN_EXPECTATION}; the mean of b noises has variance sigma^2/b"),
    "textbook.fedavg_identical": Proof(
        fedavg_steps,
        f"{IN_EXPECTATION}; x is the clients' mean, at which an affine gradient is the mean of theirs, and the mean of "
        "N noises has variance sigma^2/N",
    ),
    "textbook.sgd_log": Proof(log_steps, f"{IN_EXPECTATION}; the mean gap is 1/R times the sum"),
    "textbook.client_sampling": Proof(sampling_steps, "the deviations v_i - mean v add up to zero, so P + X = 0"),
}

"""From an explicit bound to an O(.) claim: the theorem on numbers, the comparison, and claims with planted errors."""

import random
from dataclasses import replace

import mpmath as mp
import pytest
import sympy as sp

from rateproof.theory import catalog
from rateproof.theory.claim import Claim, conjuncts
from rateproof.theory.proof import Refused, check
from rateproof.theory.proof.exponents import exponents
from rateproof.theory.shorthand import every, le
from rateproof.theory.symbols import C_O, R, alpha, epsilon, eta, kappa, mu_f, p
from rateproof.verify.stored import proofs

X, Y, c = sp.symbols("X Y c", positive=True)


def _constant(count: int, k: mp.mpf, q: mp.mpf, log: mp.mpf) -> mp.mpf:
    """The constant of the theorem, as its proof gives it."""
    if log <= 0:
        return (count * k * mp.log(2) ** log) ** (1 / q)
    factor = log / q * (count * k) ** (1 / log)
    return (2 * factor * max(1, factor)) ** (log / q)


def _last(bound, target: mp.mpf) -> mp.mpf:
    """The largest R >= 2 at which the bound is above the target; 0 where there is none."""
    decade = next((e for e in range(500, -1, -1) if bound(2 * mp.mpf(10) ** e) > target), None)
    if decade is None:
        return mp.mpf(0)
    low, high = 2 * mp.mpf(10) ** decade, 2 * mp.mpf(10) ** (decade + 1)
    for _ in range(40):
        middle = mp.sqrt(low * high)
        low, high = (middle, high) if bound(middle) > target else (low, middle)
    return low


@pytest.mark.parametrize("seed", range(15))
def test_theorem_on_numbers(seed):
    rng = random.Random(seed)

    def number(low: float, high: float) -> mp.mpf:
        return mp.mpf(rng.uniform(low, high))

    with mp.workdps(30):
        logs = [mp.mpf(rng.choice([-2, -1, 0, 0, 1, 1, 2, 0.4])) for _ in range(rng.randint(1, 4))]
        terms = [(10 ** number(-12, 12), number(0.05, 3), number(0.1, 3), log) for log in logs]
        target = 10 ** number(-12, 6)
        last = _last(lambda rounds: sum(k * x * rounds**-q * mp.log(rounds) ** log for x, k, q, log in terms), target)
        claimed = mp.mpf(0)
        for x, k, q, log in terms:
            z = x / target
            factor = mp.log(1 + z ** (1 / log)) ** (log / q) if log > 0 else 1
            claimed = max(claimed, _constant(len(terms), k, q, log) * z ** (1 / q) * factor)
        assert 0 <= last <= claimed


@pytest.mark.parametrize("power", [0.1, 0.7, 3.0])
def test_less_one_on_numbers(power):
    for rounds in range(2, 200):
        assert (1 - 2**-power) * rounds**power <= (rounds**power - 1) * (1 + 1e-12) <= rounds**power


def _known(*facts: sp.Rel):
    return lambda r: r in facts or r.func(*r.args) == sp.true


def _shows(bound: sp.Expr, goal: sp.Expr, *facts: sp.Rel, held=()) -> bool:
    try:
        exponents(bound, sp.expand_mul(goal), variable=R, target=epsilon, held=held, known=_known(*facts))
    except Refused:
        return False
    return True


TWO = sp.Ge(R, 2, evaluate=False)
SPLIT = sp.Rational(1, 100)
BOUND = 3 * X / sp.sqrt(R) + Y * sp.log(R) ** 2 / (7 * R**2) + c * X / (R**p - 1)
GOAL = (X / epsilon) ** 2 + sp.sqrt(Y / epsilon) * sp.log(1 + Y / epsilon) + (1 + c * X / epsilon) ** (1 / p)


def test_terms_agree():
    assert _shows(BOUND, GOAL, TWO)
    assert not _shows(BOUND, GOAL), "1/(R^p - 1) is not bounded at R = 1"
    assert _shows(BOUND, GOAL + X, TWO), "a goal may have more terms"
    assert _shows(X / (R * sp.log(R)), X / epsilon, TWO)


@pytest.mark.parametrize(
    "goal",
    [
        GOAL.subs((X / epsilon) ** 2, (X / epsilon) ** (2 - SPLIT)),
        GOAL.subs((X / epsilon) ** 2, (X / epsilon) ** (2 + SPLIT)),
        GOAL.subs((X / epsilon) ** 2, epsilon**-2),
        GOAL.subs((X / epsilon) ** 2, (X / epsilon) ** 2 / sp.log(1 + X / epsilon)),
        GOAL - (X / epsilon) ** 2,
        GOAL - (1 + c * X / epsilon) ** (1 / p),
        GOAL.subs((1 + c * X / epsilon) ** (1 / p), (1 + X / epsilon) ** (1 / p)),
        GOAL.subs((1 + c * X / epsilon) ** (1 / p), (1 + c * X / epsilon) ** (1 / p - SPLIT)),
        GOAL.subs(sp.log(1 + Y / epsilon), 1),
        GOAL.subs(sp.log(1 + Y / epsilon), sp.log(1 + Y / epsilon) ** (1 - SPLIT)),
        GOAL.subs(sp.log(1 + Y / epsilon), sp.log(1 + 1 / epsilon)),
        GOAL.subs(sp.log(1 + Y / epsilon), sp.log(1 + epsilon / Y)),
        GOAL * R,
    ],
)
def test_another_goal_is_refused(goal):
    assert not _shows(BOUND, goal, TWO)


@pytest.mark.parametrize("bound", [X, X * R**p, X / R - Y / R**2, X / (R - 2), X / R + sp.log(R), X * sp.log(c) / R])
def test_bounds_that_are_no_sums_of_decaying_terms_are_refused(bound):
    assert not _shows(bound, X / epsilon + Y / epsilon, TWO)


def test_signs_are_needed():
    z = sp.Symbol("z", real=True)
    assert not _shows(z / R, z / epsilon)
    assert _shows(z / R, z / epsilon, sp.Ge(z, 0, evaluate=False))
    assert not _shows(X / (z * R), X / (z * epsilon), sp.Ge(z, 0, evaluate=False))
    assert _shows(X / (z * R), X / (z * epsilon), sp.Gt(z, 0, evaluate=False))


def test_roots():
    bound = c * (X / R + Y / R**2) ** (1 / kappa)
    target = (epsilon / c) ** kappa
    assert _shows(bound, X / target + sp.sqrt(Y / target))
    assert not _shows(bound, X / epsilon**kappa + sp.sqrt(Y / target))
    assert not _shows(bound, c**kappa * (X / epsilon + sp.sqrt(Y / epsilon)))
    assert not _shows(c * (X / R + Y / R**2) ** (1 / kappa) / R, X / target + sp.sqrt(Y / target))


def test_held_constants():
    bound = X * sp.log(R) / R + Y / R**2
    log = sp.log(1 + 1 / epsilon)
    assert _shows(bound, log / epsilon, held={X, Y})
    assert not _shows(bound, 1 / epsilon, held={X, Y}), "the logarithm is missing"
    assert not _shows(bound, log / epsilon, held={Y})
    assert not _shows(bound, log / epsilon ** (1 - SPLIT), held={X, Y})
    assert _shows(bound, epsilon ** -(1 + SPLIT), held={X, Y}), "a power outweighs a logarithm"
    more = sp.Ge((p - 2) / p, 0, evaluate=False)
    assert _shows(X / (R ** (p / 2) - 1), 1 / epsilon, TWO, more, held={X})
    assert not _shows(X / (R ** (p / 2) - 1), 1 / epsilon, TWO, held={X})


# --- claims

CLAIMS = [
    *(f"thm1.{item}" for item in ("i-1", "i-2", "ii-1", "iii-1", "iii-2", "iii-3", "iii-4")),
    *(f"thm2.{item}" for item in ("i-1", "i-2", "ii", "iii-1", "iii-2", "iii-3")),
    *(f"tab1.{row}" for row in ("sc.0", "sc.k", "sc.1", "c.1")),
]


#: Steps that stand as they are need no search for their multipliers.
HINTS = proofs.merged(proofs.read("strfedavg").values())


def _claim(item: str) -> Claim:
    return catalog.get(f"strfedavg.{item}.corrected")


def _refused(claim: Claim, why: str = "") -> bool:
    with pytest.raises(Refused, match=why):
        check(claim, claim.proof, catalog.get, HINTS)
    return True


@pytest.mark.sweep(2)
@pytest.mark.parametrize("item", CLAIMS)
def test_claims(item):
    """From explicit bounds as they are stated; that these are proved is a test of their own."""
    claim = _claim(item)
    checked = check(claim, claim.proof, catalog.get, HINTS)
    assert not checked.words
    assert checked.cites


def _planted(claim: Claim) -> dict[str, Claim]:
    """The claim with another statement: an exponent changed by 1/100, a term or a constant left out."""
    first, *rest = conjuncts(claim.statement)
    terms = sp.expand_mul(first.rhs / C_O).args

    def stated(*changed: sp.Expr) -> Claim:
        return replace(claim, statement=every(le(first.lhs, C_O * sp.Add(*changed)), *rest))

    out = {f"without {t}": stated(*(o for o in terms if o is not t)) for t in terms}
    out |= {f"{t} to another power": stated(*(o if o is not t else o ** (1 - SPLIT) for o in terms)) for t in terms}
    for symbol in sorted(first.rhs.free_symbols & {alpha, mu_f, eta}, key=str):
        out[f"without {symbol}"] = stated(*(t.subs(symbol, 1) for t in terms))
    return out


@pytest.mark.sweep(1)
@pytest.mark.parametrize("item", ["thm2.i-1", "thm2.i-2", "thm2.iii-1", "thm2.iii-3"])
def test_planted_errors(item):
    for name, copy in _planted(_claim(item)).items():
        assert _refused(copy, "no term of the goal|no step shows"), name


def test_hypotheses_are_needed():
    claim = _claim("thm2.i-1")
    rest = [h for h in claim.hypotheses if h.key != "a+b<1"]
    assert _refused(replace(claim, hypotheses=(*rest,)), "not known")
    minus = replace(claim.setting, rounds={r: replace(n, metric=-n.metric) for r, n in claim.setting.rounds.items()})
    assert _refused(replace(claim, setting=minus), "bounds no number of rounds")
    held = replace(claim.setting, rounds={r: replace(n, held=(R,)) for r, n in claim.setting.rounds.items()})
    assert _refused(replace(claim, setting=held), "not held fixed")

"""Vector inequalities without premises: proved by squares, refuted by explicit vectors."""

import subprocess
import sys

import pytest
import sympy as sp

from rateproof.theory.algebra import normal
from rateproof.theory.gram import Open, Proved, Refuted, decide, dot, interpolation, lipschitz, norm2, smooth, vectors
from rateproof.theory.gram.domain import Domain

q = sp.Rational
x, y, z = vectors("x y z")
theta, L, mu = sp.symbols("theta L mu", positive=True)
t = sp.Symbol("t", real=True)
LAX = sp.Symbol("L", nonnegative=True)


def left_over(relation, proof):
    """Large side less small side less the certificate; zero for a correct one."""
    small, large = relation.args if relation.rel_op == "<=" else relation.args[::-1]
    total = proof.constant + sum(pivot * norm2(v) for pivot, v in proof.squares)
    for premise, multiplier in proof.multipliers:
        lesser, greater = premise.args if premise.rel_op == "<=" else premise.args[::-1]
        total += multiplier * (greater - lesser)
    difference = large - small - total
    free = [s for s in difference.free_symbols if "<" in s.name or not s.is_positive]
    at_zero = difference.xreplace(dict.fromkeys(free, sp.S.Zero))
    parts = [at_zero, *(sp.diff(difference, s) for s in free)]
    return sum(abs(sp.cancel(sp.together(part))) for part in parts)


def proved(relation, **options):
    result = decide(relation, **options)
    assert isinstance(result, Proved), f"{relation}: {result}"
    if not result.minors:
        assert left_over(relation, result) == 0
    return result


def refuted(relation, **options):
    """Refuted, and by its own numbers, evaluated here once more."""
    result = decide(relation, **options)
    assert isinstance(result, Refuted), f"{relation}: {result}"
    numbers = {**result.values, **result.parameters}
    for symbol, value in numbers.items():
        assert all(getattr(value, f"is_{key}") == truth for key, truth in symbol.assumptions0.items())
    for u, a in result.vectors.items():
        for v, b in result.vectors.items():
            numbers[sp.Symbol(f"<{u},{v}>", real=True)] = sum(i * j for i, j in zip(a, b, strict=True))
    assert relation.xreplace(numbers) == sp.false
    assert all(condition.xreplace(numbers) == sp.true for condition in options.get("assuming", ()))
    for premise in options.get("given", ()):
        for each in (*getattr(premise, "relations", (premise,)), *getattr(premise, "conditions", ())):
            assert each.xreplace(numbers) == sp.true
    return result


def test_vectors_are_linear():
    u = 2 * x - (y + z) / 2
    assert str(u) == "2*x - y/2 - z/2"
    assert sum([x, y, z]) == x + y + z and x - x == 0 * y
    assert sp.expand(norm2(u) - dot(u, 2 * x) + dot(u, y + z) / 2) == 0
    assert dot(x, y) == dot(y, x) == sp.Symbol("<x,y>", real=True)
    assert norm2(x - theta * y).coeff(dot(x, y)) == -2 * theta


def test_young():
    proof = proved(2 * dot(x, y) <= theta * norm2(x) + norm2(y) / theta)
    assert proof.squares == ((theta, x - y / theta),)
    assert proof.text.endswith("= theta*||x - y/theta||^2")
    refuted(2 * dot(x, y) <= theta * norm2(x) / 2 + norm2(y) / theta)
    refuted(2 * dot(x, y) <= theta * norm2(x) + q(99, 100) * norm2(y) / theta)
    refuted(2 * dot(x, y) <= theta * norm2(x) + norm2(y) / theta**2)


def test_young_with_square_roots():
    proved(2 * dot(x, y) <= sp.sqrt(L) * norm2(x) + norm2(y) / sp.sqrt(L))
    proved(2 * dot(x, y) <= sp.sqrt(2) * norm2(x) + norm2(y) / sp.sqrt(2))
    refuted(2 * dot(x, y) <= q(141, 100) * norm2(x) + norm2(y) / sp.sqrt(2))


def test_square_of_a_sum():
    assert proved(norm2(x + y) <= 2 * norm2(x) + 2 * norm2(y)).squares == ((1, x - y),)
    result = refuted(norm2(x + y) <= q(19, 10) * norm2(x) + 2 * norm2(y))
    assert all(abs(c) <= 1 for v in result.vectors.values() for c in v)
    proved(2 * dot(x - y, x - z) >= norm2(x - y) - norm2(y - z))


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_jensen(count):
    v = vectors(" ".join(f"v_{i}" for i in range(count)))
    squares = sum(norm2(u) for u in v)
    proved(norm2(sum(v) / count) <= squares / count)
    refuted(norm2(sum(v) / count) <= q(99, 100) * squares / count)


def test_conditions_on_parameters():
    form = norm2(x) + 2 * t * dot(x, y) + norm2(y)
    proof = proved(form >= 0, assuming=[t <= 1, t >= -1])
    assert any("z3" in sign for sign in proof.signs)
    proved(form >= 0, assuming=[t**2 <= 1])
    refuted(form >= 0, assuming=[t <= q(11, 10), t >= -1])
    far = refuted(norm2(x) + 2 * t * dot(x, y) + 10**6 * norm2(y) >= 0, assuming=[t > 0])
    assert far.parameters[t] > 1000
    narrow = ((t - q(777, 1000)) ** 2 - q(1, 10**6)) * norm2(x)
    assert abs(refuted(narrow >= 0).parameters[t] - q(777, 1000)) < q(1, 1000)


def test_a_pivot_may_vanish_with_its_row():
    """(L - mu) ||x - y||^2 with mu <= L; the first pivot is zero where mu = L."""
    proof = proved((L - mu) * norm2(x - y) >= 0, assuming=[mu <= L])
    assert proof.squares == ((L - mu, x - y),) and not proof.minors


def test_a_square_whose_pivots_may_vanish():
    t = sp.Symbol("t", real=True)
    proof = proved(norm2((t - 1) * x + (2 * t - 1) * y) >= 0)
    assert not proof.minors and len(proof.squares) == 1


def test_principal_minors_where_no_pivot_is_usable():
    """a ||x||^2 + 2 c <x, y> + b ||y||^2 with c^2 <= a b, where a and b may vanish."""
    a, b = sp.symbols("a b", nonnegative=True)
    form = a * norm2(x) + 2 * t * dot(x, y) + b * norm2(y)
    assert proved(form >= 0, assuming=[t**2 <= a * b]).minors
    refuted(form >= 0, assuming=[t**2 <= q(11, 10) * a * b])


def test_constants_and_values():
    f, g = sp.symbols("f g")
    s = sp.Symbol("s", nonnegative=True)
    proved(norm2(x) >= -1)
    refuted(norm2(x) >= 1)
    refuted(5 * norm2(x) <= 4 * norm2(x) + 1)
    refuted(norm2(x) + f >= g)
    assert proved(norm2(x) + s >= 0, values=[s]).multipliers == ((sp.Ge(s, 0, evaluate=False), 1),)
    proved(norm2(x) + s >= 0)


def test_denominators_are_taken_to_be_nonzero():
    proved(norm2(x) / (t - 1) >= 0, assuming=[t >= 1])
    refuted(norm2(x) / (t - 1) >= 0, assuming=[t >= 0])


def test_integer_parameters_stay_integer():
    n = sp.Symbol("n", integer=True, positive=True)
    proved(n**2 * norm2(x) >= n * norm2(x))
    assert refuted(n**2 * norm2(x) >= 2 * n * norm2(x)).parameters == {n: 1}


def test_a_symbol_named_like_a_root_is_another_symbol():
    named = sp.Symbol("sqrt(L)", nonnegative=True)
    result = refuted(named * norm2(x) >= sp.sqrt(L) * norm2(x))
    assert result.parameters[named] ** 2 < result.parameters[L]
    assert "sqrt(L)" in proved(sp.sqrt(L) * norm2(x) >= 0).text


def test_values_are_as_their_symbols_say():
    """Each holds for all numbers that its symbol admits, and fails for others."""
    negative, below = sp.Symbol("v", negative=True), sp.Symbol("w", nonpositive=True)
    positive, whole = sp.Symbol("u", positive=True), sp.Symbol("n", integer=True)
    proved(negative <= norm2(x), values=[negative])
    proved(negative - 1 <= below + norm2(x) + 1 - below, values=[negative, below])
    assert refuted(negative >= -norm2(x), values=[negative]).values[negative] < 0
    assert refuted(positive >= norm2(x), values=[positive]).values[positive] > 0
    assert refuted(positive + norm2(x) >= q(1, 100), values=[positive]).values[positive] > 0
    half = [sp.Le(whole, q(1, 2)), sp.Ge(whole, 0)]
    assert isinstance(decide(whole <= 0, given=half, values=[whole]), Open)  # true, for 0 is the only integer there
    assert refuted(whole <= norm2(x), values=[whole]).values[whole].is_integer
    odd = sp.Symbol("s", irrational=True)
    assert isinstance(decide(odd**2 * norm2(x) >= 2 * norm2(x)), Open)
    assert isinstance(decide(odd <= norm2(x)), Open)


def test_zero_is_zero():
    """Where all symbols cancel, sympy's cancel() leaves -1/2 + 1/2."""
    nothing = -(t**2) / 2 - t + (t + 1) ** 2 / 2 - q(1, 2)
    assert normal(nothing) == 0
    proved(norm2(x) + nothing * dot(x, y) >= nothing)
    f = sp.Symbol("f", real=True)
    assert proved(norm2(x) + nothing * f >= 0, values=[f]).squares == ((1, x),)


def test_what_cancels_is_still_divided_by():
    """t + 1 cancels, and may not be zero all the same."""
    proved(norm2(x) * (t**2 + t) / (t + 1) >= t * norm2(x))
    assert refuted(norm2(x) >= (t**2 + t) / (t + 1)).parameters[t] != -1


def test_roots_in_multipliers_have_to_be_defined():
    square = norm2(x) / 4 >= 0
    under = 1 / (t - 1) ** 2 + 1  # undefined at t = 1, where the statement has a meaning
    assert "square root" in decide(norm2(x) >= 0, given=[square], assuming=[t > 0], multipliers=[sp.sqrt(under)]).why
    proved(norm2(x) >= 0, given=[square], assuming=[t > 1], multipliers=[sp.sqrt(sp.sqrt(t) + 1) / sp.sqrt(t + 1)])


def test_open_where_nothing_is_decided():
    assert "no parameters satisfy" in decide(norm2(x) >= 0, assuming=[L > 2, L < 1]).why
    assert isinstance(decide(norm2(x) >= 0, assuming=[L > 2, L < 1], multipliers=[]), Open)
    wrong = decide(norm2(x) >= q(1, 2) * norm2(x), given=[norm2(x) <= 1], multipliers=[-1])
    assert isinstance(wrong, Open) and "multiplier -1" in wrong.why


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: decide(norm2(x) * dot(x, y) >= 0), "not linear in <x,x>"),
        (lambda: decide(sp.exp(L) * norm2(x) >= 0), r"exp\(L\) is not a rational function"),
        (lambda: decide(0.5 * norm2(x) >= 0), "0.5.* is not a rational function"),
        (lambda: decide(L**mu * norm2(x) >= 0), "not a rational function"),
        (lambda: decide(sp.Eq(norm2(x), 0)), "no inequality; write it with <= or >="),
        (lambda: decide(norm2(x)), "no relation"),
        (lambda: decide(norm2(x) >= 0, assuming=[L <= 0.5]), "0.5.* is not a rational function"),
        (lambda: decide(norm2(x) >= 0, assuming=[norm2(y) > 1]), "speaks of <y,y>; put it in given="),
        (lambda: decide(norm2(x) >= 0, assuming=[sp.Integer(1) < 0]), "holds nowhere"),
        (lambda: decide(norm2(x) >= 0, given=[norm2(x) < 1]), "neither an inequality <= or >="),
        (lambda: decide(norm2(x) >= 0, multipliers=[1]), "1 multipliers for 0 inequalities"),
        (lambda: decide(norm2(x) >= 0, given=[norm2(x) <= 1], multipliers=[dot(x, y)]), "<x,y> is not a rational"),
        (lambda: decide(sp.sqrt(norm2(x)) <= L), "not linear in <x,x>: it takes the square root of <x,x>"),
        (lambda: decide(L / sp.sqrt(norm2(x)) <= norm2(y)), "not linear in <x,x>: it takes the square root of <x,x>"),
        (lambda: decide(norm2(x) / sp.sqrt(1 + t) <= L, values=[t]), r"not linear in t: .* square root of t \+ 1"),
        (lambda: decide(norm2(x) <= L / norm2(y)), "not linear in <y,y>"),
        (lambda: decide(norm2(x) <= L, given=[sp.sqrt(norm2(y)) <= L]), "not linear in <y,y>: it takes the square"),
        (lambda: decide(norm2(x) >= 0, given=[norm2(x) <= 1], multipliers=[sp.sqrt(norm2(x))]), "<x,x> is not a"),
        (lambda: x * y, r"write dot\(u, v\)"),
        (lambda: vectors("a,b"), "vector name 'a,b'"),
        (lambda: interpolation(L, L, (x, y, sp.S.Zero), (y, x, sp.S.Zero)), "needs mu < L"),
        (lambda: interpolation(0, L, (x, y, sp.S.Zero), (y, None, sp.S.Zero)), "needs the gradient"),
        (lambda: decide(sp.sqrt(L) * norm2(x) >= sp.sqrt(LAX) * norm2(x)), "two symbols .* are named L; rename one"),
        (lambda: decide(norm2(x) >= 0, assuming=[LAX < L]), "two symbols .* are named L"),
        (lambda: decide(sp.Symbol("<x,x>") >= 0), "named like an inner product and is none"),
        (lambda: decide(sp.Symbol("v", imaginary=True) * norm2(x) >= 0), "v is no symbol of a real number"),
        (lambda: decide(sp.sqrt(-L) * norm2(x) >= 0), r"I\*sqrt\(L\).* is not real: it takes the square root"),
        (lambda: decide(L ** sp.sqrt(2) * norm2(x) >= L ** sp.sqrt(3) * norm2(x)), "not a rational function"),
        (lambda: decide(norm2(x) >= (t**2 + t) / (t + 1), values=[t]), r"not linear in t: it divides by t \+ 1"),
        (lambda: decide(norm2(x) >= 0, values=[norm2(x)]), "<x,x> is an inner product; values are scalars"),
        (lambda: decide(norm2(x) >= 0, values=t), "values should be a list; got t alone"),
        (lambda: decide(norm2(x) >= 0, assuming=t > 0), "assuming should be a list; got t > 0 alone"),
        (lambda: lipschitz(-1, (x, y), (y, x)), "needs L >= 0, got -1"),
        (lambda: lipschitz(1, (x, y)), "two points"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("radius", [None, L])
@pytest.mark.parametrize(("bound", "kind"), [(q(4, 9), Proved), (q(4, 9) - q(1, 1000), Refuted), (q(1, 2), Proved)])
def test_a_tight_bound_is_proved_on_its_face(bound, kind, radius):
    """Halpern's second step: ``||x_2 - T x_2||^2 <= (4/9) ||x_0 - x*||^2`` (Lieder 2021), where 4/9 is attained.

    ``radius``: the distance to a fixed point, as a number or as a parameter that bounds it.
    """
    start, *images = vectors("x_0 Tx_0 Tx_1 Tx_2")
    first = (start + images[0]) / 2
    second = start / 3 + q(2, 3) * images[1]
    points = [(start, images[0]), (first, images[1]), (second, images[2]), (start - start, start - start)]
    distance2 = norm2(start) if radius is None else radius**2
    given = [lipschitz(1, *points), norm2(start) <= distance2]
    assert isinstance(decide(norm2(second - images[2]) <= bound * distance2, given=given), kind)


def test_solvers_are_not_imported_with_the_module():
    code = "import rateproof.theory.gram, sys; print({'z3', 'cvxpy', 'numpy', 'scipy'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_bad_premises_are_refused_by_name():
    x, y, gx, gy = vectors("x y gx gy")
    fx, fy = sp.symbols("fx fy", real=True)
    with pytest.raises(ValueError, match="repeat one"):
        vectors("x x")
    with pytest.raises(ValueError, match="3 is no vector"):
        norm2(3)
    with pytest.raises(ValueError, match="mu < L, got mu = 2 and L = 1"):
        interpolation(2, 1, (x, gx, fx), (y, gy, fy))
    with pytest.raises(ValueError, match="L >= 0, got -1"):
        smooth(-1, (x, gx, fx), (y, gy, fy))
    with pytest.raises(ValueError, match="two points"):
        smooth(1, (x, gx, fx))
    with pytest.raises(ValueError, match="should be a list"):
        decide(norm2(x) >= 0, given=smooth(1, (x, gx, fx), (y, gy, fy)))


def test_a_sign_of_a_very_high_power_is_not_asked_for():
    """Neither limit of z3 ends what it does with such powers: that a false copy is not proved took hours."""
    x, y = sp.symbols("x y", positive=True)
    domain = Domain((x, y), (sp.Gt(x, 1, evaluate=False),))
    high = x**11001 * (y - 1) ** 2 - x**10499 * y + x**499 * (y + 1)
    assert domain.nonnegative(high) is None
    assert domain.nonnegative(x**23 - 2 * x**11 + 1) is not None

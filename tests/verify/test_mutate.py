import pytest
import sympy as sp

from theory.claim import Claim, Hypothesis, Kind, Source
from verify.mutate import Sharp, improve_exponent, mutants

R, N, D, q, s = (sp.Symbol(name, positive=True) for name in ("R", "N", "D", "q", "s"))
metric = sp.Symbol("metric", real=True)


def claim(bound, *hypotheses, op=sp.Le):
    statement = op(metric, bound, evaluate=False)
    return Claim("toy.bound", Source("toy", "here"), Kind.BOUND, "toy", statement, hypotheses=hypotheses)


def bounds(bound, **sharp):
    return {name: false.statement.args[1] for name, false in mutants(claim(bound), Sharp(**sharp))}


def test_constants():
    assert bounds(D / R) == {
        "constant x0.99": sp.Rational(99, 100) * D / R,
        "constant x0.9": sp.Rational(9, 10) * D / R,
        "constant x0.5": D / (2 * R),
    }


def test_each_term_of_a_sum_on_its_own():
    found = bounds(D / R + s, constant=False, terms=True)
    assert len(found) == 6
    assert found["term D/R x0.5"] == D / (2 * R) + s
    assert found["term s x0.9"] == D / R + sp.Rational(9, 10) * s


def test_a_power_of_a_variable_only_in_terms_that_contain_it():
    assert bounds(D / R + s / N, constant=False, exponents=(N,)) == {
        "exponent of N by 0.05": D / R + s / N ** sp.Rational(21, 20),
        "exponent of N by 0.25": D / R + s / N ** sp.Rational(5, 4),
    }


def test_a_geometric_factor_shrinks_faster():
    assert improve_exponent(R, sp.Rational(1, 20), q ** (2 * R) * D + s) == q ** (sp.Rational(21, 10) * R) * D + s
    assert improve_exponent(R, sp.Rational(1, 4), R * q**R) == R ** sp.Rational(3, 4) * q**R


def test_a_missing_log():
    assert bounds(s * (1 + sp.log(R)) / R, constant=False, logs=True) == {"without log(R)": 2 * s / R}


def test_one_hypothesis_less():
    cap, convex = Hypothesis("cap", "s <= 1", sp.Le(s, 1)), Hypothesis("convex", "convex")
    found = dict(mutants(claim(D / R, cap, convex), Sharp(constant=False, hypotheses=("cap",))))
    assert list(found) == ["without cap"]
    assert found["without cap"].hypotheses == (convex,)
    assert found["without cap"].statement == claim(D / R).statement


def test_equal_copies_count_once():
    K = sp.Symbol("K", positive=True)
    assert list(bounds(q ** (2 * K * R), constant=False, exponents=(R, K))) == [
        "exponent of R by 0.05",
        "exponent of R by 0.25",
    ]


def test_every_conjunct_is_mutated_and_the_id_kept():
    both = sp.And(sp.Le(metric, D, evaluate=False), sp.Le(2 * metric, s, evaluate=False), evaluate=False)
    original = Claim("toy.bound", Source("toy", "here"), Kind.BOUND, "toy", both)
    half = dict(mutants(original, Sharp()))["constant x0.5"]
    assert half.id == original.id
    assert {relation.args[1] for relation in half.statement.args} == {D / 2, s / 2}
    assert original.statement == both


@pytest.mark.parametrize(
    ("sharp", "message"),
    [
        (Sharp(exponents=(N,)), "does not change"),
        (Sharp(logs=True), "no logarithm"),
        (Sharp(hypotheses=("cap",)), "no hypothesis 'cap'"),
    ],
)
def test_what_is_not_there_cannot_be_sharp(sharp, message):
    with pytest.raises(ValueError, match=message):
        list(mutants(claim(D / R), sharp))


def test_only_upper_bounds_are_mutated():
    with pytest.raises(ValueError, match="metric <= bound"):
        list(mutants(claim(D / R, op=sp.Ge), Sharp()))

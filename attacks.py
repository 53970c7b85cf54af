"""False claims that the kernel is asked to prove; the true ones beside them stand in tests/theory/test_proof_forged.py."""

import sys
from dataclasses import replace

import sympy as sp

from rateproof.theory.assumptions import *  # noqa: F403
from rateproof.theory.assumptions import (
    Attained, BoundedDissimilarity, BoundedVariance, Convex, EveryPoint, EveryRound, Independent, Lipschitz, Sampled,
    Smooth, Unbiased,
)
from rateproof.theory.claim import Claim, Hypothesis, Kind, Source
from rateproof.theory.gram import Vector, dot, norm2, vectors
from rateproof.theory.proof import *  # noqa: F403
from rateproof.theory.proof import (
    SEQUENCES, HalfSquare, Mean, Proof, SampleMean, Setting, cases, check, cite, everywhere, have, induct, lipschitz,
    mean, qed, sampling, smooth, special, summed, unfold, written_out,
)
from rateproof.theory.proof import supposed as hyp
from rateproof.theory.schedule import Schedule
from rateproof.theory.shorthand import eq, ge, le
from rateproof.theory.symbols import declare, eta

rho, L, mu, sigma, c, q, s = sp.symbols("rho L mu sigma c q s", positive=True)
m, m_0, b, t = sp.symbols("m m_0 b t", real=True)
p, norm = sp.symbols("p norm", nonnegative=True)
N, S, K, R, j = sp.symbols("N S K R j", positive=True, integer=True)
k, n_0 = sp.symbols("k n_0", nonnegative=True, integer=True)
i_ = sp.Symbol("i_", integer=True)
a, seq = sp.Function("a", nonnegative=True), sp.Function("seq", real=True)
whole = sp.Function("whole", integer=True)
x, y, g, h, u, v, w, n, avg, mb = vectors("x y g h u v w n avg mb")
f_x, f_y = sp.symbols("f_x f_y", real=True)
D = declare("D_def", "a defined number", paper="test", positive=True, defined=True)
DR = declare("D_real", "a defined number", paper="test", real=True, defined=True)


def a_claim(statement, *hyps, steps=(), id="test.claim", where=None, rules=None, **setting):
    named = tuple(
        Hypothesis(f"h{i}", str(e), *((e,) if isinstance(e, sp.Basic) else (None, (e,)))) for i, e in enumerate(hyps)
    )
    made = setting.pop("setting", None) or Setting()
    schedule = Schedule("S-x", "t", rules) if rules else None
    return Claim(
        id, Source("test", "here"), Kind.INEQUALITY, "", statement, named, where or {}, schedule=schedule,
        setting=replace(made, **setting), proof=Proof(*steps),
    )


def lemma(*parts, **rest):
    return a_claim(*parts, id="test.lemma", **rest)


CASES = {}


def case(name):
    def enter(make):
        CASES[name] = make
        return make
    return enter


def main():
    only = sys.argv[1:]
    for name, make in CASES.items():
        if only and not any(o in name for o in only):
            continue
        try:
            claim = make()
            check(claim, claim.proof, {}.get)
            print(f"PROVED   {name}", flush=True)
        except ValueError as e:
            print(f"refused  {name}: {str(e)[:170]}", flush=True)

@case("1 induct: last contains the index")
def _():
    last = k + 1 / (k + 1)
    return a_claim(le(K, 1), steps=[
        induct("all", le(k, 1), over=k, last=last), special("any", "all", {k: K}), qed(by=["any"])])

@case("1c induct: last, true")
def _():
    return a_claim(le(1, 2), steps=[induct("all", le(k, k + 1), over=k, last=R), special("z", "all", {k: 0}), qed(by=["z"])])

@case("2 summed: last contains the index")
def _():
    e = k * (k - 1) * (k - 4)
    return a_claim(le(p, 0), fixed=(p,), steps=[
        have("one", ge((k - 1) * (k - 4), 0), when=[le(k, (k - 2) ** 2)]),
        have("w", ge(p * e, 0), when=[le(k, (k - 2) ** 2)]),
        summed("sum", "w", over=k, start=0, last=(k - 2) ** 2),
        special("zero", "sum", {k: 0}), qed(by=["zero"])])

@case("3 every round: the range contains the index")
def _():
    return a_claim(le(a(2), c), EveryRound("r", le(a(k), c), k, sp.S.Zero, 2 - k), steps=[
        have("two", le(a(2), c), when=[le(k, 0)], by=[hyp("h0", {k: 2})]),
        special("z", "two", {k: 0}), qed(by=["z"])])

@case("4 every round: a definition with the index")
def _():
    return a_claim(le(a(0), D), EveryRound("r", le(a(k), D), k), where={D: 1 / (k + 1)}, steps=[
        qed(by=[hyp("h0", {k: 0})])])

@case("5 every point: a definition hides a metric")
def _():
    return a_claim(le(norm2(h), DR), EveryPoint("f", "x", le(norm2(g), DR)), where={DR: m},
        depends=dict.fromkeys("xygh", ""), metrics={m: norm2(x)},
        functions={"f": {"x": (x, g, f_x), "y": (y, h, f_y)}}, measured=(f_x, f_y),
        steps=[qed(by=[everywhere("f", "y")])])

@case("5b every point: a definition hides a value")
def _():
    return a_claim(le(norm2(h), f_x), EveryPoint("f", "x", le(norm2(g), DR)), where={DR: f_x},
        depends=dict.fromkeys("xygh", ""),
        functions={"f": {"x": (x, g, f_x), "y": (y, h, f_y)}}, measured=(f_x, f_y),
        steps=[qed(by=[everywhere("f", "y")])])

@case("5c every point: a rule hides a metric")
def _():
    return a_claim(le(norm2(h), m), EveryPoint("f", "x", le(norm2(g), eta)), rules={eta: m},
        depends=dict.fromkeys("xygh", ""), metrics={m: norm2(x)},
        functions={"f": {"x": (x, g, f_x), "y": (y, h, f_y)}}, measured=(f_x, f_y),
        steps=[qed(by=[everywhere("f", "y"), SCHEDULE])])

ALL = dict(depends={"n": "client xi", "avg": "all", "y": "", "g": "client xi all", "h": "client xi"},
    means={"avg": Mean("n", "client")}, within={"xi": "client"}, sizes={"client": N})

@case("6 lipschitz in mean square at a mean that knows all samples")
def _():
    return a_claim(le(norm2(g - h), L**2 * norm2(avg - y)), Lipschitz("G", L, random="xi"), **ALL,
        functions={"G": {"a": (avg, g, None), "y": (y, h, None)}}, steps=[qed(by=[lipschitz("G", "a", "y")])])

@case("7 every point at a mean that knows all samples")
def _():
    return a_claim(le(norm2(g), c), EveryPoint("G", "y", le(norm2(h), c)), **ALL,
        functions={"G": {"a": (avg, g, None), "y": (y, h, None)}}, steps=[qed(by=[everywhere("G", "a")])])

@case("8 lipschitz function is no map")
def _():
    return a_claim(le(norm2(g - h), L**2 * norm2(x - y)), Convex("f"), Lipschitz("f", L), depends=dict.fromkeys("xygh", ""),
        functions={"f": {"x": (x, g, f_x), "y": (y, h, f_y)}}, measured=(f_x, f_y), steps=[qed(by=[lipschitz("f", "x", "y")])])

@case("9 half square with a wrong value")
def _():
    return a_claim(le(norm2(x - u), 0), depends=dict.fromkeys("xu", ""), made={"half": HalfSquare()},
        functions={"half": {"x": (x, x - u, norm2(x - u)), "u": (u, Vector(), sp.S.Zero)}},
        steps=[qed(by=[smooth("half", "x", "u")])])

@case("10 an integer sequence of a metric that is none")
def _():
    gap = ge((i_ - 1) * (i_ - 2), 0)
    return a_claim(ge((m - 1) * (m - 2), 0), depends={"x": ""}, metrics={m: norm2(x)}, sequences={m: whole(k)}, steps=[
        have("low", gap, when=[le(i_, 1)]), have("high", gap, when=[ge(i_, 2)]), cases("both", gap, on=le(i_, 1), yes="low", no="high"),
        special("there", "both", {i_: whole(k)}), have("e", eq(whole(k), m), by=[SEQUENCES]), rewritten("same", "there", by=["e"])])

@case("11b same by SEQUENCES")
def _():
    return a_claim(ge(f_x, f_y), depends=dict.fromkeys("xy", ""), metrics={p: f_x - f_y}, sequences={p: a(k)},
        functions={"f": {"x": (x, None, f_x), "y": (y, None, f_y)}}, measured=(f_x, f_y), steps=[have("e", ge(p, 0), by=[SEQUENCES]), qed(by=["e"])])

STEPPED = Setting(depends=dict.fromkeys("xyg", ""), sums={"y": x - b * g}, free=(b,))
@case("12 cite: a free step length that is behind an inner product")
def _():
    of = lemma(eq(dot(y, g), dot(x, g) - b * norm2(g)), setting=STEPPED, steps=[qed(by=[written_out("y")])])
    return a_claim(eq(dot(y, g), dot(x, g)), setting=STEPPED, steps=[qed(by=[cite(of, at={b: sp.S.Zero})])])

DRAW = Setting(depends={"v": "client", "avg": "", "mb": "sample"},
    means={"avg": Mean("v", "client"), "mb": SampleMean("v", "client", "sample")}, sizes={"client": N},
    assumes=(Sampled("sample", S, N),), free=(S,))
@case("13 cite: a free number of those that are drawn")
def _():
    of = lemma(le(S * norm2(mb - avg), norm2(v - avg)), setting=DRAW, steps=[qed(by=[sampling("mb")])])
    return a_claim(le(1000 * norm2(mb - avg), norm2(v - avg)), setting=DRAW, steps=[qed(by=[cite(of, at={S: sp.S(1000)})])])

ONE_MEAN = {"f": {"a": (avg, None, None), "v": (v, None, None)}}
@case("14 cite: a vector that knows the samples of the clients")
def _():
    of = lemma(eq(dot(avg, w), dot(v, w)), depends={"v": "client", "avg": "", "w": ""}, means={"avg": Mean("v", "client")},
        sizes={"client": N}, functions=ONE_MEAN, steps=[qed(by=[mean("avg")])])
    return a_claim(eq(dot(avg, w), dot(v, w)), depends={"v": "client xi", "avg": "all", "w": "xi"}, means={"avg": Mean("v", "client")},
        sizes={"client": N}, within={"xi": "client"}, functions=ONE_MEAN,
        steps=[qed(by=[cite(of, points={"f.a": "f.a", "f.v": "f.v"}, vectors={"w": w})])])

@case("16 cite: a metric made of a metric at another vector")
def _():
    of = lemma(ge(b, norm2(x)), depends={"x": ""}, metrics={b: 2 * m, m: norm2(x)}, steps=[qed()])
    return a_claim(ge(2 * m, norm2(y)), depends={"y": ""}, measured=(m,), steps=[qed(by=[cite(of, vectors={"x": y})])])


@case("14b cite: Jensen at the means of random functions")
def _():
    pts = {"f": {"a": (avg, g, f_x), "v": (v, None, f_y)}}
    of = lemma(le(f_x, f_y), Convex("f"), depends={"v": "client", "avg": "", "g": ""}, means={"avg": Mean("v", "client")},
        functions=pts, measured=(f_x, f_y), steps=[qed(by=[convex("f", "a", "v"), mean("avg")])])
    return a_claim(le(f_x, f_y), Convex("f"), depends={"v": "client xi", "avg": "all", "g": "all xi"}, means={"avg": Mean("v", "client")},
        within={"xi": "client"}, functions=pts, measured=(f_x, f_y), steps=[qed(by=[cite(of, points={"f.a": "f.a", "f.v": "f.v"})])])

@case("18 every round: the first contains the index")
def _():
    return a_claim(le(a(0), c), EveryRound("r", le(a(k), c), k, 5 - k), steps=[
        have("z", le(a(0), c), when=[ge(k, 5)], by=[hyp("h0", {k: 0})]), special("five", "z", {k: 5}), qed(by=["five"])])

@case("19 cite: a free symbol in the points of a function, values not measured")
def _():
    made = Setting(depends=dict.fromkeys("xg", ""), functions={"f": {"x": (x, g, f_x), "y": (x - b * g, None, f_y)}}, free=(b,))
    of = lemma(le(f_y, f_x - b * norm2(g) + L * b**2 / 2 * norm2(g)), Smooth("f", L), setting=made, steps=[qed(by=[smooth("f", "x", "y")])])
    return a_claim(le(f_y, f_x), Smooth("f", L), setting=made, steps=[qed(by=[cite(of, at={b: sp.S.Zero})])])

@case("24 monotone function is no map")
def _():
    return a_claim(ge(dot(g - h, x - y), 0), Monotone("f", sp.S.Zero), depends=dict.fromkeys("xygh", ""),
        functions={"f": {"x": (x, g, f_x), "y": (y, h, f_y)}}, measured=(f_x, f_y), steps=[qed(by=[monotone("f", "x", "y")])])

@case("32 sequences: a bound by the sign of another index")
def _():
    return a_claim(ge(f_x, f_y), depends=dict.fromkeys("xy", ""), metrics={p: f_x - f_y}, maxima={norm: (a(k), (k, 0, R))}, sequences={p: a(0)},
        functions={"f": {"x": (x, None, f_x), "y": (y, None, f_y)}}, measured=(f_x, f_y), steps=[have("e", ge(p, 0), by=[SEQUENCES]), qed(by=["e"])])

@case("35 cite: a lemma's step counter free")
def _():
    made = Setting(depends={"x": "", "g": ""}, sums={"x": K * g}, free=(K,))
    of = lemma(eq(norm2(x), K**2 * norm2(g)), setting=made, steps=[qed(by=[written_out("x")])])
    return a_claim(eq(norm2(x), norm2(g)), setting=made, steps=[qed(by=[cite(of, at={K: sp.S.One})])])

if __name__ == "__main__":
    main()

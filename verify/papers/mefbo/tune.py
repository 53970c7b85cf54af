"""Server step and local steps of MeFBO to choose from, by the bounds that hold, and an instance to run on.

The corrected rates leave to be measured how far clients drift in the mean round, and their directions of ``y``. Lemma
D.7 bounds drifts by directions, and directions are bounded on the instance, so there the rates are explicit in the
steps. They fall with the client steps for ever, which therefore stay the paper's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from rateproof.algos import engine
from rateproof.algos.methods.mefbo import MeFBO
from rateproof.algos.noise import TwoPoint
from rateproof.algos.problems.bilevel_line import BilevelLine, cosine_tracking
from rateproof.theory import catalog, symbols
from rateproof.theory.claim import Claim, Hypothesis, expand_definitions
from rateproof.theory.linear import rational
from rateproof.theory.papers.mefbo import lemma_d7, lemma_d8
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.papers.mefbo.schedules import S_DEC, S_FIXED, WHERE, lyapunov
from rateproof.theory.schedule import Schedule
from rateproof.verify.experiments.tune import (
    ITERATIONS,
    ROUNDS,
    Point,
    Question,
    Study,
    bound_of,
    cost,
    halves,
    limits,
    no_dearer,
    settle,
    spent,
)

HORIZONS = (ROUNDS, ITERATIONS)
#: Counts, what is positive and what may be 0. The paper's local steps are ``tau``, or ``tau_T`` times the rounds.
COUNTS: dict[str, Any] = {"n": 2, "P": 2, "tau": 4}
POSITIVE: dict[str, Any] = {
    "gamma": "1/10",
    "c0": 1,
    "c_lam": "1/1000",
    "c_eta": "1/1000",
    "p": "1/10",
    "q": "3/4",
    "tau_T": 1,
}
NONNEGATIVE: dict[str, Any] = {"sigma_f": "1/10", "sigma_g": "1/10", "width": 1, "shift": "1/2"}
DEFAULTS = {name: Fraction(value) for part in (COUNTS, POSITIVE, NONNEGATIVE) for name, value in part.items()}
#: Settings that are symbols of the paper.
SYMBOLS = {
    "n": p.n, "P": p.P, "gamma": p.gamma, "c0": p.c_0, "c_lam": p.c_lam, "c_eta": p.c_eta, "p": p.p, "q": p.q,
}  # fmt: skip
#: Replicates, local steps of a run that takes seconds, and clients.
RUNS, MOST, MOST_CLIENTS = 8, 10_000, 100
VARIABLES = (p.lambda_theta, p.tau)
#: lambda_theta like horizon^-a, tau like horizon^b, and the client steps like horizon^-e.
a, b, e = sp.symbols("a b e", nonnegative=True)
Numbers = Mapping[sp.Symbol, sp.Expr]


@dataclass(frozen=True)
class Group:
    """Claims with one bound and one schedule.

    Attributes:
        source: the claim whose bound holds.
        schedule: the paper's.
        growing: whether the paper's local steps grow like the rounds; they are a constant otherwise.
        metric, measure: what is bounded, and its name among the measures of the method.
    """

    source: str
    schedule: Schedule
    growing: bool = False
    metric: str = "min E R_t"
    measure: str = "R"


_GROUPS = {
    **dict.fromkeys(("thm3.4", "rem3.4-1", "thmD.11", "remD.1"), Group("rem3.4-1.corrected", S_FIXED)),
    **dict.fromkeys(("cor3.5-i", "corD.12-i"), Group("rem3.4-1.corrected", S_FIXED, growing=True)),
    "thmC.1": Group("thmC.1.corrected", S_DEC),
    "thmD.11-gradF": Group("thmD.11-gradF.corrected", S_DEC, metric="min E c_t^2 R_t", measure="c^2 R"),
}
TUNABLE = tuple(f"mefbo.{item}{reading}" for item in _GROUPS for reading in ("", ".corrected"))


def study(claim: Claim, settings: Mapping[str, Fraction], counted: str = ROUNDS) -> Study:
    """The bound of a claim in server step and local steps, and an instance with its constants.

    Args:
        claim: one of ``TUNABLE``.
        settings: changes to ``DEFAULTS``: the parameters of the schedule, and of the instance n, P, the noise levels
            ``sigma_f`` and ``sigma_g``, the ``width`` of Y and the ``shift`` of the clients from their mean.
        counted: what the horizon counts, one of ``HORIZONS``.

    Raises:
        ValueError: a setting is unknown, out of range, or misses a hypothesis.
    """
    item = claim.printed_item
    group = _GROUPS[item]
    printed, source = catalog.get(f"mefbo.{item}"), catalog.get(f"mefbo.{group.source}")
    unused = {"tau" if group.growing else "tau_T", *(() if group.schedule is S_DEC else "q")}
    defaults = {name: value for name, value in DEFAULTS.items() if name not in unused}
    chosen = settle(settings, defaults, counts=COUNTS, nonnegative=NONNEGATIVE, clients=("n", MOST_CLIENTS))
    problem = _problem(chosen)
    numbers = _numbers(problem, chosen)
    _check((*printed.hypotheses, *source.hypotheses), numbers)
    run = Run(group, chosen, problem, numbers, counted)
    # the first penalty and the first of the steps are the worst, and (T + 1)^(q-1) is at most T^(q-1)
    bound = source.statement.rhs.xreplace({p.T + 1: p.T})  # type: ignore[union-attr]
    at = {**group.schedule.where, **source.where, **numbers, p.c_t: p.c_0}
    at |= {} if run.by_rounds else {p.T: run.rounds}
    at |= _by_name(source, {"lambda_0": p.lambda_theta, **_worst(chosen)})
    ruled = at | {p.eta_theta: run.rules[p.eta_theta]}
    caps = {h.text: h.relation for h in source.hypotheses} | {"tau >= 1": sp.Ge(p.tau, 1, evaluate=False)}
    return Study(
        claim=claim,
        instance=f"{problem.name} of {problem.m} clients, Y of width {float(chosen['width']):g}, from 0; true is the "
        f"least mean of {RUNS} runs of MeFBO",
        constants={str(s): float(x) for s, x in numbers.items()},
        variables=VARIABLES,
        bounds={
            group.metric: sp.expand(expand_definitions(bound, ruled)),
            cost(counted): run.rounds * p.tau if run.by_rounds else run.rounds,
        },
        constraints=limits(caps, ruled, VARIABLES),
        questions=tuple(_questions(run, expand_definitions(bound, at))),
        paper={p.lambda_theta: run.server_step, p.tau: run.local_steps},
        conditions=limits({c.name: c.relation for c in group.schedule.conditions}, ruled, VARIABLES),
        measure=run.measure,
        notes=tuple(_notes(claim, source, run)),
        alone=not run.by_rounds,
        horizon=run.horizon,
        counted=counted,
        whole=(p.tau,),
        reach=run.reach,
    )


@dataclass(frozen=True)
class Run:
    """How the method runs for a horizon.

    Attributes:
        group: what is bounded, and the paper's schedule.
        chosen: the settings.
        problem: the instance.
        numbers: symbol -> number.
        counted: what the horizon counts: rounds, or local steps in all of them.
    """

    group: Group
    chosen: Mapping[str, Fraction]
    problem: BilevelLine
    numbers: dict[sp.Symbol, sp.Expr]
    counted: str

    @property
    def by_rounds(self) -> bool:
        """Whether the horizon is a number of rounds."""
        return self.counted == ROUNDS

    @property
    def horizon(self) -> sp.Symbol:
        """Its symbol."""
        return p.T if self.by_rounds else p.S_it

    @property
    def rounds(self) -> sp.Expr:
        """T by the horizon and tau."""
        return p.T if self.by_rounds else p.S_it / p.tau

    @cached_property
    def rules(self) -> Numbers:
        """The paper's steps in the first round, in T and tau."""
        return {s: rule.subs(p.t, 0) for s, rule in self.group.schedule.rules.items()}

    @cached_property
    def _steps(self) -> dict[sp.Symbol, Callable[[float, float], float]]:
        steps = (p.lambda_theta, p.eta_theta)
        return {s: sp.lambdify((p.T, p.tau), self.rules[s].xreplace(self.numbers), modules="math") for s in steps}

    def local_steps(self, horizon: float) -> float:
        """The paper's tau."""
        if not self.group.growing:
            return float(self.chosen["tau"])
        grown = float(self.chosen["tau_T"]) * horizon
        return float(max(1, round(grown if self.by_rounds else math.sqrt(grown))))

    def server_step(self, horizon: float) -> float:
        """The paper's first lambda_theta."""
        tau = self.local_steps(horizon)
        return self._steps[p.lambda_theta](horizon if self.by_rounds else horizon / tau, tau)

    @property
    def reach(self) -> float:
        """The largest horizon that is run."""
        if not self.by_rounds:
            return float(MOST)
        return math.sqrt(MOST / self.chosen["tau_T"]) if self.group.growing else float(MOST / self.chosen["tau"])

    def measure(self, point: Point, horizon: float) -> dict[str, float]:
        """The least mean of the measure over the rounds that are recorded, and what the run costs."""
        tau, falling = round(point[p.tau]), self.group.schedule is S_DEC
        T = int(horizon) if self.by_rounds else math.ceil(horizon / tau)
        server, client = point[p.lambda_theta], self._steps[p.eta_theta](T, tau)
        beside = server * float(expand_definitions(lemma_d8.HALF_RATIO, WHERE | self.numbers))
        given: dict[str, Any] = {name: float(self.chosen[name]) for name in ("gamma", "c0", "p")}
        if falling:
            given |= {"q": float(self.chosen["q"]), "q_eta": float(S_DEC.runs.rules[p.q_e])}
        given |= {"lambda_theta": server, "lambda_x": beside, "lambda_y": beside}
        given |= dict.fromkeys(("eta_theta", "eta_x", "eta_y"), client)
        method = MeFBO(**given, tau=tau, P=int(self.chosen["P"]))
        measures = {self.group.measure: method.measures(self.problem)[self.group.measure]}
        done = engine.run(method, self.problem, self.problem.x0, R=T, runs=RUNS, metrics={}, measures=measures)
        least = float(done.last[self.group.measure].mean(axis=1).min())
        return {self.group.metric: least, cost(self.counted): float(T * tau if self.by_rounds else T)}


def _problem(chosen: Mapping[str, Fraction]) -> BilevelLine:
    """Clients in two halves, whose lower losses are shifted to either side, on an interval around 0."""
    half, shift, sides = float(chosen["width"]) / 2, float(chosen["shift"]), halves(int(chosen["n"]))
    noise = TwoPoint(*(np.full(2, float(chosen[name]) / math.sqrt(2)) for name in ("sigma_f", "sigma_g")))
    centres = [2.0 + side for side in sides]
    return cosine_tracking(
        m=len(sides), s=[shift * side for side in sides], a=centres, b=centres, Y_low=-half, Y_high=half, noise=noise
    )


def _numbers(problem: BilevelLine, chosen: Mapping[str, Fraction]) -> dict[sp.Symbol, sp.Expr]:
    """Numbers for the constants; what is a power of the horizon stays exact."""
    c, gamma, c0 = problem.constants, float(chosen["gamma"]), float(chosen["c0"])
    constants = {p.L_f: c.L_f, p.L_1: c.L_1, p.L_g: c.L_g, p.L_2: c.L_2}
    constants |= {p.Het: c.Het, p.sig_f: c.sigma_f, p.sig_g: c.sigma_g, p.beta_max: problem.beta_max}
    exact = {SYMBOLS[name]: sp.Rational(x) for name, x in chosen.items() if name in SYMBOLS}
    # theta starts at y
    z = problem.x0[None]
    off = float(np.sum((problem.split(z)[1] - problem.theta_star(z, gamma)) ** 2))
    start = float((problem.F(z)[0] - c.F_inf) / c0 + problem.gap(z, gamma)[0]) + lyapunov(c.L_2, gamma)["K_lyap"] * off
    return {s: sp.Float(x) if x else sp.S.Zero for s, x in {**constants, p.Psi_0: start}.items()} | exact


def _check(hypotheses: Iterable[Hypothesis], numbers: Numbers) -> None:
    """Refuse settings that miss a hypothesis.

    Raises:
        ValueError: it is named, with the numbers.
    """
    names = {symbol: name for name, symbol in SYMBOLS.items()}
    for h in hypotheses:
        evaluable = h.relation is not None and h.relation.free_symbols <= numbers.keys()
        if evaluable and not h.relation.subs(numbers):  # type: ignore[union-attr]
            values = sorted(f"{names.get(s, s)} = {float(numbers[s]):g}" for s in h.relation.free_symbols)  # type: ignore[union-attr]
            raise ValueError(f"{', '.join(values)} should satisfy {h.text}")


def _worst(chosen: Mapping[str, Fraction]) -> dict[str, sp.Expr]:
    """Bounds on what the rates leave to be measured, on these instances, with tau for tau - 1.

    Slopes of g_i in y are at most 1 and those of f_i at most L_f. On the server y - theta is at most the width of Y,
    and a local step, which takes both from the same noise of g, adds at most eta (L_f/c_t + 2) and the noise of f.
    """
    slope, eta2 = p.L_f / p.c_t, p.eta_theta**2
    width = sp.Rational(chosen["width"])
    apart2 = 3 * (width**2 + p.tau**2 * eta2 * (slope + 2) ** 2 + p.tau * eta2 * p.sig_f**2 / p.c_t**2)
    squares = {
        lemma_d7.dir2_y: 2 * (slope + 1) ** 2 + 2 * apart2 / p.gamma**2,
        lemma_d7.dir2_theta: 2 + 2 * apart2 / p.gamma**2,
    }
    paths = (lemma_d7.DRIFT_X, lemma_d7.PATH_Y, lemma_d7.PATH_THETA)
    sides = squares | {path.statement.lhs: path.statement.rhs for path in paths}  # type: ignore[union-attr]
    same = {p.tau - 1: p.tau, p.eta_x: p.eta_theta, p.eta_y: p.eta_theta}
    return {f"{metric}_mean": bound.xreplace(same).xreplace(squares) for metric, bound in sides.items()}


def _by_name(source: Claim, values: Mapping[str, sp.Expr]) -> Numbers:
    """The symbols of a claim, or of its definitions, that have these names."""
    parts = [source.statement, *source.where.values()]
    return {s: values[str(s)] for part in parts for s in part.free_symbols if str(s) in values}


def _questions(run: Run, bound: sp.Expr) -> Iterator[Question]:
    """The best exponents with the paper's client steps, also at the paper's cost, and with any client steps."""
    at = run.horizon
    power = Fraction(int(run.group.growing), 1 if run.by_rounds else 2)
    kept = sp.Rational(power)
    length = 1 if run.by_rounds else 1 - kept

    def paper(step: sp.Symbol) -> Fraction:
        powers = run.rules[step].as_powers_dict()
        return rational(-(powers[p.T] * length + powers[p.tau] * kept))

    # constants have no say in exponents
    steps = (p.lambda_theta, p.tau, p.eta_theta, at)
    shape = sp.Add(*{term.as_independent(*steps)[1] for term in sp.Add.make_args(sp.expand(bound))})
    client = run.rules[p.eta_theta].xreplace({p.T: run.rounds}).as_independent(p.tau, at)[1]
    h = sp.Symbol(str(symbols.info(at, "mefbo").latex), positive=True)
    most = () if run.by_rounds else (sp.Le(b, 1, evaluate=False),)
    cap = no_dearer(b, power, run.counted)
    ours = {a: paper(p.lambda_theta), b: power}
    for title, steps_of_clients, exponents, ranges in (
        (run.group.metric, client, (a, b), most),
        (f"{run.group.metric}, no more {spent(run.counted)} than the paper", client, (a, b), (*most, cap)),
        (f"{run.group.metric}, any client steps", p.eta_theta, (a, b, e), most),
    ):
        along = shape.xreplace({p.eta_theta: steps_of_clients})
        along = along.xreplace({p.lambda_theta: h**-a, p.tau: h**b, p.eta_theta: h**-e, at: h})
        taken = {**ours, e: paper(p.eta_theta)}
        yield Question(
            title, {run.group.metric: along}, exponents, ranges, {v: taken[v] for v in exponents}, variable=h
        )


def _notes(claim: Claim, source: Claim, run: Run) -> Iterator[str]:
    """How the bound was read."""
    yield bound_of(source, None if claim.amends else claim.id)
    yield "lambda_x = lambda_y = rho/(64 K L_theta^2) lambda_theta, half of the paper's, as this bound needs it"
    yield "drifts are bounded by Lemma D.7, and directions by the slopes of f and g and the width of Y"
    yield "smaller client steps make the bound smaller; they are the paper's here"
    of = symbols.info(run.horizon, "mefbo").latex
    yield f"exponents: lambda_theta is of the order {of}^-a, tau of {of}^b, and client steps of {of}^-e"
    if not run.by_rounds:
        yield "S is the number of local steps of a client, tau in each of S/tau rounds"

"""The control group as a search sees it: families that are tight where the theorem is and can miss each hypothesis."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

from rateproof.verify.deciders.search import rounded
from rateproof.verify.papers.textbook import programs
from rateproof.verify.papers.textbook.family import trial
from rateproof.verify.papers.textbook.stochastic import SGD_FACTS
from rateproof.verify.space import Space, refusing
from rateproof.verify.trial import HYPOTHESIS_SLACK, Trial

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Params: TypeAlias = Mapping[str, Any]
#: Structural hypotheses that an instance misses, and why.
Missing: TypeAlias = Mapping[str, str]

ROUNDS = (1, 2, 3, 5, 10, 30, 100, 300, 1000)


@dataclass(frozen=True)
class Options:
    """Values of one parameter: those of the corners, and those to draw, the simplest first."""

    corners: Sequence[Any]
    draw: Sequence[Any]


def _numbers(*corners: float, low: float = 0.01, high: float = 100.0, zero: bool = False) -> Options:
    """Real numbers 1, 2 or 5 times a power of ten; the simplest is the one nearest to 1."""
    return Options(corners, [*rounded(low, high), *([0.0] if zero else [])])


def _counts(*corners: int, draw: Sequence[int]) -> Options:
    return Options(corners, draw)


def _choice(*names: Any) -> Options:
    return Options(names, names)


def _space(
    name: str,
    run: Callable[..., dict[str, float]],
    facts: Sequence[str],
    missing: Callable[[Params], Missing],
    options: Mapping[str, Options],
    *,
    check: Callable[[Params], None] = lambda params: None,
    error: Callable[[Params], float] = lambda params: 1.0,
    rounding: Callable[[Params], float] = lambda params: 0.0,
    degenerate: Callable[[Params], bool] = lambda params: False,
) -> Space[Params]:
    """A family whose instances are runs of one of :mod:`rateproof.verify.papers.textbook.programs`.

    Args:
        name: of the family.
        run: the program.
        facts: structural hypotheses that the family knows of.
        missing: those that an instance misses.
        options: values of the program's arguments.
        check: raises ValueError for parameters that make no instance.
        error: how much a relative change of the numbers that hypotheses compare changes a side of the statement.
        rounding: absolute error of the sides.
        degenerate: whether an instance is.
    """

    def build(params: Params) -> Trial:
        check(params)
        values = run(**params)
        said = _said({key: params[key] for key in options})
        found = trial(f"{name}: {said}", values, facts, missing=missing(params), degenerate=degenerate(params))
        return replace(found, at=dict(params), error=HYPOTHESIS_SLACK * error(params), absolute_error=rounding(params))

    def program(params: Params) -> str:
        arguments = ", ".join(f"{key}={params[key]!r}" for key in options)
        return f"{inspect.getsource(run)}\n\nvalues = {run.__name__}({arguments})\n"

    return Space(
        name=name,
        corners=lambda claim: _corners(options),
        strategy=lambda claim: _strategy(options),
        build=refusing(build),
        numbers=lambda params: {key: value for key, value in params.items() if isinstance(value, float)},
        at=lambda params, numbers: {**params, **numbers},
        program=program,
    )


def _said(params: Params) -> str:
    return ", ".join(f"{k} = {v:g}" if isinstance(v, float) else f"{k} = {v}" for k, v in params.items())


def _corners(options: Mapping[str, Options]) -> Iterator[Params]:
    """All combinations of the corner values, those nearest to the first values first."""
    indices = product(*(range(len(o.corners)) for o in options.values()))
    for chosen in sorted(indices, key=lambda index: (sum(index), index)):
        yield {key: o.corners[i] for (key, o), i in zip(options.items(), chosen, strict=True)}


def _strategy(options: Mapping[str, Options]) -> SearchStrategy[Params]:
    from hypothesis.strategies import fixed_dictionaries, sampled_from

    return fixed_dictionaries({key: sampled_from(o.draw) for key, o in options.items()})


# --- gradient descent and its relatives


def _descent(name: str, *losses: str) -> Space[Params]:
    def missing(params: Params) -> Missing:
        return _without(
            (params["loss"] == "cosine", "convex", "the cosine is not convex"),
            (params["c"] > params["L"] and params["loss"] != "halfline", "smooth", "its curvature exceeds L"),
            (params["loss"] == "two points", "g_convex", "two points are not a convex set"),
            (params["loss"] == "unattained", "attained", "ln(1 + e^-x) has no minimiser"),
        )

    options = {
        "loss": _choice(*losses),
        "R": _counts(1, 2, 10, 100, draw=(*ROUNDS, 0)),
        "gamma": _numbers(1.0, 0.5, 1.9, high=10.0),
        "L": _numbers(1.0),
        "c": _numbers(1.0, 2.5),
        "part": _numbers(1.0, 1000.0, high=1000.0),
        "x0": _numbers(1.0, 0.0, 3.0, zero=True),
    }
    facts = ("convex", "smooth", "attained", "g_convex")
    run = programs.gradient_descent

    def degenerate(params: Params) -> bool:
        return bool(params["x0"] == 0 and params["loss"] != "cosine")

    return _space(name, run, facts, missing, options, degenerate=degenerate)


def _without(*cases: tuple[bool, str, str]) -> Missing:
    return {key: why for missed, key, why in cases if missed}


def _curvature(params: Params) -> Missing:
    return _without(
        (params["c"] > params["L"], "smooth", "its curvature exceeds L"),
        (params["c"] < params["mu"], "strongly_convex", "its curvature is below mu"),
    )


def _sensitivity(params: Params) -> float:
    """How a change of gamma in the last digits changes ``(1 - gamma mu)^(2KR)``."""
    kept = abs(1 - params["gamma"] * params["mu"])
    steps = params["R"] * params.get("K", 1)
    return 1 + (4 * steps * params["gamma"] * max(params["L"], params["mu"]) / kept if kept else math.inf)


CONTRACTION = _space(
    "gradient descent on a parabola",
    programs.contraction,
    ("smooth", "strongly_convex"),
    _curvature,
    {
        "R": _counts(1, 2, 10, 100, draw=(*ROUNDS, 0)),
        "gamma": _numbers(0.5, 0.1, 0.6, 0.01, 1.9, high=10.0),
        "L": _numbers(3.0, 1.0, 30.0),
        "mu": _numbers(1.0),
        "c": _numbers(1.0, 3.0, 0.5, 5.0),
        "x0": _numbers(1.0, low=0.1, high=10.0),
    },
    error=_sensitivity,
    degenerate=lambda params: params["gamma"] * params["mu"] == 1,
)

SUBGRADIENT = _space(
    "subgradient method",
    programs.subgradient_method,
    ("convex", "subgradients_bounded", "attained"),
    lambda params: _without(
        (params["loss"] == "plateau", "convex", "min(|x|, 1) is not convex"),
        (params["slope"] > params["M"], "subgradients_bounded", "subgradients of norm above M"),
        (params["loss"] == "unattained", "attained", "sqrt(1 + x^2) - x has no minimiser"),
    ),
    {
        "loss": _choice("largest coordinate", "plateau", "unattained"),
        "R": _counts(1, 4, 100, draw=(1, 2, 3, 4, 9, 16, 25, 100, 0)),
        "gamma": _numbers(1.0, 0.5, 0.1, 0.2, 0.05, high=10.0),
        "M": _numbers(1.0, low=0.1, high=10.0),
        "slope": _numbers(1.0, 10.0, low=0.1, high=10.0),
        "x0": _numbers(1.0, 2.0, zero=True),
    },
    degenerate=lambda params: params["x0"] == 0,
)


# --- stochastic gradients


def _noise(params: Params) -> Missing:
    return _without(
        (params["noise"] == "biased", "unbiased", "the noise is always the same number"),
        (params["noise"] == "repeated", "independent", "one draw serves all steps"),
        (params["variance"] > params["sigma2"], "variance_bounded", "the variance exceeds sigma^2"),
    )


def _averaging(name: str, **options: Options) -> Space[Params]:
    def missing(params: Params) -> Missing:
        partial = params["taking_part"] == "one" and params["N"] > 1
        left_out = _without((partial, "full_participation", "one client takes part"))
        return {**_noise(params), **_curvature(params), **left_out}

    def check(params: Params) -> None:
        if params["R"] * params["K"] > ROUNDS[-1]:
            raise ValueError(f"at most {ROUNDS[-1]} local steps are run")

    given = {
        "taking_part": _choice("all"),
        "noise": _choice("independent", "biased", "repeated"),
        "R": _counts(1, 2, 100, draw=(*ROUNDS, 0)),
        "K": _choice(1),
        "N": _choice(1),
        "batch": _choice(1),
        **STEPS,
        "x0": _numbers(0.0, 1.0, low=0.1, high=10.0, zero=True),
        "variance": _numbers(0.0, 1.0, 4.0, low=0.1, high=10.0, zero=True),
        "sigma2": _numbers(1.0, low=0.1, high=10.0, zero=True),
    }
    run = programs.federated_averaging
    return _space(name, run, SGD_FACTS, missing, {**given, **options}, check=check, error=_sensitivity)


#: Stepsize and curvatures on both sides of their bounds.
STEPS = {
    "gamma": _numbers(0.5, 0.0625, 1.9 / 3, low=0.01, high=2.0),
    "L": _numbers(3.0, low=0.1, high=100.0),
    "mu": _numbers(1.0, low=0.1, high=10.0),
    "c": _numbers(1.0, 3.0, 0.5, 5.0, low=0.1),
}
SGD = _averaging("SGD", batch=_counts(1, 10, 1000, draw=(1, 2, 3, 5, 10, 100, 1000)))
FEDAVG = _averaging(
    "FedAvg",
    taking_part=_choice("all", "one"),
    K=_counts(1, 10, draw=(1, 2, 3, 5, 10)),
    N=_counts(1, 2, 10, draw=(1, 2, 3, 5, 10, 100)),
    R=_counts(1, 100, draw=(*ROUNDS, 0)),
)
DIFFERENT = _space(
    "FedAvg with different clients",
    programs.different_clients,
    SGD_FACTS,
    lambda params: {"identical_clients": "the clients' minima are 0 and 1", **_curvature(params)},
    {
        "R": _counts(1, 100, 10, draw=(1, 2, 3, 5, 10, 100, 0)),
        "K": _counts(10, 2, draw=(1, 2, 3, 5, 10)),
        "N": _counts(2, 3, draw=(2, 3, 5, 10, 100)),
        **STEPS,
        "x0": _numbers(1.0, low=0.1, high=10.0, zero=True),
    },
    error=_sensitivity,
)
KINK = _space(
    "SGD on a loss with a kink",
    programs.loss_with_a_kink,
    SGD_FACTS,
    lambda params: {"quadratic": "its curvature jumps at 0", **_noise({"noise": "", **params}), **_curvature(params)},
    {
        "R": _counts(1, 2, 10, draw=(1, 2, 3, 5, 10, 0)),
        **STEPS,
        "x0": _numbers(0.0, 1.0, low=0.1, high=10.0, zero=True),
        "variance": _numbers(0.0, 1.0, low=0.1, high=10.0, zero=True),
        "sigma2": _numbers(1.0, low=0.1, high=10.0, zero=True),
    },
    error=_sensitivity,
)
LOG = _space(
    "SGD with stepsize 1/(mu k)",
    programs.sgd_with_decreasing_steps,
    SGD_FACTS,
    lambda params: {
        **_noise(params),
        **_without((params["c"] != params["mu"], "isotropic", "its curvature is not mu")),
    },
    {
        "noise": _choice("independent", "biased", "repeated"),
        "R": _counts(1, 2, 10, 100, 1000, draw=(*ROUNDS, 0)),
        "mu": _numbers(1.0, low=0.1, high=10.0),
        "c": _numbers(1.0, 2.0, low=0.1, high=10.0),
        "x0": _numbers(0.0, 5.0, low=0.1, high=10.0, zero=True),
        "variance": _numbers(1.0, 0.0, 4.0, low=0.1, high=10.0, zero=True),
        "sigma2": _numbers(1.0, low=0.1, high=10.0, zero=True),
    },
)


# --- inequalities at one or two points


def _moreau_check(params: Params) -> None:
    if params["loss"] == "point" and params["c"]:
        raise ValueError("an indicator has no curvature")


MOREAU = _space(
    "Moreau envelope",
    programs.moreau_envelope,
    ("weakly_convex",),
    lambda params: _without((params["c"] > params["rho"], "weakly_convex", "h + rho/2 x^2 is concave")),
    {
        "loss": _choice("point", "parabola"),
        "lam": _numbers(1.0, 0.01, 100.0),
        "rho": _numbers(0.0, 0.5, 0.75, zero=True),
        "c": _numbers(0.0, 0.5, 0.75, zero=True),
        "x": _numbers(1.0, low=0.1, high=10.0),
        "y": _numbers(-2.0, 0.0, zero=True, low=0.1, high=10.0),
    },
    check=_moreau_check,
)
YOUNG = _space(
    "two vectors",
    programs.two_vectors,
    (),
    lambda params: {},
    {
        "u": _numbers(1.0, 100.0, zero=True),
        "along": _numbers(1.0, 0.0, -1.0, zero=True),
        "across": _numbers(0.0, 1.0, zero=True),
        "eps": _numbers(1.0, 0.01, 100.0),
    },
)


def _powers(name: str, run: Callable[..., dict[str, float]], **options: Options) -> Space[Params]:
    def check(params: Params) -> None:
        if params["p"] == 1:
            raise ValueError("p = 1 has no conjugate exponent")

    def error(params: Params) -> float:
        p, q = params["p"], params.get("q", params["p"] / (params["p"] - 1))
        a, share = math.log(params["a"]), math.log(params["share"])
        return 1 + abs(p * a) * (2 + abs(q)) + abs(q * share)

    given = {
        "a": _numbers(1.0, 2.0, 4.0, 100.0),
        "share": _numbers(1.0, 0.5, 2.0, low=0.1, high=10.0),
        "p": _numbers(2.0, 3.0, 0.5, low=0.1, high=10.0),
    }
    return _space(name, run, (), lambda params: {}, {**given, **options}, check=check, error=error)


POWERS = (
    _powers("two numbers and conjugate exponents", programs.conjugate_numbers),
    _powers(
        "two numbers and two exponents",
        programs.two_numbers,
        q=Options((2.0, 3.0, -1.0), (2.0, 3.0, 1.5, -1.0, 1.0, 0.5, 5.0, 1.25)),
    ),
)


def _jensen_check(params: Params) -> None:
    if params["p"] * math.log10(1 + params["N"] * max(params["first"], params["others"])) > 200:
        raise ValueError("the power of the sum is too large for a float")


JENSEN = _space(
    "N numbers",
    programs.power_of_a_sum,
    (),
    lambda params: {},
    {
        "N": _counts(1, 2, 10, 1000, draw=(1, 2, 3, 5, 10, 100, 1000)),
        "p": _numbers(2.0, 1.0, 1.5, 4.0, 0.5, low=0.1, high=10.0),
        "first": _numbers(1.0, 3.0, zero=True),
        "others": _numbers(1.0, 0.0, zero=True),
    },
    check=_jensen_check,
)


def _smooth(name: str, *losses: str) -> Space[Params]:
    return _space(
        name,
        programs.smooth_loss,
        ("smooth", "bounded_below"),
        lambda params: _without(
            (params["c"] > params["L"] and params["loss"] != "line", "smooth", "its curvature exceeds L"),
            (params["loss"] == "line", "bounded_below", "a line is not"),
        ),
        {
            "loss": _choice(*losses),
            "L": _numbers(1.0, 0.01, 100.0),
            "c": _numbers(1.0, 0.01, 100.0, 2.0),
            "x": _numbers(1.0, 0.0, 0.3, -40.0, zero=True),
            "y": _numbers(0.0, 3.0, -40.0, zero=True),
        },
        # differences of values, and arguments of a cosine, lose digits
        rounding=lambda params: (
            1e-15 * params["c"] * (1 + abs(params["x"]) + abs(params["y"])) ** 2 if params["loss"] == "cosine" else 0.0
        ),
        degenerate=lambda params: params["x"] == params["y"],
    )


def _sampling_check(params: Params) -> None:
    if params["ones"] > params["N"]:
        raise ValueError("more clients have the value 1 than there are")


SAMPLING = _space(
    "clients with the values 0 and 1",
    programs.client_sampling,
    ("without_replacement",),
    lambda params: _without((params["repeats"], "without_replacement", "drawn with replacement")),
    {
        "N": _counts(2, 3, 6, 100, draw=(2, 3, 4, 5, 6, 8, 10, 30, 100, 1)),
        "S": _counts(1, 2, 3, 10, draw=(1, 2, 3, 4, 5, 10, 20, 50)),
        "ones": _counts(1, 2, 3, 50, draw=(1, 2, 3, 4, 5, 50)),
        "repeats": _choice(False, True),
    },
    check=_sampling_check,
    degenerate=lambda params: params["S"] == params["N"] or params["ones"] == params["N"],
)

SPACES: dict[str, tuple[Space[Any], ...]] = {
    "textbook.gd_smooth": (_descent("gradient descent", "huber", "cosine", "unattained"),),
    "textbook.gd_strongly_convex": (CONTRACTION,),
    "textbook.subgradient": (SUBGRADIENT,),
    "textbook.sgd_quadratic": (SGD, KINK),
    "textbook.fedavg_identical": (FEDAVG, DIFFERENT, KINK),
    "textbook.moreau_smooth": (MOREAU,),
    "textbook.young": (YOUNG,),
    "textbook.young_powers": POWERS,
    "textbook.jensen_powers": (JENSEN,),
    "textbook.prox_gradient": (
        _descent("proximal gradient", "halfline", "huber", "cosine", "two points", "unattained"),
    ),
    "textbook.gradient_bound": (_smooth("a loss at one point", "parabola", "cosine", "line"),),
    "textbook.sgd_log": (LOG,),
    "textbook.descent_lemma": (_smooth("a loss at two points", "parabola", "cosine"),),
    "textbook.client_sampling": (SAMPLING,),
}

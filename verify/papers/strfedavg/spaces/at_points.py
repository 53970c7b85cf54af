"""Spaces for claims about a single point, three points, or a random point with finitely many values."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rateproof.algos.problems.base import Array, Fact
from rateproof.algos.problems.power import PowerGrowth
from rateproof.theory.claim import Claim
from rateproof.verify.evidence import Level
from rateproof.verify.papers.strfedavg import calls, nonconvex, points, sharp
from rateproof.verify.papers.strfedavg.instances import (
    ONE,
    TWO,
    Params,
    Setting,
    build,
    constants,
    diagonal,
    rounding,
)
from rateproof.verify.papers.strfedavg.sharp import Sharp
from rateproof.verify.papers.strfedavg.spaces import standalone
from rateproof.verify.papers.strfedavg.spaces.method import clients, exponents, restated, told
from rateproof.verify.papers.strfedavg.spaces.programs import at, numbers, script
from rateproof.verify.spaces.rescaled import scales
from rateproof.verify.spaces.space import Space, refusing
from rateproof.verify.trial import Trial

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Point2 = tuple[float, ...]

ETAS = (1.0, 0.01, 10.0)
#: An inner level that is nearly flat: what is said of f then counts.
SOFT = diagonal((-1.0, 1.0), ((1.0, -1.0), (1.0, 1.0)), 1e-3, 1.0)
#: Constants stated wrongly, for the hypotheses that they speak for.
MISSTATED: tuple[Params, ...] = (
    (("L_f", 0.1),),
    (("L_h", 0.1),),
    (("alpha", 10.0),),
    (("mu_f", 100.0), ("L_f", 100.0)),
)


def settings(claim: Claim) -> Iterator[Setting]:
    """Members of families I1 to I3, I5 and I8 at several scales and regularisation parameters."""
    for family, params in points.FAMILIES:
        for scale in dict.fromkeys((*points.SCALES, *scales(claim))):
            for eta in ETAS:
                yield Setting(family=family, params=params, eta=eta).at_scale(*scale)


def places(setting: Setting) -> Iterator[Array]:
    """Where the check looks at a setting."""
    return (x for _, x in points.places(build(setting), setting.eta, setting.s_x))


def two_clients() -> SearchStrategy[Setting]:
    """Family I1 with two clients whose minimisers and curvatures are round numbers."""
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_numbers

    place = st.sampled_from((0.0, 1.0, -1.0, 2.0, -2.0, 10.0, 0.1))
    return st.builds(
        lambda spread, copies, d, L_h, mu, **rest: Setting(
            params=diagonal((-spread, spread) * copies, d * copies, L_h, mu), **rest
        ),
        spread=st.sampled_from((0.0, 1.0, 0.1, 10.0)),
        copies=st.sampled_from((1, 2, 5, 50)),
        d=st.tuples(st.tuples(place, place), st.tuples(place, place)),
        L_h=round_numbers(1e-4, 1e4),
        mu=round_numbers(1e-4, 1e4),
        eta=round_numbers(1e-3, 1e3),
    )


def _coordinates() -> SearchStrategy[Point2]:
    from hypothesis import strategies as st

    place = st.sampled_from((0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 10.0, -10.0, 0.1, 100.0))
    return st.tuples(place, place)


def _misstated() -> SearchStrategy[Params]:
    from hypothesis import strategies as st

    return st.one_of(st.just(()), st.sampled_from(MISSTATED))


# --- one point -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class At:
    """A point x of a setting; ``stated`` as in :class:`~rateproof.verify.papers.strfedavg.spaces.method.Case`."""

    setting: Setting
    x: Point2
    stated: Params = ()


def at_point(params: At) -> Trial:
    """Everything that Lemmas 1 and 2 and steps 8 and 9 speak of."""
    trial = points.at_point(params.setting, np.array(params.x), str(params.x))
    return restated(trial, params.stated)


def point_program(params: At) -> str:
    """Source text: gradients and gaps at a point."""
    arguments = {**clients(params.setting), "eta": params.setting.eta, "x": np.array(params.x)}
    return script(standalone.at_point, standalone.solutions, standalone.constants, **arguments) + told(params.stated)


def _point_corners(claim: Claim) -> Iterator[At]:
    for setting in settings(claim):
        yield from (At(setting, tuple(x.tolist())) for x in places(setting))
    for L_f in (1.0, 1e-2, 1e-4):  # delta^2 = eta L_f: the clients disagree most at x_eta*
        opposed = Setting(family="antisymmetric", params=(("delta", math.sqrt(L_f)), ("L_f", L_f)))
        yield At(opposed, tuple(build(opposed).regularised_solution(1.0).tolist()))
    for stated in MISSTATED:
        for setting in (Setting(params=TWO), Setting(params=TWO, eta=0.1), Setting(params=SOFT)):
            yield from (At(setting, tuple(x.tolist()), stated) for x in places(setting))


def _point_strategy(claim: Claim) -> SearchStrategy[At]:
    from hypothesis import strategies as st

    return st.builds(
        lambda setting, scale, x, stated: At(setting.at_scale(*scale), tuple(scale[2] * v for v in x), stated),
        setting=two_clients(),
        scale=st.sampled_from(tuple(dict.fromkeys((*points.SCALES, *scales(claim))))),
        x=_coordinates(),
        stated=_misstated(),
    )


POINT = Space(
    "points of quadratic clients", _point_corners, _point_strategy, refusing(at_point), numbers, at, point_program
)

# --- Lemma 3: points of the projection problem -----------------------------------------------------------------------


@dataclass(frozen=True)
class Uneven:
    """h_1 = (curvature/2) x^2 beside h_2 = 0 on the line, y = 1, at x."""

    curvature: float = 1.0
    eta: float = 1.0
    x: float = 0.5


def at_projection(params: At | Uneven) -> Trial:
    """Everything that Lemma 3 speaks of, at a point of problem (4); the outer losses of a setting are all g."""
    if isinstance(params, Uneven):
        return _uneven(params)
    trial = nonconvex.in_projection_terms(at_point(params))
    return replace(trial, facts={**trial.facts, **_projecting(params.setting)})


def is_projection(setting: Setting) -> bool:
    """Whether every outer loss of a quadratic setting is ||x - y||^2/2 for one y."""
    params = dict(setting.params)
    curvature = params.get("mu", params.get("curvature"))
    return curvature == 1 and len(set(params["d"])) == 1 and (setting.s_f, setting.s_x) == (1, 1)


def _projecting(setting: Setting) -> dict[str, Fact]:
    """Whether every outer loss is ||x - y||^2/2, for a setting of family I1."""
    params = dict(setting.params)
    ok = is_projection(setting)
    why = "every f_i is ||x - y||^2/2" if ok else f"f_i = ({params['mu']:g}/2)||x - d_i||^2 with d = {params['d']}"
    return {"projection": Fact(ok, why)}


def _uneven(params: Uneven) -> Trial:
    if params.curvature < 0 or params.eta <= 0:
        raise ValueError(f"{params} makes no instance: the curvature should be >= 0 and eta positive")
    return nonconvex.uneven(**asdict(params))


def _projection_program(params: At | Uneven) -> str:
    if isinstance(params, Uneven):
        return script(standalone.uneven, **asdict(params))
    return point_program(params) + _RENAMED


_RENAMED = """values["mean_sq_grad_g_eta"] = values["mean_sq_grad_eta"]
values["gap_point_g"] = values["gap_point"]
values["outer_diff_g"] = values["outer_diff"]
values["g_star"] = values["f_star"] - values["inf_f"]
values["eta_g"] = values["eta"]
"""


def _projection_corners(claim: Claim) -> Iterator[At | Uneven]:
    yield from (Uneven(*place) for place in nonconvex.uneven_places())
    yield from (At(setting, tuple(map(float, x))) for setting, x, _ in nonconvex.projection_places())
    for setting in (Setting(params=TWO), Setting(params=TWO, s_f=100.0)):
        yield from (At(setting, tuple(x.tolist())) for x in places(setting))
    misstated = Setting(params=calls.projection(calls.BESIDE, (-1.0, 1.0)), eta=1e-3)
    yield from (At(misstated, tuple(x.tolist()), (("L_h", 0.01),)) for x in places(misstated))


def _projection_strategy(claim: Claim) -> SearchStrategy[At | Uneven]:
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_numbers

    uneven = st.builds(
        Uneven,
        curvature=round_numbers(1e-3, 1e3),
        eta=round_numbers(1e-3, 1e3),
        x=st.sampled_from((0.0, 0.5, 1.0, -1.0, 0.1, 10.0)),
    )
    even = st.builds(
        lambda y, spread, copies, L_h, eta, x: At(
            Setting(params=calls.projection(y, (-spread, spread) * copies, L_h), eta=eta), x
        ),
        y=_coordinates(),
        spread=st.sampled_from((0.0, 1.0, 10.0)),
        copies=st.sampled_from((1, 2, 10)),
        L_h=round_numbers(1e-3, 1e3),
        eta=round_numbers(1e-3, 1e3),
        x=_coordinates(),
    )
    return st.one_of(uneven, even)


PROJECTION_POINT = Space(
    "points of the projection problem",
    _projection_corners,
    _projection_strategy,
    refusing(at_projection),
    numbers,
    at,
    _projection_program,
)

# --- Lemma 4: three points -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Three:
    """Points x, y, z of a setting."""

    setting: Setting
    x: Point2
    y: Point2
    z: Point2
    stated: Params = ()


def at_three(params: Three) -> Trial:
    """Everything that Lemma 4 speaks of."""
    problem, eta = build(params.setting), params.setting.eta
    x, y, z = (np.array(p) for p in (params.x, params.y, params.z))
    P = problem.inner.mean_matrix + eta * problem.outer.mean_matrix
    linear = problem.inner.mean_linear + eta * problem.outer.mean_linear
    values = constants(problem) | {
        "eta": eta,
        "inner_zy": float((P @ x - linear) @ (z - y)),
        "fz_minus_fy": float((P @ (y + z) / 2 - linear) @ (z - y)),
        "dist2_yz": float(np.sum((y - z) ** 2)),
        "dist2_zx": float(np.sum((z - x) ** 2)),
    }
    label = f"{params.setting}, x = {params.x}, y = {params.y}, z = {params.z}"
    trial = Trial.exact(
        label,
        values,
        problem.facts(),
        at={**params.setting.at, "x": list(params.x), "y": list(params.y), "z": list(params.z)},
        absolute_error=rounding(problem, eta, x, y, z),
    )
    return restated(trial, params.stated)


def _three_program(params: Three) -> str:
    arguments = {
        **clients(params.setting),
        "eta": params.setting.eta,
        **{k: np.array(getattr(params, k)) for k in ("x", "y", "z")},
    }
    return script(standalone.at_three, standalone.solutions, standalone.constants, **arguments) + told(params.stated)


def _three_corners(claim: Claim) -> Iterator[Three]:
    spots = ((0.0, 0.0), (1.0, 0.0), (-1.0, 2.0), (0.0, 10.0))
    for params in (ONE, TWO, SOFT):
        for eta in ETAS:
            setting = Setting(params=params, eta=eta)
            for x in spots:
                for y in spots:
                    # z = 2x - y makes the square in the proof vanish
                    for z in (x, y, tuple(2 * u - v for u, v in zip(x, y, strict=True)), (3.0, -4.0)):
                        yield Three(setting, x, y, z)
                        if eta == 1:
                            yield from (Three(setting, x, y, z, stated) for stated in MISSTATED)


def _three_strategy(claim: Claim) -> SearchStrategy[Three]:
    from hypothesis import strategies as st

    return st.builds(
        Three, setting=two_clients(), x=_coordinates(), y=_coordinates(), z=_coordinates(), stated=_misstated()
    )


THREE = Space(
    "three points of quadratic clients",
    _three_corners,
    _three_strategy,
    refusing(at_three),
    numbers,
    at,
    _three_program,
)

# --- random points ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cloud:
    """A random point with finitely many equally likely values, and Err as a multiple of its regularised gap."""

    setting: Setting
    values: tuple[Point2, ...]
    factor: float = 1.0
    stated: Params = ()


@dataclass(frozen=True)
class Grown:
    """The same over h = alpha |x_1|^kappa and f = (mu/2)||x - d||^2 on the plane."""

    alpha: float = 1.0
    kappa: float = 3.0
    mu: float = 1.0
    d: Point2 = (1.0, 1.0)
    eta: float = 1.0
    values: tuple[Point2, ...] = ((0.5, 0.0),)
    factor: float = 1.0


@dataclass(frozen=True)
class Bent:
    """The same over h = (L_h/2) x_1^2 and the nonconvex f = w (1 + cos x_1), eta w <= L_h, so that 0 solves both."""

    w: float = 1.0
    L_h: float = 1.0
    eta: float = 0.1
    values: tuple[Point2, ...] = ((3.0, 0.0),)
    factor: float = 1.0


@dataclass(frozen=True)
class Ended:
    """The final average of a run on inner losses that are linear beyond a width."""

    run: Sharp
    factor: float = 1.0


def at_cloud(params: Cloud | Grown | Bent | Ended) -> Trial:
    """Everything that Propositions 2 and 5 and steps 6 and 7 speak of."""
    match params:
        case Cloud():
            return restated(_cloud_of_quadratics(params), params.stated)
        case Grown():
            return _grown(params)
        case Bent():
            return _bent(params)
    trial = sharp.measure(params.run)
    here = {name: trial.values[f"{name}_n"] for name in ("gap_h", "gap_f", "gap_eta", "E_dist", "E_sq")}
    err = params.factor * max(here["gap_eta"], 0.0) + 1e-12
    return replace(trial, values={**trial.values, **here, "Err": err})


def _cloud_of_quadratics(params: Cloud) -> Trial:
    problem, eta = build(params.setting), params.setting.eta
    values = standalone.cloud(**clients(params.setting), eta=eta, points=np.array(params.values), factor=params.factor)
    return Trial(
        f"{params.setting} at {len(params.values)} points, Err = {params.factor:g} x the gap",
        {**values, **constants(problem)},
        problem.facts(),
        Level.FLOAT,
        at={**params.setting.at, "points": [list(x) for x in params.values], "factor": params.factor},
        degenerate=math.isinf(problem.constants.alpha),
        absolute_error=rounding(problem, eta, np.array(params.values), problem.bilevel_solution()),
    )


def _grown(params: Grown) -> Trial:
    problem = PowerGrowth(alpha=params.alpha, kappa=params.kappa, mu=params.mu, d=(params.d,))
    return Trial(
        f"h = alpha |x_1|^kappa: {params}",
        standalone.grown(**{**asdict(params), "d": np.array(params.d), "values": np.array(params.values)}),
        problem.facts(),
        Level.FLOAT,
        at=asdict(params),
        absolute_error=1e-12 * max(1.0, float(np.abs(params.values).max()) ** max(2.0, params.kappa)),
    )


def _bent(params: Bent) -> Trial:
    if not 0 < params.eta * params.w <= params.L_h:
        raise ValueError(f"{params} makes no instance: eta w should be positive and at most L_h")
    bent = "f = w (1 + cos x_1)"
    structure = {
        "f_smooth": "|f''| <= w = L_f",
        "h_convex": "h = (L_h/2) x_1^2",
        "h_smooth": "h'' = L_h",
        "X_h_nonempty": "X_h* = {x_1 = 0}",
        "f_bounded_below": "inf f = 0, attained",
        "clients_attain_minimum": "all clients have the same losses",
        "weak_sharp": "h - h* = (L_h/2) dist^2",
    }
    facts = {k: Fact(True, why) for k, why in structure.items()}
    facts |= dict.fromkeys(("f_convex", "f_strongly_convex"), Fact(False, bent))
    return Trial(
        f"{bent}, h = (L_h/2) x_1^2: {params}",
        standalone.bent(**{**asdict(params), "values": np.array(params.values)}),
        facts,
        Level.FLOAT,
        at=asdict(params),
        absolute_error=1e-12 * max(1.0, float(np.abs(params.values).max()) ** 2),
    )


def cloud_program(params: Cloud | Grown | Bent | Ended) -> str:
    """Source text: gaps and distances of a finite cloud."""
    match params:
        case Cloud():
            setting = params.setting
            arguments = {**clients(setting), "eta": setting.eta, "points": np.array(params.values)}
            main = (standalone.cloud, standalone.solutions, standalone.constants)
            return script(*main, **arguments, factor=params.factor) + told(params.stated)
        case Grown():
            return script(
                standalone.grown,
                standalone.least,
                **{**asdict(params), "d": np.array(params.d), "values": np.array(params.values)},
            )
        case Bent():
            return script(standalone.bent, **{**asdict(params), "values": np.array(params.values)})
    renamed = "for name in ('gap_h', 'gap_f', 'gap_eta', 'E_dist', 'E_sq'):\n    values[name] = values[name + '_n']\n"
    return (
        sharp_program(params.run)
        + renamed
        + f"values['Err'] = {params.factor!r} * max(values['gap_eta'], 0.0) + 1e-12\n"
    )


def sharp_program(params: Sharp) -> str:
    """Source text: a run without randomness, step by step."""
    v = sharp.measure(params).values
    text = script(standalone.linear_beyond, **sharp_arguments(params))
    return text + "".join(f"values[{k!r}] = {x!r}\n" for k, x in exponents(v))


def sharp_arguments(params: Sharp) -> dict[str, Any]:
    """The instance as plain numbers, and those that rule the run."""
    v = sharp.measure(params).values
    return {
        **{k: getattr(params, k) for k in ("width", "L_h", "mu", "K")},
        "d": np.array(params.d),
        "start": np.array(params.start),
        "R": int(params.R),
        **{k: v[k] for k in ("gamma_l", "gamma_g", "eta", "mu_f")},
    }


def _cloud_corners(claim: Claim) -> Iterator[Cloud | Grown | Bent]:
    rng = np.random.default_rng(1)
    for family, params in points.FAMILIES:
        for scale in points.SCALES[::2]:
            for eta in ETAS[::2]:
                setting = Setting(family=family, params=params, eta=eta).at_scale(*scale)
                clouds = [x[None] for x in places(setting)]
                clouds.append(scale[2] * rng.standard_normal((5, build(setting).n)))
                for cloud in clouds:
                    yield from (Cloud(setting, tuple(map(tuple, cloud.tolist())), k) for k in (1.0, 100.0))
    for kappa in (2.0, 3.0, 4.0):
        for eta in (0.1, 1.0):
            power = PowerGrowth(kappa=kappa)
            for cloud in (power.regularised_solution(eta)[None], rng.standard_normal((5, 2))):
                yield Grown(kappa=kappa, eta=eta, values=tuple(map(tuple, cloud.tolist())))
    for setting in (Setting(params=TWO), Setting(params=TWO, eta=0.01), Setting(params=TWO, s_h=100.0)):
        for stated in MISSTATED:
            yield from (Cloud(setting, (tuple(x.tolist()),), 1.0, stated) for x in places(setting))
    for eta, w in ((0.1, 1.0), (1.0, 1.0), (0.01, 100.0)):
        yield from (Bent(w=w, eta=eta, values=(x,)) for x in ((3.0, 0.0), (math.pi, 0.0), (0.1, 0.0)))


def _cloud_strategy(claim: Claim) -> SearchStrategy[Cloud | Grown | Bent]:
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_numbers

    some = st.lists(_coordinates(), min_size=1, max_size=3).map(tuple)
    factor = st.sampled_from((1.0, 2.0, 10.0, 100.0))
    quadratic = st.builds(Cloud, setting=two_clients(), values=some, factor=factor, stated=_misstated())
    grown = st.builds(
        Grown,
        alpha=round_numbers(1e-2, 100.0),
        kappa=st.sampled_from((2.0, 1.0, 1.5, 3.0, 4.0, 6.0)),
        mu=round_numbers(1e-2, 100.0),
        d=_coordinates(),
        eta=round_numbers(1e-3, 10.0),
        values=some,
        factor=factor,
    )
    bent = st.builds(
        Bent,
        w=round_numbers(1e-2, 100.0),
        L_h=round_numbers(1e-2, 100.0),
        eta=round_numbers(1e-3, 10.0),
        values=some,
        factor=factor,
    )
    return st.one_of(quadratic, grown, bent)


CLOUD = Space(
    "finite clouds of points", _cloud_corners, _cloud_strategy, refusing(at_cloud), numbers, at, cloud_program
)


def _runs(convex: bool) -> SearchStrategy[Sharp]:
    from hypothesis import strategies as st

    from rateproof.verify.deciders.search import round_integers, round_numbers

    place = st.sampled_from((0.0, 1.0, -1.0, 3.0, 10.0, 100.0))
    plane = st.tuples(place, place)
    return st.builds(
        Sharp,
        width=round_numbers(1e-3, 10.0),
        L_h=round_numbers(1e-2, 10.0),
        mu=round_numbers(1e-3, 10.0),
        d=st.tuples(plane, plane),
        start=plane,
        K=round_integers(1, 5),
        gamma_g=round_numbers(1.0, 100.0),
        eta=round_numbers(1e-3, 10.0),
        R=st.sampled_from((2.0, 10.0, 100.0, 1000.0)),
        step=st.sampled_from((1.0, 0.1, 10.0)),
        convex=st.just(convex),
    )


def ended_space(*, convex: bool) -> Space[Ended]:
    """Final averages of runs on inner losses that are linear beyond a width."""

    def corners(claim: Claim) -> Iterator[Ended]:
        yield from (Ended(run, factor) for run in sharp.corners(convex=convex) for factor in points.ERR_FACTORS)

    def strategy(claim: Claim) -> SearchStrategy[Ended]:
        from hypothesis import strategies as st

        return st.builds(Ended, run=_runs(convex), factor=st.sampled_from((1.0, 100.0)))

    name = "final averages of runs, inner losses linear beyond a width"
    return Space(name, corners, strategy, refusing(at_cloud), numbers, at, cloud_program)


def sharp_space(*, convex: bool) -> Space[Sharp]:
    """Runs on inner losses that are linear beyond a width, for bounds under weak sharpness up to an offset."""

    def corners(claim: Claim) -> Iterator[Sharp]:
        yield from sharp.corners(convex=convex)
        base = Sharp(convex=convex)
        yield from (replace(base, step=step, R=R) for step in (4.0, 20.0) for R in (10.0, 100.0))
        yield from (replace(base, gamma_g=g) for g in (0.5, 0.01))

    def strategy(claim: Claim) -> SearchStrategy[Sharp]:
        return _runs(convex)

    name = "runs step by step, inner losses linear beyond a width"
    return Space(name, corners, strategy, refusing(sharp.measure), numbers, at, sharp_program)

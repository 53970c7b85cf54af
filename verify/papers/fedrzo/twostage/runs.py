"""Runs of Algorithm 4 in dimension one on all branches of directions and samples: every metric of the section, exactly.

Clients have losses ``a_i x`` (or ``a_i |x|``) plus ``q_i y``; the second stage has the solution ``y = spin xi x`` with
``xi = +-1``, and its points are given with errors of a prescribed size along the direction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import product

import numpy as np

from rateproof.algos.methods.fedrzo_lower import FedRZO_2s, Prescribed
from rateproof.algos.piecewise import absolute, affine
from rateproof.algos.problems.base import Fact
from rateproof.algos.problems.line_lower import LineTwoStage
from rateproof.verify.papers.fedrzo.branches import Array, Trace, trace
from rateproof.verify.papers.fedrzo.twostage.common import facts_of, symbols_of
from rateproof.verify.trial import Trial


@dataclass(frozen=True)
class Setting:
    """An instance and a run.

    Attributes:
        slopes: ``a_i``; their number is that of the clients.
        kinked: whether the losses are ``a_i |x|``.
        in_y: ``q_i``, one number for all clients or alternating signs of it (``opposed``).
        opposed: whether every other client has ``-q``.
        spin: size of the second stage's dependence on ``xi x``.
        width: half the length of ``X_i``, centred at ``centres``; None for the whole line.
        centres: distance of the centres, which alternate in sign.
        error: of the lower-level points, along the direction; 0 for exact ones.
        eta, gamma, H, rounds, x0: of the method; ``gamma`` is a length.
    """

    slopes: tuple[float, ...] = (1.0, -1.0)
    kinked: bool = False
    in_y: float = 0.0
    opposed: bool = False
    spin: float = 0.0
    width: float | None = 0.0
    centres: float = 0.0
    error: float = 0.0
    eta: float = 1.0
    gamma: float = 0.05
    H: int = 2
    rounds: int = 2
    x0: float = 0.0

    @property
    def m(self) -> int:
        """Number of clients."""
        return len(self.slopes)

    @property
    def steps(self) -> int:
        """Local steps in all."""
        return self.H * self.rounds

    @property
    def bits(self) -> int:
        """Draws of a run; 2^bits branches."""
        return self.steps * self.m * (2 if self.spin else 1)


MOST_BITS = 14


def reach_of(setting: Setting) -> float:
    """Half the length of ``Y``."""
    return 10 * (1 + setting.spin) * (1 + abs(setting.x0) + setting.eta)


@lru_cache(maxsize=256)
def problem_of(setting: Setting) -> LineTwoStage:
    """The instance."""
    signs = [(-1.0) ** i for i in range(setting.m)]
    shape = absolute if setting.kinked else affine
    ends = None
    if setting.width is not None:
        ends = [(s * setting.centres - setting.width, s * setting.centres + setting.width) for s in signs]
    reach = reach_of(setting)
    return LineTwoStage(
        [shape(slope=a) for a in setting.slopes],
        [affine(slope=setting.in_y * (s if setting.opposed else 1.0)) for s in signs],
        target=(affine(slope=setting.spin), affine(slope=-setting.spin)) if setting.spin else affine(slope=0.0),
        low=-reach,
        high=reach,
        intervals=ends,
        params=asdict(setting),
    )


@lru_cache(maxsize=64)
def run_of(setting: Setting) -> Trace:
    """The run on all branches.

    Raises:
        ValueError: more than 2^14 branches.
    """
    if setting.bits > MOST_BITS:
        raise ValueError(f"{setting} has 2^{setting.bits} branches; at most 2^{MOST_BITS} are enumerated here")
    errors = Prescribed(at_x_along=-setting.error, at_v_along=setting.error) if setting.error else None
    method = FedRZO_2s(gamma=setting.gamma, eta=setting.eta, H=setting.H, errors=errors)
    return trace(method, problem_of(setting), setting.x0, rounds=setting.rounds)


def exact_estimates(setting: Setting, k: int) -> Array:
    """``g_{i,k}`` with the exact lower-level solution, ``(B, m)``."""
    problem, run = problem_of(setting), run_of(setting)
    x, v = run.x[k][..., None], run.v[k][..., None]
    xi = None if run.xi is None else run.xi[k][..., None]
    rise = problem.values(x + v, xi) - problem.values(x, xi)
    return np.asarray(rise * run.v[k] / setting.eta**2)


def facts_on(setting: Setting) -> dict[str, Fact]:
    """Which structural hypotheses hold, with reasons."""
    facts = problem_of(setting).facts()
    said = {
        "fresh": "the branches are all equally likely draws",
        "iid": "the branches are all equally likely draws",
        "accuracy": f"the errors are {setting.error:g} in size",
        "frequency": f"all rounds have {setting.H} steps",
        "k*": "the metric is the mean over the iterates",
    }
    missed = dict.fromkeys(("alg5", "t_k_all", "eps_all"), "errors are prescribed") | {"B": "no y_0 is chosen"}
    return {**facts, "monotone_queried": facts["monotone_everywhere"], **facts_of(said, **missed)}


def constants_of(setting: Setting) -> dict[str, float]:
    """Constants of the instance and of the method, by symbol name."""
    c = problem_of(setting).constants
    return {
        "n": 1,
        "nt": 1,
        "m": setting.m,
        "eta_s": setting.eta,
        "gamma": setting.gamma,
        "H": setting.H,
        **symbols_of(c),
        "eps_2s": setting.error**2,
        "T_R": setting.steps,
        "K_it": setting.steps - 1,
        "sum_eps_2s": setting.error**2 * setting.steps,
    }


@lru_cache(maxsize=256)
def moments(setting: Setting) -> tuple[Array, Array]:
    """``E ebar_k`` and ``E||grad F_eta(xbar_k)||^2`` for every k."""
    run = run_of(setting)
    slopes = run.grad_F(problem_of(setting).smoothed(setting.eta))
    return run.mean(run.eb), run.mean(slopes**2)


def step_values(setting: Setting, k: int) -> dict[str, float]:
    """What Lemmas 12 and 13 speak of at step ``k``."""
    run, smoothed = run_of(setting), problem_of(setting).smoothed(setting.eta)
    g = exact_estimates(setting, k)
    w = run.g[k] - g
    slopes = run.grad_F(smoothed)[k]
    each = np.stack([smoothed.grad_f_i(i, run.x[k][:, i : i + 1])[:, 0] for i in range(setting.m)], axis=1)
    path = (g + run.penalty[k]).mean(axis=1)
    drift, square = moments(setting)
    first = int(run.first[k])
    return {
        "bias_2s": float(np.abs(run.given(k, g) - each).max()),
        "g2_2s": float((g**2).mean(axis=0).max()),
        "w2_2s": float((w**2).mean(axis=0).max()),
        "path2_2s": float((path**2).mean()),
        "ip_path_2s": float((slopes * path).mean()),
        "wbar2_2s": float((w.mean(axis=1) ** 2).mean()),
        "split_i_2s": float(((run.g[k] - (g + w)) ** 2).max()),
        "split_bar_2s": float(((run.g[k].mean(axis=1) - (g.mean(axis=1) + w.mean(axis=1))) ** 2).max()),
        "grad2_2s": float(square[k]),
        "eb_2s": float(drift[k]),
        "done_2s": k - first,
        "sum_eb_2s": float(drift[first:k].sum()),
        "sum_grad_2s": float(square[first:k].sum()),
        "sum_eps_round_2s": setting.error**2 * (k - first),
    }


def label_of(setting: Setting) -> str:
    """The instance in words."""
    kind = "a_i |x|" if setting.kinked else "a_i x"
    sets = "R" if setting.width is None else f"[-{setting.width:g}, {setting.width:g}]" if setting.width else "{0}"
    moved = f" +- {setting.centres:g}" if setting.centres else ""
    lower = f", {setting.in_y:g} y with errors {setting.error:g}" if setting.error else ""
    lower = f"{lower}, {setting.in_y:g} y with y = {setting.spin:g} xi x" if setting.spin else lower
    return (
        f"losses {kind}, a = {setting.slopes}{lower}, X_i = {sets}{moved}, eta = {setting.eta:g}, "
        f"gamma = {setting.gamma:g}, H = {setting.H}, from {setting.x0:g}"
    )


@lru_cache(maxsize=1024)
def at_step(setting: Setting, k: int) -> Trial:
    """One local step of a run."""
    values = constants_of(setting) | step_values(setting, k)
    run = run_of(setting)
    size = max(1.0, *(abs(values[name]) for name in ("path2_2s", "g2_2s", "grad2_2s")))
    # rounding of a value of the loss, which the estimate divides by eta
    far = float(np.abs(run.x[k]).max()) + setting.eta
    largest = max(map(abs, setting.slopes)) * far + setting.in_y * (reach_of(setting) + setting.error)
    slip = 1e-15 * largest / setting.eta
    later = Fact(k >= setting.H, f"step {k} is in round {k // setting.H}")
    return Trial.exact(
        label=f"{label_of(setting)}, step {k}",
        values=values,
        facts=facts_on(setting) | {"r>0": later},
        at=asdict(setting) | {"k": k},
        absolute_error=slip * (2 * size**0.5 + slip) + 1e-15 * size,
    )


@lru_cache(maxsize=1024)
def whole(setting: Setting) -> Trial:
    """A whole run, for Theorem 2 (ii)."""
    smoothed = problem_of(setting).smoothed(setting.eta)
    _, square = moments(setting)
    start = float(smoothed.F(np.array([[setting.x0]]))[0])
    values = constants_of(setting) | {"grad_kstar": float(square.mean()), "D0": start - smoothed.F_star}
    return Trial.exact(label=label_of(setting), values=values, facts=facts_on(setting), at=asdict(setting))


def at_cap(setting: Setting) -> Setting:
    """The setting with the largest stepsize of Theorem 2 (ii)."""
    c = problem_of(setting).constants
    ell = (c.L0 + 1) / setting.eta
    sets = 1 / (12 * 6**0.5 * setting.H * c.B2 * (5 / 8) ** 0.5 * ell) if c.B2 else math.inf
    return replace(setting, gamma=min(sets, 1 / (16 * ell)))


def settings() -> Iterator[Setting]:
    """Aimed instances: opposite clients at point sets over decades of eta, errors along the direction, noise, kinks."""
    yield Setting(eta=1 / 480, gamma=1 / 15, H=3)
    for eta, share in product((1.0, 1 / 480, 1e3), (1.0, 0.3)):
        caps = {"H": 0.2 / 3, "eta": eta / (6**0.5 * 3)}
        for gamma in sorted({share * caps["H"], share * caps["eta"]}):
            yield Setting(eta=eta, gamma=gamma, H=3)
    yield Setting(eta=1 / 480, gamma=1 / 15, H=3, width=1 / 120)
    yield Setting(slopes=(1.0,), kinked=True, H=2, rounds=3, width=None)
    yield Setting(slopes=(1.0,), in_y=1.0, error=0.5, H=2, width=None)
    yield Setting(slopes=(1.0, -1.0), in_y=2.0, opposed=True, error=0.5, eta=0.5, gamma=0.1, H=3)
    yield Setting(slopes=(1e-6, -1e-6), in_y=1.0, opposed=True, error=0.5, width=None)
    yield Setting(slopes=(1.0, 1.0), in_y=1.0, spin=0.5, error=0.1, H=2, rounds=1, width=None)
    yield Setting(slopes=(1.0, -1.0), in_y=1.0, spin=2.0, eta=0.5, gamma=0.1, H=1, rounds=3)
    yield Setting(slopes=(0.5, -2.0), kinked=True, eta=2.0, gamma=0.05, H=3, centres=0.5, width=1.0, x0=0.5)
    yield Setting(slopes=(1.0,), kinked=True, width=None, eta=1.0, gamma=0.03, H=3, rounds=4, x0=10.0)
    yield Setting(slopes=(1.0, 1.0, 1.0), H=2, eta=10.0, gamma=0.3)

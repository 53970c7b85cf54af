"""The closed forms of runs of FedMSA, against the method in all outcomes of its noise."""

from dataclasses import replace

import numpy as np
import pytest

from rateproof.algos.methods.fedmsa import FedMSA
from rateproof.algos.noise import Streams
from rateproof.algos.outcomes import EveryCourse, Outcomes
from rateproof.algos.problems.linear_sequences import LinearSequences
from rateproof.algos.problems.sequences import LevelNoise
from rateproof.verify.papers.fedmsa.runs import linear, many_steps, noisy_parabola

TURN = np.array([[0.0, -1.0], [1.0, 0.0]])
MEANS = {"adds": "mean", "tau_het": "1/2", "alpha_tau": "1/4", "c_alpha": 4}


class NearTheStart(LinearSequences):
    """Noise that falls to 0 at a distance of 3/8 from ``x = 1``."""

    additive = False

    def sampled(self, i, w, sample):
        return self.maps(i, w) + np.maximum(0, 1 - np.abs(w[:, :1] - 1) / 0.375) * self.noise.added(
            np.zeros_like(w), w, sample, self.dims
        )


class EveryRound(FedMSA):
    """With K local steps in the first round, too."""

    def local_steps(self, r):
        return self.K


def maps(*P, S=1.0, c=0.0, noise=(0.0, 0.0), of=LinearSequences, **others):
    """``P^m`` as given and plus ``c``, and ``S^m = S z`` in as many dimensions."""
    d = len(np.atleast_2d(P[0]))
    J = np.array([np.kron([[1, 0], [0, 0]], np.atleast_2d(p)) + np.kron([[0, 0], [0, S]], np.eye(d)) for p in P])
    j = np.tile([c] * d + [0.0] * d, (len(P), 1))
    return of(J=J, j=j, dims=(d, d), noise=LevelNoise(noise, "two_point"), **others)


def measured(problem, R, rho, *, start=(1, 0), signs=None, first=1, method=FedMSA, **steps):
    """The mean of both parts of the left side over all points where a local step starts."""
    rng = Streams(0, 0, 1)
    if signs:
        drawn = {2 * r + 1: Outcomes(problem.m, problem.m, {signs: first if r == 0 else 1}) for r in range(R)}
        rng = EveryCourse(drawn | {2 * r + 2: Outcomes(problem.m, 1, {}) for r in range(R)})
    run = method(**{"alpha": 1.0, "beta": 1.0, "rho": rho, "first_minibatch": first, "output_rule": "last", **steps})
    state, found = run.init(problem, np.repeat([np.array(start, dtype=float)], rng.runs, axis=0), rng), []
    for r in range(R):
        points = [state.w, *(replace(run, K=k).round(problem, state, rng).w for k in range(1, run.local_steps(r)))]
        found += [
            sum(metric(problem, w).mean() for name, metric in problem.metrics.items() if "|^2" in name) for w in points
        ]
        state = run.round(problem, state, rng)
    return np.mean(found)


SUMS = {"normalisation": "sum"}
RUNS = {
    "noise everywhere": (
        (noisy_parabola, {"R_rounds": 5}),
        lambda: measured(maps(0.75, 0.25, noise=(0.25, 0.0), **SUMS), 5, 0.2, signs="xi"),
    ),
    "noise near the start": (
        (
            noisy_parabola,
            {"R_rounds": 4, "noise": "near the start", "first": "KR", "size": "1/4", "sigma_max": "1/4", **MEANS},
        ),
        lambda: measured(maps(1.5, 0.5, noise=(0.25, 0.0), of=NearTheStart), 4, 0.25, signs="xi", first=4, alpha=0.5),
    ),
    "noise of z": (
        (noisy_parabola, {"R_rounds": 5, "of": "z", "sigma_max": "1/2", "alpha_tau": "1/2"}),
        lambda: measured(maps(0.0, 0.0, noise=(0.0, 0.5)), 5, 0.2, start=(0, 1), signs="zeta", beta=0.5),
    ),
    "P = J x": (
        (linear, {"R_rounds": 4, "maps": "P = J x"}),
        lambda: measured(maps(TURN), 4, 0.25, start=(1, 0, 0, 0), alpha=0.25),
    ),
    "P^1 = P^2 = J x/2": (
        (linear, {"R_rounds": 4, "maps": "P^1 = P^2 = J x/2"}),
        lambda: measured(maps(TURN / 2, TURN / 2, **SUMS), 4, 0.25, start=(1, 0, 0, 0), alpha=0.5),
    ),
    "P = x": ((linear, {"R_rounds": 4, "maps": "P = x"}), lambda: measured(maps(1.0), 4, 0.25, alpha=0.25)),
    "P = 1": ((linear, {"R_rounds": 4, "maps": "P = 1"}), lambda: measured(maps(0.0, c=1.0), 4, 1.0)),
    # LinearSequences has attracting S alone, so that P stands for it
    "S = -z": ((linear, {"R_rounds": 4, "maps": "S = -z"}), lambda: measured(maps(-1.0), 4, 0.25, alpha=0.25)),
    "S = 5 z": (
        (linear, {"R_rounds": 4, "maps": "S = 5 z"}),
        lambda: measured(maps(0.0, S=5.0), 4, 0.25, start=(0, 1), beta=0.5),
    ),
    "K steps of x": (
        (many_steps, {"R_rounds": 3, "K": 4}),
        lambda: measured(maps(1.0), 3, 0.5, start=(2, 0), method=EveryRound, K=4, alpha=0.25),
    ),
    "K steps of z": (
        (many_steps, {"R_rounds": 3, "K": 4, "of": "z"}),
        lambda: measured(maps(0.0), 3, 0.5, start=(0, 2), method=EveryRound, K=4, beta=0.25),
    ),
    "one step at first": (
        (many_steps, {"R_rounds": 2, "K": 4, "first": "one step", "start": 1, "tau_het": 0}),
        lambda: measured(maps(1.0), 2, 0.5, K=4, alpha=0.5),
    ),
}


@pytest.mark.parametrize("run", RUNS)
def test_the_closed_form_is_what_the_method_measures(run):
    (family, given), method = RUNS[run]
    corners = {name: of.corners[0] for name, of in family.ranges.items()}
    values = family.trial({**corners, **family.read(given)}).values
    assert values["P2_out"] + values["gap2_out"] == pytest.approx(method(), rel=1e-12)

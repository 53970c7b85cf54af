"""The closed forms of runs of FedMSA, against Algorithm 1 on every sequence of signs that the noise may have."""

from itertools import product

import pytest

from rateproof.verify.papers.fedmsa.runs import many_steps, noisy_parabola

MEANS = {"adds": "mean", "tau_het": "1/2", "alpha_tau": "1/4", "c_alpha": 4}
SLOPES = (1.5, 0.5)


def by_all_signs(p, s, left, R, alpha, beta, rho, start, first=1):
    """The mean of ``left`` over the rounds and all signs, for two clients and one local step, line by line."""
    draws, total = 2 * (first + R - 1), 0.0
    for signs in product((-1, 1), repeat=draws):
        drawn, at, h, q = iter(signs), start, 0.0, 0.0
        before = at
        for r in range(R):
            batch, kept = (first, 0.0) if r == 0 else (1, 1 - rho)
            noises = [sum(next(drawn) for _ in range(batch)) / batch for _ in SLOPES]
            h = sum(p(m, *at, e) + kept * (h - p(m, *before, e)) for m, e in enumerate(noises)) / 2
            q = sum(s(m, *at, e) + kept * (q - s(m, *before, e)) for m, e in enumerate(noises)) / 2
            total += left(*at) / R
            before, at = at, (at[0] - alpha * h, at[1] - beta * q)
    return total / 2**draws


def measured(family, **given):
    values = family.trial({**{n: r.corners[0] for n, r in family.ranges.items()}, **family.read(given)}).values
    return values["P2_out"] + values["gap2_out"]


def test_noise_everywhere():
    found = by_all_signs(
        lambda m, x, z, e: (SLOPES[m] * x + e / 2) / 2, lambda m, x, z, e: z, lambda x, z: x**2, 5, 1, 1, 0.2, (1, 0)
    )
    assert measured(noisy_parabola, R_rounds=5) == pytest.approx(found, rel=1e-12)


def test_noise_near_the_start():
    def size(x):
        return max(0, 1 - abs(x - 1) / 0.375) / 4

    found = by_all_signs(
        lambda m, x, z, e: SLOPES[m] * x + size(x) * e,
        lambda m, x, z, e: z,
        lambda x, z: x**2,
        4,
        0.5,
        1,
        0.25,
        (1, 0),
        4,
    )
    given = {"noise": "near the start", "first": "KR", "size": "1/4", "sigma_max": "1/4", **MEANS}
    assert measured(noisy_parabola, R_rounds=4, **given) == pytest.approx(found, rel=1e-12)


def test_noise_of_the_inner_sequence():
    found = by_all_signs(
        lambda m, x, z, e: 0, lambda m, x, z, e: z + e / 2, lambda x, z: z**2, 5, 0.5, 0.5, 0.2, (0, 1)
    )
    for as_their in (MEANS, {"alpha_tau": "1/2"}):
        given = {"of": "z", "sigma_max": "1/2", **as_their}
        assert measured(noisy_parabola, R_rounds=5, **given) == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize("of", ["x", "z"])
def test_many_steps(of):
    at = [2 * (1 - 1 / 4) ** k for k in range(4 * 3)]
    assert measured(many_steps, of=of, R_rounds=3, K=4) == pytest.approx(sum(x**2 for x in at) / 12, rel=1e-12)

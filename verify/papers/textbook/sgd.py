"""SGD with additive noise on quadratics."""

from __future__ import annotations

from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.theory.papers.textbook import notation as p
from rateproof.theory.papers.textbook import sgd as claims
from rateproof.theory.symbols import R as ROUNDS
from rateproof.verify.form import choice, counts, family, in_floats, reals, record
from rateproof.verify.form.arithmetic import Number
from rateproof.verify.form.outcomes import InOutcomes
from rateproof.verify.form.parts import Noise, parabola, steps
from rateproof.verify.papers.textbook.local_sgd import NOISE, federated_averaging, loss_with_a_kink
from rateproof.verify.planted.mutate import Sharp


def decreasing_in_vectors(**params: Any) -> InOutcomes:
    """The run of :func:`decreasing_steps` in the vectors of the proofs."""
    from rateproof.verify.papers.textbook.vectors import descent

    numbers = in_floats(params)
    mu_h, noise = numbers["mu_h"], Noise(numbers["law"], numbers["loudness"] * numbers["sigma_h2"])
    return descent(
        parabola(numbers["steeper"] * mu_h), numbers["x0"], lambda r: 1 / (mu_h * (r + 1)), numbers["R"], noise
    )


@family(
    "SGD with stepsize 1/(mu k)",
    None,
    decreasing_in_vectors,
    law=choice("independent", "biased", "repeated"),
    R=counts(1, 2, 10, 100, 1000, drawn=(1, 2, 3, 5, 10, 30, 100, 0)),
    mu_h=reals(1, low=0.1, high=10),
    steeper=reals(1, 2, 0.5, low=0.1, high=10),
    x0=reals(0, 5, low=0.1, high=10, zero=True),
    **NOISE,
)
def decreasing_steps(
    *, law: str, R: int, mu_h: Number, steeper: Number, x0: Number, loudness: Number, sigma_h2: Number
) -> dict[str, Any]:
    """``c/2 x^2`` with ``c = steeper mu``.

    ``law``: of the noise; ``loudness``: its variance, over what is allowed; ``steeper``: the curvature, over mu;
    ``x0``: the start.
    """
    c, noise = steeper * mu_h, Noise(law, loudness * sigma_h2)
    moments, total = (x0, 0 * x0), 0 * x0
    for k in steps(R):
        gamma = 1 / (mu_h * (k + 1))
        moments = noise.moments(*moments, 1 - gamma * c, gamma, 1)
        total = total + c * noise.square(*moments) / 2
    return {
        "gap_mean": total / R if R else None,
        "isotropic": Fact(c == mu_h, f"the curvature is {c}; mu = {mu_h}"),
        "unbiased": noise.unbiased(),
        "variance_bounded": noise.bounded(sigma_h2),
        "independent": noise.independent(),
    }


sgd = federated_averaging.narrowed(
    "SGD",
    taking_part=choice("all"),
    K=counts(1, most=1),
    N=counts(1, most=1),
    batch=counts(1, 10, 1000),
)
# the first term alone without noise, the second alone from the minimum as R grows
SGD_QUADRATIC = record(
    claims.SGD_QUADRATIC,
    families=[sgd, loss_with_a_kink],
    tight=Sharp(
        terms=True,
        exponents=(ROUNDS, p.batch),
        hypotheses=("gamma_l<=2/(L_h+mu_h)", "unbiased", "independent", "variance_bounded"),
    ),
)
# equality at R = 1; as R grows the left side is (ln R + 0.577 + o(1)) sigma^2/(2 mu R)
SGD_LOG = record(
    claims.SGD_LOG,
    families=[decreasing_steps],
    tight=Sharp(exponents=(ROUNDS,), logs=True, hypotheses=("unbiased", "independent", "variance_bounded")),
)

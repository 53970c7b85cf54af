"""What smoothness of a function gives at one point and at two."""

import sympy as sp

from rateproof.theory.assumptions import BoundedBelow
from rateproof.theory.claim import Hypothesis, Kind
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.textbook import notation as p
from rateproof.theory.proof import Proof, Setting, have, infimum, limit, qed, smooth
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import L_h

(y,) = vectors("y")
h_y, inf_h = sp.symbols("h_y inf_h", real=True)
#: What is added to L, so that a step of length 1/(L + s) exists for L = 0 too.
s = sp.Symbol("s", positive=True)

GRADIENT_BOUND = p.claim(
    "gradient_bound",
    "Nesterov 2018, Lectures on Convex Optimization, Theorem 2.1.5 (at a minimiser)",
    Kind.INEQUALITY,
    "||grad h(x)||^2 <= 2 L (h(x) - inf h) for L-smooth h bounded below",
    le(p.grad2_at, 2 * L_h * p.gap_at),
    title="Gradient bounded by the gap",
    hypotheses=(p.SMOOTH, Hypothesis("bounded_below", "h is bounded below", says=(BoundedBelow("h"),))),
    note="One gradient step of length 1/L_h from x cannot go below inf h; attained by (L_h/2) ||x||^2.",
    setting=Setting(
        depends={"x": ""},
        words={"x": "any point"},
        functions={"h": {"x": (p.x, p.g, p.h_x), "after a step": (p.x - p.g / (L_h + s), None, h_y)}},
        infima={"h": inf_h},
        metrics={p.grad2_at: norm2(p.g), p.gap_at: p.h_x - inf_h},
        measured=(inf_h,),
        fixed=(p.grad2_at, p.gap_at),
    ),
    proof=Proof(
        have(
            "a step of length 1/(L + s)",
            le(p.grad2_at, 2 * (L_h + s) * p.gap_at),
            by=[smooth("h", "after a step", "x"), infimum("h", "x", "after a step")],
        ),
        limit("s to zero", "a step of length 1/(L + s)", over=s),
        qed(by=["s to zero"]),
    ),
)


DESCENT_LEMMA = p.claim(
    "descent_lemma",
    "Nesterov 2018, Lectures on Convex Optimization, Lemma 1.2.3",
    Kind.INEQUALITY,
    "h(y) <= h(x) + <grad h(x), y - x> + (L/2) ||y - x||^2 for L-smooth h",
    le(p.remainder, L_h * p.apart**2 / 2),
    title="Descent lemma",
    hypotheses=(p.SMOOTH,),
    note="Attained by (L/2) ||x||^2.",
    setting=Setting(
        depends={"x": "", "y": ""},
        words=p.TWO_POINTS,
        functions={"h": {"x": (p.x, p.g, p.h_x), "y": (y, None, h_y)}},
        metrics={p.remainder: h_y - p.h_x - dot(p.g, y - p.x), p.apart**2: norm2(y - p.x)},
    ),
    proof=Proof(qed(by=[smooth("h", "y", "x")])),
)

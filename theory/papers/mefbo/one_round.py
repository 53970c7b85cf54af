"""One round of MeFBO in vectors, for Lemmas D.5 to D.8.

All clients are thought to run their ``tau`` local steps; the server takes the weighted mean over those that were drawn.
``xk, yk, tk`` are local iterates at a step drawn uniformly, so ``norm2(xk - x)`` is the drift ``Delta_x``. Vectors of
the space of ``x``, which have an x in their names, are orthogonal to those of the space of ``y`` and ``theta``. A
gradient is the sum of its two parts, whose names end in x and y; ``s`` is ``theta*_gamma(x, y)``.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from rateproof.theory.assumptions import Minimiser
from rateproof.theory.gram import norm2, vectors
from rateproof.theory.papers.mefbo import notation as p
from rateproof.theory.proof import HalfSquare, Mean, Setting

x, y, t, s, m, xk, yk, tk = vectors("x y t s m xk yk tk")
#: Gradients by client: of f at (x, y), of g at (x, y), (x, theta) and (x, theta*); the same at the local iterate.
fxi, fyi, gxi, gyi, hxi, hyi, sxi, syi = vectors("fxi fyi gxi gyi hxi hyi sxi syi")
fxk, fyk, gxk, gyk, hxk, hyk = vectors("fxk fyk gxk gyk hxk hyk")
#: Their weighted means over the clients.
fx, fy, gx, gy, hx, hy, sx, sy = vectors("fx fy gx gy hx hy sx sy")
f_z, f_k, g_z, g_t, g_s, g_k, g_kt, M_s, inside = sp.symbols("f_z f_k g_z g_t g_s g_k g_kt M_s inside", real=True)
NORMAL_CONE = "the normal cone of X x Y where the round ends"
NAMES = {"x": "x", "y": "y", "t": "theta"}
#: What is known before the noise of a local step, and after the round.
LOCAL = "past client step before"
END = "past sample round"


def averaged(*names: str) -> dict[str, Mean]:
    """For each vector of a client and step: ``<name>_c``, its mean over the steps, and ``<name>_a``, over all."""
    means = {f"{name}_c": Mean(name, "step") for name in names}
    return means | {f"{name}_a": Mean(f"{name}_c", "client") for name in names}


def by_client(*names: str) -> dict[str, Mean]:
    """The weighted means over the clients of vectors ``<name>i``."""
    return {name: Mean(f"{name}i", "client") for name in names}


def wider(setting: Setting, **more: Any) -> Setting:
    """A setting with more in it: mappings and tuples are joined, functions point by point."""
    joined = {field: _joined(getattr(setting, field), new) for field, new in more.items()}
    return p.by_space(replace(setting, **joined))


def _joined(old: Any, new: Any) -> Any:
    if isinstance(old, tuple):
        return (*old, *new)
    points = {name: {**old[name], **at} for name, at in new.items() if name in old and isinstance(at, Mapping)}
    return {**old, **new, **points}


ROUND = wider(
    Setting(
        sizes={"client": p.n, "step": p.tau},
        weighted=("client",),
        within={"before": "step", "xi": "step", "zeta": "step"},
        together={"step": "round"},
        each={"f_i": "client"},
        earlier=("before",),
        # the statements speak of theta*
        assumes=(Minimiser("M", "theta*", "Y"),),
    ),
    depends={**dict.fromkeys(("x", "y", "t", "s"), "past"), **dict.fromkeys(("xk", "yk", "tk"), LOCAL)},
    means=by_client("fx", "fy", "gx", "gy", "hx", "hy", "sx", "sy"),
    sums={"m": sy + (s - y) / p.gamma},
    functions={
        "f_i": {"z": (x + y, fxi + fyi, f_z), "local": (xk + yk, fxk + fyk, f_k)},
        "g_i": {
            "z": (x + y, gxi + gyi, g_z),
            "theta": (x + t, hxi + hyi, g_t),
            "theta*": (x + s, sxi + syi, g_s),
            "local": (xk + yk, gxk + gyk, g_k),
            "local theta": (xk + tk, hxk + hyk, g_kt),
        },
        "G": {"z": (x + y, gx + gy, g_z), "theta": (x + t, hx + hy, g_t), "theta*": (x + s, sx + sy, g_s)},
        "M": {"theta*": (s, m, M_s)},
        "Y": {"theta*": (s, s, inside)},
    },
    made={"G": Mean("g_i", "client"), "M": {"G": sp.S.One, "half": 1 / p.gamma}, "half": HalfSquare()},
    metrics={p.gap2: norm2(t - s), p.D_x: norm2(xk - x), p.D_y: norm2(yk - y), p.D_theta: norm2(tk - t)},
    words={
        **{name: f"{at}, where the round starts" for name, at in {"x": "x^t", "y": "y^t", "t": "theta^t"}.items()},
        **{f"{k}k": f"the local iterate of {of} at a step drawn uniformly" for k, of in NAMES.items()},
        "s": "theta*_gamma(z^t)",
        "half": "half the squared distance from y, in M+ from yp",
        "past": "what is drawn before the round",
    },
)

#: Where the round ends: ``xp, yp`` with ``sp = theta*_gamma(xp, yp)``; the gradients of G at (xp, sp) and (xp, s).
xp, yp, sp_, mp, pxi, pyi, pxp, pyp, qxi, qyi, qxp, qyp = vectors("xp yp sp mp pxpi pypi pxp pyp qxpi qypi qxp qyp")
g_p, g_q, M_p = sp.symbols("g_p g_q M_p", real=True)


def ended(setting: Setting) -> Setting:
    """A setting with the end of the round."""
    return wider(
        setting,
        depends=dict.fromkeys(("xp", "yp", "sp"), END),
        means=by_client("pxp", "pyp", "qxp", "qyp"),
        sums={"mp": pyp + (sp_ - yp) / p.gamma},
        functions={
            "g_i": {"theta*+": (xp + sp_, pxi + pyi, g_p), "cross": (xp + s, qxi + qyi, g_q)},
            "G": {"theta*+": (xp + sp_, pxp + pyp, g_p), "cross": (xp + s, qxp + qyp, g_q)},
            "M+": {"theta*": (sp_, mp, M_p)},
            "Y": {"theta*+": (sp_, sp_, inside)},
        },
        made={"M+": {"G": sp.S.One, "half": 1 / p.gamma}, "half": HalfSquare()},
        assumes=(Minimiser("M+", "theta*", "Y"),),
        metrics={p.step_x: norm2(xp - x), p.step_y: norm2(yp - y)},
        words={
            **{name: f"{at}, where the round ends" for name, at in {"xp": "x^{t+1}", "yp": "y^{t+1}"}.items()},
            "sp": "theta*_gamma(z^{t+1})",
            "sample": "the clients that are drawn",
            "round": "what their local steps draw",
        },
    )


#: At which points claims about two minimisers, as Lemmas D.2 and D.3, speak of both ends of the round.
ENDS: dict[str, Any] = {
    "points": {
        "G.theta*(z)": "G.theta*+",
        "G.theta*(zb)": "G.theta*",
        "G.cross": "G.cross",
        "M.theta*": "M+.theta*",
        "Mb.theta*": "M.theta*",
        "Y.s": "Y.theta*+",
        "Y.sb": "Y.theta*",
    },
    "vectors": {"y": yp, "yb": y},
}

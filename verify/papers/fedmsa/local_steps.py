"""The local steps of a client: two numbers x and z, linear maps, and noises of two values, all outcomes listed.

``P^m(x, z) = A_m x + B_m z + C``, ``S^m(x, z) = D_m (z - T x)``, so that ``z^*(x) = T x`` for every client. A sample of
a map has ``+-`` a linear function of the way from the start beside its mean, which is cut at ``+-WIDTH``. The round
starts with the momentum phase at ``rho = 1``; client 1 is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.form.arithmetic import Number, largest, least
from rateproof.verify.form.parts import refuse

#: Where a noise is cut.
WIDTH = 1000
CONSTANTS = ("L_p", "L_Z", "L_s", "L_zn", "Lb_p", "Lb_s", "tau_0", "tau_n", "lam_n", "alpha_x", "beta_n")


@dataclass(frozen=True)
class Moment:
    """Where a client is in a local step, and its estimates there.

    Attributes:
        x, z: the iterates.
        P, F, S: the maps there, ``F = P(x, z^*(x))``.
        P_m, F_m, S_m: those of the client.
        P_e, F_e, S_e: what a sample has beside these, but for its sign.
        h, q: the estimates of ``F`` and ``S``.
        xi, zeta: the mean signs of the samples of the step.
        before: the moment before; the start is where step 1 is, which does not move.
    """

    x: Number
    z: Number
    P: Number
    F: Number
    S: Number
    P_m: Number
    F_m: Number
    S_m: Number
    P_e: Number
    F_e: Number
    S_e: Number
    h: Number
    q: Number
    xi: Number = 0
    zeta: Number = 0
    before: Moment | None = None

    @property
    def last(self) -> Moment:
        """The moment before, or the start."""
        return self.before or self

    def change(self, of: str) -> Number:
        """What something has changed by since the moment before."""
        return getattr(self, of) - getattr(self.last, of)

    @property
    def a(self) -> Number:
        """That of (32): what the samples change by at the points, less what they change by at the fixed points."""
        return self.change("P_m") - self.change("F_m") + self.xi * (self.change("P_e") - self.change("F_e"))


@dataclass(frozen=True)
class Client:
    """Client 1 among M, and the steps; the names are those of the parameters of a family.

    Attributes:
        M, K, b_batch: the clients, the local steps, the samples of a local step.
        mean: whether ``P`` and ``S`` are the ``mean`` over the clients, or the ``sum``.
        A, B, C, D, T: coefficients of the mean maps over the clients.
        A_m, B_m, D_m: what client 1 has beside these; client 2 has the opposite.
        x, z, alpha_x, beta_n: where the round starts, and the steps.
        p0, px, pz, s0, sx, sz: the noises of ``p`` and ``s``.
    """

    M: int
    K: int
    mean: str
    A: Number
    B: Number
    C: Number
    D: Number
    T: Number
    A_m: Number
    B_m: Number
    D_m: Number
    x: Number
    z: Number
    alpha_x: Number
    beta_n: Number
    p0: Number
    s0: Number
    px: Number = 0
    pz: Number = 0
    sx: Number = 0
    sz: Number = 0
    b_batch: int = 1

    def __post_init__(self) -> None:
        if self.M not in (1, 2) or (self.M == 1 and (self.A_m, self.B_m, self.D_m) != (0, 0, 0)):
            raise ValueError("there are one or two clients, and one has nothing beside the mean")
        refuse(2 ** (sum(self.loud) * self.b_batch * (self.K - 1) + self.M * sum(self.first)), 2**12)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Client:
        """That of the parameters of an instance, which may have more."""
        counted = {name: given[name].__index__() for name in ("M", "K", "b_batch") if name in given}
        return cls(**{f.name: given[f.name] for f in fields(cls) if f.name in given} | counted)

    @property
    def loud(self) -> tuple[bool, bool]:
        """Whether the samples of local steps matter."""
        return bool((self.px, self.pz) != (0, 0)), bool((self.sx, self.sz) != (0, 0))

    @property
    def first(self) -> tuple[bool, bool]:
        """Whether those of the momentum phase do."""
        return self.p0 != 0, self.s0 != 0

    @property
    def all(self) -> Number:
        """``P`` and ``S`` are this times the means over the clients."""
        return 1 if self.mean == "mean" else self.M

    def at(self, x: Number, z: Number) -> dict[str, Number]:
        """A point, and the maps and noises there, as :class:`Moment` calls them."""
        fixed = self.T * x
        means = (self.A * x + self.B * z + self.C, self.A * x + self.B * fixed + self.C, self.D * (z - fixed))
        own = (self.A_m * x + self.B_m * z, self.A_m * x + self.B_m * fixed, self.D_m * (z - fixed))
        p, s = (self.p0, self.px, self.pz), (self.s0, self.sx, self.sz)
        noises = (
            largest(least(level + by_x * (x - self.x) + by_z * (w - self.z), WIDTH), -WIDTH)
            for (level, by_x, by_z), w in ((p, z), (p, fixed), (s, z))
        )
        found = (x, z, *(self.all * mean for mean in means), *map(sum, zip(means, own, strict=True)), *noises)
        return dict(zip([field.name for field in fields(Moment)], found, strict=False))

    def way2(self, at: Moment) -> Number:
        """The square of how far a local step leads."""
        return (self.alpha_x * at.h) ** 2 + (self.beta_n * at.q) ** 2

    def steps(self) -> list[list[Moment]]:
        """All outcomes of each of the local steps ``1, ..., K``, each as likely as the others."""
        at = self.at(self.x, self.z)
        h, q = at["P"] / self.all, at["S"] / self.all
        found = [
            [Moment(**at, h=h + self.p0 * xi, q=q + self.s0 * zeta) for xi, zeta in self._signs(self.M, self.first)]
        ]
        for _ in range(1, self.K):
            found.append([new for old in found[-1] for new in self.after(old)])
        return found

    def after(self, old: Moment) -> Iterator[Moment]:
        """The next local step, for all its samples."""
        at = self.at(old.x - self.alpha_x * old.h, old.z - self.beta_n * old.q)
        new = Moment(**at, h=old.h, q=old.q, before=old)
        h, q, h_e, q_e = (new.change(of) for of in ("P_m", "S_m", "P_e", "S_e"))
        for xi, zeta in self._signs(self.b_batch, self.loud):
            yield replace(new, h=old.h + h + xi * h_e, q=old.q + q + zeta * q_e, xi=xi, zeta=zeta)

    def _signs(self, count: int, loud: tuple[bool, bool]) -> Iterator[tuple[Number, ...]]:
        """The means of some signs for p and for s, for all of them; where they do not matter, 0."""
        each = [(sum(signs) + 0 * self.x) / count for signs in product((1, -1), repeat=count)]
        return product(*(each if matter else [0] for matter in loud))


def mean_of(of: Callable[[Moment], Number], *steps: Sequence[Moment]) -> Number:
    """The mean of a number over the outcomes of a step; summed over several."""
    return sum(sum(map(of, outcomes)) / len(outcomes) for outcomes in steps)


def assumed(c: Client, p: Mapping[str, Any]) -> dict[str, Any]:
    """What the assumptions of the paper are on an instance, with its constants; in squares those of norms."""
    signs = [-1, 1] if c.M == 2 else [1]
    A, B, D = ([of + i * own for i in signs] for of, own in ((c.A, c.A_m), (c.B, c.B_m), (c.D, c.D_m)))
    slopes, leans, by_x = [a + b * c.T for a, b in zip(A, B, strict=True)], [d * c.T for d in D], c.px + c.pz * c.T

    def within(bound: str, values: Iterable[Number]) -> bool:
        return all(abs(value) <= p[bound] for value in values)

    def squares(bound: str, values: Iterable[Number]) -> bool:
        return all(value <= p[bound] ** 2 for value in values)

    joint_p = squares("Lb_p", [a**2 + b**2 + c.px**2 + c.pz**2 for a, b in zip(A, B, strict=True)])
    joint_s = squares("Lb_s", [d**2 * (1 + c.T**2) + c.sx**2 + c.sz**2 for d in D])
    at_fixed_point = squares("Lb_p", [slope**2 + by_x**2 for slope in slopes])
    # the differences to P and S, which are sums or means
    of_p = squares("tau_0", [(a - c.all * c.A) ** 2 + (b - c.all * c.B) ** 2 for a, b in zip(A, B, strict=True)])
    of_s = squares("tau_n", [(d - c.all * c.D) ** 2 * (1 + c.T**2) for d in D])
    composite = within("tau_0", [slope - c.all * (c.A + c.B * c.T) for slope in slopes])
    # of two samples that are as likely the mean is the larger of slope and noise
    mean = within("Lb_p", [*slopes, by_x]) and within("Lb_s", [*leans, c.sx])
    in_z, target = within("L_Z", B), within("L_zn", [c.T])
    known = {
        "S^m(x, .) is linear with a slope that is not 0, and z^*(x) = T x": {
            **{"A1": all(d > 0 for d in D), "A2": target, "Z^*": target}
        },
        "the maps are linear, and these are bounds on their slopes": {
            "A3": within("L_p", slopes) and within("L_Z", A) and within("L_s", leans),
            **{"A3 in Z": in_z and within("L_s", D), "L_{h,z}": in_z},
            **{"A3 for S^n": within("L_s", [c.all * c.D]), "P in Z": within("L_Z", [c.all * c.B])},
        },
        "the maps and their noise are linear where it is not cut, and these are bounds on their slopes": {
            **{"A4": mean, "A4 in squares": at_fixed_point and joint_p and joint_s, "A4 at Z^*": at_fixed_point},
            **{"A4 in (x, Z)": joint_p, "A4 in (z^{n-1}, z^n)": joint_s},
        },
        f"the noise is cut at +-{WIDTH}": {"B": p["sigma"] >= WIDTH},
        "these are bounds on how far the slopes of the clients are from those of P and S": {
            **{"C": of_p and of_s, "C for P": of_p, "C for S^n": of_s},
            **{"C of P^m(x)": composite, "C for P(x)": composite},
        },
        "there is one client" if c.M == 1 else f"P and S are the {c.mean} over the clients": {
            **{"sum": c.M == 1 or c.mean == "sum", "mean": c.M == 1 or c.mean == "mean"}
        },
        "all steps and samples are those of Algorithm 1": {"b samples": True, "fresh sample": True, "fedmsa": True},
    }
    gap2 = (c.z - c.T * c.x) ** 2
    return {
        **{key: Fact(bool(holds), why) for why, keys in known.items() for key, holds in keys.items()},
        **{name: p[name] for name in CONSTANTS},
        **{"gap2": gap2, "pull": max(D) * gap2},
    }

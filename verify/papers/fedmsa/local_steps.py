"""The local steps of a client: two numbers x and z, linear maps, and noises of two values, all outcomes listed.

``P^m(x, z) = A_m x + B_m z + C``, ``S^m(x, z) = D_m (z - T x)``, so that ``z^*(x) = T x`` for every client. A sample of
a map has ``+-`` a linear function of the way from the start beside its mean, which is cut at ``+-WIDTH``. The round
starts with the momentum phase at ``rho = 1``; client 1 is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
    """Where a client is in a local step, and its estimates there; ``k = 1`` is the start.

    Attributes:
        x, z: the iterates.
        h, q: the estimates of ``P`` and ``S``.
        xi, zeta: the signs of the samples of the step; at the start those of all clients, of the momentum phase.
    """

    x: Number
    z: Number
    h: Number
    q: Number
    xi: tuple[int, ...]
    zeta: tuple[int, ...]


@dataclass(frozen=True)
class Client:
    """Client 1 among M, and the steps.

    Attributes:
        M, K, b: the clients, the local steps, the samples of a local step.
        mean: whether ``P`` and ``S`` are means over the clients, not sums.
        A, B, C, D, T: the mean maps over the clients.
        A_m, B_m, D_m: what client 1 has beside these; client 2 has the opposite.
        p0, px, pz, s0, sx, sz: the noises of ``p`` and ``s``.
        alpha, beta, x, z: the steps, and where the round starts.
    """

    M: int
    K: int
    b: int
    mean: bool
    A: Number
    B: Number
    C: Number
    D: Number
    T: Number
    A_m: Number
    B_m: Number
    D_m: Number
    p0: Number
    px: Number
    pz: Number
    s0: Number
    sx: Number
    sz: Number
    alpha: Number
    beta: Number
    x: Number
    z: Number

    def __post_init__(self) -> None:
        if self.M not in (1, 2) or (self.M == 1 and (self.A_m, self.B_m, self.D_m) != (0, 0, 0)):
            raise ValueError("there are one or two clients, and one has nothing beside the mean")
        refuse(2 ** (sum(self.loud) * self.b * (self.K - 1) + self.M * sum(self.first)), 2**12)

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
        return 1 if self.mean else self.M

    def P(self, x: Number, z: Number) -> Number:
        """The map ``P``."""
        return self.all * (self.A * x + self.B * z + self.C)

    def S(self, x: Number, z: Number) -> Number:
        """The map ``S``."""
        return self.all * self.D * (z - self.T * x)

    def P_m(self, x: Number, z: Number) -> Number:
        """That of the client."""
        return (self.A + self.A_m) * x + (self.B + self.B_m) * z + self.C

    def S_m(self, x: Number, z: Number) -> Number:
        """That of the client."""
        return (self.D + self.D_m) * (z - self.T * x)

    def noise_p(self, x: Number, z: Number) -> Number:
        """What a sample of ``P^m`` has beside it, with the sign of the sample."""
        return _cut(self.p0 + self.px * (x - self.x) + self.pz * (z - self.z))

    def noise_s(self, x: Number, z: Number) -> Number:
        """What a sample of ``S^m`` has beside it."""
        return _cut(self.s0 + self.sx * (x - self.x) + self.sz * (z - self.z))

    def starts(self) -> Iterator[Moment]:
        """Where the round starts, for all samples of the momentum phase."""
        for xi in _signs(self.M, self.first[0]):
            for zeta in _signs(self.M, self.first[1]):
                h = self.P(self.x, self.z) / self.all + self.p0 * sum(xi) / self.M
                q = self.S(self.x, self.z) / self.all + self.s0 * sum(zeta) / self.M
                yield Moment(self.x, self.z, h, q, xi, zeta)

    def moved(self, at: Moment) -> tuple[Number, Number]:
        """Where a local step leads."""
        return at.x - self.alpha * at.h, at.z - self.beta * at.q

    def way(self, at: Moment) -> tuple[Number, Number]:
        """How far a local step leads."""
        return self.alpha * at.h, self.beta * at.q

    def parts(self, path: Sequence[Moment], i: int) -> dict[str, Number]:
        """What (32) and (36) make of the errors after ``path[i]``, i > 0; in ``path[0]`` nothing has changed."""
        old, new = path[i - 1], path[i]
        xi, zeta = ((sum(signs) + 0 * self.x) / self.b for signs in (new.xi, new.zeta))
        Zo, Zn = self.T * old.x, self.T * new.x
        mean_a = self.P_m(new.x, new.z) - self.P_m(new.x, Zn) - self.P_m(old.x, old.z) + self.P_m(old.x, Zo)
        by_a = (
            self.noise_p(new.x, new.z) - self.noise_p(new.x, Zn) - self.noise_p(old.x, old.z) + self.noise_p(old.x, Zo)
        )
        return {
            "a": mean_a + xi * by_a,
            "b": xi * (self.noise_p(new.x, Zn) - self.noise_p(old.x, Zo)),
            "c": self.P_m(new.x, Zn) - self.P(new.x, Zn) - self.P_m(old.x, Zo) + self.P(old.x, Zo),
            "bq": zeta * (self.noise_s(new.x, new.z) - self.noise_s(old.x, old.z)),
            "cq": self.S_m(new.x, new.z) - self.S(new.x, new.z) - self.S_m(old.x, old.z) + self.S(old.x, old.z),
        }

    def after(self, at: Moment) -> Iterator[Moment]:
        """The next local step, for all its samples."""
        x, z = self.moved(at)
        h = at.h + self.P_m(x, z) - self.P_m(at.x, at.z)
        q = at.q + self.S_m(x, z) - self.S_m(at.x, at.z)
        by_p = self.noise_p(x, z) - self.noise_p(at.x, at.z)
        by_s = self.noise_s(x, z) - self.noise_s(at.x, at.z)
        for xi in _signs(self.b, self.loud[0]):
            for zeta in _signs(self.b, self.loud[1]):
                yield Moment(x, z, h + by_p * sum(xi) / self.b, q + by_s * sum(zeta) / self.b, xi, zeta)

    def paths(self, steps: int) -> list[list[Moment]]:
        """All outcomes of the local steps ``1, ..., steps``, each as likely as the others."""
        found = [[start] for start in self.starts()]
        for _ in range(1, steps):
            found = [[*path, last] for path in found for last in self.after(path[-1])]
        return found


def _cut(value: Number) -> Number:
    return largest(least(value, WIDTH), -WIDTH)


def _signs(count: int, loud: bool) -> list[tuple[int, ...]]:
    """All signs of some samples; where they do not matter, none."""
    return [*product((1, -1), repeat=count)] if loud else [()]


def assumed(c: Client, p: Mapping[str, Any]) -> dict[str, Any]:
    """What the assumptions of the paper are on an instance, with its constants."""
    clients = [-1, 1] if c.M == 2 else [1]
    A, B, D = ([of + i * own for i in clients] for of, own in ((c.A, c.A_m), (c.B, c.B_m), (c.D, c.D_m)))
    composite = [a + b * c.T for a, b in zip(A, B, strict=True)]
    by_x = c.px + c.pz * c.T
    # the differences to P and S, which are sums or means
    apart_p = [(a - c.all * c.A) ** 2 + (b - c.all * c.B) ** 2 for a, b in zip(A, B, strict=True)]
    apart_composite = [abs(g - c.all * (c.A + c.B * c.T)) for g in composite]
    apart_s = [(d - c.all * c.D) ** 2 * (1 + c.T**2) for d in D]
    mean = all(
        max(abs(g), abs(n)) <= bound
        for values, n, bound in (
            (composite, by_x, p["Lb_p"]),
            ([d * c.T for d in D], c.sx, p["Lb_s"]),
        )
        for g in values
    )
    squares = all(
        g**2 + n**2 <= bound**2
        for values, n, bound in (
            (composite, by_x, p["Lb_p"]),
            (D, c.sz, p["Lb_s"]),
            ([d * c.T for d in D], c.sx, p["Lb_s"]),
        )
        for g in values
    )
    joint_p = all(
        a**2 + b**2 + c.px**2 + c.pz**2 <= p["Lb_p"] ** 2 for a, b in zip(A, B, strict=True)
    )  # the trace, which bounds the norm of the mean square
    joint_s = all(d**2 * (1 + c.T**2) + c.sx**2 + c.sz**2 <= p["Lb_s"] ** 2 for d in D)
    at_fixed_point = all(g**2 + by_x**2 <= p["Lb_p"] ** 2 for g in composite)
    gap = c.z - c.T * c.x
    spread = "the derivatives are known numbers"
    return {
        "A1": Fact(all(d > 0 for d in D), "S^m(x, .) is D_m times z - T x"),
        "A2": Fact(abs(c.T) <= p["L_zn"], "z^*(x) = T x"),
        "A3": Fact(
            all(abs(g) <= p["L_p"] for g in composite) and all(abs(a) <= p["L_Z"] for a in A)
            and all(abs(d * c.T) <= p["L_s"] for d in D), spread
        ),
        "A3 in Z": Fact(all(abs(b) <= p["L_Z"] for b in B) and all(abs(d) <= p["L_s"] for d in D), spread),
        "A4": Fact(mean, "two samples are as likely, so that the mean is the larger of slope and noise"),
        "A4 in squares": Fact(squares and joint_p and joint_s, "the square is that of the slope and of the noise"),
        "A4 in (x, Z)": Fact(joint_p, "the trace of the mean square bounds its norm"),
        "A4 in (z^{n-1}, z^n)": Fact(joint_s, "the trace of the mean square bounds its norm"),
        "B": Fact(p["sigma"] >= WIDTH, "the noise is cut at 1000"),
        "C": Fact(all(a <= p["tau_0"]**2 for a in apart_p) and all(a <= p["tau_n"]**2 for a in apart_s), spread),
        **dict.fromkeys(
            ("C of P^m(x)", "C for P(x)"), Fact(all(a <= p["tau_0"] for a in apart_composite), spread)
        ),
        "A4 at Z^*": Fact(at_fixed_point, "the square is that of the slope and of the noise"),
        "C for P": Fact(all(a <= p["tau_0"] ** 2 for a in apart_p), spread),
        "C for S^n": Fact(all(a <= p["tau_n"] ** 2 for a in apart_s), spread),
        "A3 for S^n": Fact(abs(c.all * c.D) <= p["L_s"], spread),
        "P in Z": Fact(abs(c.all * c.B) <= p["L_Z"], spread),
        "Z^*": Fact(abs(c.T) <= p["L_zn"], "z^*(x) = T x"),
        "L_{h,z}": Fact(all(abs(b) <= p["L_Z"] for b in B), "L_{h,z} = L_z(1) = L_z"),
        "b samples": Fact(True, "each has a sign of its own"),
        "fresh sample": Fact(True, "both signs are as likely"),
        "fedmsa": Fact(True, "a round of Algorithm 1 is run, with rho = 1"),
        "sum": Fact(c.M == 1 or not c.mean, "the sum, which for one client is the mean"),
        "mean": Fact(c.M == 1 or c.mean, "the mean, which for one client is the sum"),
        **{name: p[name] for name in CONSTANTS},
        **{"gap2": gap**2, "pull": D[-1] * gap**2},
    }  # fmt: skip


def mean_of(values: Sequence[Number]) -> Number:
    """The mean of numbers that are equally likely."""
    return sum(values) / len(values)

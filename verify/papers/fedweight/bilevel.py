"""Small bilevel problems on the line in which all is exact: weighted nodes, theta^(w) and the gradient of F^."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rateproof.algos.problems.base import Fact
from rateproof.verify.form.arithmetic import Number, largest, least
from rateproof.verify.form.outcomes import COORDINATE, Axis, Grid, InOutcomes, Outcomes

NODE: Axis = ("node",)


@dataclass(frozen=True)
class Node:
    """``1/2 - c t`` plus a loss of the curvature ``a + m min(|t|, flat)``, whose Lipschitz constant is m."""

    a: Number
    m: Number
    c: Number
    flat: Number = 1

    def kinked(self, t: Any) -> Any:
        """The point of ``[-flat, flat]`` next to t."""
        return (abs(t + self.flat) - abs(t - self.flat)) / 2

    def value(self, t: Any) -> Any:
        """The loss at a point."""
        k = self.kinked(t)
        far = abs(t - k)
        bent = abs(k) ** 3 / 6 + k**2 * far / 2 + self.flat * far**2 / 2
        return self.a * t**2 / 2 + self.m * bent - self.c * t + (1 + 0 * self.a) / 2

    def slope(self, t: Any) -> Any:
        """Its derivative."""
        k = self.kinked(t)
        return self.a * t + self.m * (k * abs(k) / 2 + self.flat * (t - k)) - self.c

    def bend(self, t: Any) -> Any:
        """Its second derivative."""
        return self.a + self.m * abs(self.kinked(t))


@dataclass(frozen=True)
class Bilevel:
    """Nodes with one sample each, and the center, on ``Theta = [-D, D]``."""

    nodes: Sequence[Node]
    center: Node
    D: Number

    def mean(self, w: Sequence[Number], of: Callable[[Node], Any]) -> Any:
        """The weighted sum of what the nodes have."""
        return sum(x * of(node) for x, node in zip(w, self.nodes, strict=True))

    def solution(self, w: Sequence[Number]) -> Number:
        """theta^(w) of parabolas."""
        free = self.mean(w, lambda node: node.c) / self.mean(w, lambda node: node.a)
        return largest(least(free, self.D), -self.D)

    def h(self, w: Sequence[Number], t: Number) -> Number:
        """The vector of (13) at ``t = theta^(w)``."""
        return self.center.slope(t) / self.mean(w, lambda node: node.bend(t))

    def hypergradient(self, w: Sequence[Number], t: Number) -> list[Number]:
        """(13) at ``t = theta^(w)``."""
        return [-node.slope(t) * self.h(w, t) for node in self.nodes]

    def steepest(self, nodes: Sequence[Node]) -> Number:
        """The largest slope of nodes; losses are convex, so that it is that of an end of Theta."""
        return largest(*(abs(node.slope(t)) for node in nodes for t in (-self.D, self.D)))

    def assumed(self) -> dict[str, Any]:
        """The constants of A1, and why it holds."""
        everyone = [*self.nodes, self.center]
        D, l0 = self.D, self.steepest(self.nodes)
        half = (1 + 0 * D) / 2
        most = largest(*(node.value(t) - half for node in everyone for t in (-D, D)))  # convex losses, 1/2 at 0
        return {
            "l_0": l0,
            "l_1": largest(*(abs(node.bend(D)) for node in everyone)),
            "l_2": largest(*(node.m for node in everyone)),
            "mu_l": least(*(node.a for node in self.nodes)),
            "A1.1 range": Fact(most <= half, f"losses lie in 1/2 +- {most} on Theta"),
            "A1.1 smooth": Fact(True, "l_1 is the largest curvature"),
            "A1.2": Fact(True, "l_0 and l_2 are the largest slope and bend of curvature of the nodes"),
            "A1.3": Fact(True, "mu is the least curvature of the nodes"),
            **{
                f"A1.{k} {where}": Fact(True, "it holds of all nodes")
                for k in (1, 2, 3)
                for where in ("of sums", "at theta^s")
            },
            **dict.fromkeys(
                ("A1.2 at node 0", "A1.2 of the center"),
                Fact(self.steepest([self.center]) <= l0, f"the center is {self.steepest([self.center])}-Lipschitz"),
            ),
        }


def at_nodes(
    K: Sequence[float],
    fixed: Mapping[str, float],
    nodes: Mapping[str, Sequence[float]],
    at: Mapping[str, Callable[[Callable[[Sequence[float]], Grid], Grid], tuple[Grid, Grid | None]]],
) -> InOutcomes:
    """An instance at numbers, some of which each node has; functions see how numbers of the nodes are laid out.

    Args:
        K: the weights of the nodes in means over them.
        fixed: vectors that are one number.
        nodes: vectors of which each node has one.
        at: functions of a layout and a point.
    """
    flat = Outcomes({COORDINATE: [1.0], NODE: K}, {}, {}, lambda word, at: {NODE} if word == "node" else set())
    made = {name: flat.along(COORDINATE, [x]) for name, x in fixed.items()}
    made |= {name: flat.along(NODE, x) for name, x in nodes.items()}

    def bound(of: Callable[..., Any]) -> Callable[[Grid], Any]:
        return lambda t: of(lambda xs: flat.along(NODE, xs), t)

    functions = {name: bound(of) for name, of in at.items()}
    return lambda _: iter([Outcomes(flat.chances, made, functions, flat.knows)])

"""The search for a certificate: guess, improve, round, and let the exact check decide."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from math import ceil, log2
from typing import Any

from rateproof.verify.worstcase import barrier, conic
from rateproof.verify.worstcase.certificate import Certificate, Refusal, trimmed
from rateproof.verify.worstcase.curvature import Change, straightened
from rateproof.verify.worstcase.dual import Dual, Vector, dual
from rateproof.verify.worstcase.evaluations import evaluations
from rateproof.verify.worstcase.exact import rational
from rateproof.verify.worstcase.faces import sign_vectors
from rateproof.verify.worstcase.model import Condition, Form, Model, read
from rateproof.verify.worstcase.primal import recession
from rateproof.verify.worstcase.program import Program, program
from rateproof.verify.worstcase.rounding import kernel, orders, rationals
from rateproof.verify.worstcase.witness import Evaluations

Keep = str | Callable[[Condition], bool]

_FEW = 60  # so many conditions are used all at once
_FACES = 8  # how often the dual may be restricted to a face
_HOPELESS = 0.05  # missing the cone by so much is not for want of a face
_NOTHING = 1e-5  # what counts as zero where a multiplier or eigenvalue could be one
_FINER = 3  # programmes solved for one point near the optimum, with smaller and smaller margins
_NEAR = 1e-3  # the relative excess up to which a smaller margin is tried
_TRIES = 8  # points of the central path that are rounded, from the best one back
_ENDLESS = -1e12  # below this, in its unit, a bound shows that nothing satisfies the conditions
_UNBOUNDED = "no combination of the conditions was found that bounds the metric; no instance shows it to be unbounded"


def certify(
    problem: Any,
    *,
    solver: str = "CLARABEL",
    claimed: float | Fraction | None = None,
    keep: Keep | None = None,
    slack: float = 1e-6,
    functions: Sequence[Evaluations] = (),
) -> Certificate | Refusal:
    """A proved upper bound on the worst case of a PEPit problem or a model, or why there is none.

    Args:
        problem: a ``PEPit.PEP``, solved or not, or a :class:`~rateproof.verify.worstcase.model.Model`.
        solver: CLARABEL or SCS; it only suggests, and what it suggests is proved or refused.
        claimed: the bound that is hoped for, positive. The search measures in units of it, and ends once it is reached.
        keep: which conditions the proof may use: ``"all"``; ``"chain"`` for the interpolation conditions between
            consecutive evaluations of a function or with a minimiser; or a predicate. By default a large problem tries
            the chain first.
        slack: relative excess over the optimal value that is accepted.
        functions: where a model's functions are evaluated, for the scale of strongly convex ones; read from the
            problem where it is a PEP.

    Raises:
        ValueError: for a solver that is unknown or missing, a claimed bound that is not positive, and what
            :func:`~rateproof.verify.worstcase.model.read` does not take.
    """
    conic.require(solver)
    bound = None if claimed is None else rational(claimed)
    if bound is not None and bound <= 0:
        raise ValueError(f"claimed is {claimed}: give a positive bound, or none")
    if not 0 < slack < 1:
        raise ValueError(f"slack is {slack}: give a number between 0 and 1")
    model = problem if isinstance(problem, Model) else read(problem)
    change = straightened(model, functions if isinstance(problem, Model) else evaluations(problem, model))
    certificate = _chosen(model, change, keep, solver, bound, slack)
    if certificate and certificate.upper < 0:
        # Below any number where the conditions contradict each other: then they also prove 0 <= a negative number.
        nothing = _certified(
            replace(model, metrics=(Form(),)), change, range(len(model.conditions)), solver, None, slack
        )
        if nothing and nothing.upper < 0:
            return Refusal("no instance satisfies the conditions: a combination of them is a contradiction")
    if not certificate and certificate.reason.startswith(_UNBOUNDED) and recession(model) is not None:
        way = "an exact direction along which all conditions hold and it grows"
        if model.relaxed:
            return Refusal(f"no bound: there is {way}, but those of {', '.join(model.relaxed)} are necessary only")
        return Refusal(f"the worst case is unbounded: {way}")
    return certificate


def _chosen(
    model: Model, change: Change | None, keep: Keep | None, solver: str, claimed: Fraction | None, slack: float
) -> Certificate | Refusal:
    """A certificate on the conditions that the caller allows."""
    everything = tuple(range(len(model.conditions)))
    chain = tuple(i for i in everything if model.conditions[i].near)
    if callable(keep):
        return _certified(model, change, [i for i in everything if keep(model.conditions[i])], solver, claimed, slack)
    if keep not in (None, "all", "chain"):
        raise ValueError(f"keep is {keep!r}: give 'all', 'chain' or a predicate on conditions")
    if keep == "all" or (keep is None and (len(everything) <= _FEW or len(chain) == len(everything))):
        return _certified(model, change, everything, solver, claimed, slack)
    first = _certified(model, change, chain, solver, claimed, slack)
    if keep == "chain" or (first and claimed is not None and first.upper <= claimed * (1 + 2 * Fraction(slack))):
        return first
    second = _certified(model, change, everything, solver, claimed, slack)
    if first and second:
        return min(first, second, key=lambda c: c.upper)
    return first or second


def _certified(
    model: Model,
    change: Change | None,
    kept: Sequence[int],
    solver: str,
    claimed: Fraction | None,
    slack: float,
) -> Certificate | Refusal:
    """A certificate on the kept conditions, after restricting the dual to faces where it has no interior."""
    used = replace(model, conditions=tuple(model.conditions[i] for i in kept))
    used = used if change is None else change.applied(used)
    faces: list[tuple[list[Vector], Collection[int]]] = [([], ())]
    best: Certificate | None = None
    refusal: Refusal | None = None
    believed: float | None = None
    for _ in range(_FACES):
        if not faces:
            break
        directions, forced = faces.pop(0)
        reduced = dual(used, range(len(kept)), directions, forced)
        if reduced.solved(reduced.alive) is None:
            if refusal is None:
                refusal = Refusal(_UNBOUNDED)
            continue
        whole = not directions and not forced
        attempt = _Attempt(model, kept, reduced, solver, claimed, slack, whole=whole, measured=change is not None)
        certificate = attempt.certificate()
        if isinstance(certificate, Certificate):
            best = certificate if best is None else min(best, certificate, key=lambda c: c.upper)
            if whole or believed is None or best.upper <= believed + _NEAR * abs(believed):
                return best
        elif refusal is None or certificate.value is not None:
            refusal = certificate
        if whole:
            believed = attempt.believed()
        if attempt.stuck:
            if vectors := sign_vectors(reduced):
                faces = [([*directions, *vectors], forced), *faces]
                continue
            vectors, zeros = attempt.face()
            more = [*directions, *vectors]
            faces = [(more, {*forced, *zeros}), (directions, {*forced, *zeros}), *faces, (more, forced)]
    if best is not None:
        return best
    return refusal if refusal is not None else Refusal("the search gave up on the faces of the dual")


class _Attempt:
    """One dual, and what the search learns about it."""

    def __init__(
        self,
        model: Model,
        kept: Sequence[int],
        reduced: Dual,
        solver: str,
        claimed: Fraction | None,
        slack: float,
        *,
        whole: bool,
        measured: bool,
    ) -> None:
        self.model, self.kept, self.dual, self.solver = model, kept, reduced, solver
        self.claimed, self.slack, self.whole, self.measured = claimed, slack, whole, measured
        self.value: float | None = None
        self.stuck = False
        self.reason = f"the search found no multipliers to round, starting from solver {solver}"

    def certificate(self) -> Certificate | Refusal:
        """The first candidate that passes the exact check."""
        for scaled, point in self.candidates():
            bits = _bits(scaled, point)
            floats = scaled.scales * point
            for order, extra in product(orders(self.dual, floats, scaled.scales), (0, 12)):
                values = rationals(self.dual, floats, scaled.scales, bits + extra, order)
                if values is None:
                    continue
                certificate = _assembled(self.model, self.kept, self.dual, values, self.claimed)
                trouble = next(certificate.problems(), None)
                if trouble is None:
                    return certificate
                self.reason = f"no rational certificate within the accuracy of floats: {trouble}"
        return Refusal(self.reason, self.value)

    def scaled(self, unit: float | None = None) -> Program:
        """The dual in floats."""
        return program(self.dual, unit=unit, measured=self.measured)

    def candidates(self) -> Iterator[tuple[Program, Any]]:
        """Points inside the dual, the best first: a solver's, and those on the central path that starts there.

        Where the equations have one solution only, that is the first, wherever it lies.
        """
        import numpy as np

        scaled = self.scaled(unit=float(self.claimed) if self.claimed else None)
        if np.linalg.matrix_rank(scaled.matrix) == len(scaled.costs):
            yield scaled, np.linalg.lstsq(scaled.matrix, scaled.right)[0]
            return
        margin = max(self.slack / 10, 100 * conic.ACCURACY[self.solver])
        near: list[tuple[Program, Any]] = []
        for _ in range(_FINER):
            guess = conic.cheapest(scaled, self.solver, margin=margin)
            if not barrier.inside(scaled, guess.multipliers):
                break
            value = float(scaled.costs @ guess.multipliers)
            if guess.excess > _NEAR * abs(value):
                yield from self.along(scaled, guess.multipliers)
                break
            self.value = value * scaled.unit
            near.insert(0, (scaled, guess.multipliers))
            if guess.excess <= self.slack * abs(value):
                break
            margin *= self.slack * abs(value) / (2 * guess.excess)
        for point in near:
            yield point
            yield from self.along(*point)
        scaled = self.scaled()
        guess = conic.interior(scaled, self.solver)
        # A margin of the size of the solver's error may be none: then no path starts there.
        if (
            guess.margin > _NOTHING
            and barrier.inside(scaled, guess.multipliers)
            and (yield from self.along(scaled, guess.multipliers))
        ):
            return
        self.stuck = guess.margin > -_HOPELESS
        said = f"margin {guess.margin:.1g}, solver {self.solver}: {guess.status}"
        if guess.margin < -_NOTHING and self.whole:
            # In floats, so that a badly scaled problem may look like this too.
            self.reason = f"{_UNBOUNDED} ({said})"
        else:
            self.reason = f"the multipliers have no room to be rounded ({said})"

    def along(self, scaled: Program, start: Any) -> Generator[tuple[Program, Any], None, bool]:
        """The last points of the central path; whether there is one."""
        path = list(barrier.follow(scaled, start, slack=self.slack / 2))
        if path and path[-1].value < _ENDLESS:
            self.reason = "no instance satisfies the conditions: combinations of them bound the metric below any number"
            return True
        if path:
            self.value = path[-1].value * scaled.unit
        for central in islice(reversed(path), _TRIES):
            yield scaled, central.multipliers
        return bool(path)

    def believed(self) -> float | None:
        """The least bound that the solver finds, without any margin; None where it finds none."""
        scaled = self.scaled()
        guess = conic.cheapest(scaled, self.solver, margin=0.0)
        return float(scaled.costs @ guess.multipliers) * scaled.unit if guess.status in conic.SOLVED else None

    def face(self) -> tuple[list[Vector], set[int]]:
        """Directions that the gap annihilates and multipliers that vanish all over the dual, as far as floats tell."""
        import numpy as np

        scaled = self.scaled()
        point = conic.widest(scaled, self.solver).multipliers
        if not np.isfinite(point).all():
            return [], set()
        zeros = {v for v, x in zip(self.dual.alive, point, strict=True) if self.dual.signed[v] and x < _NOTHING}
        matrix = np.tensordot(scaled.scales * point, self.dual.gap, 1)
        directions = kernel(self.dual.annihilates, matrix, self.dual.coordinates, small=_NOTHING) if len(matrix) else []
        return directions, zeros


def _bits(scaled: Program, point: Any) -> int:
    """How fine to round a point so that it stays inside."""
    import numpy as np

    margins = [point[scaled.signed].min(initial=1.0)]
    margins += [np.linalg.eigvalsh(np.tensordot(point, block, 1))[0] for block in scaled.blocks]
    return ceil(log2(8 * len(point) / max(min(margins), 1e-18)))


def _assembled(
    model: Model, kept: Sequence[int], reduced: Dual, values: Sequence[Fraction], claimed: Fraction | None
) -> Certificate:
    count = len(model.metrics)
    multipliers = [Fraction(0)] * len(model.conditions)
    for i, x in zip(kept, values[count:], strict=False):
        multipliers[i] = x
    matrices = []
    for variables, condition in zip(reduced.squares, model.semidefinite, strict=True):
        size = len(condition.entries)
        matrix = [[Fraction(0)] * size for _ in range(size)]
        entries = iter(variables)
        for i in range(size):
            for j in range(i, size):
                matrix[i][j] = matrix[j][i] = values[next(entries)]
        matrices.append(matrix)
    upper = sum((x * form.constant for x, form in zip(values, reduced.forms, strict=True)), Fraction(0))
    return trimmed(upper, model, values[:count], multipliers, matrices, claimed)

"""The exponent calculus on the complexity claims of StR-FedAvg: CPU time per claim, at first sight and repeated.

The claims are measured in one process after one neutral expansion, so that what they share is paid for by the first.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import process_time

import sympy as sp

from benchmarks.timing import show
from rateproof.theory import catalog
from rateproof.theory.asymptotics import complexity, entry, worst
from rateproof.theory.claim import Claim, Kind, conjuncts
from rateproof.theory.symbols import C_O, R, a, eta
from rateproof.verify.papers.strfedavg.rates import ROWS, explicit_bound, exponents_agree


def row_by_region(claim: Claim) -> None:
    """Every entry of a row of Table 1 against its explicit bounds, over all admitted exponents, at eta = 1."""
    schedule, sources = ROWS[claim.item]
    stated = {relation.lhs: relation.rhs for relation in conjuncts(claim.statement)}
    rules = claim.schedule
    for rounds, source in sources.items():
        inversions = complexity(explicit_bound(f"strfedavg.{source}", rounds, schedule), R)
        entry(
            stated[rounds] / C_O,
            inversions,
            parameters=rules.parameters if rules else (),
            where={eta: sp.S.One, **(rules.defaults if rules else {})},
        )


def works() -> dict[str, Callable[[], object]]:
    """One per claim: an O(.) claim is compared with the bound that it abbreviates, a row of Table 1 by regions."""
    out: dict[str, Callable[[], object]] = {}
    for claim in catalog.claims("strfedavg").values():
        if claim.kind is Kind.COMPLEXITY and claim.explicit is not None:
            out[claim.id] = lambda claim=claim: exponents_agree(claim)  # type: ignore[misc]
        elif claim.item in ROWS:
            out[claim.id] = lambda claim=claim: row_by_region(claim)  # type: ignore[misc]
    return out


def cpu_seconds(work: Callable[[], object]) -> float:
    """Processor time of one call: the machine may be shared."""
    start = process_time()
    work()
    return process_time() - start


def main(repetitions: int = 5) -> None:
    """Measure and print."""
    worst(complexity(R**-a + R ** (a - 1), R), parameters=(a < 1,))
    rows = []
    totals: list[tuple[float, float]] = []
    for name, work in works().items():
        cold = cpu_seconds(work)
        warm = median(cpu_seconds(work) for _ in range(repetitions))
        totals.append((cold, warm))
        rows.append([name, f"{1e3 * cold:.0f}", f"{1e3 * warm:.0f}"])
    for what, choose in (("largest", max), ("median", median)):
        cold, warm = (choose(times) for times in zip(*totals, strict=True))
        rows.append([f"{what} of {len(totals)} claims", f"{1e3 * cold:.0f}", f"{1e3 * warm:.0f}"])
    show("Exponents of complexity claims", ["claim", "first, ms", "repeated, ms"], rows)


if __name__ == "__main__":
    main()

"""Every call of PEPit's own test suite to its examples: certified or not and why, how tight, and PEPit's value beside.

``pepit_examples.txt`` lists the calls of PEPit's ``tests/test_examples.py`` (PEPit 0.5.1, MIT licence), one per line:
the module below ``PEPit.examples`` and the arguments. Each runs in a process of its own under a time limit.

    python -m benchmarks.pepit_examples --sample 10
    python -m benchmarks.pepit_examples --only halpern --out rows.jsonl
    python -m benchmarks.pepit_examples --report rows.jsonl
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from importlib import import_module
from math import inf, sqrt
from pathlib import Path
from time import process_time
from typing import Any

CALLS = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
LIMIT = 60  # seconds of wall clock for one call, certificate, PEPit's solve and instance together
USEFUL = 1.01  # an upper bound is useful within this factor of the worst case
ZERO = 1e-6  # a worst case of zero: what a bound may be above it
MISSED = 1e-6  # relative: PEPit's value is that far below an instance


def arguments(call: str, *, exactly: bool) -> dict[str, Any]:
    """The arguments of a call: as PEPit's tests give them, or with every fraction ``exact``."""
    from fractions import Fraction

    from rateproof.verify.worstcase import exact

    def value(text: str) -> Any:
        try:
            number = Fraction(text)
        except ValueError:
            return eval(text, {"sqrt": sqrt, "inf": inf})
        return int(text) if "." not in text and "/" not in text else exact(number) if exactly else float(number)

    return {name: value(text) for name, _, text in (word.partition("=") for word in call.split()[1:])}


def one(call: str, *, exactly: bool, rationalise: bool, instance: bool) -> None:
    """Run a call and write a line of JSON after each stage: certificate, PEPit's own value, instance."""
    from PEPit import PEP

    from rateproof.verify.worstcase import Certificate, WorstFunction, certify, read, simple_fractions, worst_function

    def stage(**row: Any) -> None:
        print(json.dumps(row), flush=True)

    def instead(problem: Any, **options: Any) -> float:
        start = process_time()
        model = read(problem)
        found = certify(model)
        if isinstance(found, Certificate):
            stage(upper=float(found.upper), checked=found.check(model), seconds=process_time() - start)
        else:
            stage(refused=found.reason, believed=found.value, seconds=process_time() - start)
        start = process_time()
        own = float(original(problem, **options))
        stage(pepit=own, pepit_seconds=process_time() - start)
        if instance:
            start = process_time()
            worst = worst_function(model)
            seconds = process_time() - start
            if isinstance(worst, WorstFunction) and worst.check(model):
                false = isinstance(found, Certificate) and found.upper < worst.lower
                stage(lower=float(worst.lower), false=false, instance_seconds=seconds)
            else:
                stage(no_instance=getattr(worst, "reason", "it fails the exact check"), instance_seconds=seconds)
        return own

    original, PEP.solve = PEP.solve, instead  # type: ignore[method-assign]
    module = import_module(f"PEPit.examples.{call.split()[0]}")
    (example,) = (f for name, f in vars(module).items() if name.startswith("wc_"))
    with simple_fractions() if rationalise else nullcontext():
        _, theory = example(**arguments(call, exactly=exactly), verbose=0)
    stage(theory=None if theory is None else float(theory))


def row(call: str, options: Sequence[str], limit: float) -> dict[str, Any]:
    """What a process of its own says of a call, whatever happens to it."""
    command = [sys.executable, "-m", "benchmarks.pepit_examples", "--one", call, *options]
    found: dict[str, Any] = {"call": call}
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit, text=True)
        lines, fault = done.stdout, done.stderr.strip().splitlines()[-1:] if done.returncode else []
    except subprocess.TimeoutExpired as late:
        lines, fault = (late.stdout or b"").decode(), [f"more than {limit:g} s"]
    for line in lines.splitlines():
        if line.startswith("{"):
            found |= json.loads(line)
    if fault:
        found["fault"] = fault[0]
        if "upper" not in found and "refused" not in found:
            found["refused"] = f"{fault[0]}"
    return found


def truth(found: Mapping[str, Any]) -> float | None:
    """The largest value known from below: of the exact instance, else what PEPit's solver says."""
    value = found.get("lower", found.get("pepit"))
    return None if value is None else float(value)


def useful(found: Mapping[str, Any]) -> bool:
    """Whether a certificate is near the worst case."""
    best = truth(found)
    return (
        "upper" in found
        and not found.get("false")
        and best is not None
        and found["upper"] <= max(best * USEFUL, best / USEFUL, best + ZERO)
    )


def shown(found: Mapping[str, Any]) -> str:
    """One line about a call."""
    numbers = [
        f"{name} {found[name]:.9g}" for name in ("upper", "lower", "pepit", "theory") if found.get(name) is not None
    ]
    times = [f"{found[name]:.1f} s" for name in ("seconds", "pepit_seconds", "instance_seconds") if name in found]
    state = "FALSE" if found.get("false") else "useful" if useful(found) else "loose" if "upper" in found else "refused"
    reasons = [found[name] for name in ("refused", "no_instance", "fault") if name in found]
    return f"{state:8}{found['call']}: {', '.join(numbers)} ({', '.join(times)}) {'; '.join(reasons)}"


def report(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The counts."""
    certified = [r for r in rows if "upper" in r]
    refused = Counter(r["refused"].partition("(")[0].strip() for r in rows if "refused" in r)
    pairs = [(r["pepit"], r["lower"]) for r in rows if "pepit" in r and "lower" in r]
    near = sum(map(useful, rows))
    yield f"{len(rows)} calls, {len(certified)} certified, {near} useful (within {USEFUL:g} of the truth)"
    yield f"false certificates: {sum(bool(r.get('false')) or not r.get('checked', True) for r in rows)}"
    yield f"instances: {sum('lower' in r for r in rows)}"
    for reason, count in refused.most_common():
        yield f"  refused {count}: {reason}"
    for r in certified:
        if not useful(r):
            yield f"  loose: {r['call']}: {r['upper']:.6g}, truth {truth(r)}"
    both = [r for r in rows if "seconds" in r and "pepit_seconds" in r]
    ours, theirs = (sum(r[name] for r in both) for name in ("seconds", "pepit_seconds"))
    yield f"CPU of {len(both)} calls: certificates {ours:.0f} s, PEPit's own solve {theirs:.0f} s"
    below = [(low - own) / max(abs(low), 1e-9) for own, low in pairs if own < low]
    many = sum(gap > MISSED for gap in below)
    yield (
        f"PEPit's own value lies below an exact instance in {len(below)} of {len(pairs)}, by more than {MISSED:g} in "
        f"{many}, at most by {max(below, default=0):.2g}"
    )


def _chosen(only: Iterable[str], sample: int | None) -> list[str]:
    calls = [c for c in CALLS if not only or any(text in c for text in only)]
    return calls if sample is None else sorted(random.Random(0).sample(calls, min(sample, len(calls))), key=calls.index)


def main(given: Sequence[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="calls that contain it; repeatable")
    parser.add_argument("--sample", type=int, metavar="N", help="so many of them, always the same")
    parser.add_argument("--limit", type=float, default=LIMIT, metavar="SECONDS", help="for one call")
    parser.add_argument("--exact", action="store_true", help="exact numbers for the fractions among the arguments")
    parser.add_argument("--rationalise", action="store_true", help="floats near a simple fraction are that fraction")
    parser.add_argument("--no-instance", action="store_true", help="leave the worst functions out")
    parser.add_argument("--out", type=Path, metavar="FILE", help="append a line of JSON for each call")
    parser.add_argument("--report", type=Path, metavar="FILE", help="the table of such a file, nothing is run")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    asked = parser.parse_args(given)
    if asked.one is not None:
        one(asked.one, exactly=asked.exact, rationalise=asked.rationalise, instance=not asked.no_instance)
        return
    if asked.report is not None:
        latest = {r["call"]: r for r in map(json.loads, asked.report.read_text().splitlines())}
        rows = list(latest.values())
    else:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        flags = [
            f"--{name}" for name in ("exact", "rationalise", "no-instance") if getattr(asked, name.replace("-", "_"))
        ]
        calls, rows = _chosen(asked.only, asked.sample), []
        for number, call in enumerate(calls, 1):
            rows.append(row(call, flags, asked.limit))
            print(f"{number}/{len(calls)} {shown(rows[-1])}", flush=True)
            if asked.out is not None:
                with asked.out.open("a") as file:
                    file.write(json.dumps(rows[-1]) + "\n")
    print("\n".join(report(rows)))


if __name__ == "__main__":
    main()

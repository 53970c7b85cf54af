"""Run benchmarks: ``python -m benchmarks [NAME ...] [--json FILE]``, all of them when none is named.

With ``--json`` the tables are kept in a file, which ``rateproof report --benchmarks FILE`` shows.
"""

import argparse
import json
import os
import platform
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path

from benchmarks import timing
from rateproof.verify.pages.installation import provenance

ALL = [
    "rounds",
    "bilevel",
    "sequences",
    "zeroth",
    "weighted_nodes",
    "cournot",
    "table4",
    "exact",
    "exponents",
    "rates",
    "sums",
    "gram",
    "worstcase",
    "startup",
]


def main() -> None:
    """Run those that are named, and keep what they print where that is asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(ALL)}; all unless some are named")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the tables in a file")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(ALL):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(ALL)}")
    tables = []
    for name in asked.names or ALL:
        with timing.kept() as shown:
            import_module(f"benchmarks.{name}").main()
        tables += [{"benchmark": name, **table} for table in shown]
    if asked.json:
        machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
        made = f"{datetime.now(UTC):%Y-%m-%d}, {machine}, {provenance()}"
        asked.json.write_text(json.dumps({"made": made, "tables": tables}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

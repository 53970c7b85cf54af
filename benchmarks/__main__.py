"""Run benchmarks: ``python -m benchmarks [NAME ...]``, all of them when none is named."""

import sys
from importlib import import_module

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

if unknown := set(sys.argv[1:]) - set(ALL):
    sys.exit(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(ALL)}")
for name in sys.argv[1:] or ALL:
    import_module(f"benchmarks.{name}").main()

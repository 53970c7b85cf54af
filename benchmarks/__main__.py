"""Run every benchmark."""

from benchmarks import exact, rounds, startup

for benchmark in (rounds, exact, startup):
    benchmark.main()

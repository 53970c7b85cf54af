"""Run every benchmark."""

from benchmarks import exact, exponents, rounds, startup, sums

for benchmark in (rounds, exact, exponents, sums, startup):
    benchmark.main()

"""Run every benchmark."""

from benchmarks import exact, exponents, rounds, startup, sums, worstcase

for benchmark in (rounds, exact, exponents, sums, worstcase, startup):
    benchmark.main()

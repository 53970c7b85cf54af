"""Run every benchmark."""

from benchmarks import exact, exponents, rounds, startup, sums, worstcase, zeroth

for benchmark in (rounds, zeroth, exact, exponents, sums, worstcase, startup):
    benchmark.main()

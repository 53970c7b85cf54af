"""Run every benchmark."""

from benchmarks import cournot, exact, exponents, rounds, startup, sums, table4, worstcase, zeroth

for benchmark in (rounds, zeroth, cournot, table4, exact, exponents, sums, worstcase, startup):
    benchmark.main()

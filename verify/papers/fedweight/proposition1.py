"""Proposition 1 on the samples of Lemma 2."""

from rateproof.theory.papers.fedweight import proposition1 as claims
from rateproof.verify.form import record
from rateproof.verify.papers.fedweight.lemma2 import a4_as_printed, points, sample, single

#: A level at which log(1/delta) is next to nothing.
likely = sample.alone("a bound that nearly always fails", delta="9999/10000")
PROP1_A, PROP1_B = (record(claim, families=[sample]) for claim in (claims.PROP1_A, claims.PROP1_B))
PROP1 = record(claims.PROP1, families=[sample, likely], check=a4_as_printed)
PROP1_CORRECTED, PROP1_UNIVERSAL = (
    record(claim, families=[sample, points, single, likely])
    for claim in (claims.PROP1_CORRECTED, claims.PROP1_UNIVERSAL)
)

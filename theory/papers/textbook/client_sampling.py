"""Variance of the mean over clients that are sampled without replacement."""

import sympy as sp

from rateproof.theory.assumptions import Sampled
from rateproof.theory.claim import Hypothesis, Kind
from rateproof.theory.gram import norm2, vectors
from rateproof.theory.papers.textbook import notation as p
from rateproof.theory.proof import Mean, Proof, SampleMean, Setting, qed, sampling
from rateproof.theory.shorthand import le
from rateproof.theory.symbols import N, S

v, average, drawn = vectors("v average drawn")

CLIENT_SAMPLING = p.claim(
    "client_sampling",
    "Cochran 1977, Sampling Techniques, Theorem 2.2",
    Kind.INEQUALITY,
    "E||mean over S sampled clients of v_i - mean v||^2 <= (N - S) / (S (N - 1)) * mean ||v_i - mean v||^2",
    le(p.sampling2, (N - S) / (S * (N - 1)) * p.zeta2),
    title="Variance of client sampling without replacement",
    hypotheses=(
        Hypothesis(
            "without_replacement",
            "the S clients are drawn uniformly without replacement",
            says=(Sampled("sample", S, N),),
        ),
        Hypothesis("S<=N", "S <= N and N >= 2", sp.And(le(S, N), sp.Ge(N, 2, evaluate=False), evaluate=False)),
    ),
    note="An identity, so attained always.",
    setting=Setting(
        depends={"v": "client"},
        means={"average": Mean("v", "client"), "drawn": SampleMean("v", "client", "sample")},
        sizes={"client": N},
        metrics={p.zeta2: norm2(v - average), p.sampling2: norm2(drawn - average)},
        words={"v": "what a client has"},
    ),
    proof=Proof(qed(by=[sampling("drawn")], multipliers=[0, -1 / (S * (N - 1))])),
)

"""Stepsizes and communication rules of the single level."""

import sympy as sp

from rateproof.theory.papers.fedrzo.notation import H, K_it, gamma, m
from rateproof.theory.papers.fedrzo.single.notation import CAP_7, CAP_8, CAP_NN, CAP_PROP2, beta, cap_7
from rateproof.theory.schedule import Condition, Schedule

S_NN_I = Schedule(
    "S-nn.i",
    "bound on the stepsize of FedRZO_nn (Proposition 1, i)",
    rules={},
    conditions=tuple(Condition(h.text, h.relation) for h in CAP_NN),
)
S_COM = Schedule(
    "S-com",
    "stepsize and local steps for a horizon of K iterations (Proposition 1, ii; Theorem 1, ii; Theorem 2, iii)",
    rules={gamma: sp.sqrt(m / K_it), H: sp.ceiling((K_it / m**3) ** sp.Rational(1, 4))},
)
S_LEM7 = Schedule(
    "S-lem7",
    "stepsize of Lemma 7",
    rules={},
    conditions=(Condition(CAP_7.text, CAP_7.relation),),
    where={cap_7: 1 / (sp.sqrt(beta) * H)},
)
S_LEM8 = Schedule("S-lem8", "stepsize of Lemma 8", rules={}, conditions=(Condition(CAP_8.text, CAP_8.relation),))
S_PROP2 = Schedule(
    "S-prop2",
    "smoothing radius of Proposition 2",
    rules={},
    conditions=(Condition(CAP_PROP2.text, CAP_PROP2.relation),),
)

SCHEDULES = (S_NN_I, S_COM, S_LEM7, S_LEM8, S_PROP2)

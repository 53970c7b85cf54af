"""Exact worst cases: certified upper bounds and explicit worst functions for performance estimation problems."""

from rateproof.verify.worstcase.certificate import Certificate, Refusal
from rateproof.verify.worstcase.contraction import Contraction, contraction
from rateproof.verify.worstcase.exact import Exact, exact
from rateproof.verify.worstcase.interpolate import Interpolant, interpolant
from rateproof.verify.worstcase.model import Model, read
from rateproof.verify.worstcase.primal import refutes, worst_function
from rateproof.verify.worstcase.search import certify
from rateproof.verify.worstcase.simple import simple_fractions
from rateproof.verify.worstcase.witness import WorstFunction

__all__ = [
    "Certificate",
    "Contraction",
    "Exact",
    "Interpolant",
    "Model",
    "Refusal",
    "WorstFunction",
    "certify",
    "contraction",
    "exact",
    "interpolant",
    "read",
    "refutes",
    "simple_fractions",
    "worst_function",
]

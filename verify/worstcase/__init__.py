"""Exact worst cases: certified upper bounds and explicit worst functions for performance estimation problems."""

from verify.worstcase.certificate import Certificate, Refusal
from verify.worstcase.contraction import Contraction, contraction
from verify.worstcase.exact import Exact, exact
from verify.worstcase.interpolate import Interpolant, interpolant
from verify.worstcase.model import Model, read
from verify.worstcase.primal import refutes, worst_function
from verify.worstcase.search import certify
from verify.worstcase.witness import WorstFunction

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
    "worst_function",
]

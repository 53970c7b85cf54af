"""How each claim about the bilevel section is checked."""

from rateproof.verify.checks import Check
from rateproof.verify.papers.fedrzo.bilevel import cases, implicit, lemmas, rates, remarks, rounds, steps, theorem
from rateproof.verify.papers.fedrzo.bilevel.sharp import SHARP as SHARP
from rateproof.verify.papers.fedrzo.bilevel.spaces import SPACES as SPACES

CHECKS: dict[str, Check] = {
    **implicit.CHECKS,
    **lemmas.CHECKS,
    **steps.CHECKS,
    **theorem.CHECKS,
    **rates.CHECKS,
    **rounds.CHECKS,
    **cases.CHECKS,
    **remarks.CHECKS,
}

"""What the papers run: problems with exact constants, methods, engines. Knows no claim."""

from rateproof import require_siblings

require_siblings(__file__)

"""What the papers claim: symbols, claims, schedules and their asymptotics. Runs nothing."""

from rateproof import require_siblings

require_siblings(__file__)

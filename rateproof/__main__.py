"""``python -m rateproof`` is the command ``rateproof``."""

from rateproof.verify.cli import main

main()

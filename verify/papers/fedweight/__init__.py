"""How the claims of the paper are checked: one module for each result, named as in ``theory``."""

from rateproof.verify.form import collected

RECORDS = collected(__name__)

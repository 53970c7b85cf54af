"""The lemmas are decided by their proofs, and tried on instances."""

from rateproof.verify.form import collected

RECORDS = collected(__name__)

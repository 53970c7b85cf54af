"""The lemmas are decided by their proofs; those that add up terms are tried on instances, too."""

from rateproof.verify.form import collected

RECORDS = collected(__name__)

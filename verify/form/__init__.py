"""The form of a checked result: families of instances made of parts, and one record for each claim."""

from rateproof.verify.form.family import (
    Climb,
    Family,
    at_bound,
    choice,
    climb,
    counts,
    family,
    hidden,
    in_floats,
    reals,
)
from rateproof.verify.form.record import Example, Record, collected, example, growing, record

__all__ = [
    "Climb", "Example", "Family", "Record", "at_bound", "choice", "climb", "collected", "counts", "example", "family",
    "growing", "hidden", "in_floats", "reals", "record",
]  # fmt: skip

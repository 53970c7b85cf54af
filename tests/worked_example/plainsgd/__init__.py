"""Stochastic gradient descent for strongly convex functions."""

from plainsgd.sgd import sgd, step

__all__ = ["sgd", "step"]

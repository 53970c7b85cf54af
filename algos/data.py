"""Regression data for the experiments: tables, and their division into clients.

A table has fewer training rows than columns, so that the least-squares problem of the training rows has many
solutions (strfedavg, Section 5.1).
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Table:
    """Observations of a regression.

    Attributes:
        name: of the data set.
        A: features, ``(rows, n)``.
        v: outcomes, ``(rows,)``.
        params: what made the table, in plain JSON values.
    """

    name: str
    A: Array
    v: Array
    params: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Split:
    """Training rows, dealt to clients, and test rows; standardised by the training rows.

    Attributes:
        name: of the data set.
        A, v: for each client its features ``(m_i, n)`` and outcomes ``(m_i,)``.
        A_test, v_test: the rows held back, ``(rows, n)`` and ``(rows,)``.
        params: what made the split, in plain JSON values.
    """

    name: str
    A: tuple[Array, ...]
    v: tuple[Array, ...]
    A_test: Array
    v_test: Array
    params: Mapping[str, object]


def montevideo_bus(path: str | Path) -> Table:
    """Hourly passenger inflow at bus stops: a row a stop, the last hour explained by all hours before it.

    Args:
        path: ``montevideo_bus.json``, plain or compressed with gzip, as in the PyTorch Geometric Temporal collection
            (675 stops, 744 hours, so 743 features).

    Raises:
        ValueError: the file cannot be read, or is not such a file.
    """
    path = Path(path)
    try:
        raw = path.read_bytes()
        nodes = json.loads(gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw)["nodes"]
        inflow = np.array([node["y"] for node in nodes], dtype=np.float64)
    except OSError as error:
        why = error.strerror or "its gzip header is damaged"
        raise ValueError(f"cannot read {path}: {why}; it should be montevideo_bus.json or .json.gz") from None
    except (EOFError, zlib.error, ValueError, KeyError, TypeError) as error:
        why = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ValueError(
            f"{path} is not Montevideo bus data ({why}); it should be JSON whose nodes each have numbers 'y'"
        ) from None
    if inflow.ndim != 2 or min(inflow.shape) < 2 or not np.isfinite(inflow).all():
        raise ValueError(f"{path} has inflow of shape {inflow.shape}; it should be finite, stops x hours")
    return Table("montevideo_bus", inflow[:, :-1], inflow[:, -1])


def expanded_diabetes(*, features: int = 400, bandwidth: float = 3.0, seed: int = 0) -> Table:
    """The diabetes data of scikit-learn (442 rows, 10 columns) in random Fourier features, ``sqrt(2) cos(W x + b)``.

    Args:
        features: number of features; more than half the rows leaves a half split with more columns than rows.
        bandwidth: of the Gaussian kernel that the features approximate, in standard deviations of a column.
        seed: of ``W`` (normal, scaled by ``1 / bandwidth``) and ``b`` (uniform).

    Raises:
        ValueError: a parameter is out of range, or scikit-learn is not installed.
    """
    if features < 1 or not 0 < bandwidth < np.inf:
        raise ValueError(f"features is {features} and bandwidth {bandwidth}; they should be >= 1 and positive")
    try:
        # Imported here because it takes a second, and only this function needs it.
        from sklearn.datasets import load_diabetes
    except ImportError:
        raise ValueError("the diabetes data needs scikit-learn: install rateproof[data]") from None
    x, v = load_diabetes(return_X_y=True)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    random = np.random.Generator(np.random.Philox(seed))
    W = random.standard_normal((x.shape[1], features)) / bandwidth
    b = random.uniform(0, 2 * np.pi, features)
    params = {"features": features, "bandwidth": bandwidth, "seed": seed}
    return Table("expanded_diabetes", np.sqrt(2) * np.cos(x @ W + b), np.asarray(v, dtype=np.float64), params)


def split(table: Table, *, N: int = 10, train: float = 0.5, seed: int = 0) -> Split:
    """Shuffle the rows, hold back a test part, cut the rest into ``N`` clients and standardise.

    Columns get mean zero and variance one over the training rows, the outcome too; a column that is constant there
    becomes zero in every training row.

    Args:
        table: the data.
        N: number of clients; sizes differ by at most one row.
        train: share of the rows used for training, rounded down.
        seed: of the shuffle.

    Raises:
        ValueError: ``train`` is not in (0, 1], or there are fewer training rows than clients.
    """
    if not 0 < train <= 1:
        raise ValueError(f"train is {train}; it should be a share with 0 < train <= 1")
    rows = int(train * len(table.v))
    if not 1 <= N <= rows:
        raise ValueError(f"N is {N}; it should be at least 1 and at most the number of training rows, {rows}")
    order = np.random.Generator(np.random.Philox(seed)).permutation(len(table.v))
    A, v = _standardise(table.A[order], rows), _standardise(table.v[order], rows)
    params = {"data": table.name, **table.params, "N": N, "train": train, "split_seed": seed}
    return Split(
        table.name, tuple(np.array_split(A[:rows], N)), tuple(np.array_split(v[:rows], N)), A[rows:], v[rows:], params
    )


def _standardise(values: Array, rows: int) -> Array:
    """Columns minus their mean, over their deviation, both taken on the first ``rows`` rows."""
    head = values[:rows]
    constant = np.ptp(head, axis=0) == 0
    # A constant column is centred by its value: its mean may differ from it by rounding.
    mean = np.where(constant, head[0], head.mean(axis=0))
    return np.asarray((values - mean) / np.where(constant, 1.0, head.std(axis=0)))

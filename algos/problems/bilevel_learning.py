"""The three learning tasks of mefbo, Section 4: hyper-representation, loss tuning, data hyper-cleaning.

All classify rows ``D`` by a network ``s = W2 tanh(W1 D)`` (by ``s = W2 D`` without hidden units) under the loss

    omega_l a_j (log sum_c exp(delta_c s_c + tau_c) - (delta_l s_l + tau_l))

of row ``j`` with class ``l``. The upper level is its mean over clean validation rows with fixed ``omega`` and
``a = delta = 1``, ``tau = 0``; the lower one its mean over training rows plus ``rc ||y||^2``. The tasks differ in what
``x`` is: ``W1`` (eqs. 15 and 16), ``(omega, delta, tau)`` (eqs. 17 to 19), or ``psi`` with ``a_j = sigmoid(psi_j)``
(eq. 20); the rest of the weights is ``y``. The activation is smooth, for second derivatives. The task "logits" is loss
tuning with ``omega = 1``, which needs no constraint on ``x = (delta, tau)`` (fedmsa, Section 4).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit, log_softmax

from rateproof.algos import data
from rateproof.algos.arguments import check_counts, generator, nonnegative
from rateproof.algos.convex_sets import Box, WholeSpace
from rateproof.algos.noise import Ints, MiniBatch, Noise
from rateproof.algos.problems.base import Array, Metric
from rateproof.algos.problems.smooth_bilevel import Constants, SmoothBilevel

Task: TypeAlias = Literal["representation", "loss", "logits", "cleaning"]
Source: TypeAlias = Literal["mixture", "digits"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of one level of a client: features ``(rows, features)`` and classes ``(rows,)``."""

    D: Array
    label: Ints


class Weights(NamedTuple):
    """All that a loss depends on, or a derivative by each of them; a leading axis of runs.

    Attributes:
        W1, W2: of the network, ``(runs, hidden, features)`` and ``(runs, classes, hidden)``; ``W1`` is None without
            hidden units.
        omega, delta, tau: ``(runs, classes)``.
        a: of the rows that are asked for, ``(runs, rows)``.
    """

    W1: Array | None
    W2: Array
    omega: Array
    delta: Array
    tau: Array
    a: Array


def _largest_eigenvalue(D: Array) -> float:
    """Of ``D'D``: ``(rows, features)``, of which the fewer count."""
    return float(np.linalg.eigvalsh(D @ D.T if len(D) < D.shape[1] else D.T @ D)[-1])


class BilevelNetwork(SmoothBilevel):
    """See the head of this module.

    Args:
        task: what ``x`` is.
        upper, lower: validation and training rows of the clients.
        test: rows on which the accuracy is measured.
        classes: number of classes.
        hidden: units; 0 for a linear classifier, which "representation" does not have.
        rc: weight of ``||y||^2`` in the lower level.
        class_weights: ``omega`` of the upper level, ``(classes,)``.
        noise, name, params: see :class:`SmoothBilevel`; with mini-batches of rows ``psi`` of other rows gets no slope.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(
        self,
        task: Task,
        *,
        upper: tuple[Rows, ...],
        lower: tuple[Rows, ...],
        test: Rows,
        classes: int,
        hidden: int,
        rc: float,
        class_weights: Array | None = None,
        noise: Noise | None = None,
        name: str,
        params: Mapping[str, object] | None = None,
    ) -> None:
        nonnegative(rc=rc)
        if hidden < 0 or (task == "representation" and hidden < 1):
            raise ValueError(
                f"hidden is {hidden}; it should be a whole number, at least {int(task == 'representation')}"
            )
        for i, (above, below) in enumerate(zip(upper, lower, strict=True)):
            if not len(above.label) or not len(below.label):
                raise ValueError(f"client {i} has no rows in a level; more rows, or fewer clients, would give it some")
        self.task, self.upper, self.lower, self.test, self.rc = task, upper, lower, test, float(rc)
        self.features, self.classes, self.hidden = lower[0].D.shape[1], classes, hidden
        self.class_weights = np.ones(classes) if class_weights is None else class_weights
        inner, outer = hidden * self.features, classes * (hidden or self.features)
        #: Where the rows of a client stand among all rows.
        self.offsets = np.concatenate([[0], np.cumsum([len(rows.label) for rows in lower])]).astype(np.int64)
        sizes = {"representation": inner, "loss": 3 * classes, "logits": 2 * classes, "cleaning": int(self.offsets[-1])}
        dx = sizes[task]
        dy = outer if task == "representation" else inner + outer
        X = WholeSpace(dx)
        if task == "loss":  # a class with a negative weight would leave the lower level without a minimum
            low = np.concatenate([np.zeros(classes), np.full(2 * classes, -math.inf)])
            X = Box(low, np.full(dx, math.inf))  # type: ignore[assignment]
        super().__init__(m=len(lower), X=X, Y=WholeSpace(dy), noise=noise, name=name, params=params)

    def f_i(self, i: int, z: Array) -> Array:
        """Validation loss: ``(runs,)``."""
        return self._value(self._weights(z, None, None), self.upper[i])

    def g_i(self, i: int, z: Array) -> Array:
        """Training loss with its regularisation: ``(runs,)``."""
        y = self.split(z)[1]
        return np.asarray(self._value(self._weights(z, i, None), self.lower[i]) + self.rc * (y * y).sum(axis=-1))

    def gradient_f(self, i: int, z: Array, rows: Ints | None = None) -> Array:
        """``grad f_i``: ``(runs, n)``."""
        slopes = self._slopes(self._weights(z, None, None), self.upper[i], rows, None)
        return self._gathered(slopes, None, None)

    def gradient_g(self, i: int, z: Array, rows: Ints | None = None) -> Array:
        """``grad g_i``: ``(runs, n)``."""
        slopes = self._slopes(self._weights(z, i, rows), self.lower[i], rows, None)
        out = self._gathered(slopes, (i, z), rows)
        out[:, self.dx :] += 2 * self.rc * z[:, self.dx :]
        return out

    def product_g(self, i: int, z: Array, v: Array, rows: Ints | None = None) -> Array:
        """``(grad^2_xy g_i v, grad^2_yy g_i v)``, the derivative of ``grad g_i`` along ``(0, v)``: ``(runs, n)``."""
        along = self._weights(self.join(np.zeros((len(z), self.dx)), v), None, None)
        if self.task == "representation" and along.W1 is not None:
            along = along._replace(W1=np.zeros_like(along.W1))
        bends = self._slopes(self._weights(z, i, rows), self.lower[i], rows, along)
        out = self._gathered(bends, (i, z), rows)
        out[:, self.dx :] += 2 * self.rc * v
        return out

    def samples(self, i: int) -> tuple[int, int]:
        """Validation and training rows of client ``i``."""
        return len(self.upper[i].label), len(self.lower[i].label)

    def accuracy(self, z: Array) -> Array:
        """Share of the test rows that are classified right: ``(runs,)``."""
        s, _ = self._scores(self._weights(z, None, None), self.test.D)
        return np.asarray((s.argmax(axis=-1) == self.test.label).mean(axis=-1))

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Both losses and the accuracy on test rows."""
        return {**super().metrics, "accuracy": lambda problem, z: problem.accuracy(z)}

    @property
    def x0(self) -> Array:
        """The start of the seed 0."""
        return self.start(0)

    def start(self, seed: int) -> Array:
        """Small random weights of the network, ``omega = delta = 1``, ``tau = 0``, ``psi = 0``: ``(n,)``."""
        random, width = generator(seed), self.hidden or self.features
        W1 = random.normal(size=self.hidden * self.features) / math.sqrt(4 * self.features)
        W2 = random.normal(size=self.classes * width) / math.sqrt(4 * width)
        ones = np.ones(self.classes)
        x = {
            "representation": W1,
            "loss": np.concatenate([ones, ones, 0 * ones]),
            "logits": np.concatenate([ones, 0 * ones]),
            "cleaning": np.zeros(self.dx),
        }[self.task]
        return np.concatenate([x, W2] if self.task == "representation" else [x, W1, W2])

    def lower_smoothness(self, x: Array) -> Array:
        """Bounds on the second derivatives of a lower level that is linear in ``y``; inf of other networks."""
        if self.hidden and self.task != "representation":
            return np.full((len(x), 1), math.inf)
        weights = self._weights(self.join(x, np.zeros((len(x), self.dy))), 0, None)
        total = np.zeros((len(x), 1))
        for w, rows in zip(self.weights, self.lower, strict=True):
            inputs = rows.D if weights.W1 is None else np.tanh(np.matmul(rows.D, weights.W1.swapaxes(1, 2)))
            # The Hessian of a log-sum-exp is at most 1/2; the largest row of the products bounds their spectral norm.
            gram = np.matmul(inputs.swapaxes(-1, -2), inputs) / len(rows.label)
            total += w * np.broadcast_to(np.linalg.norm(gram, ord=2, axis=(-2, -1))[..., None], total.shape) / 2
        scale = weights.omega.max(axis=1) * (weights.delta**2).max(axis=1)
        return np.asarray(scale[:, None] * total + 2 * self.rc)

    @cached_property
    def constants(self) -> Constants:
        """Upper bounds; of networks little is known, since the slopes in ``W1`` grow with ``W2``.

        A softmax less the unit vector of a class is at most ``sqrt(2)`` long, and the second derivatives of log-sum-exp
        are at most 1/2: this bounds ``f_i`` of a linear classifier, which do not see ``x``. A lower level that is
        linear in ``y`` is ``2 rc``-strongly convex; where its weights ``omega_l a_j delta_c`` are at most 1, the part
        of ``grad_y g_i`` in which clients differ is at most ``sqrt(2)`` times the mean length of the inputs of its last
        layer.
        """
        nan, sqrt2 = math.nan, math.sqrt(2)
        convex = not self.hidden or self.task == "representation"
        L_f = L_1 = Het = nan
        sigma_f = math.sqrt(self.noise.sigma_f2) if self.noise.additive else nan
        if not self.hidden:
            each = [(rows.D, self.class_weights[rows.label]) for rows in self.upper]
            lengths = [omega * np.linalg.norm(D, axis=1) for D, omega in each]
            L_f = sqrt2 * max(float(part.mean()) for part in lengths)
            L_1 = max(_largest_eigenvalue(np.sqrt(omega)[:, None] * D) / len(D) for D, omega in each) / 2
            if isinstance(self.noise, MiniBatch):
                sigma_f = sqrt2 * math.sqrt(max(float((p**2).mean()) for p in lengths) / self.noise.batch_size)
        if self.task == "representation":
            Het = sqrt2 * math.sqrt(self.hidden)  # units of tanh
        elif self.task == "cleaning" and not self.hidden:
            inputs = np.array([np.linalg.norm(rows.D, axis=1).mean() for rows in self.lower])
            Het = sqrt2 * math.sqrt(self.weights @ inputs**2)
        return Constants(
            L_f=L_f,
            L_1=L_1,
            L_g=nan,
            L_2=nan,
            rho_wc=0.0 if convex else nan,
            mu=2 * self.rc if convex else 0.0,
            Het=Het,
            sigma_f=sigma_f,
            sigma_g=math.sqrt(self.noise.sigma_h2) if self.noise.additive else nan,
            F_inf=0.0,
        )

    def _weights(self, z: Array, i: int | None, rows: Ints | None) -> Weights:
        """What the loss of a level depends on: of the lower level of client ``i``, or of the upper one for None."""
        runs, C, width = len(z), self.classes, self.hidden or self.features
        x, y = self.split(z)
        inner = self.hidden * self.features
        net = np.concatenate([x, y], axis=1) if self.task == "representation" else y
        W1 = net[:, :inner].reshape(runs, self.hidden, self.features) if self.hidden else None
        W2 = net[:, inner:].reshape(runs, C, width)
        ones, a = np.ones((runs, C)), np.ones((runs, 1))
        omega, delta, tau = ones, ones, 0 * ones
        if i is None:
            omega = np.broadcast_to(self.class_weights, (runs, C))
        elif self.task == "loss":
            omega, delta, tau = x[:, :C], x[:, C : 2 * C], x[:, 2 * C :]
        elif self.task == "logits":
            delta, tau = x[:, :C], x[:, C:]
        if i is not None and self.task == "cleaning":
            own = x[:, self.offsets[i] : self.offsets[i + 1]]
            a = expit(own if rows is None else np.take_along_axis(own, rows, axis=1))
        return Weights(W1, W2, omega, delta, tau, a)

    def _scores(self, w: Weights, D: Array) -> tuple[Array, Array]:
        """``s``, ``(runs, rows, classes)``, and the inputs of its last layer."""
        inputs = D if w.W1 is None else np.tanh(np.matmul(D, w.W1.swapaxes(1, 2)))
        return np.matmul(inputs, w.W2.swapaxes(1, 2)), inputs

    def _value(self, w: Weights, rows: Rows) -> Array:
        s, _ = self._scores(w, rows.D)
        t = w.delta[:, None] * s + w.tau[:, None]
        loss = -log_softmax(t, axis=-1)[:, np.arange(len(rows.label)), rows.label]
        return np.asarray((w.omega[:, rows.label] * w.a * loss).mean(axis=1))

    def _slopes(self, w: Weights, level: Rows, drawn: Ints | None, along: Weights | None) -> Weights:
        """Derivatives of the mean loss by all weights, or how they change along weights of the network."""
        D, label = (level.D, level.label[None]) if drawn is None else (level.D[drawn], level.label[drawn])
        s, h = self._scores(w, D)
        runs, N, C = s.shape
        label = np.broadcast_to(label, (runs, N))
        delta, tau = w.delta[:, None], w.tau[:, None]
        at = (np.arange(runs)[:, None], np.arange(N), label)
        t = delta * s + tau
        t -= t.max(
            axis=-1, keepdims=True
        )  # a softmax by hand: the one of scipy takes ten times as long on small arrays
        p = np.exp(t)
        total = p.sum(axis=-1)
        each = np.log(total) - t[at]
        p /= total[..., None]
        e = p.copy()
        e[at] -= 1
        of_class = np.take_along_axis(w.omega, label, axis=1)
        c = (of_class * w.a / N)[..., None]
        ds = c * delta * e
        back = np.matmul(ds, w.W2)
        if along is None:
            return Weights(
                W1=None if w.W1 is None else _outer(back * (1 - h * h), D),
                W2=_outer(ds, h),
                omega=_by_class(w.a * each / N, label, C),
                delta=(c * e * s).sum(axis=1),
                tau=(c * e).sum(axis=1),
                a=of_class * each / N,
            )
        # The same, differentiated along the weights V1 and V2 of the network.
        h_dot = None if w.W1 is None or along.W1 is None else (1 - h * h) * np.matmul(D, along.W1.swapaxes(1, 2))
        s_dot = np.matmul(h, along.W2.swapaxes(1, 2))
        if h_dot is not None:
            s_dot = s_dot + np.matmul(h_dot, w.W2.swapaxes(1, 2))
        t_dot = delta * s_dot
        p_dot = p * (t_dot - (p * t_dot).sum(axis=-1, keepdims=True))
        each_dot, ds_dot = (e * t_dot).sum(axis=-1), c * delta * p_dot
        W1_dot, W2_dot = None, _outer(ds_dot, h)
        if h_dot is not None:
            back_dot = np.matmul(ds_dot, w.W2) + np.matmul(ds, along.W2)
            W1_dot = _outer(back_dot * (1 - h * h) - 2 * back * h * h_dot, D)
            W2_dot = W2_dot + _outer(ds, h_dot)
        return Weights(
            W1=W1_dot,
            W2=W2_dot,
            omega=_by_class(w.a * each_dot / N, label, C),
            delta=(c * (p_dot * s + e * s_dot)).sum(axis=1),
            tau=(c * p_dot).sum(axis=1),
            a=of_class * each_dot / N,
        )

    def _gathered(self, d: Weights, lower: tuple[int, Array] | None, rows: Ints | None) -> Array:
        """Derivatives by ``(x, y)`` from those by all weights, of the lower level of a client or of the upper one."""
        runs = len(d.W2)
        net = [part.reshape(runs, -1) for part in (d.W1, d.W2) if part is not None]
        if self.task == "representation":
            return np.concatenate(net, axis=1)
        x = np.zeros((runs, self.dx))
        if lower is not None and self.task == "loss":
            x = np.concatenate([d.omega, d.delta, d.tau], axis=1)
        if lower is not None and self.task == "logits":
            x = np.concatenate([d.delta, d.tau], axis=1)
        if lower is not None and self.task == "cleaning":
            i, z = lower
            own = np.arange(self.offsets[i], self.offsets[i + 1])
            at = np.broadcast_to(own, (runs, len(own))) if rows is None else self.offsets[i] + rows
            a = expit(np.take_along_axis(z, at, axis=1))
            np.add.at(x, (np.arange(runs)[:, None], at), a * (1 - a) * d.a)
        return np.concatenate([x, *net], axis=1)


def _by_class(each: Array, label: Ints, classes: int) -> Array:
    """Sums over the rows of a class: ``(runs, rows) -> (runs, classes)``."""
    at = label + classes * np.arange(len(each))[:, None]
    sums: Array = np.bincount(at.ravel(), each.ravel(), classes * len(each)).astype(np.float64)
    return sums.reshape(len(each), classes)


def _outer(ds: Array, inputs: Array) -> Array:
    """``sum_j ds_j inputs_j'``: ``(runs, rows, k), (.., rows, l) -> (runs, k, l)``."""
    return np.asarray(np.matmul(ds.swapaxes(1, 2), inputs))


def levels(
    dealt: data.Dealt, changed: Callable[[Rows], Rows], share: float = 0.5
) -> tuple[tuple[Rows, ...], tuple[Rows, ...]]:
    """The first rows of each client, half of them or another share, for validation; the others, changed, to train."""
    held = [int(share * len(label)) for label in dealt.label]
    rows = [(U, label, h) for U, label, h in zip(dealt.U, dealt.label, held, strict=True)]
    return (
        tuple(Rows(U[:h], label[:h]) for U, label, h in rows),
        tuple(changed(Rows(U[h:], label[h:])) for U, label, h in rows),
    )


def thinned(rows: Rows, imbalance: float, classes: int, random: np.random.Generator) -> Rows:
    """Rows of which the first class keeps all and the last one in ``imbalance``, in geometric steps."""
    kept = random.uniform(size=len(rows.label)) < imbalance ** (-rows.label / max(classes - 1, 1))
    return Rows(rows.D[kept], rows.label[kept])


def corrupted(rows: Rows, share: float, classes: int, random: np.random.Generator) -> Rows:
    """Rows of which a share gets a class at random."""
    label = rows.label.copy()
    wrong = random.uniform(size=len(label)) < share
    label[wrong] = random.integers(classes, size=int(wrong.sum()))
    return Rows(rows.D, label)


def mixture(*, rows: int, features: int, classes: int, seed: int) -> data.Images:
    """Gaussian classes around centres of length about 2, standard deviation 1 in each direction.

    Raises:
        ValueError: a count is no whole number from 1.
    """
    check_counts(rows=rows, features=features, classes=classes)
    random = generator(seed)
    centres = 2 * random.normal(size=(classes, features)) / math.sqrt(features)
    label = np.arange(rows) % classes
    U = centres[label] + random.normal(size=(rows, features)) / math.sqrt(features) * 1.5
    return data.Images("mixture", U, label)


def hyper_representation(
    *,
    m: int = 4,
    rows: int = 400,
    features: int = 8,
    classes: int = 4,
    hidden: int = 6,
    rc: float = 0.05,
    concentration: float = math.inf,
    source: Source = "mixture",
    seed: int = 0,
    noise: Noise | None = None,
) -> BilevelNetwork:
    """Hyper-representation (eqs. 15 and 16): ``x`` is the first layer, ``y`` the classifier on top of it.

    Args:
        m: clients.
        rows, features, classes: of the mixture; the digits have their own.
        hidden: units of the first layer.
        rc: weight of ``||y||^2``.
        concentration: of the shares of the classes; inf deals them alike, near 0 a class goes to one client.
        source: "mixture" of Gaussian classes, or the "digits" of scikit-learn.
        seed: of the data and their division.
        noise: of the gradients; mini-batches of rows, for instance.

    Raises:
        ValueError: an argument is out of range.
    """
    return _task("hyper_representation", "representation", locals())


def loss_tuning(
    *,
    m: int = 4,
    rows: int = 400,
    features: int = 8,
    classes: int = 4,
    hidden: int = 0,
    rc: float = 0.01,
    imbalance: float = 10.0,
    concentration: float = math.inf,
    source: Source = "mixture",
    seed: int = 0,
    noise: Noise | None = None,
) -> BilevelNetwork:
    """Loss tuning on imbalanced classes (eqs. 17 to 19): ``x = (omega, delta, tau)`` of a vector-scaling loss.

    Args:
        m, rows, features, classes, concentration, source, seed, noise: see :func:`hyper_representation`.
        hidden: units of the network; 0 for a linear classifier.
        rc: weight of ``||y||^2``.
        imbalance: how many times more rows the first class has in training than the last, in geometric steps.

    Raises:
        ValueError: an argument is out of range.
    """
    if not imbalance >= 1:
        raise ValueError(f"imbalance is {imbalance}; it should be at least 1")
    return _task("loss_tuning", "loss", locals())


def hyper_cleaning(
    *,
    m: int = 4,
    rows: int = 200,
    features: int = 8,
    classes: int = 4,
    hidden: int = 0,
    rc: float = 0.01,
    corruption: float = 0.5,
    concentration: float = math.inf,
    source: Source = "mixture",
    seed: int = 0,
    noise: Noise | None = None,
) -> BilevelNetwork:
    """Data hyper-cleaning (eq. 20): ``x`` weighs the training rows, some of which have a wrong class.

    Args:
        m, rows, features, classes, concentration, source, seed, noise: see :func:`hyper_representation`.
        hidden: units of the network; 0 for a linear classifier.
        rc: weight of ``||y||^2``.
        corruption: share of the training rows that get a class at random.

    Raises:
        ValueError: an argument is out of range.
    """
    if not 0 <= corruption <= 1:
        raise ValueError(f"corruption is {corruption}; it should be a share from 0 to 1")
    return _task("hyper_cleaning", "cleaning", locals())


def _task(name: str, task: Task, given: Mapping[str, object]) -> BilevelNetwork:
    """A quarter of the rows for the test, the rest of each client's in halves for training and validation."""
    g = dict(given)
    noise = g.pop("noise")
    if g["source"] not in ("mixture", "digits"):
        raise ValueError(f"source is {g['source']!r}; it should be 'mixture' or 'digits'")
    seed = g["seed"]
    random = generator(seed)  # type: ignore[arg-type]
    if g["source"] == "digits":
        images = data.digits()
    else:
        images = mixture(rows=g["rows"], features=g["features"], classes=g["classes"], seed=seed)  # type: ignore[arg-type]
    classes = int(images.label.max()) + 1
    dealt = data.deal(images, m=g["m"], concentration=g["concentration"], test=0.25, seed=seed)  # type: ignore[arg-type]
    changed: Callable[[Rows], Rows] = {
        "representation": lambda rows: rows,
        "loss": lambda rows: thinned(rows, float(g["imbalance"]), classes, random),  # type: ignore[arg-type]
        "cleaning": lambda rows: corrupted(rows, float(g["corruption"]), classes, random),  # type: ignore[arg-type]
    }[task]
    upper, lower = levels(dealt, changed)
    return BilevelNetwork(
        task,
        upper=upper,
        lower=lower,
        test=Rows(np.concatenate(dealt.U_test), np.concatenate(dealt.label_test)),
        classes=classes,
        hidden=g["hidden"],  # type: ignore[arg-type]
        rc=g["rc"],  # type: ignore[arg-type]
        noise=noise,  # type: ignore[arg-type]
        name=name,
        params={k: str(v) if v == math.inf else v for k, v in g.items()},
    )

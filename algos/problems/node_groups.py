"""A minority and a majority of nodes with laws of their own, and image classification on them (fedweight, Section 5).

Nodes of a group have one law. Classes are merged into four super-classes: one is drawn with the chances of the group,
and then an image of it. The settings differ in what is done to the majority's images:

1. nothing: the groups differ in their classes alone; 2. some classes are exchanged; 3. images are turned by 90 degrees,
all in one random direction; 4. both.

Validation and test rows have the law of the group that is the target; images for the test are apart. The model is a
linear one, multinomial logistic regression with a ridge.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from rateproof.algos.arguments import check_counts, generator
from rateproof.algos.data import Images, digits
from rateproof.algos.noise import Ints, Noise
from rateproof.algos.problems.base import Array, Metric
from rateproof.algos.problems.bilevel_learning import Rows, mixture
from rateproof.algos.problems.weighted_families import LinearModels

Group: TypeAlias = Literal["minority", "majority"]
SETTINGS = (1, 2, 3, 4)
#: Super-classes of digits (Appendix G), and the chances with which each group draws them.
SUPER: tuple[tuple[int, ...], ...] = ((2, 4, 6), (0, 3), (1, 8), (5, 7, 9))
CHANCES: Mapping[Group, tuple[float, ...]] = {
    "minority": (0.42, 0.08, 0.38, 0.12),
    "majority": (0.12, 0.38, 0.08, 0.42),
}
#: What a class of the majority becomes: 2 -> 0 -> 1 -> 5 -> 2.
EXCHANGED: Mapping[int, int] = {2: 0, 0: 1, 1: 5, 5: 2}


@dataclass(frozen=True)
class Sizes:
    """How many there are.

    Attributes:
        minority, majority: nodes of the groups; the minority comes first.
        train: rows of a training node.
        valid, test: rows of node 0, and of the test.

    Raises:
        ValueError: a count is no whole number from 1.
    """

    minority: int = 5
    majority: int = 10
    train: int = 80
    valid: int = 20
    test: int = 500

    def __post_init__(self) -> None:
        check_counts(**vars(self))

    @property
    def K(self) -> int:
        """Training nodes."""
        return self.minority + self.majority


class NodeGroups(LinearModels):
    """Groups of nodes; see the head of this module.

    Args:
        test: rows of the test in each repetition.
        similar: whether a training node has the law of node 0, ``(K,)``.
        more: see :class:`LinearModels`.
    """

    def __init__(self, *, test: Sequence[Rows], similar: Array, **more: object) -> None:
        self.test, self.similar = tuple(test), similar
        super().__init__(**more)  # type: ignore[arg-type]

    def test_accuracy(self, z: Array) -> Array:
        """Share of the test rows that are classified right: ``(runs,)``."""
        theta = self.split(z)[1]
        own = [self.test[r if len(self.test) > 1 else 0] for r in range(len(z))]
        return np.concatenate([self.accuracy(theta[r : r + 1], one.D, one.label) for r, one in enumerate(own)])

    def mass(self, z: Array) -> Array:
        """Weight of the nodes with the law of node 0: ``(runs,)``."""
        return np.asarray(self.split(z)[0] @ self.similar)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Validation loss, accuracy on test rows, and weight of the similar nodes."""
        return {
            "L_0": lambda problem, z: problem.f_i(0, z),
            "accuracy": lambda problem, z: problem.test_accuracy(z),
            "mass": lambda problem, z: problem.mass(z),
        }


def drawn_rows(
    images: Images, pool: Ints, group: Group, setting: int, n: int, quarter: int, random: np.random.Generator
) -> Rows:
    """Rows of a group: images of a pool with their classes, a constant feature beside the pixels."""
    at = np.empty(n, dtype=np.int64)
    of_super = random.choice(len(SUPER), size=n, p=CHANCES[group])
    for j, classes in enumerate(SUPER):
        some = pool[np.isin(images.label[pool], classes)]
        if not len(some) and (of_super == j).any():
            raise ValueError(f"the images have none of the classes {classes}; all digits from 0 to 9 should be there")
        at[of_super == j] = random.choice(some, size=int((of_super == j).sum()))
    U, label = images.U[at], images.label[at].copy()
    if group == "majority" and setting in (3, 4):
        side = math.isqrt(U.shape[1])
        U = np.rot90(U.reshape(n, side, side), quarter, axes=(1, 2)).reshape(n, -1)
    if group == "majority" and setting in (2, 4):
        label = np.array([EXCHANGED.get(int(one), int(one)) for one in label], dtype=np.int64)
    return Rows(np.concatenate([U, np.ones((n, 1))], axis=1), label)


def grouped(
    images: Images,
    *,
    setting: int = 1,
    target: Group = "minority",
    sizes: Sizes | None = None,
    b: float = 1 / 3,
    lam: float = 0.01,
    seeds: Sequence[int] = (0,),
    held: float = 0.25,
    noise: Noise | None = None,
    name: str = "node_groups",
) -> NodeGroups:
    """The groups from images, with a repetition for each seed.

    Args:
        images: square ones, of the digits 0 to 9.
        setting: 1 to 4.
        target: the group whose law node 0 has.
        sizes: how many there are.
        b: bound on the weights.
        lam: weight of the ridge.
        seeds: of the rows, and of the direction of the turn.
        held: share of the images that only the test has.
        noise: of gradients, where the problem is taken as a bilevel one.
        name: of the problem.

    Raises:
        ValueError: an argument is out of range, images are not square, or a class is missing.
    """
    many = Sizes() if sizes is None else sizes
    if setting not in SETTINGS or isinstance(setting, bool):
        raise ValueError(f"setting is {setting}; it should be one of 1, 2, 3, 4")
    if target not in CHANCES:
        raise ValueError(f"target is {target!r}; it should be 'minority' or 'majority'")
    if not 0 < held < 1:
        raise ValueError(f"held is {held}; it should be a share between 0 and 1")
    if math.isqrt(images.U.shape[1]) ** 2 != images.U.shape[1]:
        raise ValueError(f"images have {images.U.shape[1]} pixels; they should be square")
    if len(images.label) and not np.isin(images.label, range(10)).all():
        raise ValueError(f"labels are from {images.label.min()} to {images.label.max()}; they should be from 0 to 9")
    groups: list[Group] = [*(["minority"] * many.minority), *(["majority"] * many.majority)]  # type: ignore[list-item]
    rows, tests = [], []
    for seed in seeds:
        random = generator(seed)
        order = random.permutation(len(images.label))
        cut, quarter = int(held * len(order)), int(random.choice([1, 3]))
        for group, n in [(target, many.valid), *((group, many.train) for group in groups)]:
            rows.append(drawn_rows(images, order[cut:], group, setting, n, quarter, random))
        tests.append(drawn_rows(images, order[:cut], target, setting, many.test, quarter, random))
    similar = np.array([float(group == target) for group in groups])
    params = {"data": images.name, "setting": setting, "target": target, **vars(many), "b": b, "lam": lam}
    return NodeGroups(
        test=tests,
        similar=similar,
        D=np.concatenate([one.D for one in rows]),
        label=np.concatenate([one.label for one in rows]),
        link="softmax",
        classes=10,
        lam=lam,
        sizes=[many.valid] + [many.train] * many.K,
        repetitions=len(seeds),
        radius=math.sqrt(2 * math.log(10) / lam) if lam else 1.0,
        b=b,
        noise=noise,
        name=name,
        params=params | {"seeds": [int(seed) for seed in seeds]},
    )


def node_groups(
    *,
    source: Literal["mixture", "digits"] = "mixture",
    setting: int = 1,
    target: Group = "minority",
    minority: int = 5,
    majority: int = 10,
    n_train: int = 40,
    n_valid: int = 20,
    n_test: int = 200,
    b: float = 1 / 3,
    ridge: float = 0.01,
    seed: int = 0,
    noise: Noise | None = None,
) -> NodeGroups:
    """Groups of nodes with images of ten classes.

    Args:
        source: a "mixture" of Gaussian classes with 16 features, taken for images, or the "digits" of scikit-learn.
        setting: what is done to the majority's images, see :mod:`rateproof.algos.problems.node_groups`.
        target: the group whose law node 0 has.
        minority, majority: nodes of the groups.
        n_train, n_valid, n_test: rows of a training node, of node 0 and of the test.
        b: bound on the weights.
        ridge: its weight.
        seed: of the images and rows.
        noise: of gradients, where the problem is taken as a bilevel one.

    Raises:
        ValueError: an argument is out of range.
    """
    if source not in ("mixture", "digits"):
        raise ValueError(f"source is {source!r}; it should be 'mixture' or 'digits'")
    images = digits() if source == "digits" else mixture(rows=1000, features=16, classes=10, seed=seed)
    sizes = Sizes(minority, majority, n_train, n_valid, n_test)
    given = {"setting": setting, "target": target, "b": b, "lam": ridge, "noise": noise}
    return grouped(images, sizes=sizes, seeds=(seed,), **given)  # type: ignore[arg-type]


def halved(images: Images) -> Images:
    """Square images with means of two by two pixels in the place of pixels.

    Raises:
        ValueError: the side is odd.
    """
    side = math.isqrt(images.U.shape[1])
    if side % 2:
        raise ValueError(f"images have a side of {side}; it should be even")
    small = images.U.reshape(-1, side // 2, 2, side // 2, 2).mean(axis=(2, 4))
    return Images(f"{images.name}, halved", small.reshape(len(small), -1), images.label, images.params)

"""Tables 2 to 5 of the paper as printed, and the parameters of Appendices B and F.

Steps of MeFBO are those of ``(x, y, theta)`` and of SimFBO those of ``(x, y, v)``, the same for clients and server; of
FedNest and LFedNest the inner and the outer one. All numbers are decimal strings.
"""

from __future__ import annotations

from typing import NamedTuple

ROUNDS = (600, 1000, 1500)
SPLITS = ("iid", "skewed")


class Entry(NamedTuple):
    """Test accuracy in percent, and its deviation over ten repetitions."""

    mean: str
    deviation: str


_TABLE2 = {
    "FedNest": "88.53 0.26 89.68 0.17 90.47 0.16 85.98 1.64 87.67 0.46 88.38 0.83",
    "LFedNest": "90.16 0.19 90.87 0.14 91.44 0.11 79.81 3.90 81.83 2.11 83.17 1.89",
    "SimFBO": "96.94 0.23 97.11 0.20 97.30 0.17 95.58 0.64 96.05 0.39 96.26 0.45",
    "MeFBO": "97.12 0.07 97.54 0.11 97.72 0.10 96.40 0.13 96.85 0.09 97.09 0.06",
}
#: (algorithm, split, rounds) -> entry; hyper-representation with rc = 0.05.
TABLE2: dict[tuple[str, str, int], Entry] = {
    (name, split, rounds): Entry(*numbers[2 * column : 2 * column + 2])
    for name, numbers in ((name, row.split()) for name, row in _TABLE2.items())
    for column, (split, rounds) in enumerate((split, rounds) for split in SPLITS for rounds in ROUNDS)
}

#: Regularisations of Tables 3 to 5, one a row.
RC = ("0", "0.001", "0.005", "0.01", "0.05", "0.06", "0.07")
#: Columns of Tables 3 to 5.
COLUMNS = ("MeFBO", "SimFBO", "LFedNest", "FedNest")
_STEPS = {
    "representation": """
        .1,.09,.05   .2,.09,.04    .015,.025  .015,.025
        .1,.09,.05   .2,.09,.04    .015,.025  .015,.025
        .1,.09,.05   .2,.1,.04     .015,.025  .015,.025
        .12,.09,.05  .2,.09,.05    .01,.02    .01,.02
        .1,.1,.07    .2,.1,.05     .01,.02    .01,.02
        .12,.12,.07  .2,.12,.06    .01,.015   .01,.015
        .13,.12,.07  .2,.12,.06    .01,.015   .01,.015""",
    "loss": """
        .1,.06,.01   .25,.15,.03   .01,.025   .01,.02
        .1,.05,.01   .25,.15,.03   .01,.025   .01,.02
        .12,.05,.01  .26,.15,.03   .015,.02   .015,.02
        .12,.05,.01  .27,.16,.03   .015,.02   .015,.02
        .15,.06,.015 .26,.15,.04   .015,.025  .015,.025
        .15,.07,.015 .27,.16,.04   .015,.025  .015,.025
        .15,.07,.015 .27,.15,.05   .015,.025  .015,.025""",
    "cleaning": """
        .12,.07,.03  .1,.06,.03    .1,.2      .1,.2
        .12,.07,.03  .1,.07,.02    .1,.2      .1,.2
        .1,.07,.02   .1,.07,.03    .2,.1      .2,.1
        .1,.06,.02   .1,.06,.02    .1,.1      .1,.1
        .1,.06,.02   .05,.03,.01   .1,.05     .1,.05
        .1,.05,.02   .04,.03,.01   .1,.05     .1,.05
        .1,.05,.02   .04,.03,.01   .1,.05     .1,.05""",
}
Steps = tuple[str, ...]
#: Tables 3, 4 and 5: (task, rc, column) -> steps.
STEPS: dict[tuple[str, str, str], Steps] = {
    (task, rc, column): tuple("0" + step for step in cell.split(","))
    for task, table in _STEPS.items()
    for rc, row in zip(RC, table.split("\n")[1:], strict=True)
    for column, cell in zip(COLUMNS, row.split(), strict=True)
}

#: In words, where no table is meant: of Table 2; of Figures 6 and 7 by (local steps, split); of Figures 10 and 11; of
#: Figure 14. They differ from Tables 4 and 5 at rc = 0 in places.
_WORDS = {
    ("representation", 1, "iid"): ".1,.1,.07   .2,.1,.05    .01,.02 .01,.02",
    ("loss", 1, "iid"): ".1,.06,.01  .08,.05,.01  .02,.03 .02,.03",
    # printed in the order y, v, x; Table 4 lists the same numbers in the order x, y, v
    ("loss", 3, "iid"): ".1,.06,.01  .03,.25,.15  .01,.02 .01,.02",
    ("loss", 3, "skewed"): ".1,.06,.01  .1,.08,.015  .01,.02 .01,.02",
    ("cleaning", 1, "iid"): ".1,.05,.03  .08,.06,.03  .1,.2   .1,.2",
    ("appendix F", 1, "iid"): ".2,.15,.1   .1,.05,.015  .01,.02 .01,.02",
    ("appendix F, CIFAR-10", 1, "iid"): ".3,.3,.05   .1,.05,.015  .02,.03 .02,.03",
}
#: (task, local steps, split, column) -> steps; of a split that is not listed those of "iid".
WORDS: dict[tuple[str, int, str, str], Steps] = {
    (*key, column): tuple("0" + step for step in cell.split(","))
    for key, row in _WORDS.items()
    for column, cell in zip(COLUMNS, row.split(), strict=True)
}


class Penalty(NamedTuple):
    """``c_t = c0 (t + 1)^p`` and the proximal parameter of MeFBO."""

    c0: str
    p: str
    gamma: str


PENALTIES: dict[str, Penalty] = {
    "representation": Penalty("2.7", "0.001", "0.015"),
    "loss": Penalty("4", "0.1", "0.015"),
    "cleaning": Penalty("2", "0.01", "0.05"),
    "appendix F": Penalty("3", "0.001", "0.015"),
    "appendix F, CIFAR-10": Penalty("3", "0.001", "0.015"),
}


def steps(task: str, column: str, *, rc: str | None = None, tau: int = 1, split: str = "iid") -> Steps:
    """Steps of an algorithm: of a table where ``rc`` is given, else those that are given in words."""
    if rc is not None:
        return STEPS[task, rc, column]
    return WORDS[(task, tau, split, column) if (task, tau, split, column) in WORDS else (task, tau, "iid", column)]


def listed() -> list[tuple[str, Steps, Penalty]]:
    """All steps of MeFBO with their place and penalty."""
    of_tables = [(f"{task}, rc = {rc}", STEPS[task, rc, "MeFBO"], PENALTIES[task]) for task in _STEPS for rc in RC]
    in_words = [
        (f"{task}, tau = {tau}, {split}", found, PENALTIES[task])
        for (task, tau, split, column), found in WORDS.items()
        if column == "MeFBO"
    ]
    return of_tables + in_words

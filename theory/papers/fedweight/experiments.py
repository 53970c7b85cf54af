"""Section 5 and Appendix G: what the paper reports of its experiments.

Table 3 has numbers, a mean accuracy and a deviation over five seeds for every setting, method, group and data set; what
the text says of the methods is decided from them, entry by entry. The figures have none: weights of nodes are measured
in runs of our own, which also repeat the comparisons on fewer images and a linear model.
"""

import sympy as sp

from rateproof.theory.claim import Claim, Hypothesis, Kind, Switch
from rateproof.theory.papers.fedweight import notation as p
from rateproof.theory.shorthand import amended, every, ge
from rateproof.theory.symbols import COUNT, NONNEG

_declare = p.declare
lead = _declare("lead", "mean over seeds of a difference that the sentence says is positive", latex=r"\overline\Delta")
acc_best = _declare("acc_best", "mean accuracy of Bi-level", latex=r"\bar a_{\rm Bi-level}", **NONNEG)
acc_rival = _declare("acc_rival", "mean accuracy of a rival", latex=r"\bar a_{\rm rival}", **NONNEG)
acc_one = _declare("acc_one", "mean accuracy in Setting 1", latex=r"\bar a_1", **NONNEG)
acc_later = _declare("acc_later", "mean accuracy in a later setting", latex=r"\bar a_{2,3,4}", **NONNEG)
acc_min = _declare("acc_min", "mean accuracy on the minority group", latex=r"\bar a_{\rm min}", **NONNEG)
acc_maj = _declare("acc_maj", "mean accuracy on the majority group", latex=r"\bar a_{\rm maj}", **NONNEG)
best_min = _declare("best_min", "the same of Bi-level", latex=r"\bar b_{\rm min}", **NONNEG)
best_maj = _declare("best_maj", "the same of Bi-level", latex=r"\bar b_{\rm maj}", **NONNEG)
won = _declare("won", "columns in which Bi-level has the highest mean", latex="n_{\\rm won}", **COUNT)
columns = _declare("columns", "columns that are counted, of all settings", latex="n_{\\rm columns}", **COUNT)
worse_one = _declare("worse_one", "columns where FedAvg is below Local-train, Setting 1", latex="m_1", **COUNT)
worse_later = _declare("worse_later", "the same in Settings 2 to 4", latex="m_{2,3,4}", **COUNT)

FULL = p.H_("images", "the data, sizes, network and steps are those of Appendix G")
SEEDS = p.H_("seeds", "accuracies are estimates from five seeds, of independent and normal accuracies")
FEWER = p.H_(
    "fewer",
    "the images are 5,000 of MNIST at a quarter of the side or the 1,797 digits of scikit-learn, a node has 200 or 160 "
    "of them and the validation set 25 or 20, the model is linear with a ridge, and there are ten seeds",
)
MINORITY = p.H_("entries", "two entries of the table of accuracies in one column of the minority group and one setting")
PAIRS = p.H_(
    "settings",
    "entries of the table of accuracies of Ditto or pFedMe on the minority group and one data set, in two settings",
)
GROUPS = p.H_(
    "groups",
    "entries of the table of accuracies of FedAvg, Ditto or pFedMe in one setting and on one data set, in both groups",
)
COUNTED = p.H_("counted", "columns are counted in the table of accuracies, all settings, data sets and both groups")
COUNTED_MIN = p.H_(
    "counted minority", "columns are counted in the table of accuracies, the minority group on all four data sets"
)
MEANS = p.H_(
    "means",
    "means over the four data sets of the entries of the table of accuracies of Ditto or pFedMe on the minority group",
)
MEANS_GROUPS = p.H_(
    "means groups", "means over the four data sets of the entries of the table of accuracies, FedAvg, Ditto or pFedMe"
)

_positive = sp.Gt(lead, 0, evaluate=False)


def _smaller(*without: Hypothesis) -> Switch:
    return Switch(
        "images",
        "the paper's data and networks",
        "fewer images and a linear model",
        "a smaller version of the experiment is all that can be rerun without the data",
        statement=_positive,
        without=tuple(h.key for h in without),
        adding=(FEWER,),
    )


def _methods(*without: Hypothesis) -> Switch:
    return Switch(
        "table",
        "the numbers of the table",
        "expectations of the methods",
        "five seeds estimate them, and the sentence speaks of the methods",
        statement=_positive,
        without=tuple(h.key for h in without),
        adding=(SEEDS,),
    )


def _on_average(without: Hypothesis, means: Hypothesis, origin: str) -> Switch:
    return Switch(
        "means",
        "each data set",
        "the mean over the four data sets",
        "the sentence speaks of the methods, and not of each data set",
        without=(without.key,),
        adding=(means,),
        origin=origin,
    )


EXP_I = p.claim(
    "exp.i",
    "Section 5, Figure 1",
    Kind.PROPERTY,
    "Bi-level performs better than the four baselines on the minority group, on all data sets and in all settings",
    sp.Lt(acc_rival, acc_best, evaluate=False),
    title="Best on the minority group",
    hypotheses=(MINORITY,),
    switches=(_methods(MINORITY), _smaller(MINORITY)),
    note="Decided from Table 3, which has the final accuracies of Figure 1: true of all 64 pairs of means. Covtype "
    "(Figure 3) has no numbers and one seed. Welch's intervals at 95% together leave nine pairs open, six of them in "
    "Setting 1. On fewer images no difference is significantly negative, but in Setting 1 FedAvg and pFedMe do as well "
    "as Bi-level: there the groups differ in the shares of classes alone, and a linear model loses little by it.",
)
EXP_II = p.claim(
    "exp.ii",
    "Appendix G.4, Table 3",
    Kind.PROPERTY,
    "Bi-level outperforms the baselines in most of the 32 columns of Table 3",
    sp.Gt(2 * won, columns, evaluate=False),
    title="Best in most columns",
    hypotheses=(COUNTED,),
    note="In 31 of 32: on MNIST in Setting 1, majority, FedAvg has 0.8484 and Bi-level 0.8443. On fewer images FedAvg "
    "is ahead on the majority group in Setting 1, and in all settings of MNIST, after as many communications.",
)
EXP_III = p.claim(
    "exp.iii",
    "Section 5",
    Kind.PROPERTY,
    "On the minority group FedAvg is even worse than Local-train in many cases, especially in Settings 2, 3 and 4",
    every(ge(2 * (worse_one + worse_later), columns), sp.Gt(worse_later, 3 * worse_one, evaluate=False)),
    title="FedAvg below Local-train",
    hypotheses=(COUNTED_MIN,),
    note="'Many' is taken for at least half of the 16 cases, and 'especially' for a larger share in Settings 2 to 4, "
    "which have three times as many. FedAvg is below in 1 case of 4 in Setting 1 and in 3, 2 and 2 in the others: "
    "half, and 7 of 12 against 1 of 4. Of DS-ImageNet alone this happens in no setting. On the majority group it "
    "happens once, on MNIST in Setting 3.",
)
EXP_IV = p.claim(
    "exp.iv",
    "Section 5",
    Kind.PROPERTY,
    "The performances of Ditto and pFedMe drop more or less as the heterogeneity increases from Setting 1 to Settings "
    "2, 3 and 4",
    sp.Lt(acc_later, acc_one, evaluate=False),
    title="Ditto and pFedMe drop",
    hypotheses=(PAIRS,),
    switches=(_on_average(PAIRS, MEANS, "Section 5, 'more or less'"), _smaller(PAIRS)),
    note="True of 23 of the 24 pairs on the minority group, and of all on the majority group. 0.1626 is above 0.1582 "
    "by less than its deviation, 0.0093.",
)
EXP_IV_CORRECTED = amended(
    EXP_IV,
    text="In the mean over the four data sets Ditto and pFedMe are less accurate in each of Settings 2, 3 and 4 than "
    "in Setting 1, on the minority group",
    hypotheses=(MEANS,),
    why="Ditto on DS-ImageNet does not drop in Setting 3: 0.1582 and 0.1626",
)
EXP_V = p.claim(
    "exp.v",
    "Section 5, Figures 2, 4, 5 and 6",
    Kind.PROPERTY,
    "Bi-level increases the weights of similar nodes and decreases those of dissimilar ones, in all settings and for "
    "both groups",
    _positive,
    title="Weights find the similar nodes",
    hypotheses=(FULL,),
    switches=(_smaller(FULL),),
    note="The figures have no numbers. Measured in the runs: the weight of all similar nodes in the end, less that at "
    "the start; what they gain the dissimilar ones lose. With a fifth to twice as many validation rows (Tables 4 and 5 "
    "in kind) the accuracy of Bi-level in Setting 2 stays within 0.04, while that of Local-train about doubles.",
)
EXP_VI = p.claim(
    "exp.vi",
    "Section 5, Figure 7",
    Kind.PROPERTY,
    "FedAvg, Ditto and pFedMe improve on the majority group, whereas Bi-level performs similarly on both groups",
    None,
    title="Minority and majority",
)
EXP_VI_A = p.claim(
    "exp.vi.a",
    "Section 5, Figure 7",
    Kind.PROPERTY,
    "The performances of FedAvg, Ditto and pFedMe are improved on the majority group",
    sp.Gt(acc_maj, acc_min, evaluate=False),
    title="Rivals improve on the majority",
    hypotheses=(GROUPS,),
    switches=(_on_average(GROUPS, MEANS_GROUPS, "Section 5, 'in favor of the majority'"), _smaller(GROUPS)),
    note="The groups have other classes and test rows, so that accuracies of the two are not those of one task. True "
    "of 45 of the 48 pairs of Table 3: on MNIST Ditto and pFedMe lose in Setting 1, and Ditto has 0.7841 twice in "
    "Setting 2. FedAvg improves in all.",
)
EXP_VI_A_CORRECTED = amended(
    EXP_VI_A,
    text="In the mean over the four data sets FedAvg, Ditto and pFedMe are more accurate on the majority group, in "
    "each setting",
    hypotheses=(MEANS_GROUPS,),
    why="on MNIST in Setting 1 Ditto falls from 0.8358 to 0.8059 and pFedMe from 0.8568 to 0.8320",
)
EXP_VI_B = p.claim(
    "exp.vi.b",
    "Section 5, Figure 7",
    Kind.PROPERTY,
    "Bi-level performs similarly on both groups: in the mean over the data sets its accuracy changes less from one to "
    "the other than those of FedAvg, Ditto and pFedMe, in each setting",
    every(
        sp.Lt(best_maj - best_min, acc_maj - acc_min, evaluate=False),
        sp.Lt(best_min - best_maj, acc_maj - acc_min, evaluate=False),
    ),
    title="Bi-level is similar on both groups",
    hypotheses=(MEANS_GROUPS,),
    note="'Similarly' is taken for a smaller change than that of each of the three. Means over the data sets change by "
    "0.021 to 0.029 for Bi-level and by at least 0.036 for the others.",
)
CLAIMS: tuple[Claim, ...] = (
    EXP_I,
    EXP_II,
    EXP_III,
    EXP_IV,
    EXP_IV_CORRECTED,
    EXP_V,
    EXP_VI,
    EXP_VI_A,
    EXP_VI_A_CORRECTED,
    EXP_VI_B,
)

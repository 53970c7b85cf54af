"""Section 4: what the paper reports of its experiments.

The figures have no numbers. A sentence that compares methods says that a difference is positive in the mean over
repetitions: of rounds, of accuracies or of distances to a solution.
"""

import sympy as sp

from rateproof.theory.claim import Claim, Kind, Switch
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.proof import Proof, Setting, have, qed, raised, supposed
from rateproof.theory.shorthand import amended, eq, every, ge, gt, le
from rateproof.theory.symbols import NONNEG, POS
from rateproof.theory.units import LENGTH, OUTER

_declare = p.declare
lead = _declare(
    "lead", "mean over repetitions of a difference that the sentence says is positive", latex=r"\overline\Delta"
)
lead_late = _declare("lead_late", "the same difference for more local steps", latex=r"\overline{\Delta_+}")
left_msa = _declare("left_msa", "||x - x*|| that FedMSA ends with", LENGTH, latex=r"\|x_{\rm FedMSA}-x^*\|", **NONNEG)
left_one = _declare(
    "left_one", "||x - x*|| of centralised training", LENGTH, latex=r"\|x_{\rm central}-x^*\|", **NONNEG
)
left_few = _declare(
    "left_few",
    "||x - x*|| of centralised training after as many iterations as FedMSA has rounds",
    LENGTH,
    latex=r"\|x_{\rm central,R}-x^*\|",
    **NONNEG,
)
rounds_msa = _declare("rounds_msa", "communication rounds of FedMSA to an accuracy", latex=r"R_{\rm FedMSA}", **POS)
rounds_nest = _declare("rounds_nest", "communication rounds of FedNest to it", latex=r"R_{\rm FedNest}", **POS)

IMAGES = p.H_("images", "the images are those of long-tailed MNIST, with the network of FedNest")
SIZES = p.H_("sizes", "100 clients have the images, and 10 of them take local steps in a round")
PRINTED = p.H_("printed", "each method is the printed one, with the parameters of the figure")
FEWER = p.H_(
    "fewer",
    "the images are 5,000 of MNIST or the 1,797 digits of scikit-learn, and the network has one layer of tanh units",
)
SMALLER = Switch(
    "images",
    "long-tailed MNIST",
    "some of MNIST and the digits of scikit-learn",
    "a smaller version of the experiment is all that can be rerun without the data set",
    without=("images", "sizes"),
    adding=(FEWER,),
)
SAME_STEPS = Switch(
    "steps",
    "those of the authors' code, ten times as long on the lower level for FedMSA",
    "FedNest with the steps of FedMSA",
    "the difference may be one of step sizes alone",
    without=("images", "sizes", "printed"),
    adding=(FEWER, p.H_("same steps", "FedNest takes the step sizes of FedMSA")),
)
RISK = p.H_(
    "risk",
    "d = 10, 1,000 examples, Gaussian a with a random covariance, a standard Gaussian x*, and noise 0.001 I",
)
_NOT_SAID = "those of the figure, which are not said"
_CODE = Switch(
    "steps",
    _NOT_SAID,
    "those of the authors' code",
    "the code that the paper names draws the figure",
    without=("printed",),
    adding=(p.H_("code", "each method is the printed one, with the steps of the authors' code"),),
)
_EQUAL = Switch(
    "steps",
    _NOT_SAID,
    "one step size for both methods",
    "with steps of their own, the difference may be one of step sizes alone",
    without=("printed",),
    adding=(
        p.H_("equal steps", "each method is the printed one, and FedMSA takes one step for x and z, that of the other"),
    ),
)
_BEST = Switch(
    "steps",
    _NOT_SAID,
    "the best of a grid for each method",
    "each method may be given the steps that suit it",
    without=("printed",),
    adding=(p.H_("best steps", "each method is the printed one, with the best steps of a grid"),),
)

risk = _declare("risk", "E U + weight sqrt(E max(0, U - E U)^2)", OUTER, latex=r"{\rm risk}(x)", **NONNEG)
composed = _declare("composed", "f_2(f_1(f_0(x)))", OUTER, latex="f_2(f_1(f_0(x)))", **NONNEG)
weight = _declare("weight_u", "weight lambda of the deviation", latex=r"\lambda", **NONNEG)
mean_u = _declare("mean_u", "E U", OUTER, latex=r"E[U]", **NONNEG)
deviation = _declare("deviation", "sqrt(E max(0, U - E U)^2)", OUTER, latex=r"\sigma_U", **NONNEG)
root = _declare("root_u", "the root in f_2, at f_1(f_0(x))", OUTER, latex=r"\sqrt{y+\delta}", **NONNEG)
offset = _declare("offset_u", "delta, under the root of f_2", OUTER**2, latex=r"\delta", **NONNEG)
LEVELS = p.H_(
    "levels",
    "f_0(x) = (x, E U), f_1(x, y) = (y, E max(0, U - y)) and f_2(x, y) = x + lambda sqrt(y + delta)",
)
SQUARED = p.H_(
    "squared",
    "f_0(x) = (x, E U), f_1(x, y) = (y, E max(0, U - y)^2) and f_2(x, y) = x + lambda sqrt(y + delta)",
    every(eq(composed, mean_u + weight * root), eq(root**2, deviation**2 + offset)),
)
OBJECTIVE = p.H_(
    "objective",
    "the objective is E U + lambda sqrt(E max(0, U - E U)^2)",
    eq(risk, mean_u + weight * deviation),
)
NO_OFFSET = p.H_("delta=0", "delta = 0", eq(offset, 0))
_NO_SQUARE = "f_1 lacks the square that the objective has under its root, and delta > 0 adds to it"
MCO = p.claim(
    "exp.mco",
    "Section 4",
    Kind.PROPERTY,
    "min_x E[U] + lambda sqrt(E[max(0, U - E[U])^2]) is a three-level problem (N = 2): its objective is "
    "f_2(f_1(f_0(x)))",
    eq(risk, composed),
    title="The risk-averse problem has three levels",
    hypotheses=(OBJECTIVE, LEVELS),
    switches=(
        Switch(
            "levels",
            "as displayed",
            "the square in f_1, and delta = 0",
            _NO_SQUARE,
            without=("levels",),
            adding=(SQUARED, NO_OFFSET),
            origin="the objective, displayed above the levels",
        ),
    ),
    note="Read for any U >= 0. Step sizes, lambda, delta and the number of clients of the experiment are not said.",
)
MCO_CORRECTED = amended(
    MCO,
    _NO_SQUARE,
    text="With the square in f_1, f_2(f_1(f_0(x))) is the objective for delta = 0, and for delta > 0 larger by at most "
    "lambda sqrt(delta)",
    statement=every(le(risk, composed), le(composed, risk + weight * sp.sqrt(offset))),
    hypotheses=(OBJECTIVE, SQUARED),
    note="",
    setting=Setting(measured=(risk, composed)),
    proof=Proof(
        have("objective", OBJECTIVE.relation),
        have("levels", eq(composed, mean_u + weight * root)),
        have("at least", le(deviation**2, root**2), by=[supposed("squared")]),
        have("at most", le(root**2, (deviation + sp.sqrt(offset)) ** 2), by=[supposed("squared")]),
        raised("root at least", "at least", to=sp.Rational(1, 2)),
        raised("root at most", "at most", to=sp.Rational(1, 2)),
        *(qed(by=["objective", "levels", "root at least", "root at most"], of=i) for i in (0, 1)),
    ),
)
MCO_1 = p.claim(
    "exp.mco-1",
    "Section 4 and Figure 2",
    Kind.PROPERTY,
    "FedMSA converges significantly faster than centralised training, in communication and in the number of updates",
    every(gt(left_one, left_msa), gt(left_few, left_msa)),
    title="FedMSA against centralised training",
    hypotheses=(RISK, PRINTED),
    switches=(_CODE, _EQUAL, _BEST),
    note="Read with medians over draws of the data: FedMSA after 200 rounds, the other method after 1,000 iterations, "
    "as many updates, and after 200, as many communications. U is the same at x and -x, so that the distance is the "
    "smaller one of the two. f_1 has the square of the objective here.",
)
BLO = p.claim(
    "exp.blo",
    "Section 4",
    Kind.PROPERTY,
    "Loss tuning on an imbalanced data set: clients of equal size, of which q times 100 percent (or all of a small "
    "class) are of one class and the rest uniform; 10 clients split into 100, 10 of which take local steps",
    None,
    title="The bilevel experiment",
    hypotheses=(IMAGES, SIZES),
)
FIG1A = p.claim(
    "exp.fig1a",
    "Figure 1 (a)",
    Kind.PROPERTY,
    "FedMSA needs about a tenth of the communication rounds of FedNest",
    ge(rounds_nest, 10 * rounds_msa),
    title="Rounds against FedNest",
    hypotheses=(IMAGES, SIZES, PRINTED),
    switches=(SMALLER, SAME_STEPS),
    note="Read with mean rounds over repetitions; an iteration of FedMSA has 2, one of FedNest 2 T + N + 3.",
)
FIG1B = p.claim(
    "exp.fig1b",
    "Figure 1 (b)",
    Kind.PROPERTY,
    "FedMSA ends with a higher accuracy than FedNest, and the more so the more local steps there are",
    every(gt(lead, 0), gt(lead_late, lead)),
    title="Accuracy over local steps",
    hypotheses=(IMAGES, SIZES, PRINTED),
    switches=(SMALLER,),
    note="Read for two of K = 4, 8 and 12, with the model of each run that has the least validation loss.",
)
FIG3 = p.claim(
    "exp.fig3",
    "Figure 3",
    Kind.PROPERTY,
    "At q = 0.1, 0.3 and 0.5 and as many global epochs, FedMSA gains accuracy from more local steps K and FedNest "
    "does not change",
    gt(lead, 0),
    title="What local steps give",
    hypotheses=(IMAGES, SIZES, PRINTED),
    switches=(SMALLER,),
    note="Read with the gain of FedMSA less that of FedNest from fewer K to more, in as many iterations.",
)
FIG4 = p.claim(
    "exp.fig4",
    "Figure 4",
    Kind.PROPERTY,
    "At K = 12 FedMSA has 90 percent test accuracy after about 250 rounds, FedNest needs over 2,000",
    every(le(rounds_msa, 250), gt(rounds_nest, 2000)),
    title="Rounds to 90 percent",
    hypotheses=(IMAGES, SIZES, PRINTED),
    switches=(SMALLER, SAME_STEPS),
)
CLAIMS: tuple[Claim, ...] = (MCO, MCO_CORRECTED, MCO_1, BLO, FIG1A, FIG1B, FIG3, FIG4)

"""On what a vector depends follows from how it is made; a setting says it of what is given or drawn alone."""

import pytest
import sympy as sp

from rateproof.theory.gram import Vector, norm2, vectors
from rateproof.theory.papers import lemmas, mefbo, strfedavg, textbook
from rateproof.theory.proof import HalfSquare, Mean, SampleMean, Setting

x, y, e, g, g_i, change = vectors("x y e g g_i change")
f_x = sp.Symbol("f_x", real=True)
#: A local step with its noise, the mean noise of the steps, and that of the clients drawn.
ROUND = Setting(
    depends={"x": "past", "y": "past client step before", "e": "past client step before xi"},
    means={
        "steps": Mean("e", "step"),
        "all": Mean("steps", "client"),
        "drawn": SampleMean("steps", "client", "sample"),
    },
    sums={"change": y - x + e},
    within={"before": "step", "xi": "step"},
    together={"step": "round"},
    earlier=("before",),
    functions={"f_i": {"x": (x, g_i, f_x)}, "F": {"x": (x, None, f_x)}},
    made={"F": Mean("f_i", "client")},
)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("change", "past client step before xi"),  # all on which its parts depend
        ("steps", "past client round"),  # not on the step, but on the noises of all steps
        ("all", "past round"),
        ("drawn", "past sample round"),
        ("g_i", "past client"),  # F is a mean over the clients, so that each has its own function
    ],
)
def test_what_is_made_depends_on_what_it_is_made_of(name, words):
    assert ROUND.on(name) == frozenset(words.split())


def test_an_image_depends_on_what_its_map_depends_on():
    at = Setting(depends={"x": "past"}, each={"G": "xi"}, functions={"G": {"x": (x, g, None)}})
    assert at.on("g") == {"past", "xi"}


def test_of_what_is_given_it_has_to_be_said():
    with pytest.raises(ValueError, match="say in depends on what y depends, or how it is made"):
        Setting(depends={"x": "past"}, sums={"change": y - x})


def test_what_is_made_of_itself_is_refused():
    with pytest.raises(ValueError, match="is made of itself: say in depends on what it depends"):
        Setting(depends={"e": "xi"}, sums={"x": y + e, "y": x - e})


def test_values_enter_linearly_but_for_infima_and_constants():
    low, star = sp.symbols("low star", real=True)
    points = {"f": {"x": (x, g, f_x), "y": (y, None, star)}}
    setting = Setting(depends={"x": "", "y": ""}, functions=points, infima={"f": low}, constants=(star,))
    assert setting.scalars == {f_x}


def test_no_paper_says_what_follows():
    told = []
    for claim in (c for paper in (textbook, lemmas, strfedavg, mefbo) for c in paper.CLAIMS if c.setting):
        for setting in claim.setting.family:
            made = {*setting.means, *setting.sums}
            told += [(claim.id, name) for name in setting.depends.keys() & made]
            values = setting.named_values - {*setting.infima.values()}
            told += [(claim.id, str(value)) for value in values.intersection(setting.measured)]
    assert not told


@pytest.mark.parametrize("more", [0, 1])
def test_a_sum_with_half_a_squared_distance_has_its_value(more):
    """``M = f + ||. - y||^2 / 2``, at x."""
    points = {
        "f": {"x": (x, g, f_x)},
        "half": {"y": (y, Vector(), sp.S.Zero)},
        "M": {"x": (x, None, f_x + norm2(x - y) / 2 + more)},
    }
    made = {"M": {"f": sp.S.One, "half": sp.S.One}, "half": HalfSquare()}
    if not more:
        Setting(depends={"x": "", "y": ""}, functions=points, made=made)
        return
    with pytest.raises(ValueError, match="the value of M at x is"):
        Setting(depends={"x": "", "y": ""}, functions=points, made=made)

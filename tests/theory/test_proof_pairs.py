"""The law on pairs: what the rules derive of two vectors is so in an instance, for every setting in use.

Beside the vectors of a setting there is one more for every set of its words: what a rule says of all vectors that know
no more than this or that, it says of these.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations

import pytest
import sympy as sp
from outcomes import NotBuilt, instance

from rateproof.theory import catalog
from rateproof.theory.assumptions import (
    Assumption,
    BoundedVariance,
    Independent,
    IndependentOf,
    Sampled,
    Unbiased,
    Weighted,
)
from rateproof.theory.gram import vectors
from rateproof.theory.gram.vectors import inner
from rateproof.theory.proof import Mean, Refused, SampleMean, Setting
from rateproof.theory.proof.context import Context
from rateproof.theory.proof.rules import RULES, Alike, Rules
from rateproof.theory.proof.steps import Rule
from rateproof.theory.shorthand import eq

RANDOM = (Unbiased, BoundedVariance, Independent, IndependentOf, Sampled, Weighted)
KINDS = ("mean", "written_out", "fresh", "variance", "sampling")
Case = tuple[Setting, tuple[Assumption, ...]]


# --- the settings in use, with what is assumed of their randomness


@cache
def in_use(paper: str) -> list[Case]:
    """The settings of a paper's claims and those that they name, each with what a claim assumes, no two alike."""
    found: dict[str, Case] = {}
    for claim in catalog.claims(paper).values():
        for setting in claim.setting.family if claim.setting else ():
            assumed = dict.fromkeys(a for a in Context(claim, setting).rules.assumed if isinstance(a, RANDOM))
            said = [getattr(setting, n) for n in ("depends", "means", "sums", "sizes", "weighted", "blocks", "within")]
            found.setdefault(repr((said, setting.earlier, sorted(map(str, assumed)))), (setting, (*assumed,)))
    return [case for case in found.values() if case[0].names]


def with_others(setting: Setting) -> Setting:
    """The setting with a vector more for every set of words."""
    words = sorted({*setting.all_words} | {*setting.within})
    sets = (" ".join(chosen) for n in range(len(words) + 1) for chosen in combinations(words, n))
    return replace(setting, depends={**setting.depends, **{f"({s.replace(' ', '+')})": s for s in sets}})


def weaker(case: Case) -> Iterator[Case]:
    """The same with less assumed: without one hypothesis, or with a noise that has mean zero given less."""
    setting, assumed = case
    for a in assumed:
        less = tuple(b for b in assumed if b is not a)
        yield setting, less
        for word in a.given.split() if isinstance(a, Unbiased) and a.of in setting.names else ():
            yield setting, (*less, replace(a, given=a.given.replace(word, "").strip()))


# --- the law


def compared(case: Case) -> Iterator[tuple[str, str, object, bool]]:
    """All that the rules say of pairs of vectors: which rule, of what, beside what, and whether it is so."""
    setting, assumed = with_others(case[0]), case[1]
    outcomes, rules = instance(setting, assumed), Rules(setting, assumed)
    bounded = {a.of for a in assumed if isinstance(a, BoundedVariance)}
    for kind in KINDS:
        for name in case[0].names:
            if kind == "variance" and name in bounded:  # a bound of the claim, not a rule
                continue
            try:
                found = rules.facts(Rule(kind, (name,)))
            except Refused:
                continue
            if isinstance(found, Alike):
                zero = outcomes.orthogonal(found.u - found.v)
                yield from ((kind, name, other, zero[other]) for other in filter(found.to, setting.names))
            else:
                yield from ((kind, name, relation, outcomes.holds(relation)) for relation in found.relations)
    for u, v in combinations(setting.blocks, 2):
        if case[0].apart(eq(inner(u, v), 1)).lhs == 0:
            yield "apart", u, v, outcomes.product(u, v) == 0


def wrong(case: Case) -> list[tuple[str, str, object]]:
    return [told for *told, right in compared(case) if not right]


#: How many pairs there are to compare at least: what is compared must not become less unseen.
AT_LEAST = {
    "lemmas": {"mean": 50, "written_out": 20, "fresh": 30, "variance": 2, "sampling": 5},
    "mefbo": {"mean": 25_000, "written_out": 20_000, "fresh": 3_500, "variance": 25, "sampling": 40, "apart": 9_000},
    "strfedavg": {"mean": 400, "written_out": 500, "fresh": 200, "variance": 2, "sampling": 6},
    "textbook": {"mean": 50, "fresh": 30, "variance": 2, "sampling": 4},
}


@pytest.mark.parametrize("paper", catalog.papers())
def test_what_the_rules_say_of_two_vectors_is_so(paper):
    count: Counter[str] = Counter()
    for case in in_use(paper):
        said = [*compared(case)]
        assert [told for *told, right in said if not right] == []
        count.update(kind for kind, *_ in said)
    print(paper, len(in_use(paper)), dict(count))
    assert {k: n for k, n in AT_LEAST.get(paper, {}).items() if count[k] < n} == {}


def test_all_copies_of_a_source_are_not_what_one_of_them_is():
    """``u`` may be made of the noises of all steps; what belongs to earlier ones is not."""
    setting = Setting(
        depends={"e": "step before xi", "u": "before", "past": "step before", "sum": "all"},
        means={"sum": Mean("e", "step")},
        sizes={"step": sp.Symbol("K", positive=True, integer=True)},
        within={"before": "step", "xi": "step"},
        earlier=("before",),
    )
    case = setting, (Unbiased("e", "step before"),)
    outcomes, found = instance(*case), Rules(*case).facts(Rule("fresh", ("e",)))
    assert wrong(case) == []
    assert [n for n in setting.names if found.to(n)] == ["past"]
    assert [n for n, zero in outcomes.orthogonal(vectors("e")[0]).items() if zero] == ["past"]


NOISY = Setting(
    depends={"e": "client step xi", "m": "step all"},
    means={"m": Mean("e", "client")},
    sizes={"client": sp.Symbol("N", positive=True, integer=True), "step": sp.Symbol("K", positive=True, integer=True)},
    within={"xi": "client"},
)


@pytest.mark.parametrize(
    ("more", "of", "given", "why"),
    [
        # of each client it is the same: no more than one noise
        ({"again": (Mean("m", "client"), "step all")}, "again", "client step", "m is the same for all client"),
        # e_i and what is common to all
        (
            {
                "part": (vectors("e")[0] + vectors("m")[0], "client step xi all"),
                "mean": (Mean("part", "client"), "step all each"),
            },
            "mean",
            "client step",
            "m is the same for all client",
        ),
        # at one step it has a mean, which all clients have
        ({}, "m", "client", "e has mean zero over all step together"),
    ],
)
def test_noises_that_have_something_in_common_are_not_averaged_out(more, of, given, why):
    depends = {name: words for name, (_, words) in more.items()}
    means = {name: how for name, (how, _) in more.items() if isinstance(how, Mean)}
    sums = {name: how for name, (how, _) in more.items() if not isinstance(how, Mean)}
    setting = replace(NOISY, depends={**NOISY.depends, **depends}, means={**NOISY.means, **means}, sums=sums)
    case = setting, (Unbiased("e", given), Independent("e", "client"))
    with pytest.raises(Refused, match=why):
        Rules(*case).facts(Rule("variance", (of,)))
    said = eq(setting.sizes["client"] * inner(of, of), inner(*2 * (setting.means[of].of,)))
    assert not instance(*case).holds(said)
    assert wrong(case) == []


def test_what_has_no_size_is_not_counted():
    setting = Setting(depends={"e": "client xi", "m": "all"}, means={"m": Mean("e", "client")}, within={"xi": "client"})
    with pytest.raises(Refused, match="client is no index with a size"):
        Rules(setting, (Unbiased("e", "client"), Independent("e", "client"))).facts(Rule("variance", ("m",)))


#: All settings with less assumed, by place: which there are is known only once the papers are read.
PARTS = 96


def also_weaker(paper: str) -> list[Case]:
    """The settings of a paper, and those with less assumed."""
    return [w for case in in_use(paper) for w in (case, *weaker(case))]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("part", range(PARTS))
def test_it_is_so_where_less_is_assumed(part):
    cases = [case for paper in catalog.papers() for case in also_weaker(paper)][part::PARTS]
    built = 0
    for case in cases:
        try:
            assert wrong(case) == []
        except NotBuilt:
            continue
        built += 1
    assert built > len(cases) / 2


# --- it can say no: rules with an error in them


def blind(rules, of):
    """A noise is orthogonal to all that is not made of it, whatever that knows."""
    rules.centred(of)
    names = rules.setting.names
    return Alike(vectors(of)[0], 0 * vectors(of)[0], lambda n: n in names and of not in rules.setting.parts(n))


def known_to_nobody(rules, of):
    """The sources that make a noise are not looked for in other vectors."""
    setting, given = rules.setting, rules.centred(of)
    own = setting.on(of) - given
    known = {n for n in setting.names if setting.on(n) - own <= given and of not in setting.parts(n)}
    return Alike(vectors(of)[0], 0 * vectors(of)[0], known.__contains__)


def all_sources_apart(rules, of):
    """A noise is orthogonal to what knows the sources of other noises, as if these told nothing of its own."""
    setting, given = rules.setting, rules.centred(of)
    made = frozenset().union(*map(setting.on, setting.parts(of)))
    more = frozenset().union(*(setting.on(e) for e in rules.noises() if e in setting.names)) - made
    known = {n for n in setting.names if setting.on(n) <= given | more and not setting.scattered(n)}
    return Alike(vectors(of)[0], 0 * vectors(of)[0], known.__contains__)


def all_copies_known(rules, of):
    """All copies of a source together are taken for the one that is known."""
    setting, given = rules.setting, rules.centred(of)
    known = {n for n in setting.names if setting.on(n) <= given and of not in setting.parts(n)}
    return Alike(vectors(of)[0], 0 * vectors(of)[0], known.__contains__)


def mean_hiding(hidden):
    def mean(rules, of):
        how = rules.setting.means.get(of)
        if how is None:
            raise Refused("no mean")
        if isinstance(how, SampleMean):
            rules.drawn(how)
        unseen = hidden(rules.setting, how)
        return Alike(*vectors(f"{of} {how.of}"), lambda n: not rules.setting.on(n) & unseen)

    return mean


def without_within(setting, how):
    return {how.over, how.draw} if isinstance(how, SampleMean) else {how.over}


def without_draw(setting, how):
    return setting.inside(how.over)


def without_index(setting, how):
    return setting.inside(how.over) - {how.over} | without_within(setting, how) - {how.over}


def sampling_with_replacement(rules, of, sampling=RULES["sampling"]):
    """The size in the place of the size less one."""
    found, size = sampling(rules, of), rules.drawn(rules.setting.means[of]).size
    return replace(found, relations=tuple(r.xreplace({size - 1: size}) for r in found.relations))


def one_too_many(rules, mean, count=Rules.count):
    return count(rules, mean) + 1


def count_of_any(rules, mean):
    """Noises of several values of an index are uncorrelated, whatever is assumed of them."""
    rules.centred(mean.of)
    return rules.setting.sizes[mean.over] if isinstance(mean, Mean) else rules.drawn(mean).count


def sample_of_any(rules, mean):
    """A sample is uniform, whatever is assumed of it."""
    return Sampled(mean.draw, sp.S.One, sp.S(2))


def centred_for_all(setting, name, given, centred=Setting.centred):
    """A noise that has mean zero over all clients together has it for each that is drawn."""
    how = setting.means.get(name)
    of = setting.centred(how.of, given) if isinstance(how, SampleMean) else None
    return centred(setting, name, given) if of is None else of - setting.inside(how.over)


def mean_of_sums(setting, name, given, centred=Setting.centred):
    """A sum has mean zero given all that one of its parts has it given."""
    parts = [setting.centred(n, given) for n, _ in setting.sums[name].terms] if name in setting.sums else [None]
    return centred(setting, name, given) if None in parts else frozenset().union(*parts)


MUTANTS = {
    "fresh: whatever others know": (RULES, "fresh", blind),
    "fresh: a noise known to nobody": (RULES, "fresh", known_to_nobody),
    "fresh: all sources apart": (RULES, "fresh", all_sources_apart),
    "fresh: all copies are one": (RULES, "fresh", all_copies_known),
    "mean: without the sources within": (RULES, "mean", mean_hiding(without_within)),
    "mean: without the draw": (RULES, "mean", mean_hiding(without_draw)),
    "mean: without the index": (RULES, "mean", mean_hiding(without_index)),
    "sampling: with replacement": (RULES, "sampling", sampling_with_replacement),
    "variance: one too many": (Rules, "count", one_too_many),
    "variance: independent or not": (Rules, "count", count_of_any),
    "mean: any draw": (Rules, "drawn", sample_of_any),
    "centred: over all together": (Setting, "centred", centred_for_all),
    "centred: by one part of a sum": (Setting, "centred", mean_of_sums),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_rule_with_an_error_is_found(name, monkeypatch):
    """On a setting in use; where a rule does not ask for an assumption, on one without it."""
    place, what, error = MUTANTS[name]
    if place is RULES:
        monkeypatch.setitem(RULES, what, error)
    else:
        monkeypatch.setattr(place, what, error)
    for paper in ("lemmas", "textbook", "strfedavg", "mefbo"):
        for case in also_weaker(paper):
            try:
                if found := wrong(case):
                    print(name, paper, len(found), found[:2])
                    return
            except NotBuilt:
                continue
    pytest.fail("not found")

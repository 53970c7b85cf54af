"""Every step of a printed proof is written for a reader, and every name in it is explained."""

import re
from dataclasses import replace
from functools import cache

import pytest
from stated import steps_of

from rateproof.theory import catalog
from rateproof.theory.claim import Claim
from rateproof.theory.proof import Mean, Setting
from rateproof.theory.proof.legend import Entry, legend
from rateproof.theory.proof.printed import lemmas
from rateproof.theory.proof.steps import Step

PRODUCT = re.compile(r"<([^<>=]*, [^<>=]*)>|\|\|([^|]*)\|\|")
NAME = re.compile(r"[^\W\d]\w*(?:[*+](?![\w(]))?")
KERNEL = [c for c in catalog.all_claims().values() if c.proof]


def vectors_of(claim: Claim) -> set[str]:
    parts = [claim, *lemmas(claim.proof)]
    return {name for one in parts if one.setting for name in one.setting.names}


def printed_in(texts: list[str], known: set[str]) -> set[str]:
    """The vectors in the products of some texts."""
    inside = [part for text in texts for found in PRODUCT.findall(text) for part in found]
    names = [name for part in inside for name in NAME.findall(part)]
    return {one for name in names for one in ({name} & known or {name.rstrip("*+")} & known)}


@cache
def printed(claim_id: str) -> tuple[list[Entry], list[str]]:
    """The legend of a claim's proof, and its steps as lines."""
    claim = catalog.get(claim_id)
    return legend(claim, claim.proof), [line for line, _ in steps_of(claim, claim.proof)]


def explained(entries: list[Entry]) -> set[str]:
    return {part for one in entries if one.kind == "vector" and one.meaning for part in one.name.split(" + ")}


def test_every_step_of_every_proof_is_written_for_a_reader():
    kinds = {*Step.__subclasses__(), *(kind for one in Step.__subclasses__() for kind in one.__subclasses__())}
    calls = tuple(f": {kind.__name__}(" for kind in kinds)
    assert [line for c in KERNEL for line in printed(c.id)[1] if any(call in line for call in calls)] == []


@pytest.mark.parametrize("paper", sorted({c.paper for c in KERNEL}))
def test_every_vector_that_a_page_prints_has_a_meaning(paper):
    for claim in (c for c in KERNEL if c.paper == paper):
        entries, lines = printed(claim.id)
        steps = [line for line in lines if line.startswith("(")]
        names = printed_in([*steps, *map(str, entries)], vectors_of(claim)) | {
            e.name for e in entries if e.kind == "dependence"
        }
        assert names - explained(entries) == set(), claim.id
        assert [e.name for e in entries if not e.meaning and e.kind not in ("dependence", "vector")] == []


def test_terms_of_sequences_are_explained():
    for claim in KERNEL:
        entries, lines = printed(claim.id)
        texts = " ".join(lines)
        metrics = [m for c in (claim, *lemmas(claim.proof)) if c.setting for m in c.setting.metrics if m.is_Function]
        named = {e.name.partition("(")[0] for e in entries}
        assert {m.func.__name__ for m in metrics if f"{m.func.__name__}(" in texts} <= named, claim.id


def test_meanings_come_from_the_setting():
    claim = catalog.get("mefbo.lemD.5.corrected")
    told = {str(e) for e in legend(claim, claim.proof)}
    assert {
        "fx + fy: the gradient of F at x + y (x and y part)",
        "s: theta*_gamma(z^t); the minimiser of M over Y",
        "dx_c: the mean of dx over step",
        "dx_a: the weighted mean of dx_c over client",
        "step_x = ||x - xp||^2",
        "f_z: the value of f_i, F at x + y",
        "client: one of n_cl, by weights",
    } <= told
    assert any(one.startswith("xp: x^{t+1}, where the round ends; the projection of x + ") for one in told)
    assert "F: the weighted mean of f_i over client; z = x + y; z+ = xp + yp" in told


def test_a_function_that_need_not_be_smooth_has_subgradients():
    smooth, other = (catalog.get(f"textbook.{name}") for name in ("gd_smooth", "subgradient"))
    assert "g: the gradient of h at x" in map(str, legend(smooth, smooth.proof))
    assert "g: a subgradient of h at x" in map(str, legend(other, other.proof))


def test_a_name_with_two_meanings_has_both():
    claim = catalog.get("mefbo.lemD.7.corrected")
    told = [str(e) for e in legend(claim, claim.proof) if e.name == "xk" and e.kind == "vector"]
    assert told == [
        "xk (in A): the local iterate of x after k steps",
        "xk (in the proof itself): the local iterate of x at a step drawn uniformly",
    ]


def test_a_proof_reads_no_words():
    plain = Setting(depends={"v": "client", "average": ""}, means={"average": Mean("v", "client")})
    worded = replace(plain, words={"v": "what a client has", "client": "one of us"})
    assert plain == worded and plain.has(worded) and worded.has(plain)
    with pytest.raises(ValueError, match="u is in words, and is no vector, source or function here"):
        replace(plain, words={"u": "nothing"})


def test_a_vector_that_nothing_explains_is_seen():
    claim = catalog.get("lemmas.jensen")
    silent = replace(claim, setting=replace(claim.setting, words={}))
    assert "v" in explained(legend(claim, claim.proof)) and "v" not in explained(legend(silent, silent.proof))

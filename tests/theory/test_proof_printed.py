"""A proof prints itself."""

from itertools import pairwise

import pytest
import sympy as sp
from stated import a_claim, steps_of

from rateproof.theory import catalog
from rateproof.theory.gram import norm2, vectors
from rateproof.theory.proof import Proof, have, section
from rateproof.theory.proof.printed import lemmas, written
from rateproof.theory.shorthand import ge, le

x, y, z = vectors("x y z")
c = sp.Symbol("c", positive=True)


def test_squares_are_seen():
    assert written(le(norm2(x - y), c * norm2(z))) == "||x - y||^2 <= c*||z||^2"
    mixed = le(c * norm2(x + y) + norm2(x - y), 0)
    assert written(mixed) == "c*||x + y||^2 + ||x - y||^2 <= 0"


def test_steps_are_numbered_and_refer_to_each_other():
    claim = catalog.get("strfedavg.lem5.corrected")
    lines = list(steps_of(claim, claim.proof))
    assert lines[0][0].startswith("A. strfedavg.one_round.strongly_convex.1/2.1: One round")
    assert lines[1] == ("The expected direction of the server", "")
    assert lines[2] == ("(A.1) mu <= L: eta*mu_f <= L", "curvature(phi_i), definition of L")
    assert lines[9] == ("(A.7) mean noise: ||M||^2 <= s2/(2*K*S)", "variance(M), variance(mean_n), (A.6)")
    assert lines[12][1].startswith("strfedavg.lem2.corrected") and lines[-3][0].startswith("(1) step condition: ")
    assert lines[-1][0].startswith("(3) the statement: D_next2 <=")
    assert lines[-1][1].startswith("strfedavg.one_round.strongly_convex.1/2.1, (2)")


def test_weights_and_powers_are_written():
    claim = catalog.get("strfedavg.prop1.corrected")
    lines = [line for line, _ in steps_of(claim, claim.proof)]
    assert "(7) weights: (6) to the power r" in lines
    assert "(14) all rounds: the sum of (13) times theta**r over r = 1, ..., R" in lines


def test_long_proofs_have_sections_that_a_reader_can_follow():
    proved = [c for c in catalog.all_claims().values() if c.proof is not None]
    parts = [one for c in proved for one in (c, *lemmas(c.proof)) if one.proof is not None]
    named = {one.id: [step.name for step in one.proof.steps] for one in parts}
    first = {one.id: [i for i, name in enumerate(named[one.id]) if name in one.proof.sections] for one in parts}
    assert [i for i, names in named.items() if len(names) >= 15 and not first[i]] == []
    assert [i for i, starts in first.items() if starts and starts[0] != 0] == []
    lengths = {i: [b - a for a, b in pairwise([*starts, len(named[i])])] for i, starts in first.items()}
    assert max(length for found in lengths.values() for length in found) == 15
    titles = {one.id: list(one.proof.sections.values()) for one in parts}
    assert [i for i, found in titles.items() if len(set(found)) < len(found)] == []
    words = {title: len(title.split()) for found in titles.values() for title in found}
    assert [title for title, count in words.items() if not 2 <= count <= 8 or title.endswith(".")] == []


def test_sections_are_for_readers_alone():
    one, two = have("one", ge(c, 0)), have("two", ge(c + 1, 0))
    whole = Proof(section("First"), one, section("Then"), two)
    assert whole == Proof(one, two) and whole.sections == {"one": "First", "two": "Then"}
    printed = [text for text, _ in steps_of(a_claim(ge(c + 1, 0), proof=whole), whole)]
    assert printed == ["First", "(1) one: c >= 0", "Then", "(2) two: c + 1 >= 0"]
    with pytest.raises(ValueError, match="no step follows the section 'Last'"):
        Proof(one, section("Last"))

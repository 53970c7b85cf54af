"""The law on pairs on random settings: means of means, sums of noises and means, sources within indices."""

from random import Random

import pytest
import sympy as sp
from outcomes import NotBuilt
from test_proof_pairs import Case, compared

from rateproof.theory.assumptions import Assumption, Independent, IndependentOf, Sampled, Unbiased, Weighted
from rateproof.theory.gram import vectors
from rateproof.theory.proof import Mean, SampleMean, Setting

N, S, K = sp.symbols("N S K", positive=True, integer=True)
SIZES = {"client": N, "step": K}
SOURCES = ("xi", "zeta")


class Drawn:
    """A setting that grows: vectors of any words, noises, means and sums of what is there."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.indices = rng.choice([("client",), ("step",), ("client", "step"), ("client", "step")])
        owners = {s: rng.choice([None, *2 * self.indices]) for s in SOURCES}
        self.within = {s: i for s, i in owners.items() if i}
        self.earlier = ("before",) if "step" in self.within.values() and self.chance(0.7) else ()
        self.within |= dict.fromkeys(self.earlier, "step")
        self.words = ["past", *self.indices, *SOURCES[: rng.choice([1, 2])], *self.earlier]
        self.depends: dict[str, set[str]] = {name: self.some(0.5) for name in ("u", "v")}
        self.means: dict[str, Mean | SampleMean] = {}
        self.sums: dict[str, object] = {}
        self.assumed: list[Assumption] = []

    def chance(self, of: float) -> bool:
        return self.rng.random() < of

    def some(self, share: float, *more: str) -> set[str]:
        return {w for w in (*self.words, *more) if self.chance(share)}

    def noise(self, name: str) -> None:
        source = self.rng.choice([s for s in SOURCES if s in self.words])
        index = {self.within[source]} if source in self.within and self.chance(0.8) else set()
        self.depends[name] = self.some(0.6) | {source} | index
        given = self.some(0.85, "sample") - {source}
        given |= {"step"} if "before" in given and self.chance(0.9) else set()
        self.assumed.append(Unbiased(name, " ".join(sorted(given))))
        self.assumed += [Independent(name, i) for i in self.indices if self.chance(0.7)]
        self.assumed += [IndependentOf(name, s) for s in ("past", *SOURCES) if s != source and self.chance(0.15)]

    def mean(self, name: str, of: str) -> None:
        over = self.rng.choice(self.indices)
        inside = {over} | {s for s, i in self.within.items() if i == over}
        drawn = over == "client" and "sample" not in self.depends[of] and self.chance(0.4)
        how = SampleMean(of, over, "sample") if drawn else Mean(of, over)
        if how not in self.means.values():
            own = (
                {self.rng.choice(["round", f"all {name}".replace(" ", "_")])}
                if self.depends[of] & inside - {over}
                else set()
            )
            own |= self.some(0.3) - inside if self.chance(0.1) else set()
            self.means[name] = how
            self.depends[name] = self.depends[of] - inside | own | ({"sample"} if drawn else set())

    def sum(self, name: str, a: str, b: str) -> None:
        self.depends[name] = self.depends[a] | self.depends[b]
        self.sums[name] = vectors(a)[0] + self.rng.choice([2, -3]) * vectors(b)[0]

    def any(self, count: int = 1) -> list[str]:
        return self.rng.sample([*self.depends], count)


def drawn(seed: int) -> Case:
    """A setting and what is assumed.

    Raises:
        ValueError: it contradicts itself.
    """
    rng = Random(seed)
    made = Drawn(rng)
    noises = ["e", "h"][: rng.choice([1, 1, 2])]
    for name in noises:
        made.noise(name)
    if len(noises) == 2 and made.chance(0.6):
        made.sum("n", "e", "h")
    for i in range(rng.choice([2, 3, 4])):
        made.mean(f"m{i}", *made.any())
    for i in range(rng.choice([0, 0, 1, 2])):
        made.sum(f"s{i}", *made.any(2))
        made.mean(f"ms{i}", f"s{i}")
    weighted = ("client",) if "client" in made.indices and made.chance(0.25) else ()
    made.assumed += [Weighted("client", sp.Symbol("largest", positive=True))] if weighted and made.chance(0.8) else []
    made.assumed += [Sampled("sample", S, N)] if "client" in made.indices and made.chance(0.85) else []
    setting = Setting(
        depends={name: " ".join(sorted(words)) for name, words in made.depends.items()},
        means=made.means,
        sums=made.sums,
        sizes={i: SIZES[i] for i in made.indices},
        weighted=weighted,
        within=made.within,
        earlier=made.earlier,
    )
    return setting, tuple(made.assumed)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("part", range(60))
def test_what_the_rules_say_of_two_vectors_is_so_in_any_setting(part):
    built = 0
    for seed in range(50 * part, 50 * part + 50):
        try:
            case = drawn(seed)
            said = [*compared(case)]
        except NotBuilt:
            continue
        except ValueError as contradiction:
            assert "should" in str(contradiction)
            continue
        assert [told for *told, right in said if not right] == [], f"seed {seed}"
        built += bool(said)
    assert built > 30

"""What the CORRECTED readings share: the constants, step conditions and sharpness under which the results hold.

Five faults reach most of the printed results; each has one amendment here.

- Lemma 1 prints ``2 L/N`` where its proof gives ``2 L``.
- Lemma 2 loses ``eta^2`` and its last link needs ``f(x) >= f*``; ``B^2 eta (f* - inf f)`` repairs both.
- The step conditions add 1 to ``B^2`` and square ``L``; in consistent units they read as below.
- The averaging weights are divided by a sum that stops one term early.
- Weak sharpness of order 1 excludes smooth inner losses; up to an offset ``delta_h`` it does not.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import sympy as sp

from rateproof.theory.assumptions import WeaklySharp
from rateproof.theory.claim import Claim, Hypothesis, Reading, Reason, Switch
from rateproof.theory.papers.strfedavg.nonconvex import M_VALID_G, M_VALID_G_N
from rateproof.theory.papers.strfedavg.notation import (
    AVG,
    B2,
    ETA_SHARP,
    G2,
    KAPPA_EQ_1,
    M_VALID,
    M_VALID_N,
    R_COND_PROP3,
    SC16,
    SC27,
    G_f2,
    G_h2,
    H,
    L,
    W,
    Y,
    declare,
)
from rateproof.theory.proof import Proof, Setting
from rateproof.theory.shorthand import Why, amended, every, gt, le, reasons
from rateproof.theory.symbols import (
    NONNEG,
    POS,
    K,
    L_f,
    L_h,
    N,
    S,
    a,
    alpha,
    b,
    eta,
    eta_hat,
    f_star,
    gamma_g,
    gamma_l,
    h_star,
    inf_f,
    mean_inf_f,
    mean_inf_h,
    sigma_f2,
    sigma_h2,
)
from rateproof.theory.units import INNER

delta_h = declare("delta_h", "offset up to which X_h* is weakly sharp of order 1", INNER, latex=r"\delta_h", **NONNEG)
R_h_up_d = declare(
    "R_h_up_d",
    "rounds from which on E h - h* <= epsilon + delta_h at the normalised average",
    latex=r"R_{h,\delta_h}^{up}",
    **POS,
)
R_f_lo_d = declare(
    "R_f_lo_d",
    "rounds from which on E f - f* >= -epsilon - 2 ||grad f(x*)|| delta_h/alpha at the normalised average",
    latex=r"R_{f,\delta_h}^{lo}",
    **POS,
)
R_sq_up_d = declare(
    "R_sq_up_d",
    "rounds from which on E||xbar^R - x*||^2 <= epsilon + delta_h/(eta mu_f), normalised average",
    latex=r"R_{\|\bar x^R-x^*\|^2,\delta_h}^{up}",
    **POS,
)

G_MENDED = {
    G_f2: 2 * L_f * (inf_f - mean_inf_f),
    G_h2: 2 * L_h * (h_star - mean_inf_h),
    G2: 2 * eta**2 * G_f2 + 2 * G_h2 + B2 * eta * (f_star - inf_f),
}

L_HAT = L_h + eta_hat * L_f
B2_HAT = sp.Max(4 * eta_hat * L_f, 4 * L_h)
S2_HAT = 2 * eta_hat**2 * sigma_f2 + 2 * sigma_h2
G2_HAT = 2 * eta_hat**2 * G_f2 + 2 * G_h2 + B2_HAT * eta_hat * (f_star - inf_f)
#: Theorems: everything at the largest regularisation parameter.
HAT_MENDED = {W: 9 * L_HAT * S2_HAT / K + 18 * L_HAT * G2_HAT, Y: S2_HAT / K + 4 * (1 - S / N) * G2_HAT}

SC16_MENDED = H(
    "SC16h",
    "16 K gamma_g gamma_l (L_h + eta L_f + B^2) <= 1",
    sp.Le(16 * K * gamma_g * gamma_l * (L + B2), 1, evaluate=False),
)
SC27_MENDED = H(
    "SC27h",
    "27 K^2 gamma_l^2 B^2 (L_h + eta L_f) <= 1",
    sp.Le(27 * K**2 * gamma_l**2 * B2 * L, 1, evaluate=False),
)
SC16_HAT_MENDED = H(
    "SC16h_hat",
    "16 K gamma_g gamma_l (L_h + eta_hat L_f + max{4 eta_hat L_f, 4 L_h}) <= 1",
    sp.Le(16 * K * gamma_g * gamma_l * (L_HAT + B2_HAT), 1, evaluate=False),
)
#: The rules with ``ln R`` give zero at ``R = 1``.
RULES_POSITIVE = H(
    "eta,gamma_l>0",
    "eta > 0 (Section 2.1), and so is the stepsize gamma_l",
    every(gt(eta, 0), gt(gamma_l, 0)),
)
#: What replaces 0 < b < a <= 1 where the proofs need a + b <= 1.
AB_BELOW_1 = (
    H("0<b<a", "0 < b < a", every(sp.Gt(b, 0, evaluate=False), sp.Lt(b, a, evaluate=False))),
    H("a+b<=1", "a + b <= 1", le(a + b, 1)),
)
SHARP_UP_TO = H(
    "weak_sharp_up_to",
    "h - h* >= alpha dist(., X_h*) - delta_h, weak sharpness of order 1 up to delta_h",
    says=(WeaklySharp("h", alpha, sp.S.One, delta_h),),
)


@dataclass(frozen=True)
class Amendment:
    """One change that several corrected claims share.

    Attributes:
        text: the change in words, to stand after "as printed, with".
        why: the reasons.
        hypotheses: key of a printed hypothesis -> what replaces it (nothing when empty).
        where: definitions that replace printed ones.
        switch: an ambiguity that is decided for the other reading.
    """

    text: str
    why: Why
    hypotheses: Mapping[str, tuple[Hypothesis, ...]] = field(default_factory=dict)
    where: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict)
    switch: Switch | None = None


DISSIMILARITY_1 = Amendment(
    "G_Ψ² = 2 L_Ψ (inf Ψ - (1/N) sum_i inf Ψ_i)",
    Reason("the proof of Lemma 1 gives 2 L_Ψ, not 2 L_Ψ/N", "strfedavg.lem1"),
    where={s: G_MENDED[s] for s in (G_f2, G_h2)},
)
DISSIMILARITY = Amendment(
    "G² = 2η² G_f² + 2 G_h² + B² η (f* - inf f) and G_Ψ² = 2 L_Ψ (inf Ψ - (1/N) sum_i inf Ψ_i)",
    Reason("Lemma 1 prints 2 L_Ψ/N for 2 L_Ψ, and Lemma 2 loses η² and the case f(x) < f*", "strfedavg.lem2"),
    where=G_MENDED,
)
STEP_WHY = Reason(
    "the printed step condition adds 1 to B² and squares L, so that small curvatures admit unstable steps",
    "strfedavg.step.14",
)
STEP = Amendment(
    "16 K γ_g γ_l (L_h + η L_f + B²) <= 1 as the only condition on stepsizes and rounds",
    STEP_WHY,
    hypotheses={SC16.key: (SC16_MENDED,), SC27.key: (), R_COND_PROP3.key: ()},
)
DRIFT_STEP = Amendment(
    "27 K² γ_l² B² (L_h + η L_f) <= 1",
    "the printed step condition lost a square root: γ_l is compared with the inverse of a product of two curvatures",
    hypotheses={SC27.key: (SC27_MENDED,)},
)
STEP_HAT = Amendment(
    "16 K γ_g γ_l (L_h + η̂ L_f + max{4 η̂ L_f, 4 L_h}) <= 1 as the only condition on (positive) stepsizes and rounds",
    STEP_WHY,
    hypotheses={"SC16_hat": (SC16_HAT_MENDED, RULES_POSITIVE), "R_threshold": (), "R_threshold_c": ()},
)
HAT = Amendment(
    "G² of W and Y = 2η̂² G_f² + 2 G_h² + max{4 η̂ L_f, 4 L_h} η̂ (f* - inf f), "
    "G_Ψ² = 2 L_Ψ (inf Ψ - (1/N) sum_i inf Ψ_i)",
    DISSIMILARITY.why,
    where={**G_MENDED, **HAT_MENDED},
)
WEIGHTS = Amendment(
    "averaging weights θ^r / sum_{r'=1}^{R} θ^{r'}",
    Reason("the printed weights do not sum to one", "strfedavg.step.4.weights"),
    hypotheses={M_VALID.key: (M_VALID_N,), M_VALID_G.key: (M_VALID_G_N,)},
    switch=AVG,
)
SHARPNESS = Amendment(
    "h - h* >= α dist(., X_h*) - δ_h in place of weak sharpness of order 1 (δ_h = 0)",
    "weak sharpness of order 1 excludes every smooth h that is not constant",
    hypotheses={"weak_sharp": (SHARP_UP_TO,)},
)
NO_SHARPNESS = Amendment(
    "no weak sharpness and any η > 0",
    "the upper bound on f needs no sharpness, which the printed case makes incompatible with smoothness",
    hypotheses={h.key: () for h in (*KAPPA_EQ_1, ETA_SHARP)},
)


def corrected(
    printed: Claim,
    *amendments: Amendment,
    change: str | tuple[str, ...] = (),
    why: Why = (),
    origin: str = "",
    statement: sp.Basic | None = None,
    hypotheses: tuple[Hypothesis, ...] = (),
    where: Mapping[sp.Symbol, sp.Expr] | None = None,
    follows_from: tuple[str, ...] | None = None,
    explicit: str | None = None,
    note: str = "",
    setting: Setting | None = None,
    proof: Proof | None = None,
) -> Claim:
    """The CORRECTED reading of a printed claim, under shared amendments and changes of its own.

    Args:
        printed: the claim amended.
        amendments: changes that other claims share.
        change, why: the changes of its own in words, to stand after "with", and the reasons.
        origin: where the paper's own argument gives all of what is stated otherwise, if it does.
        statement: the statement where it differs from the printed one (switches of amendments are applied to it).
        hypotheses: further hypotheses.
        where: further definitions.
        follows_from, explicit: ids without the paper's prefix, where they differ from the printed claim's.
        note: one sentence for the reader.
        setting, proof: why it is true; the setting where it differs from the printed claim's.
    """
    claim = printed if statement is None else replace(printed, statement=statement)
    kept = claim.hypotheses
    definitions = dict(claim.where)
    for amendment in amendments:
        kept = tuple(new for h in kept for new in amendment.hypotheses.get(h.key, (h,)))
        definitions |= amendment.where
    claim = replace(claim, hypotheses=(*dict.fromkeys((*kept, *hypotheses)),), where=definitions | dict(where or {}))
    for amendment in amendments:
        if amendment.switch:
            claim = claim.read(amendment.switch)
    own = (change,) if isinstance(change, str) else change
    changes = [*(a.text for a in amendments), *own]
    return amended(
        claim,
        [r for each in (why, *(a.why for a in amendments)) for r in reasons(each)],
        text=f"As printed, with {'. With '.join(changes)}",
        note=note,
        origin=origin,
        follows_from=follows_from,
        explicit=explicit,
        setting=setting or printed.setting,
        proof=proof,
    )


def linked(claims: Iterable[Claim]) -> tuple[Claim, ...]:
    """The claims, each CORRECTED one beside the claim it amends and resting on corrected claims where they exist.

    A composite that falls with one of its parts has no corrected reading of its own; its parts stand for it.
    """
    found = tuple(claims)
    beside: dict[str | None, list[Claim]] = {}
    for c in found:
        beside.setdefault(c.amends, []).append(c)
    every = [c for printed in beside.get(None, []) for c in (printed, *beside.get(printed.id, []))]
    ids = {c.id for c in every}

    def mended(claim_id: str) -> tuple[str, ...]:
        if f"{claim_id}.corrected" in ids:
            return (f"{claim_id}.corrected",)
        parts = [i for i in ids if i.startswith(f"{claim_id}.")]
        if any(i.endswith(".corrected") for i in parts):
            printed = sorted(i for i in parts if not i.endswith(".corrected"))
            return tuple(p for part in printed for p in mended(part))
        return (claim_id,)

    return tuple(
        replace(
            c,
            follows_from=tuple(dict.fromkeys(i for old in c.follows_from for i in mended(old) if i != c.id)),
            explicit=c.explicit and mended(c.explicit)[0],
        )
        if c.reading is Reading.CORRECTED
        else c
        for c in every
    )

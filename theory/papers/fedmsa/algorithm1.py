"""Algorithm 1: its first steps, what its directions add up to, and what has to be sent.

(6a) has the sample of another client in its first term, and line 9 sends directions to one client that all need.
"""

import sympy as sp

from rateproof.theory.assumptions import EveryRound
from rateproof.theory.claim import Kind, Switch
from rateproof.theory.gram import dot, norm2, vectors
from rateproof.theory.papers.fedmsa import notation as p
from rateproof.theory.proof import (
    SEQUENCES,
    Mean,
    Proof,
    Setting,
    have,
    induct,
    mean,
    qed,
    special,
    summed,
    supposed,
    unfold,
    written_out,
)
from rateproof.theory.shorthand import amended, claims_in, eq, ge, le, misprint, premise
from rateproof.theory.symbols import COUNT, NONNEG
from rateproof.theory.units import INNER, OUTER

declare, formula = p.declare, p.formula
h, q, pt, st, h1, q1 = vectors("h q pt st h1 q1")
dev_h2 = formula("dev_h2", "||h_{r,1} - h_r||^2", p.SLOPE**2, **NONNEG)
dev_q2 = formula("dev_q2", "||q_{r,1}^n - q_r^n||^2", p.FORCE**2, **NONNEG)
mixed2 = declare(
    "mixed2",
    "||h_{r,1} - h_r||^2, where the first term of (6a) has the sample of client m",
    p.SLOPE**2,
    latex=r"\|h_{r,1}^{(\xi^m)}-h_r\|^2",
    **NONNEG,
)
LINE_11 = p.H_("line11", "x_{r+1,1} = x_{r+1,0} = x_r and Z_{r+1,1} = Z_{r+1,0} = Z_r, by line 11")
K1_H = p.claim(
    "prop.k1.h",
    "Algorithm 1",
    Kind.IDENTITY,
    "h_{r,1} = h_r, by (6a) at k = 1",
    eq(mixed2, 0),
    equation="6a",
    title="The first local direction of x",
    hypotheses=(LINE_11, p.H_("6a", "(6a) holds, with samples of a client m and of the drawn client")),
    switches=(
        misprint(
            "one sample",
            "the first term of (6a) has xi^m_{r,k}, the last one xi^{m~}_{r,k}",
            eq(dev_h2, 0),
            "the last term of (6a), and both terms of (6b)",
        ),
    ),
)
#: At one point, with one sample.
FIRST = Setting(
    depends={"h": "past", "q": "past", "pt": "past xi", "st": "past zeta", "h1": "past xi", "q1": "past zeta"},
    sums={"h1": h + pt - pt, "q1": q + st - st},
    metrics={dev_h2: norm2(h1 - h), dev_q2: norm2(q1 - q)},
    words={
        "h": "h_r",
        "q": "q_r^n",
        "pt": "p at (x_r, Z_r) with the sample of the drawn client",
        "st": "s^n at (z_r^{n-1}, z_r^n) with the sample of the drawn client",
    },
)
K1_H_CORRECTED = amended(
    K1_H,
    "the two terms of (6a) should have one sample",
    text="h_{r,1} = h_r, by (6a) at k = 1 with one sample",
    statement=eq(dev_h2, 0),
    origin="the last term of (6a), and both terms of (6b)",
    setting=FIRST,
    proof=Proof(qed(by=[written_out("h1")])),
)
K1_Q = p.claim(
    "prop.k1.q",
    "Algorithm 1",
    Kind.IDENTITY,
    "q_{r,1}^n = q_r^n, by (6b) at k = 1",
    eq(dev_q2, 0),
    equation="6b",
    title="The first local directions of Z",
    hypotheses=(LINE_11,),
    setting=FIRST,
    proof=Proof(qed(by=[written_out("q1")])),
)
K1 = p.claim(
    "prop.k1",
    "Algorithm 1",
    Kind.IDENTITY,
    "h_{r,1} = h_r and q_{r,1}^n = q_r^n: the first local step takes the global directions",
    None,
    title="The first local step",
)

dev_0 = formula("dev_0", "(1/M) sum_m ||h_0^m - p^m(x_0, Z_0; xi)||^2", p.SLOPE**2, **NONNEG)
p0, before = vectors("p0 before")
LINE_4 = p.H_("line4", "rho = 1 in round 0, by line 4", eq(p.rho, 1))
R0 = p.claim(
    "prop.r0",
    "Algorithm 1",
    Kind.IDENTITY,
    "With rho = 1, h_0^m = p^m(x_0, Z_0; xi)",
    eq(dev_0, 0),
    equation="5a",
    title="The first global direction",
    hypotheses=(LINE_4,),
    note="Line 4 is read for round 0 alone; as an assignment it would leave rho = 1 and K = 1 in all rounds.",
    # (x_{-1}, Z_{-1}) = (x_0, Z_0), by line 2
    setting=Setting(
        depends={"p0": "client xi", "before": ""},
        metrics={dev_0: norm2(p0 + (before - p0) * (1 - p.rho) - p0)},
        within={"xi": "client"},
        words={"p0": "p^m(x_0, Z_0; xi) of a client", "before": "h_{-1}, which is not defined"},
    ),
    proof=Proof(qed(by=[supposed("line4")])),
)

k = sp.Symbol("k", integer=True, nonnegative=True)
#: E <h_{r,k}, u> in a round, and of what a step adds to it; E <P^m(x_k, Z_k), u> of the drawn client.
along, added, at = (sp.Function(name, real=True) for name in ("along", "added", "at"))
h_K = formula("h_K", "E <h_{r,K}, u>", OUTER)
h_0 = formula("h_0", "E <h_r, u>", OUTER)
changes = declare(
    "changes",
    "sum_{j=1}^K E <p(x_j, Z_j; xi_j) - p(x_{j-1}, Z_{j-1}; xi_j), u>",
    OUTER,
    latex=r"\sum_{j=1}^K E\langle p(x_j,Z_j;\xi_j)-p(x_{j-1},Z_{j-1};\xi_j),u\rangle",
)
P_K = formula("P_K", "E <P^m(x_K, Z_K), u>", OUTER)
P_0 = formula("P_0", "E <P^m(x_r, Z_r), u>", OUTER)
hk, change, Pk, Pk_next, u = vectors("hk change Pk Pk+ u")
LOCAL = Setting(
    depends={"hk": "past", "change": "past xi", "Pk": "past", "Pk+": "past xi", "u": ""},
    metrics={
        along(k): dot(hk, u),
        along(k + 1): dot(hk + change, u),
        added(k): dot(change, u),
        at(k): dot(Pk, u),
        at(k + 1): dot(Pk_next, u),
        h_K: along(p.K),
        h_0: along(0),
        P_K: at(p.K),
        P_0: at(0),
        changes: sp.Sum(added(k), (k, 0, p.K - 1)),
    },
    words={
        "hk": "h_{r,k}, of the drawn client",
        "change": "p(x_{k+1}, Z_{k+1}; xi_{k+1}) - p(x_k, Z_k; xi_{k+1}) of the drawn client",
        "Pk": "P^m(x_k, Z_k) of the drawn client",
        "Pk+": "P^m(x_{k+1}, Z_{k+1}) of the drawn client",
        "u": "any vector",
    },
)
_STEP = along(k) + added(k)
_SUM = {"over": k, "start": 0, "last": p.K - 1}
TELESCOPE = p.claim(
    "prop.telescope",
    "Algorithm 1",
    Kind.IDENTITY,
    "h_{r,K} = h_r + sum_{j=1}^K (p(x_j, Z_j; xi_j) - p(x_{j-1}, Z_{j-1}; xi_j)), p and xi_j of the drawn client",
    eq(h_K, h_0 + changes),
    equation="6a",
    title="Local directions telescope",
    hypotheses=(p.METHOD,),
    follows_from=("prop.k1.h.corrected",),
    setting=LOCAL,
    proof=Proof(
        have("at most", le(along(k + 1), _STEP)),
        have("at least", ge(along(k + 1), _STEP)),
        summed("all at most", "at most", **_SUM),
        summed("all at least", "at least", **_SUM),
        qed(by=["all at most", "all at least", SEQUENCES]),
    ),
)
TELESCOPE_EXACT = p.claim(
    "prop.telescope.exact",
    "Algorithm 1",
    Kind.IDENTITY,
    "Without noise h_{r,K} = h_r + P^m(x_K, Z_K) - P^m(x_r, Z_r), m the drawn client",
    eq(h_K, h_0 + P_K - P_0),
    equation="6a",
    title="Local directions without noise",
    hypotheses=(
        p.METHOD,
        p.H_(
            "exact",
            "p^m(.; xi) = P^m and s^{m,n}(.; zeta) = S^{m,n}",
            None,
            EveryRound("exact", eq(added(k), at(k + 1) - at(k)), over=k),
        ),
    ),
    follows_from=("prop.telescope",),
    setting=LOCAL,
    proof=Proof(
        have("one step", eq(along(k + 1) - at(k + 1), along(k) - at(k)), by=[supposed("exact")]),
        induct("all steps", eq(along(k) - at(k), along(0) - at(0)), over=k, by=["one step"]),
        special("the last step", "all steps", {k: p.K}),
        qed(by=["the last step"]),
    ),
)

r = sp.Symbol("r", integer=True, nonnegative=True)
#: ||h_r - (1/M) sum_m P^m(x_r, Z_r)||^2
off = sp.Function("off", nonnegative=True)
off_R = formula("off_R", "||h_R - (1/M) sum_m P^m(x_R, Z_R)||^2", p.SLOPE**2, **NONNEG)
off_sum = formula("off_sum", "||h_R - sum_m P^m(x_R, Z_R)||^2", p.SLOPE**2, **NONNEG)
Pm, Pm_next, Pb, Pb_next, h_next, hm_first, P_first, rest, off_first = vectors("Pm Pm+ Pb Pb+ h+ hm0 P0 rest off0")
NO_NOISE = p.H_("no_noise", "p^m(.; xi) = P^m for all clients m, so that p^m(x_0, Z_0; xi) = P^m(x_0, Z_0)")
STORM = p.claim(
    "prop.storm",
    "Algorithm 1",
    Kind.IDENTITY,
    "Without noise h_r = (1/M) sum_m P^m(x_r, Z_r) for every rho",
    eq(off_R, 0),
    equation="5a",
    title="Global directions without noise",
    note="The same of q_r^n and the S^{m,n}, as (5b) is the rule (5a).",
    hypotheses=(p.METHOD, p.MEAN, NO_NOISE, premise(R0)),
    switches=(
        Switch(
            "normalisation",
            "P = (1/M) sum_m P^m",
            "P = sum_m P^m",
            "(Fed-MSA) and Definition 2.2 have sums over the clients, and line 8 takes the mean: h_r is P/M then",
            substitute={off_R: off_sum},
            without=("mean",),
            adding=(p.SUM,),
        ),
    ),
    follows_from=("prop.r0",),
    setting=Setting(
        depends={"h": "past", "Pm": "past client", "Pm+": "past client", "hm0": "client", "P0": "client"},
        sums={"hm+": Pm_next + (h - Pm) * (1 - p.rho), "rest": hm_first - P_first},
        means={
            "Pb": Mean("Pm", "client"),
            "Pb+": Mean("Pm+", "client"),
            "h+": Mean("hm+", "client"),
            "off0": Mean("rest", "client"),
        },
        sizes={"client": p.M},
        metrics={
            off(r): norm2(h - Pb),
            off(r + 1): norm2(h_next - Pb_next),
            off(0): norm2(off_first),
            dev_0: norm2(rest),
            off_R: off(p.R),
        },
        counts=(p.R,),
        words={
            "h": "h_r",
            "Pm": "P^m(x_r, Z_r)",
            "Pm+": "P^m(x_{r+1}, Z_{r+1})",
            "hm0": "h_0^m",
            "P0": "P^m(x_0, Z_0)",
        },
    ),
    proof=Proof(
        have("round 0", eq(off(0), 0), by=[supposed("prop.r0"), mean("off0")]),
        have(
            "one round",
            eq(off(r + 1), (1 - p.rho) ** 2 * off(r)),
            by=[mean("h+"), mean("Pb+"), mean("Pb"), written_out("hm+")],
        ),
        induct("all rounds", eq(off(r), 0), over=r, base=["round 0"], by=["one round"]),
        special("round R", "all rounds", {r: p.R}),
        qed(by=["round R"]),
    ),
)

trips = declare("trips", "back-and-forth communications per iteration", latex=r"\#\mathrm{trips}", **NONNEG)
messages = declare("messages", "messages one way per iteration", latex=r"\#\mathrm{messages}", **NONNEG)
informed = declare("informed", "clients that know (h_{r-1}, q_{r-1}) in line 6", latex=r"\#\mathrm{informed}", **NONNEG)
told = declare("told", "clients to which line 9 sends (h_r, q_r)", latex=r"\#\mathrm{told}", defined=True, **NONNEG)
COMM_TRIPS = p.claim(
    "prop.comm.trips",
    "Section 2.1",
    Kind.PROPERTY,
    "There are two back-and-forth communications between the server and the clients in each iteration",
    eq(trips, 2),
    title="Communications per iteration",
    hypotheses=(
        p.H_(
            "sent",
            "per iteration (h_r^m, q_r^m) go to the server, (h_r, q_r) back, the local models of the drawn client to "
            "the server, and the new models back: four messages one way",
            eq(messages, 4),
        ),
        p.H_("a trip", "a communication back and forth is two messages one way", eq(2 * trips, messages)),
    ),
    proof=Proof(qed(by=[supposed("sent"), supposed("a trip")])),
)
COMM_DIRECTIONS = p.claim(
    "prop.comm.directions",
    "Section 2.1",
    Kind.PROPERTY,
    "In line 6 each of the M clients is given (h_{r-1}, q_{r-1}), which line 9 has sent",
    eq(informed, p.M),
    equation="5",
    title="Who knows the last directions",
    hypotheses=(
        p.H_("by line 9", "a client knows (h_{r-1}, q_{r-1}) if line 9 has sent it to that one", eq(informed, told)),
    ),
    where={told: sp.S.One},
    note="No client needs them where rho = 1. That of line 9 is drawn anew in each round.",
    switches=(
        Switch(
            "line 9",
            "client m~",
            "all clients",
            "line 9 sends (h_r, q_r) to the drawn client alone, and (5) has h_{r-1} and q_{r-1} on all clients",
            substitute={told: p.M},
            origin="Section 2.1: two rounds of communication between the server and all clients",
        ),
    ),
)
COMM_CORRECTED = amended(
    COMM_DIRECTIONS,
    "line 9 sends the directions to the drawn client alone, and (5) has them on all clients",
    text="As printed, where line 9 sends (h_r, q_r) to all clients",
    where={told: p.M},
    origin="Section 2.1: two rounds of communication between the server and all clients",
    proof=Proof(qed(by=[supposed("by line 9"), unfold(told)])),
)
COMM = p.claim(
    "prop.comm",
    "Section 2.1",
    Kind.PROPERTY,
    "Algorithm 1 needs two back-and-forth communications per iteration, with which each client can compute (5)",
    None,
    title="Communications",
)
k_out = declare("k_out", "the k of the output", latex="k", **COUNT)
k_last = declare("k_last", "the largest k for which x_{r,k} is computed", latex=r"k_{\max}", **COUNT)
DRAWN_K = p.H_("drawn k", "r is drawn from [R] and k from [K]", le(k_out, p.K))
OUTPUT = p.claim(
    "prop.output",
    "Algorithm 1",
    Kind.PROPERTY,
    "The output (x_{r,k}, Z_{r,k}), with r drawn from [R] and k from [K], is an iterate, also for r = 1",
    le(k_out, k_last),
    title="The output is an iterate",
    hypotheses=(DRAWN_K, p.H_("line4 K", "K = 1 in round 0, by line 4, which ends with x_{1,2}", eq(k_last, 2))),
)
OUTPUT_CORRECTED = amended(
    OUTPUT,
    "round 0 has one local step, so that x_{1,k} is not computed for k > 2",
    text="The output is an iterate for r >= 2, which round r - 1 of K local steps computes",
    hypotheses=(DRAWN_K, p.H_("K steps", "round r - 1 has K local steps and ends with x_{r,K+1}", eq(k_last, p.K + 1))),
    proof=Proof(qed(by=[supposed("drawn k"), supposed("K steps")])),
)

h_moved = formula("h_moved", "<h_{r,k} - h_{r,k-1}, u>", OUTER)
direct = formula("direct", "<change of grad_x f^m, u>", OUTER)
indirect = declare(
    "indirect", "<change of grad^2_xw g^m v, u>", OUTER, latex=r"\langle\Delta(\nabla^2_{xw}g^m v),u\rangle"
)
indirect2 = declare(
    "indirect2", "||change of grad^2_xw g^m v||^2", p.SLOPE**2, latex=r"\|\Delta(\nabla^2_{xw}g^m v)\|^2", **NONNEG
)
Bq2 = declare(
    "Bq2", "||grad^2_xw g^m q^v||^2", (p.SLOPE / p.AREA * INNER) ** 2, latex=r"\|\nabla^2_{xw}g^m q^v\|^2", **NONNEG
)
fxk, fxk_next, Bvk, Bvk_next, Bqk = vectors("fxk fxk+ Bvk Bvk+ Bqk")
_PARTS = Setting(
    depends={"hk": "past", "u": "", **dict.fromkeys(("fxk", "fxk+", "Bvk", "Bvk+"), "past")},
    sums={"h+": hk + (fxk_next - Bvk_next) - (fxk - Bvk)},
    metrics={
        h_moved: dot(h_next - hk, u),
        direct: dot(fxk_next - fxk, u),
        indirect: dot(Bvk_next - Bvk, u),
    },
    words={
        "hk": "h_{r,k-1}",
        "fxk": "grad_x f^m(x_{k-1}, w_{k-1})",
        "fxk+": "grad_x f^m(x_k, w_k)",
        "Bvk": "grad^2_xw g^m(x_{k-1}, w_{k-1}) v_{k-1}",
        "Bvk+": "grad^2_xw g^m(x_k, w_k) v_k",
        "u": "any vector",
    },
)
INDIRECT = p.claim(
    "prop.indirect",
    "Section 2.2",
    Kind.PROPERTY,
    "A local step of FedBLO changes h_{r,k} by the changes of grad_x f^m and of the indirect part grad^2_xw g^m v, m "
    "the drawn client; the indirect part is not fixed in a round",
    eq(h_moved, direct - indirect),
    equation="6a",
    title="The indirect part is updated",
    follows_from=("prop.telescope",),
    hypotheses=(p.METHOD, p.H_("blo", "the maps are those of (10), without noise")),
    setting=_PARTS,
    proof=Proof(qed(by=[written_out("h+")])),
)
INDIRECT_MOVES = p.claim(
    "prop.indirect.moves",
    "Section 2.2",
    Kind.PROPERTY,
    "The indirect part does change in each local step with grad^2_xw g^m q^v != 0, where grad^2_xw g^m is constant",
    eq(indirect2, p.beta**2 * Bq2),
    equation="10b",
    title="The indirect part changes",
    follows_from=("prop.indirect",),
    hypotheses=(p.METHOD, p.H_("constant cross", "grad^2_xw g^m is constant")),
    setting=Setting(
        depends={"Bvk": "past", "Bqk": "past"},
        sums={"Bvk+": Bvk - Bqk * p.beta},
        metrics={indirect2: norm2(Bvk_next - Bvk), Bq2: norm2(Bqk)},
        words={"Bvk": "grad^2_xw g^m v_{k-1}", "Bqk": "grad^2_xw g^m q^v"},
    ),
    proof=Proof(qed(by=[written_out("Bvk+")])),
)
order2 = declare(
    "order2",
    "||z_{k+1}, updated before x, less z_{k+1}, updated behind x||^2",
    p.AREA,
    latex=r"\|z_{k+1}^{\mathrm{first}}-z_{k+1}^{\mathrm{last}}\|^2",
    **NONNEG,
)
zk, qk, z_first, z_last = vectors("zk qk z_first z_last")
SIMUL = p.claim(
    "prop.simul",
    "Section 1",
    Kind.PROPERTY,
    "FedMSA updates the outer variable x and all z^n, of (BLO) the w of the inner problem and the v of the linear "
    "system, at once: line 15 makes the same z_{k+1} before line 14 as behind it",
    eq(order2, 0),
    title="Simultaneous updates",
    hypotheses=(p.METHOD,),
    setting=Setting(
        depends={"zk": "past", "qk": "past"},
        sums={"z_first": zk - qk * p.beta, "z_last": zk - qk * p.beta},
        metrics={order2: norm2(z_first - z_last)},
        words={"zk": "z_k", "qk": "q_k, which line 13 computes at (x_k, Z_k) before lines 14 and 15"},
    ),
    proof=Proof(qed(by=[written_out("z_first"), written_out("z_last")])),
)
CLAIMS = claims_in(globals())

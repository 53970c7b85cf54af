"""One decision of the kernel as a lemma: its premises, multipliers and squares, or the signs that it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product

import sympy as sp

from rateproof.theory import gram
from rateproof.theory.algebra import Private, normal
from rateproof.theory.gram.forms import Form, gap
from rateproof.theory.gram.reduction import factors_of
from rateproof.theory.gram.vectors import combination, factors, inner
from rateproof.theory.proof import steps as st
from rateproof.theory.proof.by_cases import Case, is_hard
from rateproof.theory.proof.kernel import Decision
from rateproof.theory.proof.rules import Alike
from rateproof.verify.secondkernel.bridges import bridge, converted
from rateproof.verify.secondkernel.claims import Provider, Theory
from rateproof.verify.secondkernel.lemmas import Script, powers
from rateproof.verify.secondkernel.printer import NotExportedError
from rateproof.verify.secondkernel.terms import atom_fact


def decide(
    theory: Theory, name: str, d: Decision, providers: Mapping[sp.Rel, Provider], extra: Sequence[sp.Rel] = ()
) -> str:
    """The lemma of one decision; its name."""
    printer = theory.printer
    printer.seen.clear()
    _name_roots(theory, d)
    sequences = st.SEQUENCES in d.step.rules
    goal, when = d.step.goal, (*d.step.when, *apart(d.case))
    script = theory.script(theory.free(goal, *when, *extra))
    told = dict(providers)
    told.update((w, f"exact W{i}") for i, w in enumerate((*when, *extra)))
    own = {**theory.supposed, **told}
    if goal in own and d.found in ("parameters", "numbers"):  # it is supposed, so that no reason is searched
        theory.borrow(script, goal)
        script.lines.append(f"{own[goal]}.")
        return theory.lemma(name, goal, (*when, *extra), script)
    values = (w.rel_op == "==" and w.lhs.is_Symbol and w.rhs.is_Rational for w in d.step.when)
    script.cases += [f"W{i}" for i, fixed in enumerate(values) if fixed]
    for old, new in d.case.instead:
        if isinstance(old, (sp.Max, sp.Min)):
            equation = f"{printer.text(old)} = {printer.text(new)}"
            script.cases.append(script.known(equation, _extreme(theory, script, old, new, when), "e"))
        equal = [r for r in own if r.rel_op == "==" and r.lhs == old and is_hard(r.rhs)]
        script.cases += [script.known(printer.relation(r), own[r], "e") for r in equal]
        script.written += [r.rhs for r in equal]
    signs = {r: side for r in d.case.supposed if (side := _sign_of_root(d.case, r))}
    # relations between parameters, as facts
    for r in sorted(d.assuming, key=lambda r: (len(powers(r.args)), sp.count_ops(r))):
        said = d.said.get(r)
        try:
            if r in signs:
                law = f"conv_{'lt' if r.rel_op == '>' else 'le'} 0 {printer.text(signs[r])}"
                script.suppose(r, script.known(printer.relation(r), f"apply ({law}); [side | ident]", "p"))
            elif said is None:
                atom_fact(printer, script, r)
            elif said in own:
                script.suppose(r, theory.use(script, said, r, own[said], sequences))
        except NotExportedError:  # another one may be enough
            continue
    target = d.target
    small, large = target.args if target.rel_op in ("<=", "<") else target.args[::-1]
    strict = target.rel_op in ("<", ">")
    if printer.relation(target) != printer.relation(goal):
        same = bridge(theory, script, goal, target, sequences)
        script.lines.append(f"{converted(printer, target, goal, '', same)}.".replace("[ | ", "[| "))
    if d.found == "impossible":
        found = f"exfalso; {script.sign_false()}."
        script.lines.append(found)
    elif d.found in ("parameters", "numbers"):
        # z3, or the signs of terms
        script.nonzero([large - small, large, small])
        if d.found == "numbers":
            for r, said in d.said.items():
                if r not in d.assuming and r.rel_op != "!=" and r.free_symbols & target.free_symbols and said in own:
                    script.suppose(r, theory.use(script, said, r, own[said], sequences))
        difference = large - small
        said = f"0 {'<' if strict else '<='} {printer.text(difference)}"
        if difference.is_Rational:
            script.lines.append("ident_lra.")
        else:
            name_ = script.known(said, script.sign(difference, ">" if strict else ">="), "s")
            conv = "conv_lt" if strict else "conv_le"
            script.lines.append(f"apply ({conv} 0 {printer.text(difference)}); [exact {name_} | ident].")
    else:
        uses, squares, constant = _uses(theory, script, d, own, sequences)
        theory._identity(script, small, large, uses, squares, constant)
    return theory.lemma(name, goal, (*when, *extra), script)


def _extreme(theory: Theory, script: Script, extreme: sp.Expr, value: sp.Expr, when: Sequence[sp.Rel]) -> str:
    """A tactic that shows which argument a maximum or minimum is, under conditions that may write its arguments
    otherwise.
    """
    others = [a for a in extreme.args if a != value]
    if any({*w.args} == {*extreme.args} for w in when) or len(others) != 1 or len(extreme.args) != 2:
        return "extreme_case"
    for power in sorted(extreme.atoms(sp.Pow), key=str):
        if power.base.is_Symbol and not power.exp.is_Integer and not script._plainly(power.base, ">="):
            with suppress(NotExportedError):
                script.known(f"0 <= {script.text(power.base)}", script.sign(power.base, ">="), "g")
    small, large = map(theory.printer.text, (value, *others)[:: 1 if isinstance(extreme, sp.Min) else -1])
    ways = [
        f"solve [refine (conv_le _ _ _ _ W{i} _); ident]"
        if "=" in w.rel_op
        else f"solve [left; refine (conv_lt _ _ _ _ W{i} _); ident]"
        for i, w in enumerate(when)
    ]
    order = f"assert ({small} <= {large}) by (first [{' | '.join(ways)}])"
    return f"first [extreme_case | {order}; extreme_case]" if ways else "extreme_case"


def _name_roots(theory: Theory, d: Decision) -> None:
    """What stands for the root of a symbol or a sum in a case: a part of it was solved for a power of that."""
    named: dict[sp.Symbol, sp.Expr] = {}
    known = {*theory.printer.aliases, *d.terms}
    for old, new in d.case.instead:
        for root in {s for s in new.free_symbols if isinstance(s, Private)} - known - named.keys():
            q = sp.degree(new, root)
            under = sp.expand((old - new.coeff(root, 0)) / new.coeff(root, q)).xreplace(named)
            named[root] = sp.Pow(under, sp.Rational(1, q))
    theory.printer.terms.update(named)


def _uses(
    theory: Theory, script: Script, d: Decision, own: Mapping[sp.Rel, Provider], sequences: bool
) -> tuple[list[tuple[sp.Rel, sp.Expr, str]], Sequence[tuple[sp.Expr, gram.Vector]], sp.Expr]:
    """Premises with multipliers and names, squares, and what is left."""
    if isinstance(d.found, tuple):
        premises = [*d.step.premises]
        pairs, reads = [], {said: r for r, said in d.said.items()}
        rest = gap(d.target)
        for said, m in zip(premises, d.found, strict=False):
            if m != 0:
                r = reads[said]
                pairs.append((r, m))
                rest -= m * gap(r)
        extra = d.found[len(premises) :]
        if any(m != 0 for m in extra):
            raise NotExportedError("a multiplier of a known relation in a proof by terms")
        constant = sp.expand(rest)
        squares: Sequence[tuple[sp.Expr, gram.Vector]] = ()
    else:
        found = d.found
        assert isinstance(found, gram.Proved)
        if found.minors:
            raise NotExportedError("a form with principal minors")
        pairs, squares, constant = list(found.multipliers), found.squares, found.constant
    uses = []
    for r, m in pairs:
        uses.append((r, m, _premise(theory, script, r, d, own, sequences)))
    return uses, squares, constant


def _vanishing(
    theory: Theory, script: Script, r: sp.Rel, d: Decision, own: Mapping[sp.Rel, Provider], sequences: bool
) -> str | None:
    """The name of ``<u, w> = 0`` where one of the two vectors is shown to vanish."""
    text = theory.printer.text
    for (u, w), g, side in product(_as_products(r.lhs), d.given, (1, -1)):
        below = sp.expand(-side * gap(g))  # at most zero
        (name_, c), *_ = u.terms
        size = normal(sp.diff(below, inner(name_, name_)) / c**2)
        if size == 0 or (side == -1 and g.rel_op != "=="):
            continue
        wanted = sp.Le(gram.norm2(u), 0, evaluate=False)
        with suppress(ValueError, NotExportedError):
            script.sign(size, ">")
            rest = sp.Ge(below, size * gram.norm2(u), evaluate=False)
            found = gram.decide(rest, assuming=list(d.assuming))
            if not isinstance(found, gram.Proved) or found.minors or found.multipliers:
                continue
            squares = tuple((p / size, v) for p, v in found.squares)
            one, other = ("; ".join(f"({text(c)}, {theory.printer.vector(n)})" for n, c in v.terms) for v in (u, w))
            uses = [(g, side / size, _premise(theory, script, g, d, own, sequences))]
            apart = script.copy()
            theory._identity(apart, wanted.lhs, sp.S.Zero, uses, squares, sp.S.Zero)
            *script.lines, last = apart.lines
            script._known, script._waiting, script._count = apart._known, apart._waiting, apart._count
            name = script.known(f"{text(wanted.lhs)} <= 0", last.rstrip("."), "v")
            said = f"refine (conv_eq _ _ _ _ (vanish E [{one}] [{other}] _) _); "
            vector = theory.printer.vector
            turned = [f"?(dot_sym E {vector(a)} {vector(b)})" for a, _ in u.terms for b, _ in w.terms if a > b]
            turn = f"cbn [pair row]; rewrite {', '.join(turned)}; ident" if turned else "ident"
            said += f"[apply (conv_le {text(wanted.lhs)} 0); [exact {name} | ident] | {turn}]"
            return script.known(theory.printer.relation(r), said, "v")
    return None


def _premise(
    theory: Theory, script: Script, r: sp.Rel, d: Decision, own: Mapping[sp.Rel, Provider], sequences: bool
) -> str:
    said = d.said.get(r)
    if said is None:
        for read, told in d.said.items():
            if read.args == r.args and read.rel_op in ("<", ">") and read.rel_op + "=" == r.rel_op:
                name = theory.use(script, told, read, own[told], sequences)
                return script.known(theory.printer.relation(r), f"left; exact {name}", "p")
        given = [(rule, theory.context.rules.facts(rule)) for rule in d.step.rules]
        present = {n for g in (d.target, *d.given) for s in g.free_symbols for n in factors(s) or ()}
        present = present.union(*(found.names for _, found in given if isinstance(found, Alike)))
        for rule, found in given:
            if isinstance(found, Alike):
                for raw in found.among(present):
                    if theory.setting.apart(raw) == r:
                        about = "_".join(map(str, rule.about))
                        hyp = theory.quantified(f"{rule.name}_{about}", raw)
                        return theory.use(script, raw, r, f"apply {hyp}; side", sequences)
        if r.rel_op == "==" and (found_ := _vanishing(theory, script, r, d, own, sequences)):
            return found_
        if r.rhs == 0 and r.rel_op == ">=":
            return script.known(theory.printer.relation(r), script.sign(r.lhs, ">="), "p")
        raise NotExportedError(f"{r} has no source")
    if said not in own:
        raise NotExportedError(f"{said} has no provider")
    return theory.use(script, said, r, own[said], sequences)


def apart(case: Case) -> list[sp.Rel]:
    """What tells a case from others: all that it supposes, but the signs of what was solved for a power of a root."""
    return [r for r in case.supposed if _sign_of_root(case, r) is None]


def _sign_of_root(case: Case, relation: sp.Rel) -> sp.Expr | None:
    """The symbol, or its negative, of which a case says that it has the sign that is declared."""
    solved = (side for old, new in case.instead if old.is_Symbol and new.is_Add for side in (old, -old))
    found = (e for e in solved if relation.rhs == 0 and sp.expand(case.expression(e) - relation.lhs) == 0)
    return next(found, None)


def _as_products(form: sp.Expr) -> Iterator[tuple[gram.Vector, gram.Vector]]:
    """The two vectors of which a form is the inner product, in either order."""
    pairs = {s: pair for s in form.free_symbols if (pair := factors(s))}
    names = sorted({n for pair in pairs.values() for n in pair})
    at = {n: i for i, n in enumerate(names)}
    rows = [[sp.S.Zero] * len(names) for _ in names]
    for s, (u, v) in pairs.items():
        c = normal(sp.diff(form, s))
        if u == v:
            rows[at[u]][at[u]] = c
        else:
            rows[at[u]][at[v]] = rows[at[v]][at[u]] = c / 2
    found = factors_of(Form(sp.S.Zero, (), tuple(map(tuple, rows))))
    if found is None:
        i = next((i for i, row in enumerate(rows) if row[i] != 0), None)
        if i is None:
            return
        one = tuple(normal(x / rows[i][i]) for x in rows[i])
        found = one, tuple(normal(rows[i][i] * x) for x in one)
    one_, other = (combination(dict(zip(names, row, strict=True))) for row in found)
    yield one_, other
    yield other, one_

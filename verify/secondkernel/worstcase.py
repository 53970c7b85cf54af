"""A certified worst case as a theorem of Rocq, over any real inner product space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm

from rateproof.verify.worstcase.certificate import Certificate
from rateproof.verify.worstcase.model import Form, coefficients
from rateproof.verify.worstcase.semidefinite import squares


def theorem(certificate: Certificate, title: str = "") -> str:
    """The text of a file: points and values, what the proof uses of the classes, and the bound.

    Each condition is a hypothesis, with its name beside it, times the least number that leaves no fraction; so is the
    identity, which ``ring`` checks. The theorem is about any number that is at most every metric.
    """
    return "\n".join(_lines(certificate, title)) + "\n"


def _lines(certificate: Certificate, title: str) -> Iterator[str]:
    model, upper = certificate.model, certificate.upper
    if title:
        yield f"(* {_comment(title)} *)"
    yield "From RateProof Require Import WorstCase."
    yield "Section WorstCase."
    yield "Variable E : ips."
    yield f"(* the points: {_legend('p', model.points)} *)"
    yield f"Variables {_names('p', len(model.points))} : E."
    if model.values:
        yield f"(* the values: {_legend('v', model.values)} *)"
        yield f"Variables {_names('v', len(model.values))} : R."
    for k, metric in enumerate(model.metrics):
        yield f"Definition metric_{k} := {_form(metric)}."
    for i, condition in enumerate(model.conditions):
        yield f"(* {_comment(condition.name)} *)"
        yield f"Definition form_{i} := {_form(condition.form)}."
    for k, matrix in enumerate(model.semidefinite):
        yield f"(* {_comment(matrix.name)} *)"
        yield f"Definition matrix_{k} {_names('x', len(matrix.entries))} := {_quadratic(matrix.entries)}."
    rest, parts = certificate.gap(), list(_parts(certificate))
    scale = lcm(*(x.denominator for x in (upper, *(c for c, *_ in parts), *(x for row in rest for x in row))))
    rows = "; ".join(f"[{'; '.join(str(x * scale) for x in row[i:])}]" for i, row in enumerate(rest))
    yield f"Definition rest : list (list Z) := [{rows}]%Z."
    yield f"Definition points : list E := [{'; '.join(_each('p', model.points))}]."
    yield "(* any number that is at most every metric *)"
    yield "Variable least : R."
    for n, (factor, of, _) in enumerate(parts):
        yield f"Definition part_{n} := {_number(factor * scale)} * {of}."
    total = " + ".join((*_each("part", parts), "quad rest points"))
    yield f"Lemma identity : {_number(upper * scale)} - {_number(Fraction(scale))} * least = {total}."
    named = [*_each("part", parts), *_each("metric", model.metrics), *_each("form", model.conditions)]
    named += _each("matrix", model.semidefinite)
    yield f"Proof. unfold rest, points, {', '.join(named)}. cbn [quad products]. ring. Qed."
    for i, condition in enumerate(model.conditions):
        yield f"Hypothesis c_{i} : form_{i} {'=' if condition.equality else '<='} 0."
    for k, matrix in enumerate(model.semidefinite):
        over = _names("x", len(matrix.entries))
        yield f"Hypothesis s_{k} : forall {over} : R, 0 <= matrix_{k} {over}."
    least = "".join(f"{_scale([m])} * least <= metric_{k} -> " for k, m in enumerate(model.metrics))
    bound = f"{upper.denominator} * least <= {_number(Fraction(upper.numerator))}"
    yield f"Theorem bound : {least}{bound}."
    yield f"Proof. intros {_names('H', len(model.metrics))}."
    yield f"assert (S : 0 <= {_number(upper * scale)} - {scale} * least)."
    yield "{ rewrite identity."
    yield f"apply pls; [|apply (never_negative_holds E {len(rest)}); [reflexivity | vm_compute; reflexivity]]."
    yield from (f"apply pls; [|{why}]." for _, _, why in reversed(parts[1:]))
    yield f"{parts[0][2]}. }}"
    yield "clear -S; lra. Qed."
    yield "End WorstCase."
    yield "Print Assumptions bound."


def _parts(certificate: Certificate) -> Iterator[tuple[Fraction, str, str]]:
    """What the identity adds up: a factor, what it is a factor of, and why their product is not negative."""
    model = certificate.model
    for k, (weight, metric) in enumerate(zip(certificate.weights, model.metrics, strict=True)):
        if weight:
            scale = _scale([metric])
            yield weight / scale, f"(metric_{k} - {scale} * least)", f"apply mul_le; [now apply IZR_le | exact H_{k}]"
    for i, (multiplier, condition) in enumerate(zip(certificate.multipliers, model.conditions, strict=True)):
        how = f"apply mul_eq; exact c_{i}" if condition.equality else f"apply mul_le; [now apply IZR_le | exact c_{i}]"
        yield multiplier / _scale([condition.form]), f"(0 - form_{i})", how
    for k, (matrix, given) in enumerate(zip(certificate.matrices, model.semidefinite, strict=True)):
        for pivot, row in squares(matrix):
            entries = [f for fs in given.entries for f in fs]
            factor = pivot / _scale(entries) / (whole := lcm(*(x.denominator for x in row))) ** 2
            at = " ".join(_number(x * whole) for x in row)
            yield factor, f"matrix_{k} {at}", f"apply Rmult_le_pos; [now apply IZR_le | apply s_{k}]"


def _scale(forms: Sequence[Form]) -> int:
    """The least number that leaves no fraction in forms."""
    return lcm(*(c.denominator for form in forms for c in coefficients(form)))


def _form(form: Form, scale: int | None = None) -> str:
    scale = scale or _scale([form])
    terms = [f"{_number(c * scale)} * dot p_{i} p_{j}" for (i, j), c in sorted(form.gram.items())]
    terms += [f"{_number(c * scale)} * v_{k}" for k, c in sorted(form.values.items())]
    if form.constant or not terms:
        terms.append(_number(form.constant * scale))
    return " + ".join(terms)


def _quadratic(entries: Sequence[Sequence[Form]]) -> str:
    scale = _scale([f for row in entries for f in row])
    cells = ((i, j, f) for i, row in enumerate(entries) for j, f in enumerate(row))
    return " + ".join(f"x_{i} * x_{j} * ({_form(f, scale)})" for i, j, f in cells)


def _each(name: str, of: Sequence[object]) -> list[str]:
    return [f"{name}_{i}" for i in range(len(of))]


def _names(letter: str, count: int) -> str:
    return " ".join(f"{letter}_{i}" for i in range(count))


def _legend(letter: str, names: Sequence[str]) -> str:
    return ", ".join(f"{letter}_{i} is {_comment(name)}" for i, name in enumerate(names))


def _number(x: Fraction) -> str:
    """A whole number."""
    return f"(IZR ({x}))" if x < 0 else f"(IZR {x})"


def _comment(text: str) -> str:
    """Text that neither ends a comment nor opens another."""
    return " ".join(text.split()).replace("(*", "( *").replace("*)", "* )").replace('"', "'")

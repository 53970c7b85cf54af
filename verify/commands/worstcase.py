"""``rateproof worstcase``: the exact worst case of a method, proved from above, attained from below."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rateproof.verify.commands.errors import bad_input
from rateproof.verify.pages.render import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rateproof.verify.worstcase import Certificate
    from rateproof.verify.worstcase.methods import Case, Method
    from rateproof.verify.worstcase.methods.study import Study

INCOMPLETE = 1
#: Fractions with more characters are shortened.
LONGEST = 40
SHOWN = 8
#: From this slack on, the two bounds are called far apart, and a bound far from the value of the literature.
LOOSE = 0.01


@dataclass(frozen=True)
class Asked:
    """What a stored certificate should prove, as far as the command line says."""

    method: str | None
    own: str | None
    settings: Mapping[str, str]
    rounds: str | None
    metric: str | None
    bound: Fraction | None


@dataclass(frozen=True)
class Stored:
    """A certificate in a file, and what the file says that it is about: a method or a model of somebody's own."""

    method: str | None
    model: str | None
    parameters: Mapping[str, str]
    metric: str | None
    rationalised: bool
    certificate: Certificate

    @property
    def named(self) -> str:
        """The problem by name."""
        return str(self.method or self.model)


@click.command(short_help="The exact worst case of a method, certified.")
@click.argument("method", required=False)
@click.option("--list", "listed", is_flag=True, help="The methods, with their parameters and metrics.")
@click.option("--model", "own", metavar="FILE.py:FUNCTION", help="A PEPit problem of your own instead of METHOD.")
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="A parameter; may be repeated.")
@click.option("--rounds", metavar="N", help="Iterations or rounds.")
@click.option("--metric", metavar="M", help="What is measured; the first one listed.")
@click.option("--solver", default="CLARABEL", show_default=True, metavar="NAME", help="Of cvxpy; it only suggests.")
@click.option("--bound", metavar="B", help="Is this bound true? Exit code 1 unless it is proved.")
@click.option("--all-n", is_flag=True, help="A contraction in one step, hence a rate for every number of steps.")
@click.option("--upper", is_flag=True, help="The upper bound alone, which takes less time than the worst function.")
@click.option("--rationalise", is_flag=True, help="With --model: read its floats as the simple fractions they round.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The certificate, JSON.")
@click.option("--script", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The worst function.")
@click.option("--rocq", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="A theorem for Rocq.")
@click.option("--check", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="Check a certificate.")
@click.option("--json", "as_json", is_flag=True, help="A JSON object.")
def worstcase(
    method: str | None,
    listed: bool,
    own: str | None,
    settings: tuple[str, ...],
    rounds: str | None,
    metric: str | None,
    solver: str,
    bound: str | None,
    all_n: bool,
    upper: bool,
    rationalise: bool,
    out: Path | None,
    script: Path | None,
    rocq: Path | None,
    check: Path | None,
    as_json: bool,
) -> int:
    """Bound the worst case of a method over its class of functions, from above and from below, exactly.

    The upper bound is proved by multipliers that are verified in exact arithmetic, the lower bound attained by an
    explicit function, whatever the solver says. Parameters are numbers such as 0.1 or 1/3.

    \b
    For instance:
      rateproof worstcase gradient-descent --rounds 20 --bound 0.0122
      rateproof worstcase fedavg --set N=4 --set K=2 --rounds 2 --out fedavg.json
      rateproof worstcase --check fedavg.json
      rateproof worstcase fedavg --set N=4 --rounds 2 --bound 0.2 --check fedavg.json

    With --check, METHOD or --model, --set, --rounds, --metric and --bound say what the certificate should prove; what
    is left out is read from the file.

    Exit code 1: no certified bound or one far above the known value, a bound that is not proved, no contraction with
    --all-n, or a stored certificate that fails, proves something else, or was not compared with the problem that it
    names.
    """
    import json

    from rateproof.verify.runner import one_blas_thread
    from rateproof.verify.stored.files import check_target

    one_blas_thread()
    with bad_input():
        _one_of(method, own, listed, check)
        if listed:
            return _list(as_json)
        if check is not None:
            _only_check(out, script, rocq, all_n, upper, rationalise)
            settled = None if bound is None else _number("--bound", bound)
            return _check(check, Asked(method, own, _settings(settings), rounds, metric, settled), as_json)
        check_target("--out", out, (".json",))
        check_target("--script", script, (".py",))
        if upper and script is not None:
            raise ValueError("--script needs the worst function, which --upper leaves out")
        if rationalise and own is None:
            raise ValueError("--rationalise is about the floats of --model; the numbers of a METHOD are exact")
        if all_n:
            metric, rounds = _one_step(method, metric, rounds)
        build, title = _builder(method, own, settings, rounds, metric)
        claimed = None if bound is None else _number("--bound", bound)
        from rateproof.verify.pages.render import note
        from rateproof.verify.worstcase.methods import find
        from rateproof.verify.worstcase.methods.study import study

        if sys.stderr.isatty() and not upper:
            note("the bound comes first, then a search for the worst function; Ctrl-C ends that, --upper leaves it out")
        with _reading(rationalise):
            result = study(build, solver=solver, claimed=claimed, worst=not upper, progress=note)
        if as_json:
            print(json.dumps(summary(result, title, claimed) | ({"contracts": contracts(result)} if all_n else {})))
        else:
            for line in _report(result, title, claimed):
                print(line)
            if rationalise:
                print("  floats of the model    read as the simple fractions that they round")
            if all_n:
                print(f"  {_every_n(result, find(title).rounds)}")
        _write(result, title, claimed, own is None, out, script, rationalise)
        if rocq is not None:
            _write_theorem(result, title, rocq)
    wanted = result.upper is not None and not _far(result) if claimed is None else result.verdict(claimed) == "proved"
    wanted = wanted and (contracts(result) or not all_n)
    return 0 if wanted else INCOMPLETE


def _far(result: Study) -> bool:
    """Whether the bound is true, but far above the value of the literature: the search failed."""
    return result.excess is not None and result.excess > 1 + LOOSE


def _reading(rationalise: bool) -> AbstractContextManager[None]:
    """In which a model is built and read."""
    from rateproof.verify.worstcase import simple_fractions

    return simple_fractions() if rationalise else nullcontext()


def summary(result: Study, title: str, claimed: Fraction | None) -> dict[str, Any]:
    """Everything that was found, as plain JSON values; exact numbers are text."""
    known, upper, lower = result.case.known, result.upper, result.lower
    return {
        "method": title,
        "parameters": _texts(result.case.parameters),
        "metric": result.case.metric,
        "measured": result.case.measured,
        "start": result.case.start,
        "upper": None if upper is None else _exact(upper),
        "lower": None if lower is None else _exact(lower),
        "known": known and {"exact": str(known.value), "source": known.source, "proved": known.proved},
        "slack": result.slack,
        "loose": _far(result) or (result.slack is not None and result.slack > LOOSE),
        "excess": None if result.excess == inf else result.excess,
        "bound": None if claimed is None else {"exact": str(claimed), "verdict": result.verdict(claimed)},
        "clients": None if result.case.layout is None else result.case.layout.clients,
        "necessary_only": list(result.relaxed),
        "refusals": list(result.refusals),
        "seconds": result.seconds,
    }


def shortened(x: Fraction) -> str:
    """A fraction, or the first digits of a long one."""
    text = str(x)
    if len(text) <= LONGEST:
        return text
    parts = [str(x.numerator), str(x.denominator)]
    cut = "/".join(p if len(p) <= SHOWN else f"{p[:SHOWN]}..." for p in parts)
    return f"{cut} ({len(parts[0].lstrip('-'))} and {len(parts[1])} digits)"


def _report(result: Study, title: str, claimed: Fraction | None) -> Iterator[str]:
    case = result.case
    yield title
    if case.parameters:
        yield f"  {', '.join(f'{k} = {v}' for k, v in _texts(case.parameters).items())}"
    yield f"  metric: {case.measured}"
    yield f"  start: {case.start}"
    if case.stand_ins is not None:
        yield f"  {case.stand_ins} clients carry the worst case of {case.parameters['N']} (proved)"
    yield ""
    if result.upper is not None:
        yield f"  certified upper bound  {_both(result.upper)}"
    if result.worst is not None:
        where = f"dimension {result.worst.dimension}"
        yield f"  attained lower bound   {_both(result.worst.lower)}, {where}"
        if result.relaxed:
            names = ", ".join(result.relaxed)
            yield f"                         in the model; the conditions of {names} are necessary only"
    if result.slack is not None:
        loose = f": loose, {_factor(result)}" if result.slack > LOOSE else ""
        yield f"  slack                  {result.slack:.1e} of the upper bound{loose}"
    if case.known is not None:
        kind = "known tight value" if case.known.proved else "conjectured value"
        yield f"  {kind}      {_both(case.known.value)}"
        yield f"                         {case.known.source}"
    if _far(result):
        size = "more than 1e308" if result.excess == inf else f"{result.excess:.3g}"
        times = f"the certified bound is {size} times that: true, and of no use"
        yield f"  {times}; the search found no better one"
    for line in result.refusals:
        yield f"  {line}"
    yield f"  seconds                {', '.join(f'{k} {v:.2f}' for k, v in result.seconds.items())}"
    if claimed is not None:
        yield f"  bound {_both(claimed)}: {_verdict(result, claimed)}"


def _factor(result: Study) -> str:
    """How far apart the bounds are, in words; one of them is."""
    if result.upper is None or not result.lower or result.lower < 0:
        return "far from the worst function found"
    return (
        f"{float(result.upper / result.lower):.3g} times the worst function found; one of the two is far from the truth"
    )


def contracts(result: Study) -> bool:
    """Whether it is proved that every step brings the iterate nearer to the solution."""
    return result.contraction is not None and result.contraction.factor < 1


def _every_n(result: Study, n: str) -> str:
    if result.contraction is None:
        why = (
            "its proof needs more than the start, such as zeta" if result.certificate else "there is no certified bound"
        )
        return f"no rate for every {n}: {why}"
    if not contracts(result):
        return f"no rate for every {n}: it is not proved that a step brings the iterate nearer to the solution"
    return f"for every {n}: {result.case.measured} <= q^{n}, q = {_both(result.contraction.factor)}, by induction"


def _verdict(result: Study, claimed: Fraction) -> str:
    verdict = result.verdict(claimed)
    if verdict == "proved":
        return "proved, the certified bound is no larger"
    if verdict == "refuted":
        return "refuted by the worst function, whose metric is larger"
    if result.upper is None or result.lower is None:
        return "undecided, for one of the two bounds is missing"
    if result.lower > claimed:
        return "undecided, the worst function of the model need not belong to the class"
    return "undecided, it lies between the two bounds"


def _both(x: Fraction) -> str:
    return f"{Decimal(x.numerator) / x.denominator:.10g} = {shortened(x)}"


def _exact(x: Fraction) -> dict[str, Any]:
    """Both as JSON can hold them; a number above all floats has no value."""
    return {"exact": str(x), "value": float(x) if abs(x) < sys.float_info.max else None}


def _texts(parameters: Mapping[str, Any]) -> dict[str, str]:
    return {k: str(getattr(v, "fraction", v)) for k, v in parameters.items()}


def _one_of(method: str | None, own: str | None, listed: bool, check: Path | None) -> None:
    asked = [method is not None, own is not None, listed, check is not None]
    if sum(asked[:3]) > 1 or not any(asked) or (listed and check is not None):
        raise ValueError(
            "give one of METHOD, --model, --check and --list; rateproof worstcase --list shows the methods"
        )


def _only_check(*others: object) -> None:
    if any(others):
        raise ValueError("--check makes nothing: leave out --out, --script, --rocq, --all-n, --upper and --rationalise")


def _one_step(method: str | None, metric: str | None, rounds: str | None) -> tuple[str, str]:
    from rateproof.verify.worstcase.methods import METHODS, find
    from rateproof.verify.worstcase.methods.base import DISTANCE

    if rounds is not None or metric not in (None, DISTANCE):
        raise ValueError(f"--all-n is about one step and the metric {DISTANCE}; leave --rounds and --metric out")
    if method is None or DISTANCE not in find(method).metrics:
        able = ", ".join(m.name for m in METHODS.values() if DISTANCE in m.metrics)
        raise ValueError(f"--all-n needs a METHOD with the metric {DISTANCE}: {able}")
    return DISTANCE, "1"


def _builder(
    method: str | None, own: str | None, settings: Sequence[str], rounds: str | None, metric: str | None
) -> tuple[Callable[[], Case], str]:
    """What makes the case, and its name."""
    from rateproof.verify.worstcase.methods import find
    from rateproof.verify.worstcase.methods.own import load

    values = _settings(settings)
    if own is not None:
        if rounds is not None or metric is not None:
            raise ValueError("--rounds and --metric belong to a METHOD; a model of your own takes --set")
        function = load(own)
        return lambda: function(values), own
    chosen = find(method or "")
    values |= _rounds(chosen, values, rounds)
    return lambda: chosen.smallest(values, metric), chosen.name


def _rounds(method: Method, values: Mapping[str, str], rounds: str | None) -> dict[str, str]:
    if rounds is None:
        return {}
    if method.rounds in values:
        raise ValueError(f"--rounds {rounds} and --set {method.rounds} say the same; give one of them")
    return {method.rounds: str(_number("--rounds", rounds))}


def _settings(texts: Sequence[str]) -> dict[str, str]:
    pairs = [_setting(text) for text in texts]
    names = [name for name, _ in pairs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"--set {twice} is given twice; give it once")
    return dict(pairs)


def _setting(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name:
        raise ValueError(f"--set {text} should be name=value, such as L=10 or gamma=2/3")
    return name, str(_number(f"--set {name}", value))


def _number(what: str, text: str) -> Fraction:
    from rateproof.verify.worstcase.exact import exact

    try:
        return exact(text).fraction
    except ValueError:
        shown = text if len(text) <= LONGEST else f"{text[:SHOWN]}..."
        raise ValueError(f"{what} is {shown}; it should be a number such as 0.1 or 1/3") from None


def _write(
    result: Study,
    title: str,
    claimed: Fraction | None,
    registered: bool,
    out: Path | None,
    script: Path | None,
    rationalise: bool,
) -> None:
    import json

    from rateproof.verify.pages.render import note
    from rateproof.verify.stored.files import write_atomically
    from rateproof.verify.worstcase.replay import script as script_of

    if out is not None:
        if result.certificate is None:
            note(f"{out} is not written: there is no certificate")
        else:
            data = {
                "method": title if registered else None,
                "model": None if registered else title,
                "parameters": _texts(result.case.parameters),
                "metric": result.case.metric,
                "rationalised": rationalise,
                "certificate": json.loads(result.certificate.to_json()),
            }
            with bad_input("--out "):
                write_atomically(out, json.dumps(data) + "\n")
    if script is not None:
        if result.worst is None:
            note(f"{script} is not written: there is no worst function")
        else:
            bound = claimed if claimed is not None and result.verdict(claimed) == "refuted" else None
            case = result.case
            settings = ", ".join(f"{k} = {v}" for k, v in _texts(case.parameters).items())
            shown = "" if case.stand_ins is None else f", shown with {case.stand_ins} clients"
            text = script_of(result.worst, f"Worst case of {title}, {case.measured} ({settings}){shown}", bound=bound)
            with bad_input("--script "):
                write_atomically(script, text)


def _write_theorem(result: Study, title: str, where: Path) -> None:
    """The certificate as a theorem, with the library on which it rests."""
    from rateproof.verify.pages.render import note
    from rateproof.verify.secondkernel.rocq import file_name, write_library
    from rateproof.verify.secondkernel.worstcase import theorem
    from rateproof.verify.stored.files import write_atomically

    if result.certificate is None:
        note(f"nothing is written into {where}: there is no certificate")
        return
    settings = ", ".join(f"{k} = {v}" for k, v in _texts(result.case.parameters).items())
    said = f"{title} ({settings}): {result.case.measured} <= {result.certificate.upper}, {result.case.start}"
    with bad_input("--rocq "):
        write_library(where)
        write_atomically(where / f"{file_name(title)}.v", theorem(result.certificate, said))


def _list(as_json: bool) -> int:
    from rateproof.verify.pages.render import print_json
    from rateproof.verify.worstcase.methods import METHODS

    if as_json:
        print_json(_entry(m) for m in METHODS.values())
        return 0
    for m in METHODS.values():
        print(f"{m.name}: {m.title}")
        for name, default in m.defaults().items():
            value = "" if default is None else f" = {default}"
            also = ", also --rounds" if name == m.rounds else ""
            print(f"  {name + value:14} {m.meaning[name]}{also}")
        for name, words in m.metrics.items():
            print(f"  --metric {name}: {words}")
        print()
    return 0


def _entry(m: Method) -> dict[str, Any]:
    return {
        "method": m.name,
        "title": m.title,
        "parameters": {
            k: {"default": v if v is None else str(v), "meaning": m.meaning[k]} for k, v in m.defaults().items()
        },
        "metrics": dict(m.metrics),
        "rounds": m.rounds,
    }


def _check(path: Path, asked: Asked, as_json: bool) -> int:
    """Verify a stored certificate, and that it is about the problem that is asked for or else named in the file."""
    import json

    from rateproof.verify.worstcase.methods import find
    from rateproof.verify.worstcase.methods.own import load
    from rateproof.verify.worstcase.methods.study import model_of

    own = None if asked.own is None else load(asked.own)
    if asked.method is not None:
        find(asked.method)
    stored = _stored(path)
    about, parameters, missing = stored.named, stored.parameters, None
    with bad_input(f"--check {path}: "):
        faults = [*stored.certificate.problems(), *_something_else(stored, asked)]
        if not faults:  # which is soon found out, whereas the problem may be large
            with _reading(stored.rationalised):
                case, missing = _named_case(stored, asked, own)
                if case is not None:
                    parameters = _texts(case.parameters)
                    faults = list(stored.certificate.problems(model_of(case)))
    values = ", ".join(f"{k} = {v}" for k, v in parameters.items())
    floats = "its floats read as simple fractions" if stored.rationalised else None
    words = [w for w in (stored.metric, values, floats) if w]
    about += f" ({'; '.join(words)})" if words else ""
    upper = stored.certificate.upper
    if as_json:
        wrong = faults or [w for w in (missing,) if w]
        report = {"file": str(path), "problem": about, "upper": _exact(upper), "compared": not wrong}
        print(json.dumps(report | {"valid": not wrong, "faults": wrong}))
    elif faults:
        print(printable(f"{path}: the certificate fails: {'; '.join(faults)}"))
    elif missing is not None:
        print(printable(f"{path}: no instance of the problem in the file has a metric above {_both(upper)}, {missing}"))
    else:
        print(printable(f"{path}: no instance of {about} has a metric above {_both(upper)}"))
    return INCOMPLETE if faults or missing is not None else 0


def _something_else(stored: Stored, asked: Asked) -> Iterator[str]:
    """In what a stored certificate is not about what is asked for, as far as the file tells."""
    from rateproof.verify.worstcase.methods import find

    if stored.method is None and not (asked.method is None and asked.rounds is None and asked.metric is None):
        yield f"it is about the model {stored.model}, not about a method"
        return
    if stored.method is not None and asked.own is not None:
        yield f"it is about the method {stored.method}, not about a model"
        return
    if asked.method not in (None, stored.method):
        yield f"it is about {stored.method}, not about {asked.method}"
        return
    wanted = dict(asked.settings)
    if stored.method is not None:
        wanted |= _rounds(find(stored.method), wanted, asked.rounds)
        if asked.metric not in (None, stored.metric):
            yield f"its metric is {stored.metric}, not {asked.metric}"
    for name, value in wanted.items():
        if name in stored.parameters and Fraction(stored.parameters[name]) != Fraction(value):
            yield f"its {name} is {stored.parameters[name]}, not {value}"
    if asked.bound is not None and stored.certificate.upper > asked.bound:
        yield f"it proves {_both(stored.certificate.upper)}, which is more than {_both(asked.bound)}"


def _named_case(
    stored: Stored, asked: Asked, own: Callable[[Mapping[str, str]], Case] | None
) -> tuple[Case | None, str | None]:
    """The case that a stored certificate should be about, built again; else why it cannot be."""
    from importlib.util import find_spec

    from rateproof.verify.worstcase.methods import find

    settings = {**stored.parameters, **asked.settings}
    if own is not None:
        return own(settings), None
    if stored.method is None:
        return None, f"but it was not compared with {stored.model}: give --model {stored.model}"
    if find_spec("PEPit") is None:
        return None, f"but it was not compared with {stored.named}: PEPit is not installed"
    method = find(stored.method)
    return method.smallest(settings | _rounds(method, asked.settings, asked.rounds), stored.metric), None


def _stored(path: Path) -> Stored:
    """What --out has written."""
    import json

    from rateproof.verify.worstcase import Certificate
    from rateproof.verify.worstcase.exact import written
    from rateproof.verify.worstcase.stored import cause, name_of, parsed

    if not path.is_file():
        raise ValueError(f"--check {path}: there is no file {path}")
    try:
        data = parsed(path.read_text(encoding="utf-8"))
        method, model, metric = (None if data[k] is None else name_of(data[k]) for k in ("method", "model", "metric"))
        if not isinstance(data["parameters"], dict):
            raise ValueError("its parameters are no object")
        parameters = {name: str(written(value)) for name, value in data["parameters"].items()}
        certificate = Certificate.from_json(json.dumps(data["certificate"]))
    except (ValueError, KeyError, RecursionError) as error:
        raise ValueError(f"--check {path}: this is no certificate that --out has written, {cause(error)}") from None
    if (method is None) == (model is None) or metric is None:
        raise ValueError(f"--check {path}: the file does not say which problem it is about")
    rationalised = data.get("rationalised") is True
    return Stored(method, model, parameters, metric if method is not None else None, rationalised, certificate)

"""The form of a file of counterexamples, so that a slip in one is named and not passed over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_FILE = {"without": dict, "instance": dict, "counterexample": list}
#: The entries of a record that have the same type in every paper; what else a record holds is its paper's.
_RECORD = {
    **dict.fromkeys(("claim", "by_hand", "shows", "left", "right", "measure", "instance"), str),
    **dict.fromkeys(("ratios", "rungs", "x", "x0"), list),
    **dict.fromkeys(("at", "values", "facts"), dict),
}
_CALLED: dict[type, str] = {str: "a text", list: "an array", dict: "a table"}


def well_formed(content: Mapping[str, Any]) -> None:
    """Check a file: the tables ``without`` and ``instance``, and the records.

    Raises:
        ValueError: an entry is unknown, missing or of another type; it is named.
    """
    if unknown := sorted(content.keys() - _FILE.keys()):
        raise ValueError(f"{unknown[0]!r} is not known; a file holds {', '.join(_FILE)}")
    _typed("the file", content, _FILE)
    _typed("without", content.get("without", {}), str)
    instances = content.get("instance", {})
    _typed("instance", instances, dict)
    for name, instance in instances.items():
        if "says" not in instance:
            raise ValueError(f"instance {name!r} lacks says, its description")
        _typed(f"instance {name!r}", instance, {"says": str})
    for record in content.get("counterexample", ()):
        _record(record)


def _record(record: Any) -> None:
    _typed("the file", {"a counterexample": record}, dict)
    if lacking := sorted({"claim", "by_hand"} - record.keys()):
        raise ValueError(f"a counterexample lacks {', '.join(lacking)}: {dict(record)}")
    what = f"the counterexample to {record['claim']}"
    _typed(what, record, _RECORD)
    _typed(f"{what}, ratios", dict(enumerate(record.get("ratios", ()))), str)
    for number, rung in enumerate(record.get("rungs", ()), start=1):
        _typed(what, {f"rung {number}": rung}, dict)
        _typed(f"{what}, rung {number}", rung, _RECORD)


def _typed(what: str, entries: Mapping[Any, Any], types: type | Mapping[str, type]) -> None:
    for name, value in entries.items():
        wanted = types if isinstance(types, type) else types.get(name, object)
        if not isinstance(value, wanted):
            raise ValueError(f"{what}: {name} should be {_CALLED[wanted]}, got {value!r}")

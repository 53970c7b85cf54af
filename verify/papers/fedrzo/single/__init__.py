"""Checks of this section."""

from typing import Any

from verify.checks import Check
from verify.mutate import Sharp
from verify.space import Space

CHECKS: dict[str, Check] = {}
SPACES: dict[str, tuple[Space[Any], ...]] = {}
SHARP: dict[str, Sharp] = {}

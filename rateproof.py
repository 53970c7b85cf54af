"""Guard of the three import packages ``theory``, ``algos`` and ``verify``.

Their names are common words, so a foreign package of the same name may come first on ``sys.path``.
Each of the three calls :func:`require_siblings` when it is imported.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

__version__ = "0.1.0"

PACKAGES = ("theory", "algos", "verify")


def require_siblings(package_file: str) -> None:
    """Check that all three packages come from the directory that holds ``package_file``.

    Args:
        package_file: ``__file__`` of the ``__init__.py`` that calls.

    Raises:
        ImportError: a package of the same name from elsewhere shadows a sibling; names both paths.
    """
    home = Path(package_file).resolve().parent.parent
    for name in PACKAGES:
        spec = find_spec(name)
        places = list(spec.submodule_search_locations or []) if spec else []
        found = Path(places[0]).resolve() if places else Path(spec.origin or "?") if spec else None
        expected = home / name
        if found != expected:
            raise ImportError(
                f"rateproof's package '{name}' should be {expected}, but Python finds "
                f"{found or 'nothing'}: a foreign package shadows it; remove it from sys.path or rename it"
            )


def main() -> None:
    """The command: check the packages first, so that a foreign one gives one line instead of a traceback."""
    try:
        require_siblings(str(Path(__file__).with_name("verify") / "__init__.py"))
    except ImportError as error:
        print(f"rateproof: {error}", file=sys.stderr)
        sys.exit(2)
    from verify.cli import main as run

    run()

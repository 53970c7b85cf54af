"""The documentation, built by ``make docs`` without a network.

What the records say is not written twice: a page for each paper and the pages of the commands and of what is trusted
are made here, from what the commands print.
"""

import io
import os
from contextlib import redirect_stdout
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes

import rateproof
from rateproof.theory import catalog
from rateproof.verify.cli import cli, execute
from rateproof.verify.pages.listed import reviewed
from rateproof.verify.pages.typeset import TypesettingError, mathml

FOLDER = Path(__file__).parent
MADE = FOLDER / "made"

project = "rateproof"
author = "the rateproof maintainers"
version = release = rateproof.__version__
root_doc = "docs/index"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["**/.*"]
html_theme = "furo"
html_title = f"rateproof {release}"
html_extra_path = ["start"]
html_static_path = ["static"]
html_css_files = ["marks.css"]
html_copy_source = False
html_last_updated_fmt = None

nb_execution_mode = "off"  # the notebooks hold their outputs
nb_render_markdown_format = "myst"
myst_enable_extensions = ["dollarmath"]
myst_dmath_double_inline = True
myst_heading_anchors = 3
myst_update_mathjax = False
html_math_renderer = "mathml"  # no script, no network

autodoc_member_order = "bysource"
autodoc_typehints = "none"
# links of docstrings are to names of Python; what they miss is no fault of a page
suppress_warnings = ["ref.python", "myst.header", "autodoc", "docutils", "mystnb.unknown_mime_type"]

os.environ.update(COLUMNS="100", NO_COLOR="1")


PAPERS = """# The papers

For each paper what `rateproof review` writes: what holds, what falls, when it holds again, and what to ask its authors.
`textbook` holds theorems that are known to be true and tight, as controls; `lemmas` what many proofs need.
"""


def printed(*arguments: str) -> str:
    """What a command prints."""
    with redirect_stdout(io.StringIO()) as out:
        execute(arguments)
    return out.getvalue().rstrip()


def fenced(text: str) -> str:
    """A block of what a terminal shows."""
    return f"```text\n{text}\n```\n"


def make_pages(_: object) -> None:
    """Write the pages that come from the records."""
    (MADE / "papers").mkdir(parents=True, exist_ok=True)
    for paper in catalog.papers():
        (MADE / "papers" / f"{paper}.md").write_text(reviewed(paper)["markdown"], encoding="utf-8")
    entries = "\n".join(f"{paper} <papers/{paper}>" for paper in catalog.papers())
    (MADE / "papers.md").write_text(f"{PAPERS}\n```{{toctree}}\n{entries}\n```\n", encoding="utf-8")
    helps = "\n".join(f"## {name}\n\n{fenced(printed(name, '--help'))}" for name in cli.commands)
    (MADE / "commands.md").write_text(f"# Commands\n\n{fenced(printed('--help'))}\n{helps}", encoding="utf-8")
    trusted = fenced(printed("doctor", "--trusted"))
    words = fenced(printed("doctor", "--vocabulary"))
    (MADE / "trusted.md").write_text(f"# What proofs rest on\n\n{trusted}", encoding="utf-8")
    (MADE / "vocabulary.md").write_text(f"# What an author may write\n\n{words}", encoding="utf-8")


def math(writer: Any, node: nodes.Node) -> None:
    """A formula as MathML; one that cannot be set, as the LaTeX that it is."""
    block = isinstance(node, nodes.math_block)
    try:
        writer.body.append(mathml(node.astext(), block=block))
    except TypesettingError:
        writer.body.append(f"<code>{escape(node.astext())}</code>")
    raise nodes.SkipNode


def setup(app: Any) -> None:
    """Have Sphinx make these pages before it reads any, and print formulas without a script."""
    app.connect("builder-inited", make_pages)
    app.add_html_math_renderer("mathml", (math, None), (math, None))

"""What a browser finds on the pages of a report: ``python -m rateproof.verify.report.look SITE [WIDTH ...]``.

SITE is a folder that ``rateproof report --out SITE`` wrote; widths are in pixels, 1280 and 390 unless given. It prints
how many pages, links, formulas and drawings there are, which links lead nowhere, and for each width what the console
says, what is asked of a network, which pages are wider than the window and which have formulas that take no room. Exit
code 1: there are such. It needs the extra ``test`` and a Chromium, the one that CHROMIUM names or that of the machine.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from shutil import which
from typing import Any

WIDTHS = (1280, 390)
#: How much wider than the window a page is, and how many of its formulas that are open take no room.
MEASURED = """[document.documentElement.scrollWidth - innerWidth, [...document.querySelectorAll('math')].filter(
    o => !o.closest('details:not([open])') && !o.closest('[hidden]') && !o.getClientRects().length).length]"""


class Page(HTMLParser):
    """The ids, links and scripts of a page, and how many formulas and drawings it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str | None] = set()
        self.links: list[str] = []
        self.scripts: list[dict[str, str | None]] = []
        self.formulas = self.drawings = 0
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag adds."""
        values = dict(attrs)
        self.ids.add(values.get("id"))
        self.links += [values[name] or "" for name in ("href", "src") if name in values]
        self.scripts += [values] if tag == "script" else []
        self.formulas += tag == "math"
        self.drawings += tag == "svg"


def pages_of(site: Path) -> dict[str, Page]:
    """The pages of a site by the names of their files."""
    return {path.name: Page(path) for path in sorted(site.glob("*.html"))}


def dead(site: Path, pages: dict[str, Page]) -> Iterator[str]:
    """Links that lead to no file of the site, or to no place on its page."""
    for name, page in pages.items():
        for link in page.links:
            target, _, fragment = link.partition("#")
            if link.startswith("data:"):  # what the page holds itself
                continue
            there = not target or (site / target).is_file()
            if not there or (fragment and fragment not in pages[target or name].ids):
                yield f"{name}: {link}"


def wrong(window: Any, site: Path, names: Iterable[str]) -> list[str]:
    """What a window of Playwright finds wrong with pages."""
    found: list[str] = []
    window.on("console", lambda said: found.append(f"{window.url}: {said.text}"))
    window.on("pageerror", lambda error: found.append(f"{window.url}: {error}"))
    window.on("request", lambda r: None if r.url.startswith(("file:", "data:")) else found.append(f"asked for {r.url}"))
    for name in names:
        window.goto((site / name).as_uri())
        over, hidden = window.evaluate(MEASURED)
        found += [f"{name}: {over} pixels wider than the window"] if over > 0 else []
        found += [f"{name}: {hidden} formulas take no room"] if hidden else []
    return found


def chromium(play: Any) -> Any:
    """A browser of Playwright: the one that CHROMIUM names, that of the machine, or that of Playwright."""
    where = os.environ.get("CHROMIUM") or which("chromium")
    return play.chromium.launch(executable_path=where, args=["--no-sandbox", "--disable-gpu"])


def main(folder: str, widths: Sequence[int] = WIDTHS) -> int:
    """Print what is found; 1 where something is wrong."""
    from playwright.sync_api import sync_playwright

    site = Path(folder)
    pages = pages_of(site)
    if not pages:
        sys.exit(f"{site} holds no pages; rateproof report --out {site} writes them")
    found = [*dead(site, pages)]
    print(f"{len(pages)} pages, {sum(len(p.links) for p in pages.values())} links, {len(found)} of them dead,")
    print(f"{sum(p.formulas for p in pages.values())} formulas, {sum(p.drawings for p in pages.values())} drawings")
    with sync_playwright() as play:
        browser = chromium(play)
        for width in widths:
            window = browser.new_page(viewport={"width": width, "height": 900})
            seen = wrong(window, site, pages)
            print(f"{width} pixels: {len(seen)} things wrong")
            found += seen
            window.close()
        browser.close()
    print("\n".join(found), end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit("which SITE? the folder that rateproof report --out SITE wrote")
    sys.exit(main(sys.argv[1], [*map(int, sys.argv[2:])] or WIDTHS))

"""The picture of the report in the README and the docs: ``python -m notebooks.docs.picture [CLAIM]``.

It is the top of the page that ``rateproof report`` writes of a claim, in a window of 1120 by 660 pixels. It needs the
extra ``test`` and a Chromium: the one that CHROMIUM names, that of the machine, or that of Playwright.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

FILE = Path(__file__).parent / "report.png"


def main(claim: str = "strfedavg.lem1") -> None:
    """Write the picture of the page of a claim."""
    from playwright.sync_api import sync_playwright

    from rateproof.verify.report.look import chromium
    from rateproof.verify.report.site import write

    with TemporaryDirectory() as folder, sync_playwright() as play:
        page = write(claim, Path(folder))
        browser = chromium(play)
        window = browser.new_page(viewport={"width": 1120, "height": 660}, color_scheme="light")
        window.goto(page.as_uri())
        window.screenshot(path=FILE)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])

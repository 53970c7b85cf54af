"""Cut STIX Two Math to what formulas of papers need.

``python -m rateproof.verify.report.font.cut STIXTwoMath-Regular.ttf``, with fonttools and brotli installed. The font
comes with STIX itself, and with the package ziamath. What stays are the MATH table, the size variants of brackets,
roots and sums, and the letters below; without the rest it is a tenth of its size.
"""

from __future__ import annotations

import sys
from pathlib import Path

FONT = Path(__file__).parent / "math.woff2"
#: Latin, accents, Greek, dashes and scripts, letters and arrows, operators, brackets, and mathematical letters:
#: italic, bold, script, double-struck.
KEPT = """
    0020-007E 00A0-00B7 00D7 00F7 0131 0237 02C6-02DC 0300-0308 030C 0331-0338 0391-03F6 2010-2016 2020-2026 2032-2034
    203E 2044 2057 20D0-20D7 2102 210B-2131 2190-2195 21A6 21D0-21D5 2200-22A5 22C0-22C5 22EE-22F1 2308-230B 2329-232A
    23B0-23B1 23DC-23E1 27E8-27E9 2A00-2A06 1D400-1D467 1D49C-1D4CF 1D538-1D56B 1D6A4-1D6E1 1D6FC-1D71B
"""


def cut(source: Path, target: Path = FONT) -> int:
    """Write the cut font, and return its size in bytes."""
    from fontTools.subset import Options, Subsetter, load_font, save_font

    options = Options(flavor="woff2", layout_features=["ssty", "flac", "dtls"], hinting=False, recalc_timestamp=False)
    font = load_font(str(source), options)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=[code for part in KEPT.split() for code in _codes(part)])
    subsetter.subset(font)
    save_font(font, str(target), options)
    return target.stat().st_size


def _codes(part: str) -> range:
    first, _, last = part.partition("-")
    return range(int(first, 16), int(last or first, 16) + 1)


if __name__ == "__main__":
    print(f"{FONT}: {cut(Path(sys.argv[1]))} bytes")

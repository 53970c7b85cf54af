"""Table 3 of the paper as printed: test accuracy at the best validation accuracy, and its deviation over five seeds.

All numbers are decimal strings.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

SETTINGS = (1, 2, 3, 4)
GROUPS = ("minority", "majority")
DATA = ("F-MNIST", "MNIST", "CIFAR-10", "DS-ImageNet")
METHODS = ("Bi-level", "Local-train", "FedAvg", "Ditto", "pFedMe")


class Entry(NamedTuple):
    """Mean accuracy, and its deviation."""

    mean: str
    deviation: str


#: A row a method, setting by setting: minority and then majority, in ten-thousandths, mean and deviation.
_ROWS = """
7758 59 8824 198 5175 65 2668 79 8364 121 8443 96 5928 68 2630 91
6926 175 7850 269 3036 102 1108 127 7427 110 7550 95 3568 144 1150 72
7507 97 8297 171 2965 75 2008 117 8327 119 8484 123 5705 52 2612 116
7297 146 8358 201 4361 166 1582 37 8086 141 8059 53 5021 204 1874 126
7418 235 8568 204 4860 67 2084 68 8297 70 8320 162 5588 110 2324 87
7754 82 8580 283 5148 51 2734 52 8332 63 8384 196 5979 44 2694 104
6763 116 7874 129 3159 110 1260 33 7343 104 7650 146 3594 86 1276 110
5686 211 5809 405 2870 106 1676 44 7824 62 7746 121 5431 87 2542 89
7204 59 7841 217 3951 121 1536 178 7889 93 7841 89 4946 131 1724 68
7207 130 7506 224 4422 131 1936 113 8091 44 7911 283 5574 104 2146 81
7726 170 8736 55 5235 60 2680 72 8234 119 8342 135 5861 64 2788 142
6762 126 7803 204 3061 107 1162 54 7262 74 7698 100 3632 83 1224 71
5940 211 6225 195 3084 99 1756 88 7702 143 7632 171 5705 123 2676 74
6856 247 7452 160 4184 149 1626 93 7628 115 7742 167 4986 175 1792 133
7123 239 7203 201 4535 68 1938 144 7871 104 7650 341 5563 38 2188 122
7658 117 8588 133 5172 107 2698 115 8160 51 8455 64 5935 74 2678 62
6809 79 7645 270 3086 52 1148 59 7012 66 7476 282 3709 79 1172 87
5648 481 5475 205 3612 181 1722 90 7644 258 7577 127 5529 77 2600 159
6974 130 7176 185 3970 105 1538 77 7646 85 7608 63 4986 102 1744 168
7035 187 6932 140 4548 69 1794 114 7910 110 7688 171 5489 60 2232 63
"""
#: (setting, method, group, data) -> entry.
TABLE3: dict[tuple[int, str, str, str], Entry] = {
    (setting, method, group, data): Entry(f"0.{int(row[2 * j]):04d}", f"0.{int(row[2 * j + 1]):04d}")
    for (setting, method), row in zip(
        product(SETTINGS, METHODS), map(str.split, _ROWS.strip().split("\n")), strict=True
    )
    for j, (group, data) in enumerate(product(GROUPS, DATA))
}

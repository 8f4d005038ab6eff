"""Line items of Finnish statements: members of the dimension `fi_dim:MCY`, and what must add up.

See docs/formats/fi.md 3.3.

The element of a fact only says whether it is a balance or an accumulation; the line is the member. Equity is x376;
x435 and x513 also balance, but are current and non-current assets. Does not belong here: reading (`document`).
"""

from __future__ import annotations

from typing import Final

# staged in this order, each followed by its comparative
LINES: Final = {
    "x673": "Liikevaihto: revenue",
    "x520": "Bruttotulos: gross result, which small companies report instead of revenue",
    "x689": "Liikevoitto: operating result",
    "x738": "Voitto ennen tilinpäätössiirtoja ja veroja: result before appropriations and taxes",
    "x541": "Tuloverot: income taxes",
    "x740": "Tilikauden voitto: net result",
    "x2895": "Tilikauden voitto, oma pääoma: net result as a line of equity",
    "x513": "Pysyvät vastaavat: non-current assets",
    "x435": "Vaihtuvat vastaavat: current assets",
    "x360": "Vastaavaa: total assets",
    "x376": "Oma pääoma: equity",
    "x424": "Vieras pääoma: liabilities",
    "x481": "Vastattavaa: equity and liabilities",
}
PRIOR: Final = ".prior"

# (what, one side, other side): a signal if both are stated and differ by a cent
EQUAL: Final = (
    ("x360 = x481", "x360", ("x481",)),
    ("x360 = x513 + x435", "x360", ("x513", "x435")),
    ("x740 = x2895", "x740", ("x2895",)),
)
# a line and its counterpart, which states the same amount and is its fallback
COUNTERPARTS: Final = {"x740": "x2895", "x360": "x481"}
# appropriations and provisions, which few statements have, come in between
PARTS: Final = (
    ("x481 = x376 + x424 (+ appropriations, provisions)", "x481", ("x376", "x424")),
    ("x740 = x738 + x541 (+ appropriations)", "x740", ("x738", "x541")),
)

# a balance, an accumulation; P&L comes as either (docs/formats/fi.md 3.2)
ELEMENTS: Final = frozenset({"mi53", "md103"})
NAME, NUMBER, START, END = "si168", "si289", "di120", "di121"
WANTED: Final = ELEMENTS | {NAME, NUMBER, START, END}
LINE_AXIS, REFERENCE_AXIS = "MCY", "REF"
COMPARATIVES: Final = ("x4", "x53")  # end of the previous year, the previous period
SCHEME: Final = "http://ytj.fi"
TAXONOMY: Final = "oytp_gaap_ind"
CURRENCY: Final = "EUR"

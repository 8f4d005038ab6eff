"""Patterns of periods in texts and attachment names, in two languages (docs/formats/no.md 8).

Belongs here: patterns. Does not belong here: which of several statements counts (`periods`).
"""

from __future__ import annotations

import re
from typing import Final

MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january januar jan",
            "february februar feb",
            "march mars mar",
            "april apr",
            "may mai",
            "june juni jun",
            "july juli jul",
            "august aug",
            "september sept sep",
            "october oktober oct okt",
            "november nov",
            "december desember dec des",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH: Final = "|".join(sorted(MONTHS, key=len, reverse=True))
DAY: Final = (
    rf"(?:(?P<d1>\d{{1,2}})\.? (?P<m1>{_MONTH})\.?,? (?P<y1>20\d\d)"
    rf"|(?P<m2>{_MONTH})\.? (?P<d2>\d{{1,2}}),? (?P<y2>20\d\d)"
    r"|(?P<y3>20\d\d)-(?P<m3>\d\d)-(?P<d3>\d\d)"
    r"|(?P<d4>\d{1,2})[./](?P<m4>\d{1,2})[./](?P<y4>20\d\d))"
)
ANY_DAY: Final = re.compile(DAY, re.IGNORECASE)
LENGTHS: Final = {"half": 6, "six": 6, "nine": 9, "quarter": 3, "three": 3, "year": 12}
ENDED: Final = re.compile(
    r"(?P<what>(?:financial |fiscal )?year|half[- ]year|six[- ]months?(?: period)?|nine[- ]months?(?: period)?"
    r"|three[- ]months?(?: period)?|quarter|regnskapsåret|halvåret|kvartalet)"
    rf"(?: that)? (?:ended|ending|avsluttet|som ble avsluttet)(?: on)? {DAY}",
    re.IGNORECASE,
)
NORWEGIAN: Final = {"regnskapsåret": 12, "halvåret": 6, "kvartalet": 3}
PACKAGE: Final = (".zip", ".xhtml", ".xbri")
NAMED_DAY: Final = re.compile(r"(?<![0-9])(20\d\d)([-_]?)(\d\d)\2(\d\d)(?![0-9])")
COMPARED: Final = re.compile(
    r"\b(?:compared|comparison|versus|vs\.?|against|corresponding|previous|prior|sammenlignet|tilsvarende|forrige)"
    r"(?: [\w-]+){0,4} $",
    re.IGNORECASE,
)
# «2025/26» is not a calendar year, and a date «2025-12-…» is not the year of a quarter.
_ALONE: Final = r"(?! ?/ ?\d|[-–—]\d|\d)"
_FIRST_OF_TWO: Final = r"(?<!\d[/–—-])"

_ORDINAL: Final = (
    r"first|1st|1\.|første",
    r"second|2nd|2\.|andre|annet",
    r"third|3rd|3\.|tredje",
    r"fourth|4th|4\.|fjerde",
)
_NUMBERED: Final = "|".join(f"(?P<q{number}>{words})" for number, words in enumerate(_ORDINAL, start=1))
QUARTER: Final = re.compile(
    rf"(?:\bq(?P<q>[1-4])(?:[ -]|cy|fy|')*(?P<y1>20\d\d|\d\d)\b{_ALONE}"
    rf"|\b{_FIRST_OF_TWO}(?P<y2>20\d\d) ?q(?P<q_>[1-4])\b(?! ?[-–—/] ?q?[1-4]\b)"
    rf"|\b{_FIRST_OF_TWO}(?P<y4>20\d\d) (?:{_NUMBERED.replace('<q', '<r')}) ?(?:quarter|kvartal)"
    rf"|(?:{_NUMBERED}) ?(?:quarter|kvartal)(?: of| results| report|,)? ?(?P<y3>20\d\d){_ALONE})",
    re.IGNORECASE,
)
# Prefix of the last quarter in a range: «Q1-Q3 2026», «1.-3. kvartal 2026», «first to third quarter».
RANGE: Final = re.compile(
    rf"(?:\bq(?P<q>[1-4])|(?<!\d)(?:{_NUMBERED.replace('<q', '<r')}))(?: quarter| kvartal)?"
    r" ?(?:[-–—/&+]|to|til|through|and|og) ?$",
    re.IGNORECASE,
)
HALF: Final = re.compile(
    r"\b(?:(?:h1|first half(?:[- ]year)?(?: of)?|1\. ?halvår|første halvår|half[- ]year(?:ly)?"
    r"(?: financial)?(?: report)?|halvårsrapport(?:en)?(?: for)?|six months of)[ ,]*(?P<y1>20\d\d)"
    rf"|{_FIRST_OF_TWO}(?P<y2>20\d\d) half[- ]year)\b{_ALONE}",
    re.IGNORECASE,
)
BOTH: Final = re.compile(r"\bh1\b|\bfirst half|\bhalvår|\bhalf[- ]year", re.IGNORECASE)
YEAR: Final = re.compile(
    r"\b(?:annual (?:financial )?report|annual (?:financial )?statements?|financial statements|annual accounts"
    r"|årsrapport(?:en)?|årsregnskap(?:et)?|årsberetning(?:en)?|rekneskap|årsrekneskap)(?: and accounts)?"
    r"(?: for| of)?(?: the)?(?: (?:financial |fiscal )?year)?(?: året| regnskapsåret)?[ ,:]*(?P<y1>20\d\d)"
    rf"{_ALONE}|\b{_FIRST_OF_TWO}(?P<y2>20\d\d)(?: integrated)? annual (?:financial )?report",
    re.IGNORECASE,
)

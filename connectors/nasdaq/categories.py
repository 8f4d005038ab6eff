"""Categories of releases: major-holding notifications (flaggings) and interim reports (docs/formats/fi.md 6.1).

First North has other numbers than the main markets, so an unknown number is classified by its label. Does not
belong here: reading a release.
"""

from __future__ import annotations

import re
from typing import Final

FLAGGING: Final = frozenset({144})
YEAR_END: Final = frozenset({73})  # a financial statement release, before the annual report
INTERIM: Final = frozenset({153, 68, 78, 500}) | YEAR_END
KNOWN: Final = FLAGGING | INTERIM | {
    13, 16, 18, 29, 30, 55, 58, 59, 62, 64, 66, 67, 69, 72, 75, 199, 209, 210, 270, 424, 428, 432, 436, 497, 498,
}  # fmt: skip
_FLAGGING_LABEL: Final = re.compile(r"major (?:shareholder|holding)|suurimmat osakkeenomistajat|flagg", re.IGNORECASE)
_INTERIM_LABEL: Final = re.compile(
    r"interim report|quarterly report|half[- ]?year|osavuosi|puolivuosi|del[åa]rsrapport|halv[åa]rs", re.IGNORECASE
)
_YEAR_END_LABEL: Final = re.compile(
    r"financial statement release|year[- ]end report|tilinpäätöstiedote|bokslutskommunik", re.IGNORECASE
)


def is_flagging(category: int | None, label: str | None) -> bool:
    """Whether a release is a notification of a major holding."""
    if category in KNOWN:
        return category in FLAGGING
    return _FLAGGING_LABEL.search(label or "") is not None


def is_year_end(category: int | None, label: str | None) -> bool:
    """Whether a release covers a whole year ahead of the annual report."""
    if category in KNOWN:
        return category in YEAR_END
    return _YEAR_END_LABEL.search(label or "") is not None


def is_interim(category: int | None, label: str | None) -> bool:
    """Whether a release is a report of a part of the year, or of the year ahead of the annual report."""
    if category in KNOWN:
        return category in INTERIM
    return _INTERIM_LABEL.search(label or "") is not None or is_year_end(category, label)

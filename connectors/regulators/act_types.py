"""Types of acts (docs/formats/news.md 1.9) and their names in the contract (docs/contract/contract.md 4.6).

`litigation`, `prohibition` and `order` are our own: a feed does not say whether a suit was filed or settled, and a
ban or an instruction is no fine. Does not belong here: the words that identify a type (`headline_grammar`, one
table per language).
"""

from __future__ import annotations

from typing import Final

SANCTION_FINE: Final = "sanction_fine"
SANCTION_WARNING: Final = "sanction_warning"
PROHIBITION: Final = "prohibition"
LICENCE_WITHDRAWAL: Final = "licence_withdrawal"
LITIGATION: Final = "litigation"
ADMINISTRATIVE_PROCEEDING: Final = "administrative_proceeding"
ORDER: Final = "order"
TRADING_SUSPENSION: Final = "trading_suspension"
TRADING_RESUMED: Final = "trading_resumed"
DELISTING: Final = "delisting"
INSPECTION_REPORT: Final = "inspection_report"
UNAUTHORISED_WARNING: Final = "unauthorised_warning"
CLONE_WARNING: Final = "clone_warning"
OTHER: Final = "other"

ACTION_TYPES: Final = {
    SANCTION_FINE: "sanction",
    SANCTION_WARNING: "sanction",
    PROHIBITION: "sanction",
    LICENCE_WITHDRAWAL: "sanction",
    LITIGATION: "enforcement",
    ADMINISTRATIVE_PROCEEDING: "enforcement",
    ORDER: "enforcement",
    TRADING_SUSPENSION: "announcement",
    TRADING_RESUMED: "announcement",
    DELISTING: "announcement",
    INSPECTION_REPORT: "announcement",
    UNAUTHORISED_WARNING: "announcement",
    CLONE_WARNING: "announcement",
    OTHER: "other",
}
# Warnings name firms that imitate others or are in no register: the name alone identifies no company.
NEVER_MATCHED: Final = (UNAUTHORISED_WARNING, CLONE_WARNING)

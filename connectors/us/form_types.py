"""Form types: which are a company's own reports, and which concern its registration.

See docs/formats/us.md 9, 12.2.

Forms of small businesses have no hyphen in EDGAR («10KSB»); with it they are rare slips of filers.
Belongs here: families of forms, as sets and as expressions. Does not belong here: conclusions from them
(`profile.status`, `submissions.filings`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

ANNUAL: Final = frozenset(
    {"10-K", "10-KT", "10-K405", "10-KT405", "10-KSB", "10-KSB40", "10-KT40", "20-F", "40-F"}
    | {"10KSB", "10KSB40", "10KT405"}
)
# 10-S: the semi-annual report that the SEC proposed to permit in place of two quarterly ones
INTERIM: Final = frozenset({"10-Q", "10-QT", "10-QSB", "10QSB", "10-S"})
PERIODIC: Final = ANNUAL | INTERIM
FOREIGN_INTERIM: Final = "6-K"  # holds statements only now and then: when it holds XBRL
FOREIGN: Final = frozenset({"20-F", "40-F", FOREIGN_INTERIM})  # reports of foreign issuers
CURRENT: Final = frozenset({"8-K", "8-K12B", "8-K12G3", "8-K15D5", "10-D"})
REGISTRATION: Final = frozenset(
    {"10-12B", "10-12G", "10-SB", "10SB12B", "10SB12G", "20FR12B", "20FR12G", "40FR12B", "40FR12G"}
    | {"8-A12B", "8-A12G", "S-1", "S-11", "SB-1", "SB-2", "F-1", "1-A"}
)
# after an offering under Regulation A or crowdfunding: annual, semi-annual and current reports
EXEMPT: Final = frozenset({"1-K", "1-SA", "1-U", "C-AR"})
OWN: Final = ANNUAL | INTERIM | {FOREIGN_INTERIM} | CURRENT | REGISTRATION | EXEMPT
# of registered investment companies: they make nobody a company, but a company that files them reports
OF_FUNDS: Final = frozenset({"N-CSR", "N-CSRS", "N-CEN", "NPORT-P", "N-PX", "N-Q", "N-30D", "NSAR-A", "NSAR-B"})
REPORTING: Final = OWN | OF_FUNDS
ENDING: Final = frozenset({"15-12B", "15-12G", "15-15D", "15F-12B", "15F-12G", "15F-15D", "REVOKED"})
REMOVAL: Final = frozenset({"25", "25-NSE"})
MERGER: Final = frozenset({"DEFM14A", "DEFM14C"})  # documents of a merger of the company itself
OFFER: Final = "SC TO-T"  # also appears in the bidder's list, without the file number of a subject company
EXCHANGE: Final = frozenset({"S-4", "F-4"})  # exchange of shares, but also of a continuing company's notes
SUBJECT: Final = "005-"  # file numbers of subjects of an offer or of large stakes
BY_EXCHANGE: Final = "25-NSE"
AMENDED: Final = "/A"


def base_form(form: pl.Expr) -> pl.Expr:
    """The form without the mark of an amendment."""
    return form.str.strip_suffix(AMENDED)


def is_in_family(form: pl.Expr, family: frozenset[str]) -> pl.Expr:
    """Whether a form belongs to a family, amended or not."""
    return base_form(form).is_in(sorted(family))


def is_about_filer_itself(cik: pl.Expr, form: pl.Expr, accession: pl.Expr) -> pl.Expr:
    """False for removals that the filer, an exchange, submits about another company's securities."""
    return ~((base_form(form) == BY_EXCHANGE) & (accession.str.slice(0, 10) == cik))


def is_own_form(form: str | None) -> bool:
    """Whether a form is a report or registration that a company files about itself."""
    return form is not None and form.removesuffix(AMENDED) in OWN


def is_reporting_form(form: str) -> bool:
    """Whether a form shows that a company goes on reporting: its own, or those of funds."""
    return form.removesuffix(AMENDED) in REPORTING

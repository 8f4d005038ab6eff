"""What EDGAR knows of a filer beyond the shapes all markets share: its filings, symbols, and what they tell.

Belongs here: the shapes that stories change and writers write. Does not belong here: how they are written
(`writers_us`, `papers_us`), or what the service must make of them (`truth_us`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime


@dataclass(frozen=True, slots=True)
class Paper:
    """One filing. `about`: the text of a Form 25 or 15 on its class; `parties`: other filers in its header."""

    accession: str
    form: str
    filed: date
    accepted: datetime
    period: date | None = None
    items: tuple[str, ...] = ()
    exhibits: tuple[str, ...] = ()
    security: str | None = None
    rule: str | None = None
    is_xbrl: bool = False
    owner: str | None = None  # CIK of a person who files about the company


@dataclass(frozen=True, slots=True)
class NewsTold:
    """A current report with a press release."""

    paper: Paper


@dataclass(frozen=True, slots=True)
class NoticeTold:
    """A filing that tells a supervisor of trouble, of a removal, or of an end."""

    paper: Paper


@dataclass(slots=True)
class American:
    """EDGAR's view of one company. `is_washed`: clocks are served in Eastern time with a false Z."""

    papers: list[Paper] = field(default_factory=list)
    tickers: list[tuple[str, str | None]] = field(default_factory=list)
    is_washed: bool = False

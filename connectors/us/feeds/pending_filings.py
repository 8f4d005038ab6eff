"""Filings named by the feeds, and which of them were fetched already: shared by all per-filing datasets.

A dataset that fetches filing by filing uses `filing_subjects` as its `wants` and a `FetchedFilings` as its cursor:
the Atom feed lists a filing once per party and poll, and the nightly index lists it again, so filings are
identified by their accession number and fetched once. Does not belong here: which document is fetched, and how (the
dataset).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Final

import polars as pl

from connectors.contract.pieces import Cursor
from connectors.kit.cursors import from_differences, pack_cursor, to_differences, unpack_cursor
from connectors.us.feeds import schema as f

KEPT: Final = 30_000  # filings remembered: about a week of all forms
_PARTS: Final = 4

# Reports of the company itself (docs/formats/us.md 12.6), and forms about its listing, registration and end (9,
# 12.2).
PERIODIC: Final = frozenset({"10-K", "10-KT", "10-Q", "10-QT", "10-S", "20-F", "40-F", "6-K"})
CURRENT_REPORTS: Final = frozenset({"8-K", "8-K12B", "8-K12G3", "8-K15D5"})
LATE: Final = frozenset({"NT 10-K", "NT 10-Q", "NT 20-F"})
REMOVALS: Final = frozenset({"25", "25-NSE"})
DEREGISTRATIONS: Final = frozenset({"15-12B", "15-12G", "15-15D", "15F-12B", "15F-12G", "15F-15D", "REVOKED"})
REGISTRATIONS: Final = frozenset({"8-A12B", "8-A12G", "10-12B", "10-12G", "20FR12B", "20FR12G", "S-1", "F-1"})
MERGERS: Final = frozenset({"DEFM14A", "DEFM14C", "SC TO-T", "S-4", "F-4"})
STAKES: Final = frozenset({"SC 13D", "SC 13G", "SCHEDULE 13D", "SCHEDULE 13G"})
INSIDERS: Final = frozenset({"3", "4", "5"})
MANAGERS: Final = frozenset({"13F-HR", "13F-NT"})
# after these a company's submissions are fetched again at once; other forms come with the nightly bulk
OF_PROFILES: Final = PERIODIC | CURRENT_REPORTS | LATE | REMOVALS | DEREGISTRATIONS | REGISTRATIONS | MERGERS | STAKES
# parties that the filing is not about: persons and managers who file it, exchanges
_OTHERS: Final = ("Reporting", "Filed by")


@dataclass(frozen=True, slots=True)
class FeedFiling:
    """One filing and one party of it, as a subject `accession:cik:form:filed`."""

    accession: str
    cik: str
    form: str
    filed: str  # ISO date; empty if unknown

    def __str__(self) -> str:
        return f"{self.accession}:{self.cik}:{self.form}:{self.filed}"

    @staticmethod
    def of(subject: str) -> FeedFiling | None:
        """Parses a subject; None for one of another format."""
        parts = subject.split(":")
        return FeedFiling(*parts) if len(parts) == _PARTS else None


def filing_subjects(
    staged: Mapping[str, pl.DataFrame], forms: Collection[str], parties: Collection[str] = ()
) -> Iterator[str]:
    """Filings of some forms and of their amendments, oldest first; each once per party that may be a company.

    `parties`: the wanted roles, as the Atom feed names them; by default all except those that only submit the
    filing. The index has no roles: a party with an unwanted role in the Atom feed is dropped from the index
    rows too, if both are present.
    """
    frames: list[pl.DataFrame] = []
    kept = pl.col(f.ROLE).is_in(list(parties)) if parties else ~pl.col(f.ROLE).is_in(_OTHERS)
    party = [f.ACCESSION, f.CIK]
    told = staged.get(f.CURRENT.name)
    if told is not None:
        frames.append(told.filter(kept).select(*party, f.FORM, f.FILED))
    if f.INDEX.name in staged:
        listed = staged[f.INDEX.name].select(*party, f.FORM, f.FILED)
        frames.append(listed if told is None else listed.join(told, on=party, how="anti"))
    if not frames:
        return
    base = pl.col(f.FORM).str.replace(r"/A$", "")
    rows = (
        pl.concat(frames)
        .filter(base.is_in(sorted(forms)))
        .unique(party, keep="first", maintain_order=True)
        .sort(f.FILED, f.ACCESSION, nulls_last=True, maintain_order=True)
    )
    for accession, cik, form, filed in rows.iter_rows():
        yield str(FeedFiling(accession, cik, form, "" if filed is None else filed.isoformat()))


class FetchedFilings:
    """The cursor of per-filing fetching: accession numbers of fetched filings, delta-encoded and compressed."""

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self._numbers = dict.fromkeys(numbers)

    @staticmethod
    def of(cursor: Cursor | None) -> FetchedFilings:
        """Decodes a cursor; an unreadable one counts as empty."""
        runs = unpack_cursor(cursor, lambda packed: [from_differences(run) for run in packed])
        return FetchedFilings(chain.from_iterable(runs or ()))

    def cursor(self) -> Cursor:
        """Cursor of the newest filings; feeds no longer name older ones."""
        kept = list(self._numbers)[-KEPT:]
        half = len(kept) // 2  # two sorted runs, the older first: keeps age by halves for the next trim
        return pack_cursor([to_differences(kept[:half]), to_differences(kept[half:])])

    def has_filing(self, accession: str) -> bool:
        return _accession_as_int(accession) in self._numbers

    def add(self, *accessions: str) -> None:
        for number in map(_accession_as_int, accessions):
            self._numbers.pop(number, None)
            self._numbers[number] = None

    def __len__(self) -> int:
        return len(self._numbers)


def _accession_as_int(accession: str) -> int:
    return int(accession.replace("-", ""))

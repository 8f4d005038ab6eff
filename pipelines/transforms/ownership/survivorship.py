"""Survivorship: merges the records of one holder into one line; which share wins, and how the others agree.

Belongs here: precedence of registers, newer bands against older figures, the effect of an end on other registers.
Does not belong here: which records are one holder (`holders.match_rules`), since when the line's share is valid
(`owners`). The register with the highest precedence wins (docs/formats/no.md 13.5): a notice of a crossing before a
group's structure, then a yearly list, then roles. Within a register the newest record wins. A figure inside a band
is preferred to the band, whichever register states it; if figure and band contradict each other, the newer one
wins. A share of votes without one of capital outdates an older share of capital; a holding that ended in a register
has ended in those of lower precedence, unless they are of a later day. Records are never summed: joint filers,
groups and two registers report the same shares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

Record = Mapping[str, Any]
Measure = tuple[str, str, str]  # the figure, its lower and its upper bound

AGREED: Final = "agreed"
CONFLICT: Final = "conflict"
LATEST: Final = "latest_wins"
# points by which two sources may differ and still agree (docs/contract/contract.md 4.4)
APART: Final = Decimal("0.5")
CAPITAL: Final[Measure] = ("pct", "pct_min", "pct_max")
VOTES: Final[Measure] = ("votes_pct", "votes_min", "votes_max")
_NOMINEE: Final = "nominee"
_UNKNOWN: Final = "unknown"


def merge_by_precedence(records: Sequence[Record], precedence: Sequence[str]) -> tuple[dict[str, Any], list[Record]]:
    """One row of several records of one holder, and the records in order of precedence."""
    ordered = sorted(records, key=lambda record: _precedence_rank(record, precedence))
    ends = [_end_day(record, ordered) for record in ordered]
    live = [record for record, end in zip(ordered, ends, strict=True) if end is None]
    # if the holder is gone, the record that ended last is used
    last = max((end for end in ends if end is not None), default=None)
    heard = live or [record for record, end in zip(ordered, ends, strict=True) if end == last]
    capital, votes = _capital_record(heard), _winning_record(heard, VOTES)
    decides = capital or votes or heard[0]
    row = dict(decides)
    row |= {name: capital[name] if capital else None for name in CAPITAL}
    row |= {name: votes[name] if votes else None for name in VOTES}
    for name in ("holder_name", "holder_company_id", "holder_country"):
        row[name] = next((record[name] for record in heard if record[name] is not None), None)
    row["holder_type"] = _holder_type(decides, heard)
    row["ended_on"] = None if live else last
    row["observed_at"] = max(record["observed_at"] for record in ordered)
    row["reconciliation"] = _agreement_state(heard, decides)
    return row, [decides, *(record for record in ordered if record is not decides)]


def record_date(record: Record) -> date:
    """The day of a record's statement."""
    return record["valid_from"] or record["observed_at"].date()


def _precedence_rank(record: Record, precedence: Sequence[str]) -> tuple[int, int, str, str]:
    register = record["register"]
    place = precedence.index(register) if register in precedence else len(precedence)
    return place, -record_date(record).toordinal(), register, record["native_id"]


def _end_day(record: Record, ordered: Sequence[Record]) -> date | None:
    """The day a record ended: its own end, or that of a register of higher precedence on the same or a later day.

    Registers without shares do not count: leaving a group is no sale.
    """
    others = (other for other in ordered[: ordered.index(record)] if other["register"] != record["register"])
    days = [other["ended_on"] for other in others if other["basis"] is not None]
    ends = [day for day in days if day is not None and day >= record_date(record)]
    own = [record["ended_on"]] if record["ended_on"] is not None else []
    return min([*own, *ends], default=None)


def _has_share(record: Record, measure: Measure) -> bool:
    return any(record[name] is not None for name in measure)


def _capital_record(heard: Sequence[Record]) -> Record | None:
    """The record that wins for capital: not one older than a share of votes of higher precedence."""
    newest = date.min
    for place, record in enumerate(heard):
        if _has_share(record, CAPITAL) and record_date(record) >= newest:
            return _winning_record(heard[place:], CAPITAL)
        if _has_share(record, VOTES):
            newest = max(newest, record_date(record))
    return None


def _winning_record(heard: Sequence[Record], measure: Measure) -> Record | None:
    """The winning record: the first with a share, unless a figure in its band or a newer contradiction wins."""
    stated = [record for record in heard if _has_share(record, measure)]
    if not stated:
        return None
    first, *others = stated
    for other in others:
        if _is_band(first, measure) == _is_band(other, measure):
            continue
        if _is_consistent(first, other, measure):
            if _is_band(first, measure):
                return other
        elif record_date(other) > record_date(first):
            # the newer record is now first: a figure inside its band is preferred again
            return _winning_record([other, *(one for one in others if one is not other)], measure)
    return first


def _is_band(record: Record, measure: Measure) -> bool:
    """True if only bounds are known. Equal bounds are a figure reported jointly by several filers."""
    exact, low, high = (record[name] for name in measure)
    return exact is None and low != high


def _is_consistent(one: Record, other: Record, measure: Measure) -> bool:
    """True if a figure is inside a band, within the tolerance between sources."""
    band, figure = (one, other) if _is_band(one, measure) else (other, one)
    share = figure[measure[1]] if figure[measure[0]] is None else figure[measure[0]]
    _, low, high = (band[name] for name in measure)
    return (low is None or share >= low - APART) and (high is None or share <= high + APART)


def _holder_type(decides: Record, heard: Sequence[Record]) -> str:
    """The holder's type: nominee if the winning share is a nominee's, else the first known type."""
    if decides["holder_type"] == _NOMINEE:
        return _NOMINEE
    kinds = [record["holder_type"] for record in heard]
    return next((kind for kind in kinds if kind != _UNKNOWN), _UNKNOWN)


def _agreement_state(heard: Sequence[Record], decides: Record) -> str:
    """Agreement on capital: contradictions of the same day are a conflict, of other days `latest_wins`."""
    apart = list(_conflicting_records(heard, decides))
    if not apart:
        return AGREED
    return CONFLICT if any(record_date(record) == record_date(decides) for record in apart) else LATEST


def _conflicting_records(heard: Sequence[Record], decides: Record) -> Iterator[Record]:
    """Records with a share of capital that contradicts the winning one."""
    if not _has_share(decides, CAPITAL):
        return
    for record in heard:
        if record is decides or not _has_share(record, CAPITAL):
            continue
        bands = [_is_band(one, CAPITAL) for one in (decides, record)]
        if not any(bands):
            # joint filers leave the figure to the leading one
            shares = [one["pct"] for one in (decides, record)]
            if None not in shares and abs(shares[0] - shares[1]) > APART:
                yield record
        elif (all(bands) and not _bands_overlap(decides, record)) or (
            not all(bands) and not _is_consistent(decides, record, CAPITAL)
        ):
            yield record


def _bands_overlap(one: Record, other: Record) -> bool:
    """True if two bands may be of one share; they are half-open, touching is not overlapping."""
    low = max((record["pct_min"] for record in (one, other) if record["pct_min"] is not None), default=None)
    high = min((record["pct_max"] for record in (one, other) if record["pct_max"] is not None), default=None)
    return low is None or high is None or low < high

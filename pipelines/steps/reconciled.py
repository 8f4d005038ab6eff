"""Records of one holder to one line: whose share counts, and how the others agree.

Belongs here: precedence of registers, what a newer band says of an older figure, what an end says of other
registers. Does not belong here: which records speak of one holder (`holder_rules`), since when the line's share
holds (`ownership`).

The register that stands first decides (docs/formats/no.md 13.5): a notice of a crossing before a group's structure,
that before a yearly list, that before roles. Of one register the newest record decides. A figure says more than a
band that it lies in, whoever tells it; where figure and band contradict each other the newer one holds. A share of
votes without one of capital makes an older share of capital out of date; what has ended in a register has ended in
those behind it, unless they speak of a later day. Records are never added up: joint filers, groups and two
registers tell of the same shares.
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


def reconciled(records: Sequence[Record], precedence: Sequence[str]) -> tuple[dict[str, Any], list[Record]]:
    """One row of several records of one holder, and the records in order of their word."""
    ordered = sorted(records, key=lambda record: _rank(record, precedence))
    ends = [_end(record, ordered) for record in ordered]
    live = [record for record, end in zip(ordered, ends, strict=True) if end is None]
    # of a holder who is gone the record that held longest tells the last of it
    last = max((end for end in ends if end is not None), default=None)
    heard = live or [record for record, end in zip(ordered, ends, strict=True) if end == last]
    capital, votes = _capital(heard), _decides(heard, VOTES)
    decides = capital or votes or heard[0]
    row = dict(decides)
    row |= {name: capital[name] if capital else None for name in CAPITAL}
    row |= {name: votes[name] if votes else None for name in VOTES}
    for name in ("holder_name", "holder_company_id", "holder_country"):
        row[name] = next((record[name] for record in heard if record[name] is not None), None)
    row["holder_type"] = _kind(decides, heard)
    row["ended_on"] = None if live else last
    row["observed_at"] = max(record["observed_at"] for record in ordered)
    row["reconciliation"] = _agreement(heard, decides)
    return row, [decides, *(record for record in ordered if record is not decides)]


def dated(record: Record) -> date:
    """The day a record speaks of."""
    return record["valid_from"] or record["observed_at"].date()


def _rank(record: Record, precedence: Sequence[str]) -> tuple[int, int, str, str]:
    register = record["register"]
    place = precedence.index(register) if register in precedence else len(precedence)
    return place, -dated(record).toordinal(), register, record["native_id"]


def _end(record: Record, ordered: Sequence[Record]) -> date | None:
    """The day a record is over: by itself, or by another register before it, of a day that is not earlier.

    Who says nothing of shares says nothing of their end: leaving a group is no sale.
    """
    others = (other for other in ordered[: ordered.index(record)] if other["register"] != record["register"])
    days = [other["ended_on"] for other in others if other["basis"] is not None]
    ends = [day for day in days if day is not None and day >= dated(record)]
    own = [record["ended_on"]] if record["ended_on"] is not None else []
    return min([*own, *ends], default=None)


def _states(record: Record, measure: Measure) -> bool:
    return any(record[name] is not None for name in measure)


def _capital(heard: Sequence[Record]) -> Record | None:
    """Whose share of capital counts: not one that is older than a share of votes of somebody before."""
    newest = date.min
    for place, record in enumerate(heard):
        if _states(record, CAPITAL) and dated(record) >= newest:
            return _decides(heard[place:], CAPITAL)
        if _states(record, VOTES):
            newest = max(newest, dated(record))
    return None


def _decides(heard: Sequence[Record], measure: Measure) -> Record | None:
    """The first that states a share, unless a figure inside its band says more, or a newer one contradicts it."""
    stated = [record for record in heard if _states(record, measure)]
    if not stated:
        return None
    first, *others = stated
    for other in others:
        if _is_band(first, measure) == _is_band(other, measure):
            continue
        if _fit(first, other, measure):
            if _is_band(first, measure):
                return other
        elif dated(other) > dated(first):
            # it stands first now: a figure of another that lies in its band says more than it
            return _decides([other, *(one for one in others if one is not other)], measure)
    return first


def _is_band(record: Record, measure: Measure) -> bool:
    """Whether only bounds are known. Equal ones are a figure that several joint filers tell of: told once."""
    exact, low, high = (record[name] for name in measure)
    return exact is None and low != high


def _fit(one: Record, other: Record, measure: Measure) -> bool:
    """Whether a figure lies in a band, but for the points by which sources may differ."""
    band, figure = (one, other) if _is_band(one, measure) else (other, one)
    share = figure[measure[1]] if figure[measure[0]] is None else figure[measure[0]]
    _, low, high = (band[name] for name in measure)
    return (low is None or share >= low - APART) and (high is None or share <= high + APART)


def _kind(decides: Record, heard: Sequence[Record]) -> str:
    """What the holder is: a nominee where the share that counts is a nominee's, else what is told first."""
    if decides["holder_type"] == _NOMINEE:
        return _NOMINEE
    kinds = [record["holder_type"] for record in heard]
    return next((kind for kind in kinds if kind != _UNKNOWN), _UNKNOWN)


def _agreement(heard: Sequence[Record], decides: Record) -> str:
    """How those agree that state a share of capital; of other days they were overtaken, of one they conflict."""
    apart = list(_apart(heard, decides))
    if not apart:
        return AGREED
    return CONFLICT if any(dated(record) == dated(decides) for record in apart) else LATEST


def _apart(heard: Sequence[Record], decides: Record) -> Iterator[Record]:
    """Records whose share of capital cannot be that of the one that decides."""
    if not _states(decides, CAPITAL):
        return
    for record in heard:
        if record is decides or not _states(record, CAPITAL):
            continue
        bands = [_is_band(one, CAPITAL) for one in (decides, record)]
        if not any(bands):
            # joint filers leave the figure to the one that leads
            shares = [one["pct"] for one in (decides, record)]
            if None not in shares and abs(shares[0] - shares[1]) > APART:
                yield record
        elif (all(bands) and not _overlap(decides, record)) or (
            not all(bands) and not _fit(decides, record, CAPITAL)
        ):
            yield record


def _overlap(one: Record, other: Record) -> bool:
    """Whether two bands may be of one share; they are half-open, touching is not overlapping."""
    low = max((record["pct_min"] for record in (one, other) if record["pct_min"] is not None), default=None)
    high = min((record["pct_max"] for record in (one, other) if record["pct_max"] is not None), default=None)
    return low is None or high is None or low < high

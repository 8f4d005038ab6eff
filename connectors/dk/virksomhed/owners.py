"""Rows of `dk_ejer`: the register of owners as statements, one for each day on which a holder's shares changed.

Shares of capital and votes are two lists with their own periods; a statement is what both say from a day on, also where
one of them ends alone. Of the organs of a company only EJERREGISTER is read: legal owners from 5 percent. Beneficial
owners («Reelle ejere») are not public any more, and are removed before the archive. Does not belong here: what a share
means (`holdings`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from connectors.dk.register import canonical_number
from connectors.dk.virksomhed.periods import current_element, first_day, newest_element, newest_first, period_of
from connectors.dk.virksomhed.structs import Organisation, Participant, RegisteredCompany, Value
from connectors.kit.staging import SignalCounter

LEGAL_OWNERS: Final = "EJERREGISTER"
REGISTER: Final = "REGISTER"
SHARE: Final = "EJERANDEL_PROCENT"
VOTES: Final = "EJERANDEL_STEMMERET_PROCENT"
UNKNOWN_START: Final = "unknown"
_DAY: Final = timedelta(days=1)

OwnerRow = tuple[str | None, ...]  # in the order of the columns of `OWNERS`


def owner_rows(record: RegisteredCompany, number: str, day: str, tally: SignalCounter) -> Iterator[OwnerRow]:
    """Statements about the holders of a company, oldest first, dates as text."""
    for relation in record.deltagerRelation or ():
        organs = [organ for organ in relation.organisationer if is_register_of_owners(organ)]
        if not organs:
            continue
        holder = relation.deltager
        if holder is None or holder.enhedsNummer is None:
            tally.add("unknown_holder", "deltager", number)
            continue
        unit, named = str(holder.enhedsNummer), _holder_columns(holder, day)
        shares, votes = _values_of(organs)
        for begun, share, vote in _statements(shares, votes, number, tally):
            yield (
                number,
                unit,
                begun or UNKNOWN_START,
                begun or None,
                _last_day(share, vote),
                *named,
                None if share is None else share.vaerdi,
                None if vote is None else vote.vaerdi,
            )


def _statements(
    shares: Sequence[Value], votes: Sequence[Value], number: str, tally: SignalCounter
) -> Iterator[tuple[str, Value | None, Value | None]]:
    """What both lists say from a day on, oldest first: from each first day, and from where one ends alone."""
    values = (*shares, *votes)
    first_days = {first_day(value) for value in values}
    before: tuple[Value | None, Value | None] = (None, None)
    for begun in sorted(first_days.union(*map(_day_after, values))):
        found = _value_on(shares, begun), _value_on(votes, begun)
        if begun in first_days and found == (None, None):  # they end before they begin
            tally.add("implausible_period", "ejerandel", number)
        elif found != (None, None) and (begun in first_days or found != before):
            yield begun, *found
        before = found


def _day_after(value: Value) -> set[str]:
    """The day after the end of a value; none while it holds, or after an end that is no day."""
    try:
        return {(date.fromisoformat(period_of(value).gyldigTil or "") + _DAY).isoformat()}
    except (ValueError, OverflowError):  # none, or the last day of the calendar
        return set()


def is_register_of_owners(organ: Organisation) -> bool:
    """True for the register of legal owners, by its kind and name."""
    return organ.hovedtype == REGISTER and any(name.navn == LEGAL_OWNERS for name in organ.organisationsNavn)


def _holder_columns(holder: Participant, day: str) -> OwnerRow:
    """Kind, CVR number, name and country."""
    name = newest_element(holder.navne, day)
    country = None if holder.adresseHemmelig else newest_element(holder.beliggenhedsadresse, day)
    return (
        holder.enhedstype,
        canonical_number(holder.forretningsnoegle),
        " ".join((name.navn or "").split()) or None if name is not None else None,
        None if country is None else country.landekode,
    )


def _values_of(organs: Sequence[Organisation]) -> tuple[list[Value], list[Value]]:
    """Shares of capital, and of votes."""
    shares: list[Value] = []
    votes: list[Value] = []
    for organ in organs:
        for member in organ.medlemsData:
            for attribute in member.attributter:
                if attribute.type == SHARE:
                    shares += attribute.vaerdier
                elif attribute.type == VOTES:
                    votes += attribute.vaerdier
    return shares, votes


def _last_day(share: Value | None, vote: Value | None) -> str | None:
    """The last day of a statement: of the value that ends first; None while both hold."""
    ends = (period_of(value).gyldigTil for value in (share, vote) if value is not None)
    return min((end for end in ends if end is not None), default=None)


def _value_on(values: Sequence[Value], begun: str) -> Value | None:
    """The value on the day on which a statement begins; the unknown first day is before all others.

    Of several without a first day the one that was changed last counts: lists are not sorted.
    """
    if begun:
        return current_element(values, begun)
    return next(iter(newest_first(value for value in values if not first_day(value))), None)

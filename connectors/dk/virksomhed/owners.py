"""Rows of `dk_ejer`: the register of owners as statements, one for each day on which a holder's shares changed.

Shares of capital and votes are two lists with their own periods; a statement is what both say from a day on. Of the
organs of a company only EJERREGISTER is read: legal owners from 5 percent. Beneficial owners («Reelle ejere») are not
public any more, and are removed before the archive. Does not belong here: what a share means (`holdings`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from connectors.dk.register import canonical_number
from connectors.dk.virksomhed.periods import current_element, first_day, newest_element, newest_first, period_of
from connectors.dk.virksomhed.structs import Attribute, Organisation, Participant, RegisteredCompany, Value
from connectors.kit.staging import SignalCounter

LEGAL_OWNERS: Final = "EJERREGISTER"
REGISTER: Final = "REGISTER"
SHARE: Final = "EJERANDEL_PROCENT"
VOTES: Final = "EJERANDEL_STEMMERET_PROCENT"
UNKNOWN_START: Final = "unknown"


def owner_rows(record: RegisteredCompany, number: str, day: str, tally: SignalCounter) -> Iterator[dict[str, Any]]:
    """Statements about the holders of a company, oldest first, dates as text."""
    for relation in record.deltagerRelation:
        organs = [organ for organ in relation.organisationer if is_register_of_owners(organ)]
        if not organs:
            continue
        holder = relation.deltager
        if holder is None or holder.enhedsNummer is None:
            tally.add("unknown_holder", "deltager", number)
            continue
        attributes = [one for organ in organs for member in organ.medlemsData for one in member.attributter]
        yield from _statements(attributes, _holder_columns(holder, number, day))


def is_register_of_owners(organ: Organisation) -> bool:
    """True for the register of legal owners, by its kind and name."""
    return organ.hovedtype == REGISTER and any(name.navn == LEGAL_OWNERS for name in organ.organisationsNavn)


def _holder_columns(holder: Participant, company: str, day: str) -> dict[str, Any]:
    name = newest_element(holder.navne, day)
    country = None if holder.adresseHemmelig else newest_element(holder.beliggenhedsadresse, day)
    return {
        "cvr_nummer": company,
        "deltager": str(holder.enhedsNummer),
        "enhedstype": holder.enhedstype,
        "forretningsnoegle": canonical_number(holder.forretningsnoegle),
        "navn": " ".join((name.navn or "").split()) or None if name is not None else None,
        "landekode": None if country is None else country.landekode,
    }


def _statements(attributes: Sequence[Attribute], holder: dict[str, Any]) -> Iterator[dict[str, Any]]:
    shares, votes = _values_of(attributes, SHARE), _values_of(attributes, VOTES)
    for begun in sorted({first_day(value) for value in (*shares, *votes)}):
        share, vote = _value_on(shares, begun), _value_on(votes, begun)
        ends = [period_of(value).gyldigTil for value in (share, vote) if value is not None]
        yield {
            **holder,
            "periode": begun or UNKNOWN_START,
            "gyldig_fra": begun or None,
            "gyldig_til": None if None in ends else max(filter(None, ends), default=None),
            "ejerandel": None if share is None else share.vaerdi,
            "stemmeret": None if vote is None else vote.vaerdi,
        }


def _values_of(attributes: Sequence[Attribute], kind: str) -> list[Value]:
    return [value for one in attributes if one.type == kind for value in one.vaerdier]


def _value_on(values: Sequence[Value], begun: str) -> Value | None:
    """The value on the day on which a statement begins; the unknown first day is before all others.

    Of several without a first day the one that was changed last counts: lists are not sorted.
    """
    if begun:
        return current_element(values, begun)
    return next(iter(newest_first(value for value in values if not first_day(value))), None)

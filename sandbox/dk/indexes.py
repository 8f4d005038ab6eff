"""The indexes of CVR and of publications on one day of a world, in the order of their sort (docs/formats/dk.md).

Belongs here: which records an index has on a day. Does not belong here: a record's format (`virksomhed`,
`participants`, `publications`), or searches (`elasticsearch`).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Any, Final

from sandbox.companies.dk.initial_state import unit_number
from sandbox.dk import participants, publications, virksomhed
from sandbox.dk.elasticsearch import Entry, SearchIndex, milliseconds
from sandbox.model.company import Accounts, Company
from sandbox.world import World

MARKET: Final = "DK"
_OTHER_SERIAL: Final = 19  # of a company's publication that is no report


@lru_cache(maxsize=8)
def company_index(world: World, day: int) -> SearchIndex:
    """`virksomhed`: every company that exists or has existed, by the day of its last change."""
    entries = (_company_entry(company) for company in world.all(MARKET, day))
    fields = ("Vrvirksomhed.sidstOpdateret", "Vrvirksomhed.enhedsNummer")
    return SearchIndex("cvr-v-20220630", "_doc", fields, _in_order(entries))


def _in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda entry: entry.sort))


def _company_entry(company: Company) -> Entry:
    unit, stamp = unit_number(company.position), virksomhed.last_written(company)
    terms = {"cvrNummer": int(company.number), "enhedsNummer": unit}
    return Entry((milliseconds(stamp), unit), str(unit), terms, partial(virksomhed.company_record, company))


@lru_cache(maxsize=8)
def person_index(world: World, day: int) -> SearchIndex:
    """`deltager`: every person in a register of a company."""
    found = {
        holder.unit: partial(participants.participant_record, company, holder)
        for company in world.all(MARKET, day)
        for holder in company.danish.holders
        if holder.kind == "PERSON"
    }
    written = milliseconds(participants.LAST_WRITTEN)
    entries = [Entry((written, unit), str(unit), {"enhedsNummer": unit}, make) for unit, make in found.items()]
    fields = ("Vrdeltagerperson.sidstOpdateret", "Vrdeltagerperson.enhedsNummer")
    return SearchIndex("cvr-v-20220630", "_doc", fields, _in_order(entries))


@lru_cache(maxsize=8)
def report_index(world: World, day: int) -> SearchIndex:
    """Every publication by the end of a day, of reports and of another kind."""
    today = world.date(day)
    entries = [
        entry
        for company in world.all(MARKET, day)
        for accounts in company.accounts
        if accounts.published <= today
        for entry in _publication_entries(company, accounts)
    ]
    return SearchIndex("offentliggoerelser", "_doc", ("offentliggoerelsesTidspunkt", "cvrNummer"), _in_order(entries))


def _publication_entries(company: Company, accounts: Accounts) -> Iterable[Entry]:
    """A report, and with some reports another publication of the same instant."""
    sort = (milliseconds(publications.published_at(company, accounts)), int(company.number))
    report = partial(publications.publication_source, company, accounts)
    yield Entry(sort, publications.publication_id(accounts), _publication_terms(company, "regnskab"), report)
    if company.position % 6 == 0:
        other = partial(_other_publication, company, accounts)
        identity = f"urn:ofk:oid:{accounts.document + _OTHER_SERIAL}"
        yield Entry(sort, identity, _publication_terms(company, _OTHER_KIND), other)


_OTHER_KIND: Final = "aktivitetspligt"


def _publication_terms(company: Company, kind: str) -> dict[str, object]:
    return {"cvrNummer": int(company.number), "offentliggoerelsestype": kind}


def _other_publication(company: Company, accounts: Accounts) -> dict[str, Any]:
    """A publication that is no report and has no document."""
    source = publications.publication_source(company, accounts)
    return {**source, "offentliggoerelsestype": _OTHER_KIND, "regnskab": None, "dokumenter": []}

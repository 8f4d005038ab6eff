"""All REST API resources of one British company on one day, by path.

See docs/formats/uk.md 5, 7.

The streams are computed from the differences between two days' resources, so that both are consistent. Does not
belong here: the content of a resource (`profiles`, `filings`, `psc`), or when it is published
(`stream_events`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Final

from sandbox.model.company import Company
from sandbox.uk import filings, profiles, psc
from sandbox.world import World

COMPANIES: Final = "companies"
FILINGS: Final = "filings"
INSOLVENCY: Final = "insolvency-cases"
PSC: Final = "persons-with-significant-control"
STATEMENTS: Final = "persons-with-significant-control-statements"
EXEMPTIONS: Final = "company-exemptions"
STREAMS: Final = (COMPANIES, FILINGS, INSOLVENCY, PSC, STATEMENTS, EXEMPTIONS)
_KINDS: Final = {  # of holders with a resource kind of their own; the others use their record's
    "individual-person-with-significant-control": "company-psc-individual",
    "corporate-entity-person-with-significant-control": "company-psc-corporate",
}
_LONG_AGO: Final = timedelta(days=200)


@dataclass(frozen=True, slots=True)
class ApiResource:
    """One object of the API. `identity`: its id in the stream."""

    stream: str
    kind: str
    uri: str
    identity: str
    data: dict[str, Any]


@lru_cache(maxsize=1024)
def company_resources(world: World, position: int, day: int) -> dict[str, ApiResource]:
    """The resources of one company by path; none before it is founded."""
    if position >= world.count("UK", day):
        return {}
    company = world.company("UK", position, day)
    return {made.uri: made for made in _generate_resources(world, company, day)}


def _generate_resources(world: World, company: Company, day: int) -> Iterator[ApiResource]:
    number, path = company.number, f"/company/{company.number}"
    yield ApiResource(COMPANIES, "company-profile", path, number, profiles.company_profile(company))
    for item in filings.history_items(world, company.position, day):
        yield _linked_resource(FILINGS, "filing-history", item)
    cases = profiles.insolvency_cases(company, _status_since(world, company, day))
    if cases is not None:
        yield ApiResource(INSOLVENCY, "company-insolvency", f"{path}/insolvency", number, cases)
    for holder in company.holders:
        held = psc.psc_record(company, holder)
        kind = str(held["kind"])
        yield _linked_resource(PSC, _KINDS.get(kind, kind), held)
    if psc.has_statement(company):
        yield _linked_resource(STATEMENTS, "company-psc-statements", psc.psc_statement(company))
    if company.is_listed:
        exempt = psc.psc_exemption(company)
        yield ApiResource(EXEMPTIONS, "company-exemptions", exempt["links"]["self"], number, exempt)


def _linked_resource(stream: str, kind: str, data: dict[str, Any]) -> ApiResource:
    uri = data["links"]["self"]
    return ApiResource(stream, kind, uri, uri.rpartition("/")[2], data)


def _status_since(world: World, company: Company, day: int) -> date:
    """The day since which the register has used its present status for the company."""
    known = [turn for turn in world.change_days("UK", company.position) if 0 < turn <= day]
    since = world.date(0) - _LONG_AGO
    for turn in known:
        if company.position < world.count("UK", turn - 1):
            before = world.company("UK", company.position, turn - 1)
            after = world.company("UK", company.position, turn)
            since = since if before.registry_status == after.registry_status else world.date(turn)
    return since

"""Fetching item by item, by every kind of source, through outages: all of it in the end, and at most twice the time.

Norway's accounts have a test of their own (`no.regnskap.test_outages`).
"""

import json
from datetime import date, timedelta
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from connectors.fi.xbrl.fetch import FIRST
from connectors.fi.xbrl.fetch import fetch as fetch_statements
from connectors.fi.xbrl.schema import DATE, NUMBER
from connectors.no.enheter.dataset import SINGLE
from connectors.no.konsern.fetch import fetch_groups
from connectors.uk.rest_api.fetch import fetch as fetch_checked
from connectors.us.filing_headers.fetch import fetch as fetch_headers
from tests.connectors.simulated_outages import CASES, Source, load, outages

FEW, MANY = 100, 2_000
JSON = "application/json"
API = "api.company-information.service.gov.uk"


def first_part(name: str) -> str:
    return name.partition("-")[0].removesuffix(".json")


def groups(count: int) -> Source:
    numbers = [str(910_000_000 + number) for number in range(count)]
    return Source(
        "data.brreg.no", 2.0, fetch_groups, frozenset(numbers), lambda _: numbers, lambda _: (JSON, b"{}"), first_part
    )


def entities(count: int) -> Source:
    numbers = [str(910_000_000 + number) for number in range(count)]
    subjects = [f"{place}:{number}:500000:" for place, number in enumerate(numbers, 1)]
    assert SINGLE.fetch is not None
    return Source(
        "data.brreg.no", 2.0, SINGLE.fetch, frozenset(numbers), lambda _: subjects, lambda _: (JSON, b"{}"), first_part
    )


def statements(count: int) -> Source:
    days = [FIRST + timedelta(days=place * 1_200 // count) for place in range(count)]
    listed = [
        {NUMBER: f"{1_000_000 + place}-0", DATE: "2024-12-31", "registrationDate": day.isoformat()}
        for place, day in enumerate(days)
    ]

    def respond(url: str) -> tuple[str, bytes]:
        query = dict(parse_qsl(urlsplit(url).query))
        if "registeredDateStart" not in query:
            return "application/xml", b'<xbrl xmlns="http://www.xbrl.org/2003/instance"/>'
        first, last = (date.fromisoformat(query[f"registeredDate{end}"]) for end in ("Start", "End"))
        found = [one for one, day in zip(listed, days, strict=True) if first <= day <= last]
        body = {"financials": found if query["page"] == "1" else [], "totalResults": len(found)}
        return JSON, json.dumps(body).encode()

    return Source(
        "avoindata.prh.fi",
        1.0,
        fetch_statements,
        frozenset(f"{one[NUMBER]}_{one[DATE]}.xml" for one in listed),
        lambda _: [],
        respond,
        lambda name: name if name.endswith(".xml") else None,
    )


def profiles(count: int) -> Source:
    """The doubts about companies, which every run is given until they are answered."""
    numbers = frozenset(str(10_000_000 + number) for number in range(count))
    return Source(
        API,
        1.9,
        fetch_checked,
        numbers,
        lambda held: [f"profile:{number}" for number in sorted(numbers - held)],
        lambda _: (JSON, b"{}"),
        lambda name: first_part(name.removeprefix("checked/")),
        {API: ("key", "")},
    )


def headers(count: int) -> Source:
    accessions = [f"{place:010}-26-000001" for place in range(1, count + 1)]
    return Source(
        "www.sec.gov",
        8.0,
        fetch_headers,
        frozenset(accessions),
        lambda _: [f"{accession}:{accession[:10]}:8-K:2026-11-20" for accession in accessions],
        lambda _: ("text/html", b"<html>header</html>"),
        lambda name: name.removeprefix("headers-").removesuffix("-index-headers.html"),
    )


SOURCES = {made.__name__: made for made in (groups, entities, statements, profiles, headers)}


@pytest.mark.parametrize("source", SOURCES)
def test_look_ups_through_bursts_of_outages_miss_nothing(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load(SOURCES[source](FEW), outages("bursty", 0.3), tmp_path, monkeypatch).fetched == FEW


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES)
def test_look_ups_through_outages_take_at_most_twice_the_time_and_their_waits(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the simulated clock."""
    undisturbed = load(SOURCES[source](MANY), lambda _: False, tmp_path, monkeypatch)
    assert (undisturbed.fetched, undisturbed.runs) == (MANY, 1)
    for kind, share in CASES:
        found = load(SOURCES[source](MANY), outages(kind, share), tmp_path, monkeypatch)
        print(f"{source} {kind} {share:.0%}: {found}; undisturbed: {undisturbed}")  # noqa: T201 - the answer
        assert found.fetched == MANY, (kind, share)
        assert found.seconds - found.waits <= 2 * undisturbed.seconds, (kind, share)

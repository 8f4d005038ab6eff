"""News from files to events and for review: `firm ingest … news`, `firm news unmatched`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.connectors.news.news_files import mfn, mfn_item, release, rss
from tests.connectors.no.market_files import euronext, share
from tests.firm.inside import Inside
from warehouse.ledger.ledger import Ledger
from warehouse.schema import ids

NUMBER = "923609016"
COMPANY = f"firm:NO:{NUMBER}"
AUTHOR = {"name": "Equinor ASA", "local_refs": [f"NO:{NUMBER}"], "leis": [], "isins": [], "tickers": ["XOSL:EQNR"]}


@pytest.fixture
def firm(tmp_path: Path) -> Inside:
    return Inside(tmp_path / "data")


def entity() -> bytes:
    return json.dumps(
        {
            "organisasjonsnummer": NUMBER,
            "navn": "EQUINOR ASA",
            "organisasjonsform": {"kode": "ASA", "beskrivelse": "Allmennaksjeselskap"},
            "registreringsdatoEnhetsregisteret": "1995-03-12",
            "konkurs": False,
            "underAvvikling": False,
            "underTvangsavviklingEllerTvangsopplosning": False,
        }
    ).encode()


def put(folder: Path, name: str, body: bytes) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)


def item(number: int, at: str, **values: object) -> dict[str, object]:
    content = {"publish_date": at, "title": f"Equinor ASA signs agreement number {number}"}
    return mfn_item(number, author=AUTHOR, content=content | values.pop("content", {}), **values)  # type: ignore[operator]


def wire(number: int, minutes: str, title: str) -> bytes:
    values = {"title": title, "pubDate": f"Tue, 17 Nov 2026 {minutes} GMT", "dc:contributor": "Equinor ASA"}
    return rss(release(number, **values), country="Norway")


def ingest(firm: Inside, folder: Path, *words: str) -> int:
    return firm.run("ingest", *words, "--from", folder).exit_code


def told(firm: Inside) -> dict[str, dict[str, object]]:
    events = Ledger(firm.layout).after(0, 1000)
    return {event.event_id: json.loads(event.data)["news"] for event in events if event.event_type == "news.published"}


@pytest.mark.slow
def test_a_release_over_two_wires_in_two_languages_and_its_correction_is_one_event(
    firm: Inside, tmp_path: Path
) -> None:
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    put(first, "no/enheter/entity.json", entity())
    put(first, "news/mfn/1.json", mfn(item(1, "2026-11-15T07:00:00Z")))
    assert ingest(firm, first, "no", "news", "--at", "2026-11-16T06:00:00") == 0
    assert told(firm) == {}  # a first load is silent
    norwegian = {"properties": {"lang": "no"}, "news_id": "news-2-no", "group_id": "group-2"}
    put(
        second,
        "news/mfn/2.json",
        mfn(item(2, "2026-11-17T07:00:00Z"), item(2, "2026-11-17T07:00:20Z", **norwegian, content={"title": "Avtale"})),
    )
    put(second, "news/globenewswire/no.xml", wire(2, "07:04", "Equinor ASA signs agreement number 2"))
    assert ingest(firm, second, "no", "news", "--at", "2026-11-18T06:00:00") == 0
    due = ids.news_published_id(COMPANY, "group-2")
    assert told(firm).keys() == {due}
    assert told(firm)[due]["title"] == "Equinor ASA signs agreement number 2"
    tags = [":correction", ":correction:news-2"]
    mended = item(3, "2026-11-18T07:00:00Z", properties={"tags": tags}, content={"title": "Correction"})
    put(third, "news/mfn/3.json", mfn(mended))
    put(third, "news/globenewswire/no.xml", wire(9, "09:00", "Nobody AS opens an office"))
    assert ingest(firm, third, "no", "news", "--at", "2026-11-19T06:00:00") == 0
    assert told(firm).keys() == {due}
    listed = firm.run("news", "unmatched", "--market", "no")
    assert listed.exit_code == 0
    assert "Equinor" not in listed.out + listed.err


@pytest.mark.slow
def test_what_found_nobody_is_listed_with_the_reason(firm: Inside, tmp_path: Path) -> None:
    folder = tmp_path / "first"
    put(folder, "no/enheter/entity.json", entity())
    put(folder, "no/euronext/shares.csv", euronext(share("EQUINOR", "NO0010096985")))
    put(folder, "news/globenewswire/no.xml", rss(
        release(1, **{"title": "A", "dc:contributor": "Somebody Else ASA"}),
        release(2, **{"title": "B", "dc:contributor": None}),
        release(3, **{"title": "C", "dc:contributor": "Equinor ASA"}),
        release(4, **{"title": "D", "dc:contributor": "Equinorr ASA"}),
        country="Norway",
    ))  # fmt: skip
    assert ingest(firm, folder, "no", "news") == 0
    listed = firm.run("news", "unmatched", "--market", "no", "--limit", "9")
    lines = [line.split("\t") for line in listed.out.splitlines()]
    assert lines[0] == ["source", "published", "title", "link", "why", "perhaps"]
    assert sorted((line[0], line[2], *line[4:]) for line in lines[1:]) == [
        ("no.wires", "A", "no company matches the names or numbers in the item", "-"),
        ("no.wires", "B", "the item has no name or number to look up", "-"),
        (
            "no.wires",
            "D",
            "no company matches the names or numbers in the item",
            "EQUINOR ASA",
        ),  # a listed company, misspelt
    ]
    (only,) = firm.run("news", "unmatched", "--limit", "1").out.splitlines()[1:]
    assert only.startswith("no.wires")


def test_a_group_is_read_from_a_folder_alone(firm: Inside, tmp_path: Path) -> None:
    assert firm.run("ingest", "news", "--sandbox").exit_code == 2
    assert ingest(firm, tmp_path / "nowhere", "news") == 2
    assert firm.run("news", "unmatched", "--market", "xx").exit_code == 2


@pytest.mark.slow
@pytest.mark.sources
def test_every_market_with_the_genuine_folder_of_news(firm: Inside, sources: Path) -> None:
    assert ingest(firm, sources, "news") == 0


def test_where_nothing_was_taken_in_there_is_nothing_to_review(tmp_path: Path) -> None:
    said = Inside(tmp_path / "data").run("news", "unmatched")
    assert (said.exit_code, said.out) == (1, "")
    assert said.err == "firm: these markets have no data here: run firm ingest\n"

"""The change feeds: pages as they come, and paging by cursor (docs/formats/no.md 3)."""

import io
import json
from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import (
    ArchiveMember,
    Batch,
    Cursor,
    NotApplicable,
    RecognisedFile,
    Scope,
    UnreadableFileError,
)
from connectors.no.oppdateringer.dataset import DATASET
from connectors.no.oppdateringer.pending import BULK, KEPT_IDS, FeedEntry, LookedUpEntries, pending_entries
from connectors.no.oppdateringer.schema import ACCOUNTS_TOLD, NAMED
from connectors.no.regnskap import mapping
from tests.tables import check_cases
from warehouse import schema_render
from warehouse.schema.tables import FILINGS

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)


def read(body: Any, name: str = "enheter-1.json") -> list[Batch]:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    piece = ArchiveMember("no.oppdateringer", name, "0" * 64, NOW, Scope.FEED, "b", lambda: io.BytesIO(text))
    return list(DATASET.read_batches(piece))


def entry(entry_id: int, number: str, patches: list[Any] | None = None, **more: Any) -> dict[str, Any]:
    found = {
        "oppdateringsid": entry_id,
        "dato": "2026-11-03T00:03:00.123Z",
        "organisasjonsnummer": number,
        "endringstype": "Endring",
        **more,
    }
    return found if patches is None else {**found, "endringer": patches}


def page(*entries: dict[str, Any], key: str = "oppdaterteEnheter") -> dict[str, Any]:
    return {
        "_embedded": {key: list(entries)},
        "_links": {"self": {"href": "x"}},
        "page": {"size": 100, "totalElements": len(entries), "totalPages": 1, "number": 0},
    }


def replaced(path: str, value: Any) -> dict[str, Any]:
    return {"op": "replace", "path": path, "value": value}


def signals(batches: Iterable[Batch]) -> set[tuple[str, str]]:
    return {(signal.code, signal.subject) for batch in batches for signal in batch.signals}


def test_pitfall_01_the_year_of_accounts_is_spelt_as_the_source_spells_it() -> None:
    good = [replaced("/sisteInnsendteAarsregnskap", "2025"), replaced("/sisteInnsendtAarsregnskap", "2024")]
    named_rows, told = read(page(entry(7, "923609016", good)))
    assert named_rows.rows["felt"].to_list() == [["sisteInnsendtAarsregnskap", "sisteInnsendteAarsregnskap"]]
    assert told.table == ACCOUNTS_TOLD.name
    assert told.rows.select("sisteInnsendteAarsregnskap", "oppdateringsid").rows() == [("2025", "7")]


def test_pitfall_02_an_empty_page_has_no_embedded() -> None:
    empty = {"_links": {"self": {"href": "x"}}, "page": {"size": 100, "totalElements": 0}}
    assert DATASET.recognise_file("oppdateringer/x.json", json.dumps(empty).encode()) == RecognisedFile(
        None, Scope.FEED
    )
    (batch,) = read(empty)
    assert (batch.rows.height, batch.signals) == (0, ())
    lost = {**empty, "page": {"totalElements": 3}}
    assert signals(read(lost)) == {("missing_entries", "_embedded")}


def test_pitfall_10_counts_come_as_floats_and_years_too() -> None:
    patches = [replaced("/kapital/antallAksjer", 2390749040.0), replaced("/sisteInnsendteAarsregnskap", 2025.0)]
    rows, told = read(page(entry(9, "923609016", patches)))
    assert rows.rows["felt"].to_list() == [["kapital", "sisteInnsendteAarsregnskap"]]
    assert told.rows["sisteInnsendteAarsregnskap"].to_list() == ["2025"]


def test_pitfall_17_times_of_the_feed_are_utc_and_days_are_norwegian() -> None:
    filings = pl.DataFrame(
        [
            {
                "filing_id": f"fil_{journal}",
                "company_id": "firm:NO:923609016",
                "filing_type": "annual_report",
                "native_id": f"{journal}:SELSKAP",
                "period_end": date(2025, 12, 31),
                "is_amendment": False,
                "register": "no.regnskap",
                "observed_at": NOW,
            }
            for journal in ("2026000001", "2026000002", "2025000009")
        ],
        schema=schema_render.polars_schema(FILINGS),
    )
    late = datetime(2026, 8, 18, 22, 30, tzinfo=UTC)  # half past midnight in Oslo
    told = pl.DataFrame(
        {
            "organisasjonsnummer": ["923609016"] * 2,
            "sisteInnsendteAarsregnskap": ["2025"] * 2,
            "oppdateringsid": ["1", "2"],
            "dato": [late, late.replace(day=30)],
        },
        schema=schema_render.polars_schema(ACCOUNTS_TOLD),
    )
    dated = mapping.fill_filing_dates(filings, told.lazy())
    by_document = dict(dated.select("native_id", "filed_at").iter_rows())
    assert by_document["2025000009:SELSKAP"] is None, "registered in another year: not what the feed tells of"
    assert by_document["2026000002:SELSKAP"] is None, "a second document of the year is none it tells of"
    only = mapping.fill_filing_dates(filings.filter(pl.col("native_id") != "2025000009:SELSKAP"), told.lazy())
    assert dict(only.select("native_id", "filed_at").iter_rows())["2026000001:SELSKAP"] == date(2026, 8, 19)


def test_patches_that_are_none_are_told_of_and_the_entity_is_asked_for() -> None:
    patches = [replaced("/antallAnsatte", 7), {"op": "test", "path": "/x"}, {"op": "add"}]
    (batch,) = read(page(entry(1, "923609016", patches)))
    assert signals([batch]) == {("unreadable_value", "endringer")}
    assert asked(batch.rows) == ["923609016"]


def test_a_patch_that_moves_touches_both_ends() -> None:
    patches = [{"op": "move", "path": "/antallAnsatte", "from": "/forretningsadresse/adresse/0"}]
    (batch,) = read(page(entry(1, "923609016", patches)))
    assert batch.rows["felt"].to_list() == [["antallAnsatte", "forretningsadresse"]]
    assert asked(batch.rows) == ["923609016"]


def test_unknown_kinds_and_keys_are_signals_and_the_entity_is_asked_for() -> None:
    (batch,) = read(page(entry(1, "923609016", endringstype="Flytting", nytt=1)))
    assert signals([batch]) == {("unknown_code", "endringstype Flytting"), ("unknown_key", "nytt")}
    assert asked(batch.rows) == ["923609016"]


def test_a_number_that_is_none_is_no_company() -> None:
    (batch,) = read(page(entry(1, "9876543"), entry(2, "923609016")))
    assert batch.rows["organisasjonsnummer"].to_list() == ["923609016"]
    assert batch.rejects["reason"].to_list() == ["not a company: the organisation number is not nine digits"]


def test_the_feed_of_sub_units_and_of_roles() -> None:
    (units,) = read(page(entry(1, "973160834"), key="oppdaterteUnderenheter"))
    assert units.rows["stroem"].to_list() == ["underenheter"]
    event = {
        "specversion": "1.0",
        "id": "500",
        "source": "https://data.brreg.no/enhetsregisteret/api/enheter/923609016/roller",
        "type": "no.brreg.enhetsregisteret.rolle.oppdatert",
        "time": "2026-11-03T00:03:00Z",
        "data": {"organisasjonsnummer": "923609016"},
    }
    (roles,) = read([event, {**event, "id": "501", "type": "no.brreg.annet"}])
    assert roles.rows.select("stroem", "oppdateringsid", "endringstype").rows() == [
        ("roller", "500", None),
        ("roller", "501", None),
    ]
    assert signals([roles]) == {("unknown_code", "type no.brreg.annet")}


def test_of_one_entity_the_newest_entry_is_the_last() -> None:
    (batch,) = read(page(entry(100, "923609016"), entry(9, "923609016"), entry(99, "923609016")))
    assert batch.rows["oppdateringsid"].to_list() == ["9", "99", "100"]


@pytest.mark.parametrize("strange", ["²", "٣", "9" * 5000])
def test_an_id_that_is_no_number_comes_behind_those_that_are(strange: str) -> None:
    first = entry(1, "923609016") | {"oppdateringsid": strange}
    (batch,) = read(page(first, entry(100, "923609016")))
    assert batch.rows["oppdateringsid"].to_list() == ["100", strange]


@check_cases(
    "body",
    [
        b"<html></html>",
        b"{",
        b"7",
        page(entry(1, "923609016"), key="annet"),
        {"page": 7},
        {"_embedded": 7, "page": {"totalElements": 1}},
        {"_embedded": [], "page": {"totalElements": 1}},
    ],
)
def test_what_is_no_page_is_unreadable(body: Any) -> None:
    with pytest.raises(UnreadableFileError):
        read(body)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty body"),
        (b'{"timestamp":"x","status":400,"error":"Bad Request"}', "status 400"),
        (b'{"organisasjonsnummer":"923609016"}', "no page"),
    ],
)
def test_what_is_not_ours_is_listed_with_its_reason(body: bytes, reason: str) -> None:
    found = DATASET.recognise_file("oppdateringer/x.json", body)
    assert isinstance(found, NotApplicable)
    assert reason in found.reason


@pytest.mark.sources
def test_the_genuine_pages(sources: Path) -> None:
    folder = sources / "no" / "oppdateringer"
    rows, told = read((folder / "oppdateringer-923609016-includeChanges.json").read_bytes())
    genuine = json.loads((folder / "oppdateringer-923609016-includeChanges.json").read_text())
    ids = sorted(str(found["oppdateringsid"]) for found in genuine["_embedded"]["oppdaterteEnheter"])
    assert rows.rows["oppdateringsid"].to_list() == ids
    assert told.rows["dato"].to_list() == [datetime(2026, 8, 18, 18, 0, 17, 195000, UTC)]
    assert (rows.rejects.height, rows.signals) == (0, ())
    # six of eight only count employees anew: the nightly bulk brings them
    assert len(list(pending_entries({NAMED.name: rows.rows}, "enheter"))) == 2
    (empty,) = read((folder / "oppdateringer-984851006-empty.json").read_bytes())
    assert (empty.rows.height, empty.signals) == (0, ())
    (altered,) = read((folder / "oppdateringer-page-links.json").read_bytes())
    assert (altered.rows.height, altered.rejects.height) == (0, 2)


def asked(rows: pl.DataFrame, stream: str = "enheter") -> list[str]:
    return [FeedEntry.of(subject).number for subject in pending_entries({NAMED.name: rows}, stream)]


def test_nobody_is_asked_for_a_count_of_employees_or_a_start_row() -> None:
    counts = [replaced("/antallAnsatte", 7.0), replaced("/registreringsdatoAntallAnsatteEnhetsregisteret", "x")]
    (batch,) = read(
        page(
            entry(1, "923609016", counts),
            entry(2, "984851006", [*counts, replaced("/navn", "NY")]),
            entry(3, "915330193", endringstype="Ukjent"),
            entry(4, "989566733", endringstype="Ny"),
            entry(4, "989566733", endringstype="Ny"),
            entry(5, "999288774", endringstype="Fjernet"),
            entry(6, "931744682", []),
            entry(7, "810034882", counts, endringstype="Sletting"),
        )
    )
    found = [FeedEntry.of(subject) for subject in pending_entries({NAMED.name: batch.rows}, "enheter")]
    assert [one.number for one in found] == ["984851006", "989566733", "999288774", "931744682", "810034882"]
    assert [one.is_removal for one in found] == [False, False, True, False, False]


class TestMemory:
    def test_a_cursor_remembers_ids_and_who_was_named_of_late(self) -> None:
        memory = LookedUpEntries()
        for entry_id, number, hours in (("9", "923609016", 100), ("12", "984851006", 10), ("x", "810034882", 99)):
            memory.add(FeedEntry(entry_id, number, hours, is_removal=False))
        again = LookedUpEntries.of(memory.cursor())
        assert again.has_entry(FeedEntry("9", "923609016", 100, is_removal=False))
        assert not again.has_entry(FeedEntry("10", "923609016", 100, is_removal=False)), "a lower id may come later"
        assert not again.has_entry(FeedEntry("x", "810034882", 99, is_removal=False))
        assert again.recent == ["810034882", "923609016"]
        assert again.cursor() == memory.cursor()

    @pytest.mark.parametrize("strange", ["²", "12³", "٣", "9" * 5000, "-1", ""])
    def test_an_id_that_only_looks_like_a_number_is_remembered_by_nobody(self, strange: str) -> None:
        memory = LookedUpEntries()
        memory.add(FeedEntry(strange, "923609016", 100, is_removal=False))
        assert not memory.has_entry(FeedEntry(strange, "923609016", 100, is_removal=False))
        assert LookedUpEntries.of(memory.cursor()).recent == ["923609016"]

    def test_old_ids_are_forgotten(self) -> None:
        memory = LookedUpEntries({1, KEPT_IDS + 2})
        assert not LookedUpEntries.of(memory.cursor()).has_entry(FeedEntry("1", "923609016", 1, is_removal=False))

    @pytest.mark.parametrize("text", ["", "%%%", '{"etag": "x"}', BULK])
    def test_a_cursor_that_does_not_read_remembers_nothing(self, text: str) -> None:
        assert LookedUpEntries.of(Cursor(text)).recent == []

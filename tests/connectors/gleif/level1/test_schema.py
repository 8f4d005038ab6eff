"""LEI records of every edition to companies of a market; persons leave before anything is kept."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, Scope
from connectors.gleif.level1 import dataset as level1_dataset
from connectors.gleif.level1 import parse
from connectors.gleif.level1.dataset import map_identifiers, publication_time
from connectors.gleif.level1.registration_numbers import company_number, is_lei, is_personal_number
from connectors.gleif.market import company_id_of_record
from tests.connectors.gleif.gleif_bodies import DATASETS, NOON, NORWEGIAN, answer, cdf, golden, lei, read, record, rows
from tests.tables import check_cases

EDITIONS = {"answer": answer, "golden": golden, "cdf": cdf}
PERSONAL = "800101-1239"


@pytest.mark.parametrize("made", EDITIONS.values(), ids=EDITIONS)
def test_every_edition_says_the_same(made) -> None:
    body = made(
        record(NORWEGIAN, "RA000472", "997 315 898"),
        record(lei("A"), "RA000472", "997315898", category="FUND"),
        record(lei("B"), "RA000544", "5564333440", law="SE"),
    )
    found = rows("NO", body)
    assert [(row["lei"], row["org_number"]) for row in found] == [(NORWEGIAN, "997315898"), (lei("A"), None)]
    assert found[0]["legal_name"] == "Eksempel AS"
    assert [row["org_number"] for row in rows("SE", body)] == ["5564333440"]


@check_cases(
    ("market", "authority", "typed", "number"),
    [
        ("SE", "RA000544", "559219-3469", "5592193469"),
        ("SE", "RA000546", "165564333440", "5564333440"),
        ("SE", "RA000547", "5564333440", None),
        ("SE", "RA000544", "5564333441", None),  # a wrong check digit
        ("NO", "RA000472", "NO 964 169 969", "964169969"),
        ("NO", "RA000472", "NO 964 169 969 MVA", "964169969"),
        ("NO", "RA000472", "964169969MVA", "964169969"),
        ("FI", "RA000188", "1603878-3", "1603878-3"),
        ("FI", "RA000188", "FI01120389", "0112038-9"),
        ("FI", "RA000188", "112038-9", "0112038-9"),  # an old number, or one that lost its zero as a number
        ("FI", "RA000188", "112038-8", None),
        ("FI", "RA000188", "16038783", "1603878-3"),
        ("UK", "RA000585", "4296794", "04296794"),
        ("UK", "RA000585", "3782379.0", None),  # read as a number elsewhere; 37823790 is another company
        ("UK", "RA000585", "oc425626", "OC425626"),
        ("UK", "RA000587", "SC1234", "SC001234"),
        ("UK", "RA000587", "1234", None),  # without its letters it would be an English number
        ("DK", "RA000170", "42344613", "42344613"),
        ("DK", "RA000170", "42344614", None),
        ("DK", "RA000170", "DK42344613", "42344613"),
        ("DK", "RA000170", "CVR-nr. 42344613", "42344613"),
        ("NO", "RA888888", "964169969", None),
    ],
)
def test_numbers_are_normalised_and_their_check_digits_hold(market, authority, typed, number) -> None:
    assert company_number(market, authority, typed) == number


@pytest.mark.parametrize(
    "made",
    [
        record(lei("A"), "RA000472", "964169969", law="SE"),  # a branch under another law
        record(lei("A"), "RA000472", "964169969", category="BRANCH"),
        record(lei("A"), "RA000472", "964169969", status="ANNULLED"),
        record(lei("A"), "RA000472", "964169969", status="CANCELLED"),
        record(lei("A"), "RA999999", None),
    ],
)
def test_a_number_of_somebody_else_makes_no_company(made) -> None:
    assert [row["org_number"] for row in rows("NO", answer(made))] == [None]


@pytest.mark.parametrize("status", ["LAPSED", "RETIRED", "MERGED", "DUPLICATE", "PENDING_ARCHIVAL", None])
def test_whoever_is_named_by_an_lei_of_any_standing_is_its_company(status: str | None) -> None:
    (row,) = rows("NO", answer(record(lei("A"), "RA000472", "964169969", status=status)))
    assert row["org_number"] == "964169969"


def test_lei_check_digits() -> None:
    assert is_lei(NORWEGIAN)
    assert not is_lei(NORWEGIAN[:-1] + "4")
    assert not is_lei("549300")
    assert not is_lei(None)
    (batch,) = read("NO", answer(record("549300", "RA000472", "964169969")))
    assert batch.rejects["record"].to_list() == ["549300"]


def test_a_golden_copy_is_read_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse, "BLOCK_BYTES", 512)
    codes = [lei(f"{place:X}") for place in range(64)]
    for made in (golden, cdf):
        body = made(*(record(code, "RA000472", "997315898") for code in codes))
        kept = parse.redact_persons(io.BytesIO(body)).read()
        assert [row["lei"] for row in rows("NO", kept)] == codes


@pytest.mark.parametrize("made", EDITIONS.values(), ids=EDITIONS)
def test_records_behind_a_byte_order_mark_are_read_and_redacted_as_without(made: Callable[..., bytes]) -> None:
    body = made(record(lei("A"), "RA000472", "997315898"))
    assert rows("NO", b"\xef\xbb\xbf" + body) == rows("NO", body)
    marked = parse.redact_persons(io.BytesIO(b"\xef\xbb\xbf" + body)).read()
    assert marked == parse.redact_persons(io.BytesIO(body)).read()


def test_unknown_codes_are_told_and_the_row_is_kept() -> None:
    (batch,) = read("NO", answer(record(lei("A"), "RA000472", "964169969", category="SPACESHIP", status="NEW")))
    assert batch.rows["org_number"].to_list() == [None]
    assert [(signal.code, signal.subject) for signal in batch.signals] == [
        ("unknown_code", "EntityCategory SPACESHIP"),
        ("unknown_code", "RegistrationStatus NEW"),
    ]


def test_a_number_that_does_not_read_is_told() -> None:
    (batch,) = read("NO", answer(record(lei("A"), "RA000472", "964169960")))
    assert [(signal.code, signal.subject) for signal in batch.signals] == [
        ("unreadable_value", "registeredAs under RA000472")
    ]


def test_what_is_no_level_1_record_is_not_ours() -> None:
    dataset = DATASETS["NO"]
    assert isinstance(dataset.recognise_file("rr.json", b'{"data":[{"type":"relationship-records"}]}'), NotApplicable)
    assert isinstance(dataset.recognise_file("a.html", b"<html>"), NotApplicable)
    found = dataset.recognise_file("20240505-0800-gleif-goldencopy-lei2.json", golden()[:100])
    assert found == RecognisedFile(datetime(2024, 5, 5, 8, tzinfo=UTC), Scope.PART)
    assert dataset.recognise_file("x", cdf()) == RecognisedFile(
        datetime(2026, 11, 16, 8, 20, 51, tzinfo=UTC), Scope.PART
    )
    assert dataset.recognise_file("x", answer()) == RecognisedFile(datetime(2026, 11, 16, 8, tzinfo=UTC), Scope.PART)


def test_of_several_leis_the_one_in_best_standing_is_shown() -> None:
    (batch,) = read(
        "NO",
        answer(
            record(lei("A"), "RA000472", "964169969", status="RETIRED"),
            record(lei("B"), "RA000472", "964169969", status="LAPSED"),
            record(lei("C"), "RA000472", "964169969", status="ISSUED", updated="2025-01-01T00:00:00Z"),
            record(lei("D"), "RA000472", "964169969", status="ISSUED", updated="2026-01-01T00:00:00Z"),
            record(lei("E"), "RA000472", "964169969", status="DUPLICATE", updated="2026-11-01T00:00:00Z"),
            record(lei("F"), "RA000472", "974760673", status="DUPLICATE"),
        ),
    )
    ids = batch.rows.select(company_id_of_record("NO")).to_series()
    present = batch.rows.lazy().with_columns(
        ids.alias("_company_id"),
        pl.lit(NOON).alias("_observed_at"),
        pl.lit("raw").alias("_raw"),
        pl.lit(None, pl.Datetime("us", "UTC")).alias("_retired_at"),
    )
    found = map_identifiers("NO", {"no_lei": present})
    assert found.select("company_id", "scheme", "value").rows() == [("firm:NO:964169969", "lei", lei("D"))]
    assert map_identifiers("NO", {}).is_empty()


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_leis_in_one_standing_the_later_instant_counts_whatever_its_zone(order: int) -> None:
    """«2026-03-01T00:30:00+02:00» is the earlier of the two, though its text is the later."""
    given = [
        record(lei("A"), "RA000472", "964169969", updated="2026-02-28T23:00:00Z"),
        record(lei("B"), "RA000472", "964169969", updated="2026-03-01T00:30:00+02:00"),
    ]
    staged = pl.DataFrame(rows("NO", answer(*given[::order]))).lazy()
    present = staged.with_columns(
        company_id_of_record("NO").alias("_company_id"),
        pl.lit(NOON).alias("_observed_at"),
        pl.lit("raw").alias("_raw"),
        pl.lit(None, pl.Datetime("us", "UTC")).alias("_retired_at"),
    )
    assert map_identifiers("NO", {"no_lei": present})["value"].to_list() == [lei("A")]


@pytest.mark.parametrize("order", [1, -1])
def test_of_a_record_that_a_body_repeats_the_one_changed_last_counts(order: int) -> None:
    given = [
        record(lei("A"), "RA000472", "964169969", status="ISSUED", updated="2025-01-01T00:00:00Z"),
        record(lei("A"), "RA000472", "964169969", status="RETIRED", updated="2026-01-01T00:00:00Z"),
    ]
    found = rows("NO", answer(*given[::order]))
    assert [row["registration_status"] for row in found] == ["RETIRED"]


@pytest.mark.parametrize("order", [1, -1])
def test_repeat_in_another_block_counts_only_if_it_was_changed_later(
    order: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of staged rows of one record the last counts, so the older of two is not staged after the newer."""
    monkeypatch.setattr(level1_dataset, "BLOCK_ROWS", 2)
    given = [
        record(lei("A"), "RA000472", "964169969", status="RETIRED", updated="2026-01-01T00:00:00Z"),
        *(record(lei(f"F{number}"), "RA000472", "997315898") for number in range(5)),
        record(lei("A"), "RA000472", "964169969", status="ISSUED", updated="2025-01-01T00:00:00Z"),
    ]
    found = [row for row in rows("NO", answer(*given[::order])) if row["lei"] == lei("A")]
    assert [row["registration_status"] for row in found] == [["RETIRED"], ["ISSUED", "RETIRED"]][order < 0]


def test_leis_that_other_tables_name_are_asked_for_once() -> None:
    named = pl.DataFrame({"lei": [NORWEGIAN, None, "", "549300", NORWEGIAN, lei("A")]})
    wants = DATASETS["NO"].subjects_to_fetch
    assert wants is not None
    assert list(wants({"xx_named": named, "xx_other": named})) == sorted([NORWEGIAN, lei("A")])
    assert list(wants({})) == []


def test_personal_numbers_are_known_in_every_spelling() -> None:
    for text in (PERSONAL, "8001011239", "19800101-1239", "800101+1239", "302123-4567"):
        assert is_personal_number("RA000544", text), text
    assert not is_personal_number("RA000544", "556433-3440")
    assert not is_personal_number("RA000472", "8001011239")


def test_genuine_records(sources: Path) -> None:
    """Counted by hand in the JSON golden copy, and in the answers of the API."""
    copy = sources / "news" / "gleif_golden_copy" / "20240505-0000-gleif-goldencopy-lei2-intra-day.part.json"
    body = parse.redact_persons(io.BytesIO(copy.read_bytes())).read()
    assert b"SOLE_PROPRIETOR" in copy.read_bytes()
    assert b"SOLE_PROPRIETOR" not in body
    companies = {market: [row["org_number"] for row in rows(market, body) if row["org_number"]] for market in DATASETS}
    assert {market: len(found) for market, found in companies.items()} == {
        "NO": 18,
        "SE": 14,
        "FI": 2,
        "UK": 8,
        "DK": 14,
    }
    assert "964169969" in companies["NO"]
    assert [batch.signals for market in DATASETS for batch in read(market, body)] == [()] * len(DATASETS)
    single = sources / "news" / "gleif_api" / "lei_records__single_lei_record_254900LNRYNOQ9YPU758.json"
    assert [row["org_number"] for row in rows("UK", single.read_bytes())] == ["06528297"]
    xml = sources / "news" / "gleif_golden_copy" / "oo__lei-data.xml"
    assert [row["org_number"] for row in rows("SE", xml.read_bytes())] == ["5565431193"]


@pytest.mark.slow
def test_every_genuine_file_is_read_or_not_ours(sources: Path) -> None:
    for path in sorted((sources / "news").glob("gleif_*/*")):
        body = path.read_bytes()
        for market, dataset in DATASETS.items():
            if isinstance(dataset.recognise_file(path.name, body[:65_536]), RecognisedFile):
                assert all(batch.rejects.is_empty() for batch in read(market, body)), path.name


@pytest.mark.parametrize(
    "name", ["20241399-2561-gleif-goldencopy-lei2.json", "99999999-9999-gleif-goldencopy-lei2.json"]
)
def test_a_stamp_that_is_no_time_stops_nobody(name: str) -> None:
    assert DATASETS["NO"].recognise_file(name, golden()[:100]) == RecognisedFile(None, Scope.PART)


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("2024-05-05T08:00:00", datetime(2024, 5, 5, 8, tzinfo=UTC)),
        ("2024-05-05T08:00:00+02:00", datetime(2024, 5, 5, 6, tzinfo=UTC)),
        ("0001-01-01T00:00:00+14:00", None),
        ("2024-13-05T08:00:00Z", None),
    ],
)
def test_a_day_of_publication_is_utc_or_nothing(said: str, due: datetime | None) -> None:
    assert publication_time("x", b'{"meta":{"goldenCopy":{"publishDate":"' + said.encode() + b'"}}}') == due

"""The golden copy as CSV and in zips; deltas in any order; every genuine record to its national number."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import ArchiveMember, NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.gleif.level1 import parse, parse_csv
from connectors.gleif.level1 import schema as level1_schema
from connectors.gleif.level1.registration_numbers import (
    AUTHORITIES,
    are_leis,
    are_personal_numbers,
    company_number,
    company_numbers,
    is_lei,
    is_personal_number,
)
from connectors.gleif.level2 import dataset as level2_dataset
from connectors.gleif.market import company_id_of_record
from tests.connectors.gleif.gleif_bodies import DATASETS, HEADER, NOON, NORWEGIAN, lei, piece, read, record, rows, table
from tests.tables import check_cases
from warehouse.history import current_records
from warehouse.schema import identifiers

ANNA = "Anna Andersson"


def packed(**files: bytes) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return body.getvalue()


def kept(body: bytes) -> bytes:
    return parse.redact_persons(io.BytesIO(body)).read()


@pytest.mark.parametrize("header", [HEADER, tuple(reversed(HEADER))], ids=["as published", "turned round"])
def test_columns_are_known_by_their_names_and_hundreds_of_others_are_no_news(header: tuple[str, ...]) -> None:
    body = table(
        record(NORWEGIAN, "RA000472", "997 315 898", name='Eksempel, "AS"\r\nlinje to'),
        record(lei("B"), "RA000544", "5564333440", law="SE"),
        header=header,
    )
    assert len(header) == 338
    (found,) = rows("NO", body)
    assert (found["lei"], found["org_number"]) == (NORWEGIAN, "997315898")
    assert found["legal_name"] == 'Eksempel, "AS"\nlinje to'
    assert [signal.code for batch in read("NO", body) for signal in batch.signals] == ["missing_columns"] * 0


def test_a_golden_copy_comes_in_a_zip_and_is_kept_unpacked() -> None:
    body = packed(**{"20260101-0000-gleif-goldencopy-lei2.csv": table(record(NORWEGIAN, "RA000472", "997315898"))})
    dataset = DATASETS["NO"]
    name = "gleif/20260101-0000-gleif-goldencopy-lei2-golden-copy.csv.zip"
    assert dataset.recognise_file(name, body[:65_536]) == RecognisedFile(datetime(2026, 1, 1, tzinfo=UTC), Scope.PART)
    assert isinstance(dataset.recognise_file("gleif/20260101-0000-gleif-goldencopy-rr.zip", body), NotApplicable)
    assert [row["org_number"] for row in rows("NO", body)] == ["997315898"]
    assert kept(body).startswith(b'"LEI"')


@pytest.mark.parametrize("sent", [table(), packed(a=table()), b"nothing of it"])
def test_a_body_stays_open_for_whoever_sent_it(sent: bytes) -> None:
    body = io.BytesIO(sent)
    with parse.redact_persons(body) as found:
        found.read()
    assert body.seek(0) == 0


@check_cases(
    "body",
    [
        packed(a=b"x", b=b"y"),
        packed(),
        packed(a=b"x" * 5000)[:-40],
        packed(a=b"<html></html>"),
        b"PK\x03\x04" + b"\0" * 64,
    ],
    ids=["two members", "none", "cut off", "a page", "no directory"],  # a zip's own bytes hold the time
)
def test_another_archive_is_unreadable_and_nothing_of_it_is_kept(body: bytes) -> None:
    assert b"unreadable" in kept(body)
    for sent in (body, kept(body)):
        with pytest.raises(UnreadableFileError):
            read("NO", sent)


@pytest.mark.parametrize("cut", ["within a quote", "within a record"])
def test_a_table_that_breaks_off_is_unreadable(cut: str) -> None:
    whole = table(record(NORWEGIAN, "RA000472", "997315898"), record(lei("A"), "RA000472", "964169969", name=ANNA))
    place = whole.index(ANNA.encode())
    broken = whole[: place + 4] if cut == "within a quote" else whole[: place + len(ANNA) + 1]
    if cut == "within a quote":
        with pytest.raises(UnreadableFileError):
            read("NO", kept(broken))
        assert ANNA[:4].encode() not in kept(broken)
    else:
        (batch,) = [batch for batch in read("NO", kept(broken)) if batch.rows.height]
        assert batch.rows["lei"].to_list() == [NORWEGIAN]


def test_a_quote_that_nobody_closes_is_no_endless_record(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parse_csv, "LONGEST", 4096)
    body = table(record(NORWEGIAN, "RA000472", "997315898")) + b'"' + b"x,\n" * 4096
    with pytest.raises(UnreadableFileError):
        read("NO", kept(body))


def test_a_page_of_html_is_none_of_ours() -> None:
    page = b"<!DOCTYPE html><html><body>LEI,Entity.RegistrationAuthority</body></html>"
    assert isinstance(DATASETS["NO"].recognise_file("gleif/lei2.csv", page), NotApplicable)
    with pytest.raises(UnreadableFileError):
        read("NO", page)


@given(st.binary(max_size=400) | st.text(max_size=200).map(str.encode))
@settings(max_examples=30)
def test_any_bytes_read_or_are_unreadable(body: bytes) -> None:
    for sent in (body, table() + body):
        with suppress(UnreadableFileError):
            read("NO", kept(sent))


@given(st.lists(st.text("0123456789ABZ", min_size=18, max_size=22), max_size=20))
@settings(max_examples=50)
def test_columns_judge_as_single_values_do(texts: list[str]) -> None:
    codes = [*texts, *(lei(text[:18]) for text in texts), NORWEGIAN]
    pairs = pl.DataFrame({"lei": codes, "authority": "RA000544", "number": [text[:12] for text in codes]})
    found = pairs.select(
        valid=are_leis(pl.col("lei")), personal=are_personal_numbers(pl.col("authority"), pl.col("number"))
    )
    assert found["valid"].to_list() == [is_lei(code) for code in codes]
    assert found["personal"].to_list() == [is_personal_number("RA000544", number) for number in pairs["number"]]


def _one_by_one(market: str, authority: str, number: str) -> str | None:
    """The rule of numbers as everybody else follows it, one number at a time."""
    if is_personal_number(authority, number):
        return None
    compact = re.sub(r"[\s.\-]+", "", number).upper()
    if market == "NO":
        compact = compact.removeprefix("NO")
    if market == "SE" and re.fullmatch(r"16[0-9]{10}", compact):
        compact = compact[2:]
    found = identifiers.parse_scoped(market, compact)
    return found.org_number if found is not None and found.has_valid_check_digit else None


_TYPED = st.builds(
    lambda before, digits, mark, place: before + digits[:place] + mark + digits[place:],
    st.sampled_from(["", "", "", "SC", "NI", "OC", "R", "US", "CIK", "NO", "16", "0", "oc"]),
    st.text("0123456789", min_size=1, max_size=12)
    | st.sampled_from(["5564333440", "964169969", "16038783", "42344613"]),
    st.sampled_from(["", "", "-", " ", ".", "\u00a0", "x", "٣"]),
    st.integers(0, 12),
)


@pytest.mark.parametrize("market", DATASETS)
@given(st.lists(_TYPED, min_size=1, max_size=60))
@settings(max_examples=30)
def test_a_column_of_numbers_is_read_as_one_number_is(market: str, typed: list[str]) -> None:
    authority = AUTHORITIES[market][0]
    found = company_numbers(market, pl.DataFrame({"registered_at": authority, "registered_as": typed}))
    assert found.to_list() == [_one_by_one(market, authority, number) for number in typed]


# --- deltas ---------------------------------------------------------------------------------------------------


def _delta(number: str, name: str, stamp: datetime) -> ArchiveMember:
    made = piece(DATASETS["NO"], table(record(NORWEGIAN, "RA000472", number, name=name)))
    return replace(made, observed_at=stamp, name=f"{stamp:%Y%m%d-%H%M}-gleif-goldencopy-lei2-intra-day.csv")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0), (0, 2, 1)])
def test_deltas_replace_whole_records_and_the_newest_holds_in_whatever_order_they_come(order) -> None:
    """A delta has no mark of deletion: the newest record of an LEI is the record (docs/formats/news.md 3.1)."""
    told = [("964169969", "Gammelt AS"), ("997315898", "Nyere AS"), ("997315898", "Nyest AS")]
    pieces = [_delta(number, name, NOON + timedelta(hours=8 * place)) for place, (number, name) in enumerate(told)]
    made = level1_schema.lei_table("NO")
    with duckdb.connect() as connection:
        connection.execute("CREATE SCHEMA present")
        for place in order:
            (batch,) = [one for one in DATASETS["NO"].read_batches(pieces[place]) if one.rows.height]
            at = pl.lit(pieces[place].observed_at).cast(pl.Datetime("us", "UTC"))
            company = company_id_of_record("NO").alias("_company_id")
            staged = batch.rows.with_columns(company, _observed_at=at, _raw=pl.lit("x"))
            current_records.upsert_records(connection, made, staged)
        (row,) = current_records.records_of_companies(connection, [made], None)[made.name].collect().to_dicts()
    assert (row["legal_name"], row["org_number"]) == ("Nyest AS", "997315898")


# --- genuine files --------------------------------------------------------------------------------------------


def _genuine(sources: Path) -> Iterator[tuple[Path, bytes]]:
    for path in sorted((sources / "news").glob("gleif_*/*")):
        yield path, path.read_bytes()


def _companies(body: bytes) -> Iterator[dict[str, str | None]]:
    """Records of companies, sole proprietors and those without a registration aside, by any market's law."""
    if parse.detect_format(body[: parse.HEAD]) is None:
        return
    for row in parse.parse_records(io.BytesIO(kept(body))):
        own = row["category"] in (None, "GENERAL") and row["registration_status"] not in ("ANNULLED", "CANCELLED")
        if own and row["registered_as"]:
            yield row


@pytest.mark.slow
def test_every_genuine_record_of_the_five_markets_joins_its_national_number(sources: Path) -> None:
    """SE, NO, FI, UK, DK: the number in the record, its separators aside, is the number it is joined by."""
    joined = dict.fromkeys(DATASETS, 0)
    for path, body in _genuine(sources):
        companies = list(_companies(body))
        for market in DATASETS if companies else ():
            country = "GB" if market == "UK" else market
            read_so = {row["lei"]: row for row in rows(market, kept(body))}
            for row in companies:
                if (row["jurisdiction"] or "")[:2] != country or row["registered_at"] not in AUTHORITIES[market]:
                    continue
                found = read_so[row["lei"]]
                typed = "".join(sign for sign in row["registered_as"] or "" if sign.isalnum()).upper()
                number = company_number(market, row["registered_at"], row["registered_as"])
                assert found["org_number"] == number is not None, (path.name, row)
                assert number.replace("-", "").endswith(typed[-8:].rjust(8, "0")), (path.name, row)
                joined[market] += 1
    assert all(count >= 3 for count in joined.values()), joined


def test_every_genuine_file_is_read_by_one_dataset_or_named_with_the_reason(sources: Path) -> None:
    level_1, level_2 = DATASETS["NO"], level2_dataset.parents_dataset("NO")
    counted = {"level 1": 0, "level 2": 0, "none": 0}
    for path, body in _genuine(sources):
        said = [made.recognise_file(f"gleif/{path.name}", body[:65_536]) for made in (level_1, level_2)]
        readers = [place for place, found in enumerate(said) if isinstance(found, RecognisedFile)]
        empty = json.loads(body)["data"] == [] if path.suffix == ".json" and b'"data"' in body[:900_000] else False
        assert len(readers) < 2 or empty, path.name
        for place in readers:
            made = (level_1, level_2)[place]
            sent = ArchiveMember(made.key, path.name, "sha", NOON, Scope.PART, "b", lambda body=body: io.BytesIO(body))
            assert all(batch.rejects.is_empty() for batch in made.read_batches(sent)), path.name
        if not readers:
            assert all(isinstance(found, NotApplicable) and found.reason for found in said), path.name
        counted["level 1" if 0 in readers else "level 2" if 1 in readers else "none"] += 1
    assert counted["level 1"] >= 20
    assert counted["level 2"] >= 20

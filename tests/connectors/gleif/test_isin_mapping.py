"""Issuers of ISINs: pairs of the market, check digits; fetching of whole files; LEIs that FIRDS names."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stdnum import isin as oracle

from connectors.contract.dataset import (
    ArchiveMember,
    Batch,
    Cursor,
    NotApplicable,
    RecognisedFile,
    Scope,
    UnreadableFileError,
)
from connectors.gleif import isin_mapping
from connectors.gleif.level1.dataset import lei_dataset
from connectors.gleif.level2.dataset import COPIES_HOST, parents_dataset
from connectors.kit.columns.isin import are_isins
from connectors.kit.http.client import HttpClient, HttpSettings
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.us.symbols import nasdaq_symbol_directory
from tests.answering import Quiet, answering
from tests.connectors.gleif.gleif_bodies import NOON, lei
from tests.connectors.gleif.test_gleif_editions import packed
from tests.tables import check_cases

DATASET = isin_mapping.isin_dataset("SE")
ISSUER = lei("A")
SHARE = "SE0000108656"


def read(body: bytes) -> list[Batch]:
    return list(
        DATASET.read_batches(
            ArchiveMember(DATASET.key, "isin-lei.csv", "sha", NOON, Scope.FULL, "b", lambda: io.BytesIO(body))
        )
    )


def rows(body: bytes) -> list[dict[str, Any]]:
    return [row for batch in read(body) for row in batch.rows.to_dicts()]


@pytest.mark.parametrize(
    "header", ["LEI,ISIN\n{lei},{isin}\n", 'LEI,ISIN\r\n"{lei}","{isin}"\r\n', "ISIN,LEI\n{isin},{lei}\n"]
)
def test_pairs_are_read_by_the_names_of_their_columns(header: str) -> None:
    text = header.format(lei=ISSUER, isin=SHARE).encode()
    assert rows(text) == rows(packed(isin=text)) == [{"isin": SHARE, "lei": ISSUER}]
    assert isinstance(DATASET.recognise_file("isin_lei/isin-lei.csv", text), RecognisedFile)


def test_other_countries_are_left_and_unsound_pairs_refused() -> None:
    text = f"LEI,ISIN\n{ISSUER},US0378331005\n{ISSUER},XS0000000009\n{ISSUER},SE0000108657\n549300,{SHARE}\n{ISSUER},{SHARE}\n"
    assert rows(text.encode()) == [{"isin": SHARE, "lei": ISSUER}]
    assert [record for batch in read(text.encode()) for record in batch.rejects["record"]] == ["SE0000108657", SHARE]


@check_cases("body", [b"", b"<html></html>", b"a,b\n1,2\n", packed(a=b"", b=b""), b"PK\x03\x04"])
def test_other_bodies_are_unreadable(body: bytes) -> None:
    with pytest.raises(UnreadableFileError):
        read(body)
    if not body.startswith(b"PK"):
        assert isinstance(DATASET.recognise_file("isin_lei/x", body), NotApplicable)


@pytest.mark.slow
@given(st.lists(st.from_regex(r"\A[A-Z]{2}[0-9A-Z]{9}[0-9]\Z") | st.text(max_size=13), max_size=30))
@settings(max_examples=60)
def test_a_column_of_isins_is_judged_as_one_is(texts: list[str]) -> None:
    sound = [text[:11] + oracle.calc_check_digit(text[:11]) for text in texts if are_shaped(text)]
    codes = [*texts, *sound, SHARE, None]
    found = are_isins(pl.Series(codes, dtype=pl.String))
    due = [code is not None and are_shaped(code) and oracle.calc_check_digit(code[:11]) == code[11] for code in codes]
    assert found.to_list() == due


def are_shaped(text: str) -> bool:
    return (
        len(text) == 12
        and text.isascii()
        and text.isalnum()
        and text.upper() == text
        and text[:2].isalpha()
        and text[11].isdigit()
    )


def test_leis_that_firds_names_are_asked_for_beside_the_others() -> None:
    made = lei_dataset("SE", {"xx_named": "lei", "se_firds_even": "lei"})
    tables = {"xx_named": pl.DataFrame({"lei": [ISSUER]}), "se_firds_even": pl.DataFrame({"lei": [lei("B"), ISSUER]})}
    assert made.subjects_to_fetch is not None
    assert list(made.subjects_to_fetch(tables)) == sorted([ISSUER, lei("B")])
    assert list(made.subjects_to_fetch({})) == []


# --- fetching -----------------------------------------------------------------------------------------------------


@pytest.fixture
def answers() -> dict[str, bytes]:
    return {}


@pytest.fixture
def http(answers: dict[str, bytes], tmp_path: Path) -> Iterator[HttpClient]:
    class Handler(Quiet):
        def do_GET(self) -> None:  # noqa: N802
            if self.headers.get("If-None-Match") == '"one"':
                self.send_whole(304, b"")
                return
            body = answers.get(self.path)
            kind = "application/zip" if (body or b"")[:2] == b"PK" else "text/plain"
            self.send_whole(404 if body is None else 200, body or b"", {"Content-Type": kind, "ETag": '"one"'})

    with answering(Handler) as base:
        hosts = (isin_mapping.HOST, COPIES_HOST, nasdaq_symbol_directory.HOST)
        asked = HttpSettings("t (a@example.org)", tmp_path, base_urls=dict.fromkeys(hosts, base), default_rate=1e6)
        with HttpClient(asked) as client:
            yield client


@pytest.mark.parametrize(
    ("dataset", "path"),
    [
        (DATASET, "/api/v2/isin-lei/latest/download"),
        (parents_dataset("SE"), "/api/v2/golden-copies/publishes/rr/latest.csv"),
    ],
    ids=["isins", "parents"],
)
def test_whole_files_are_fetched_once(dataset, path: str, answers: dict[str, bytes], http: HttpClient) -> None:
    answers[path] = packed(data=b"LEI,ISIN\n")
    (arrival,) = dataset.fetch(http, None, ())
    assert (arrival.scope, arrival.body.read()[:2]) == (Scope.FULL, b"PK")
    assert isinstance(arrival.cursor, Cursor)
    assert list(dataset.fetch(http, arrival.cursor, ())) == []
    answers[path] = b"<html><body>200</body></html>"
    with pytest.raises(UnexpectedBodyError):
        list(dataset.fetch(http, None, ()))


def test_the_symbol_directory_is_believed_with_its_last_line_alone(answers: dict[str, bytes], http: HttpClient) -> None:
    made = f"Symbol\nFile Creation Time: {datetime(2026, 1, 1, tzinfo=UTC):%m%d%Y}06:00|||\n".encode()
    answers |= {f"/dynamic/SymDir/{name}": made for name in nasdaq_symbol_directory.FILES}
    fetch = nasdaq_symbol_directory.DATASET.fetch
    assert fetch is not None
    assert [one.name for one in fetch(http, None, ())] == list(nasdaq_symbol_directory.FILES)
    answers["/dynamic/SymDir/otherlisted.txt"] = made[:-40]
    with pytest.raises(UnexpectedBodyError, match="cut off"):
        list(fetch(http, None, ()))

"""Staged batches, signals, code lists and text expressions."""

import gzip
import sys
from datetime import UTC, date, datetime
from io import BytesIO
from pathlib import Path

import polars as pl
import pytest

from connectors.contract.dataset import REJECT_COLUMNS, ArchiveMember, Scope, Signal, UnreadableFileError
from connectors.kit import code_lists, staging
from connectors.kit.columns import text
from connectors.kit.staging import SignalCounter
from warehouse.schema.tables import COMPANIES, TABLES
from warehouse.schema.types import Column, ColumnKind, Table

TABLE = Table(
    "t",
    "",
    ("id",),
    (Column("id", ColumnKind.TEXT, ""), Column("staff", ColumnKind.INTEGER, ""), Column("names", ColumnKind.TEXTS, "")),
)


def test_every_kind_has_a_type():
    assert set(staging.TYPES) == set(ColumnKind)
    for table in TABLES:
        assert staging.staged_schema(table).names() == list(table.names)


def test_batch_orders_fills_and_casts():
    for rows in (
        pl.DataFrame({"staff": [5], "id": ["1"]}, schema={"staff": pl.Int32, "id": pl.String}),
        [{"staff": 5, "id": "1"}],
    ):
        batch = staging.make_batch(TABLE, rows)
        assert batch.rows.schema == staging.staged_schema(TABLE)
        assert batch.rows.rows() == [("1", 5, None)]
        assert batch.rejects.columns == list(REJECT_COLUMNS)
    assert staging.make_batch(TABLE, []).rows.schema == staging.staged_schema(TABLE)
    assert staging.empty_staged_frame(TABLE).schema == staging.staged_schema(TABLE)


def test_a_column_nobody_declared_is_a_mistake():
    for rows in (pl.DataFrame({"id": ["1"], "x": [1]}), [{"id": "1"}, {"x": 1}]):
        with pytest.raises(ValueError, match="table t declares no column x"):
            staging.make_batch(TABLE, rows)


def test_rejects_are_text_and_cut():
    frame = staging.reject_rows([(12, "because", "x" * 500)])
    assert frame.rows() == [("12", "because", "x" * 200)]
    assert staging.reject_rows().schema == staging.REJECTS


def test_tally_counts_with_five_examples():
    tally = SignalCounter("no.enheter")
    for number in range(8):
        tally.add("unknown_code", "XX", number)
    tally.add("unknown_code", "XX", 7)
    tally.add("absent", "column", count=3)
    assert tally.drain() == (
        Signal("no.enheter", "absent", "column", 3, ()),
        Signal("no.enheter", "unknown_code", "XX", 9, ("0", "1", "2", "3", "4")),
    )
    assert tally.drain() == ()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "some_country" / "codes"
    folder.mkdir(parents=True)
    (tmp_path / "some_country" / "__init__.py").write_text('"""A country."""\n')
    (folder / "forms.csv").write_text(
        "code,label,size\nAS,Aksjeselskap,small\nASA,Allmennaksjeselskap,\n", encoding="utf-8"
    )
    (folder / "twice.csv").write_text("code,label\nA,x\nA,y\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield "some_country"
    sys.modules.pop("some_country", None)
    code_lists.load_code_list.cache_clear()


def test_code_lists(package: str):
    forms = code_lists.load_code_list(package, "forms")
    assert forms.get("AS") == "Aksjeselskap"
    assert forms.get("ASA", "size") is None
    assert forms.get(None) is forms.get("XX") is None
    assert "ASA" in forms
    rows = pl.DataFrame({"nr": ["1", "2", "3", "4"], "form": ["AS", "XX", None, "XX"]})
    assert rows.select(forms.expr("form")).to_series().to_list() == ["Aksjeselskap", None, None, None]
    tally = SignalCounter("no.enheter")
    forms.audit(rows, "form", "nr", tally)
    assert tally.drain() == (Signal("no.enheter", "unknown_code", "XX", 2, ("2", "4")),)
    with pytest.raises(ValueError, match="a code twice: A"):
        code_lists.load_code_list(package, "twice")


def got(expression: pl.Expr, *values: str | None) -> list[object]:
    return pl.DataFrame({"a": values}, schema={"a": pl.String}).select(expression).to_series().to_list()


A = pl.col("a")


def test_clean():
    assert got(text.clean_text(A), "  A \u00a0 B\n", " \u200b ", None) == ["A B", None, None]


def test_dates():
    day = date(2024, 5, 31)
    assert got(
        text.iso_date(A), "2024-05-31", "2024-05-31T12:00:00Z", "2024-05-31 00:00:00", "31.05.2024", "2024-13-01"
    ) == [day, day, day, None, None]
    # XML's dates may have a zone; the day is the one written, as where a time has one
    assert got(text.iso_date(A), "2024-05-31+02:00", "2024-05-31-05:00", "2024-05-31-05") == [day, day, None]


def test_numbers():
    assert got(text.parse_integer(A), "12", "-12.0", "12.5", "x", "") == [12, -12, None, None, None]


def test_what_did_not_parse():
    assert got(text.failed_to_parse(A, text.parse_integer(A)), "12", "x", " ", None) == [False, True, False, False]


def test_complete_columns_with_a_misspelled_column_is_refused() -> None:
    rows = pl.DataFrame({"company_id": ["firm:NO:1"], "websit": ["a.example"]})
    with pytest.raises(ValueError, match="table companies declares no column websit"):
        staging.complete_columns(rows, COMPANIES)
    completed = staging.complete_columns(rows.lazy().drop("websit"), COMPANIES).collect()
    assert (completed.columns, completed["website"].to_list()) == (list(COMPANIES.names), [None])


def _member(body: bytes) -> ArchiveMember:
    return ArchiveMember(
        "xx.d", "f.txt", "0" * 64, datetime(2026, 7, 1, tzinfo=UTC), Scope.PART, "b", lambda: BytesIO(body)
    )


def test_batch_builder_build_gives_rejects_and_signals_once() -> None:
    builder = staging.BatchBuilder("xx.d")
    builder.reject(7, ValueError("no id"), "x" * 300)
    builder.tally.add("unknown_code", "Z")
    first, second = builder.build(TABLE, {"1": {"id": "1"}}.values()), builder.build(TABLE, [])
    assert first.rejects.rows() == [("7", "no id", "x" * staging.EXCERPT)]
    assert (first.rows["id"].to_list(), [signal.code for signal in first.signals]) == (["1"], ["unknown_code"])
    assert (second.rejects.height, second.signals) == (0, ())


def test_read_plain_more_bytes_than_allowed_is_unreadable() -> None:
    assert staging.read_plain(_member(gzip.compress(b"abc")), 3, "too long") == b"abc"
    with pytest.raises(UnreadableFileError, match=r"xx\.d: f\.txt: too long"):
        staging.read_plain(_member(b"abcd"), 3, "too long")


def test_unreadable_on_turns_only_its_kinds_into_unreadable_files() -> None:
    rejected = pytest.raises(UnreadableFileError, match=r"xx\.d: f\.txt: expected a list: bad")
    with rejected, staging.unreadable_on(_member(b""), ValueError, "expected a list"):
        raise ValueError("bad")
    with pytest.raises(KeyError), staging.unreadable_on(_member(b""), ValueError):
        raise KeyError("other")

"""Tables as text: every line is a row, a reject with its number, or blank."""

import csv
import gzip
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import ArchiveMember, Signal, UnreadableFileError
from connectors.kit.csv import reader
from connectors.kit.csv import rows as csv_rows
from connectors.kit.csv.reader import CsvFormat
from tests.connectors.kit.conftest import made
from tests.tables import check_cases
from warehouse.schema.types import Column, ColumnKind, Table

Make = Callable[..., ArchiveMember]
TABLE = Table("t", "", ("id",), tuple(Column(name, ColumnKind.TEXT, "") for name in ("id", "name", "town")))
LAYOUT = CsvFormat(TABLE, ("id",), "id")


def read(piece: ArchiveMember, layout: CsvFormat = LAYOUT) -> tuple[list[tuple], list[tuple], list[Signal]]:
    rows: list[tuple] = []
    rejects: list[tuple] = []
    signals: list[Signal] = []
    for batch in reader.read_csv(piece, layout):
        assert batch.rows.columns == list(layout.table.names)
        rows += batch.rows.rows()
        rejects += batch.rejects.rows()
        signals += batch.signals
    return rows, rejects, signals


def test_names_are_matched_whatever_their_case_and_blanks(piece: Make):
    rows, rejects, signals = read(piece(b"Town , ID,extra\r\nOslo,1,x\r\n,2,\r\n"))
    assert rows == [("1", None, "Oslo"), ("2", None, None)]
    assert rejects == []
    assert [(s.code, s.subject, s.count, s.examples) for s in signals] == [
        ("missing_columns", "header", 1, ("name",)),
        ("unknown_column", "extra", 2, ()),
    ]


def test_empty_quoted_and_bare_cells_are_both_null(piece: Make):
    assert read(piece(b'id,name,town\n1,"",\n'))[0] == [("1", None, None)]


def test_aliases_and_ignored_columns(piece: Make):
    layout = replace(LAYOUT, aliases={"orgnr": "id"}, ignored=("links",))
    rows, _, signals = read(piece(b"OrgNr,name,town,links\n1,A,B,x\n"), layout)
    assert rows == [("1", "A", "B")]
    assert signals == []


WRONG = ('""x""', '""x', '"x"y', '"x"y""', '"x" ', '","x', '","x""', '""""x', '"x""" y', '"" ""')
RIGHT = {
    '"x"': "x",
    '""': None,
    '"a ""b"" c"': 'a "b" c',
    '""""': '"',
    '"a,""b"""': 'a,"b"',
    'a "b" c': 'a "b" c',
    'a""b': 'a""b',
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("others", ["{}", '"{}"'], ids=["bare", "quoted"])
@pytest.mark.parametrize("columns", [3, 2], ids=["all", "some"])
def test_a_quote_in_a_wrong_place_rejects_its_row_alone(
    piece: Make, end: str, separator: str, others: str, columns: int
):
    """Polars reads `""x""` as «x» and `"x"y""` as «xy», in fields that nobody wants as well."""
    cells = [*WRONG, *RIGHT]
    names = ("id", "name", "town") if columns == 3 else ("id", "other", "town")
    lines = [separator.join(names)]
    for place, cell in enumerate(cells):
        around = [others.format(place), cell.replace(",", separator), others.format("t")]
        lines += [separator.join(around), separator.join(others.format("g") for _ in range(3))]
    body = (end.join(lines) + end).encode()
    rows, rejects, _ = read(piece(body), replace(LAYOUT, separator=separator))
    assert [place for place, *_ in rejects] == [f"line {2 + 2 * place}" for place in range(len(WRONG))]
    read_cells = [row[1] for row in rows if row[0] != "g"]
    assert len(rows) == len(WRONG) + 2 * len(RIGHT)
    if columns == 3:
        assert read_cells == [text and text.replace(",", separator) for text in RIGHT.values()]


@given(st.lists(st.text('"x, ', max_size=8), min_size=3, max_size=3), st.booleans())
def test_a_row_is_what_pythons_csv_reads_strictly_or_a_reject(cells: list[str], is_wide: bool):
    line = ",".join(cells)
    lines = csv_rows.RowReader(3, (0, 1, 2) if is_wide else (0, 2), ",", '"')
    found, _ = lines.read(f"a,b,c\n{line}\na,b,c\n".encode(), 1, final=True)
    rows = {row[0]: row[1:] for frame in found.frames for row in frame.rows()}
    try:
        expected = next(csv.reader([line], strict=True), [])
    except csv.Error:
        expected = []
    if len(expected) == 3:
        assert rows[2] == tuple(expected[place] or None for place in ((0, 1, 2) if is_wide else (0, 2)))
    else:
        assert 2 not in rows
    assert 1 in rows


def test_shifted_rows_are_rejects_with_their_line(piece: Make):
    rows, rejects, _ = read(piece(b"id,name,town\n1,A,B\n2,A\n3,A,B,C\n4,A,B,\n5,A,B\n"))
    assert [row[0] for row in rows] == ["1", "5"]
    assert [reject[:2] for reject in rejects] == [
        ("line 3", "expected 3 fields, found 2"),
        ("line 4", "expected 3 fields, found 4"),
        ("line 5", "expected 3 fields, found 4"),
    ]
    assert rejects[0][2] == "2,A"


def test_line_ends_and_quotes_inside_quotes(piece: Make):
    rows, rejects, _ = read(piece(b'id,name,town\n1,"A\nB","x""y"\n2,"""1 C O""",C\n'))
    assert rows == [("1", "A\nB", 'x"y'), ("2", '"1 C O"', "C")]
    assert rejects == []


def test_a_stray_quote_costs_one_row(piece: Make):
    rows, rejects, _ = read(piece(b'id,name,town\n1,A,B\n2,"A,B\n3,A,B\n4,"X" Y,B\n5,5" disk,B\n'))
    assert [row[0] for row in rows] == ["1", "3", "5"]
    assert [reject[:2] for reject in rejects] == [
        ("line 3", "a quote that nothing closes"),
        ("line 5", "a quote inside a quoted field"),
    ]


def test_a_quote_may_be_an_ordinary_character(piece: Make):
    layout = replace(LAYOUT, separator=";", quote=None)
    assert read(piece(b'id;name;town\n1;UAB "ERA";"B\n2;a;b\n'), layout)[0] == [
        ("1", 'UAB "ERA"', '"B'),
        ("2", "a", "b"),
    ]


def test_encodings(piece: Make):
    text = "id,name,town\n1,Ærlig,Ørsta\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert read(piece(text.encode(encoding)))[0] == [("1", "Ærlig", "Ørsta")]
    assert read(piece(text.encode("cp1252")), replace(LAYOUT, encoding="cp1252"))[0] == [("1", "Ærlig", "Ørsta")]
    rows, _, signals = read(piece(text.encode() + "2,Åse,Bø\n".encode("cp1252")))
    assert rows == [("1", "Ærlig", "Ørsta"), ("2", "Åse", "Bø")]
    assert [(s.code, s.examples) for s in signals] == [("encoding_fallback", ("line 3",))]


def test_nul_bytes_are_dropped_and_told(piece: Make):
    rows, _, signals = read(piece(b"id,name,town\n1,A\0,B\n"))
    assert rows == [("1", "A", "B")]
    assert signals[0].code == "nul_bytes"


def test_a_file_without_header(piece: Make):
    layout = replace(LAYOUT, order=("name", "id", "other", "town"))
    rows, rejects, _ = read(piece(b'"A","1",,"B"\n"C","2",,""\n'), layout)
    assert rows == [("1", "A", "B"), ("2", "C", None)]
    assert rejects == []
    with pytest.raises(UnreadableFileError, match="no header: expected 4 fields, found 3"):
        read(piece(b"A,1,B\n"), layout)
    with pytest.raises(UnreadableFileError, match="mandatory column id is missing"):
        read(piece(b"name,number,other,town\nA,1,,B\n"), layout)


@check_cases(
    ("body", "reason"),
    [
        (b"", "there is no first line"),
        (b"<!doctype html><html>", "expected a table, found html"),
        (b"PK\x03\x04", "expected a table, found zip"),
        (b'{"error": "x"}', "expected a table, found json"),
        (b"name,town\nA,B\n", "mandatory column id is missing; the header begins name, town"),
        (b"id,name,ID\n1,A,B\n", "column id occurs twice"),
        (gzip.compress(b"id\n1\n" * 100, mtime=0)[:-4], "truncated or damaged"),
    ],
)
def test_what_is_no_such_table(piece: Make, body: bytes, reason: str):
    with pytest.raises(UnreadableFileError, match=rf"no\.enheter: file\.csv.*{reason}"):
        read(piece(body))


def test_values_that_do_not_fit_their_pattern(piece: Make):
    layout = replace(LAYOUT, patterns={"id": r"\d{2}"})
    rows, rejects, _ = read(piece(b"id,name,town\n12,A,B\n123,A,B\n,A,B\nx12,A,B\n"), layout)
    assert rows == [("12", "A", "B")]
    assert [reject[:2] for reject in rejects] == [
        ("line 3", "id is '123', which is not a valid value"),
        ("line 4", "id is empty"),
        ("line 5", "id is 'x12', which is not a valid value"),
    ]


def test_a_header_without_rows_still_tells_its_drift(piece: Make):
    (first, last) = reader.read_csv(piece(b"id,new"), LAYOUT)
    assert first.rows.height == last.rows.height == 0
    assert {signal.code for signal in last.signals} == {"unknown_column", "missing_columns"}


def test_gzip_and_many_blocks(piece: Make, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reader, "BLOCK", 1000)
    lines = [f'{number},"A{number}\nB",town' if number % 7 == 0 else f"{number},A,town" for number in range(2000)]
    body = ("id,name,town\n" + "\n".join(lines)).encode()
    for packed in (body, gzip.compress(body)):
        rows, rejects, _ = read(piece(packed))
        assert rejects == []
        assert [row[0] for row in rows] == [str(number) for number in range(2000)]


def test_a_layout_of_other_kinds_is_refused():
    table = Table("t", "", ("id",), (Column("id", ColumnKind.TEXT, ""), Column("day", ColumnKind.DATE, "")))
    with pytest.raises(ValueError, match="are text"):
        CsvFormat(table, ("id",), "id")


@pytest.mark.sources
@pytest.mark.parametrize(
    "name", ["no/enheter_bulk_csv/enheter-sample-2024a.csv", "no/underenheter_bulk_csv/underenheter-sample-2024.csv"]
)
def test_genuine_rows_equal_pythons_reading(sources: Path, piece: Make, name: str):
    body = (sources / name).read_bytes()
    header, *due = list(csv.reader(io.StringIO(body.decode(), newline="")))
    table = Table("t", "", (header[0],), tuple(Column(cell, ColumnKind.TEXT, "") for cell in header))
    rows, rejects, signals = read(piece(body), CsvFormat(table, (header[0],), header[0]))
    assert rejects == []
    assert signals == []
    assert rows == [tuple(cell or None for cell in row) for row in due]


CELL = st.text(st.sampled_from('ab1 æ,"\n\r\0\x1e;'), max_size=5)
ROW = st.lists(CELL, min_size=0, max_size=5)


def written(rows: list[list[str]], quoting: int) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, quoting=quoting, lineterminator="\n")
    writer.writerows(rows)
    return text.getvalue().encode()


@pytest.mark.slow
@settings(max_examples=150)
@given(
    rows=st.lists(st.lists(st.text(st.sampled_from('ab æ,"\n;'), max_size=5), min_size=3, max_size=3), max_size=12),
    block=st.integers(5, 60),
    all_quoted=st.booleans(),
)
def test_what_python_writes_is_read_back(rows: list[list[str]], block: int, all_quoted: bool):
    body = written([["id", "name", "town"], *rows], csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "BLOCK", block * 4)
        patch.setattr(csv_rows, "LINEWISE_BYTES", 40)
        got, rejects, _ = read(made(body))
    assert rejects == []
    assert sorted(got, key=str) == sorted((tuple(cell or None for cell in row) for row in rows), key=str)


@pytest.mark.slow
@settings(max_examples=200)
@given(
    body=st.binary(max_size=300) | st.lists(ROW, max_size=8).map(lambda rows: "\n".join(map(",".join, rows)).encode()),
    block=st.integers(13, 200),
)
def test_nothing_but_unreadable_is_raised_and_no_row_is_shifted(body: bytes, block: int):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "BLOCK", block)
        patch.setattr(csv_rows, "LINEWISE_BYTES", 40)
        try:
            rows, rejects, _ = read(made(b"id,name,town\n" + body))
        except UnreadableFileError:
            return
    assert len(rows) + len(rejects) <= body.count(b"\n") + 1

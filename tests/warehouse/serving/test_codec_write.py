"""Packed rows come out as they went in, whatever they hold, and a release of the former edition reads alike."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
from contextlib import closing
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.warehouse.former import with_whole_files
from tests.warehouse.helpers import release_documents, segment_file
from tests.warehouse.world import learn, member, owner, period, publish
from warehouse.reader.leases import leased_release
from warehouse.reader.queries import market_dump
from warehouse.reader.reader import CompanyQuery, FinancialsQuery, ReleaseReader
from warehouse.release.segments import DOCUMENTS
from warehouse.serving import codec_read, codec_write
from warehouse.serving.codec_read import FIELD, ROW
from warehouse.serving.codec_write import RowPacker
from warehouse.storage.layout import Layout

ONE, TWO = "firm:NO:900000001", "firm:NO:900000002"
HOSTILE = f"A{FIELD}B{ROW}C\x00\n «ø»"
DAY = dt.date(2026, 1, 1)
NORWAY = market_dump.market_id_bounds("NO")
# What the edition wrote that packed nothing.
FORMER = (
    "CREATE TABLE {}.companies (rank, company_id, org_number, name, body, etag, detail, identifiers, address, sources)",
    """CREATE TABLE {}.financials (company_id, position, period_type, fiscal_year, period_start, period_end,
        is_consolidated, is_current, version, currency, filing_id, body, source)""",
    "CREATE TABLE {}.owners (company_id, position, holder_id, since, until, pct, floor, body)",
)


def _world(layout: Layout) -> None:
    shares = [
        owner(ONE, "h1", "10.5", holder_name=HOSTILE),
        owner(ONE, "h2", "60"),
        owner(ONE, "h3", pct_min=25, pct_max=50, basis="band"),
        owner(ONE, "h4", "5", as_of=None),
        owner(ONE, "h5", "7", ended_on=dt.date(2025, 6, 1)),
    ]
    years = [period(ONE, 2023), period(ONE, 2024), period(ONE, 2024, version=2, is_current=False)]
    years += [period(ONE, 2024, currency=None, is_consolidated=True), period(TWO, 2022)]
    companies = [member("NO", 1, name=HOSTILE, address_lines=[HOSTILE]), member("NO", 2), member("NO", 3)]
    learn(layout, "NO", 0, companies=companies, financials=years, owners=shares)
    publish(layout, "NO")


def _answers(layout: Layout) -> list[Any]:
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        found = [
            (
                snapshot.profile(company),
                snapshot.profile_parts(company),
                snapshot.company_financials(
                    company, FinancialsQuery(include_history=True, include_sources=True), None, 50
                ),
                snapshot.company_owners(company, DAY, None, None, 50),
                snapshot.company_owners(company, DAY, "25", None, 50),
            )
            for company in (ONE, TWO, "firm:NO:900000003", "firm:NO:1")
        ]
        named = [list(snapshot.search_companies(CompanyQuery(q=q), None, 10).rows) for q in ("firma 2", "fimra", "3")]
    reader.close()
    with leased_release(layout) as held:
        handed = [
            list(market_dump.company_profiles(held.serving, NORWAY)),
            list(market_dump.company_financials(held.serving, NORWAY)),
            list(market_dump.company_owners(held.serving, NORWAY, DAY)),
        ]
    return [found, handed, named]


def test_what_is_hostile_comes_out_as_it_went_in(layout: Layout) -> None:
    _world(layout)
    (one, two, three, none), (profiles, financials, owners), named = _answers(layout)
    assert [len(rows) for rows in named] == [1, 2, 1]
    assert json.loads(one[0].body)["name"] == HOSTILE
    assert json.loads(one[1]["address"])["address"]["lines"] == [HOSTILE]
    held = [json.loads(body) for body in one[3][0].rows]
    assert [row["holder_id"] for row in held] == ["h2", "h1", "h3"]
    assert held[1]["holder_name"] == HOSTILE
    assert [json.loads(body)["holder_id"] for body in one[4][0].rows] == ["h2", "h3"]
    assert [len(company[2].rows) for company in (one, two, three, none)] == [1, 1, 0, 0]
    assert none[0] is None
    assert [len(handed) for handed in (profiles, financials, owners)] == [3, 4, 3]


@pytest.mark.parametrize("edition", ["whole", "names", "objects", "rows"])
def test_a_release_of_a_former_edition_reads_alike(layout: Layout, edition: str) -> None:
    _world(layout)
    expected = _answers(layout)
    with_whole_files(layout, 1, has_names=edition == "whole")
    if edition in {"objects", "rows"}:
        {"objects": _with_objects, "rows": _with_rows}[edition](layout)
    assert _answers(layout) == expected


def _with_objects(layout: Layout) -> None:
    """Writes a file's packed tables as the edition did that packed objects as they are served."""
    places = (("companies", "parts"), ("financials", "packed"), ("owners", "packed"))
    with release_documents(layout, 1) as source:
        found = {
            (table, column): source.execute(f"SELECT company_id, unpacked('{table}', {column}) FROM {table}").fetchall()
            for table, column in places
        }
        words = codec_read.read_dictionary(source)
    with closing(sqlite3.connect(segment_file(layout, 1, DOCUMENTS), isolation_level=None)) as target:
        target.execute("DROP TABLE shapes")
        for (table, column), values in found.items():
            texts = pl.Series([value.decode() for _, value in values], dtype=pl.String)
            anew = zip(RowPacker(words).packed(texts), (company for company, _ in values), strict=True)
            target.executemany(f"UPDATE {table} SET {column} = ? WHERE company_id = ?", anew)


def _with_rows(layout: Layout) -> None:
    """Writes a file's packed tables as the edition did that had a row each."""
    with release_documents(layout, 1) as source:
        companies = [
            (*row[:6], *next(codec_read.split_rows((row[6],))))
            for row in source.execute(
                "SELECT rank, company_id, org_number, name, body, etag, unpacked('companies', parts) FROM companies"
            )
        ]
        rows = {
            table: [
                (company, position, *(field.decode() or None for field in fields))
                for company, value in source.execute(f"SELECT company_id, unpacked('{table}', packed) FROM {table}")
                for position, fields in enumerate(codec_read.split_rows((value,)), 1)
            ]
            for table in ("financials", "owners")
        }
    rows = {"companies": companies, **rows}
    with closing(sqlite3.connect(segment_file(layout, 1, DOCUMENTS), isolation_level=None)) as target:
        target.execute("DROP TABLE packing")
        target.execute("DROP TABLE shapes")
        for statement, (table, found) in zip(FORMER, rows.items(), strict=True):
            target.execute(f"DROP TABLE {table}")
            target.execute(statement.format("main"))
            target.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(found[0]))})", found[::-1])


_JSON = st.one_of(st.none(), st.integers(), st.booleans(), st.text(), st.lists(st.text()))
_MADE = st.lists(_JSON, min_size=3, max_size=3)


@given(st.lists(_MADE, min_size=1))
def test_values_become_the_objects_that_they_are_of(rows: list[list[Any]]) -> None:
    """Two objects behind one field, whatever the values hold."""
    template = codec_write.join_templates(
        codec_write.object_template(("a", "b")), f'{{"c":{codec_write.object_template(("d",))}}}'
    )
    texts = [["" if value is None else json.dumps(value) for value in row] for row in rows]
    value = ROW.join(FIELD.join((f"row {place}", *row)) for place, row in enumerate(texts))
    found = list(codec_read.split_rows((codec_read.fill_template(template.encode(), value.encode()),)))
    assert [fields[0].decode() for fields in found] == [f"row {place}" for place in range(len(rows))]
    objects = [tuple(map(json.loads, fields[1:])) for fields in found]
    assert objects == [({"a": a, "b": b}, {"c": {"d": d}}) for a, b, d in rows]


@given(st.lists(st.text(min_size=1)))
def test_any_text_is_packed_and_unpacked(texts: list[str]) -> None:
    dictionary = b'{"name":null}'
    with closing(sqlite3.connect(":memory:")) as memory:
        for statement in codec_write.SCHEMA:
            memory.execute(statement)
        codec_write.write_packing_tables(memory, dictionary, {})
        values = RowPacker.of(memory).packed(pl.Series(texts, dtype=pl.String))
    unpack = codec_read.dictionary_decompressor(dictionary)
    assert [unpack(value) for value in values] == [text.encode() for text in texts]


@given(st.lists(st.lists(st.text(min_size=1), min_size=1), min_size=1), st.integers(0, 3))
def test_rows_of_companies_are_packed_in_whatever_pieces_they_come(companies: list[list[str]], cut: int) -> None:
    given_rows = [(f"c{place}", f"{text}{ROW}") for place, texts in enumerate(companies) for text in texts]
    frame = pl.DataFrame(given_rows, schema={"company_id": pl.String, "row": pl.String}, orient="row")
    strange = pl.DataFrame({"company_id": ["c"], "row": ["x" * 40]})
    # in two chunks, and as the end of something longer
    frame = pl.concat([strange, frame[:cut], frame[cut:]], rechunk=False)[1:]
    unpack = codec_read.dictionary_decompressor(b"")
    found = [(company, unpack(value)) for company, value in RowPacker(b"").by_company(frame).rows()]
    assert found == [(f"c{place}", ROW.join(texts).encode()) for place, texts in enumerate(companies)]

"""The tables `search` and `places` of a segment: one narrow row per company for search and filters.

Derived from the shared tables after they are written: rank, folded name and the values used by filters and sorts,
the same as in the served profile, which is built from it (`document_sql`). Places are few, so their names are
stored once. Does not belong here: queries (`reader.queries.filters`), the rules of sort keys (`sort_keys`), the
name index (`name_index`), or the content of companies (`publish.full_build`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Generator
from functools import lru_cache
from typing import Final

import duckdb
import polars as pl

from name_matching.folding import fold_text
from name_matching.name_columns import fold_texts
from warehouse import schema_render
from warehouse.schema.identifiers import iso_country
from warehouse.schema.tables import COMPANIES, COMPANY_ID
from warehouse.schema.types import Column, ColumnKind, Table
from warehouse.serving import id_ranges, sort_keys
from warehouse.serving.place_names import names_in_every_language
from warehouse.storage.duckdb import query_int, quoted_columns, registered_frame, sibling_connection, stream_frames
from warehouse.storage.parallel import prefetch

SEARCH: Final = Table(
    "search",
    "Search, filter and sort keys of companies; derived from the other tables.",
    ("company_id",),
    (
        Column("rank", ColumnKind.INTEGER, "relevance rank, unique; lower is better", nullable=False),
        COMPANY_ID,
        Column("words", ColumnKind.TEXT, "folded name, spaces around every word", nullable=False),
        Column("name_initials", ColumnKind.INTEGER, "compares as `words` (`sort_keys`)", nullable=False),
        Column("id_initials", ColumnKind.INTEGER, "compares as `company_id`", nullable=False),
        Column("country", ColumnKind.TEXT, "market code", nullable=False),
        Column("industry_code", ColumnKind.TEXT, "as served"),
        Column("industry_scheme", ColumnKind.TEXT, "version of the code list"),
        Column("place", ColumnKind.INTEGER, "row of `places`"),
        Column("employees", ColumnKind.INTEGER, "as served"),
        Column("latest_revenue", ColumnKind.MONEY, "as served"),
        Column("latest_currency", ColumnKind.TEXT, "as served"),
        Column("latest_year", ColumnKind.INTEGER, "as served"),
        Column("status", ColumnKind.TEXT, "active, dormant or dissolved", nullable=False),
        Column("is_listed", ColumnKind.BOOLEAN, "true only on evidence", nullable=False),
        Column("registered_date", ColumnKind.DATE, "entry into the register"),
    ),
    sort=("rank",),
)
PLACES: Final = Table(
    "places",
    "Places of companies, with all names and codes.",
    ("place",),
    (
        Column("place", ColumnKind.INTEGER, "made from `names`", nullable=False),
        Column(
            "names", ColumnKind.TEXT, "municipality and county, their codes, ISO 3166-2: folded, with | around each"
        ),
    ),
)
# The newest annual period with a revenue: of the consolidated series if that has one ending within 24 months
# of the newest, else of the company's own (docs/contract/contract.md «latest_revenue»). None unless all three
# fields are known, and none if the company's newest annual accounts end more than 24 months later: they state none.
LATEST: Final = """
    WITH told AS (
        SELECT * FROM financials
        WHERE {which} AND is_current AND period_type = 'annual' AND revenue IS NOT NULL AND currency IS NOT NULL
    ), ends AS (
        SELECT company_id, max(period_end) AS newest, max(period_end) FILTER (is_consolidated) AS newest_group
        FROM told GROUP BY company_id
    ), accounts AS (
        SELECT company_id, max(period_end) AS newest_accounts FROM financials
        WHERE {which} AND is_current AND period_type = 'annual' GROUP BY company_id
    )
    SELECT company_id, revenue, currency, fiscal_year FROM told JOIN ends USING (company_id)
        JOIN accounts USING (company_id)
    WHERE period_end >= newest_accounts - INTERVAL 24 MONTH
        AND is_consolidated = coalesce(newest_group >= newest - INTERVAL 24 MONTH, false)
        AND period_end = CASE WHEN is_consolidated THEN newest_group ELSE newest END
    QUALIFY row_number() OVER (PARTITION BY company_id ORDER BY period_start, currency, filing_id) = 1
"""
# Order of relevance: listed before unlisted, large before small, dissolved last; 0 is best, 63 worst. Size is
# the binary logarithm of the employees, or of the revenue in millions, whichever is larger.
_CLASS: Final = """
    CASE WHEN c.status = 'dissolved' THEN 63
    ELSE 62 - (CASE WHEN c.is_listed THEN 31 ELSE 0 END) - least(30, greatest(
        ceil(log2(greatest(coalesce(c.employees, 0), 0) + 1)),
        ceil(log2(greatest(coalesce(l.revenue, 0), 0) / 1000000 + 1))
    ))::INTEGER END
"""
# The lower bits depend only on the id, so that full and patched builds give a company the same rank.
RANK: Final = f"(({_CLASS})::BIGINT << 56) + ('0x' || sha256(c.company_id)[1:14])::BIGINT"


# Columns of `search` copied from the companies table.
AS_SERVED: Final = (
    "country",
    "industry_code",
    "industry_scheme",
    "employees",
    "status",
    "is_listed",
    "registered_date",
)
_SHARING: Final = "SELECT count(*) - count(DISTINCT rank) FROM search"
_PLACE: Final = ("country", "municipality", "municipality_code", "county", "county_code")
_CHUNK: Final = 100_000
_KEPT: Final = 100_000  # cached places: more than there are municipalities in all markets
_WORD: Final = 8  # bytes of an Int64


def search_rows_sql(company_condition: str) -> str:
    """SQL for the source rows of `search`, unordered. which: a condition on `company_id`."""
    return f"""
        WITH latest AS ({LATEST.format(which=company_condition)})
        SELECT {RANK} AS rank, c.company_id, c.name, {quoted_columns(AS_SERVED, "c.")},
            c.municipality, c.municipality_code, c.county, c.county_code,
            l.revenue AS latest_revenue, l.currency AS latest_currency, l.fiscal_year AS latest_year
        FROM (FROM companies WHERE {company_condition}) AS c LEFT JOIN latest AS l USING (company_id)
    """


def build_search_tables(connection: duckdb.DuckDBPyConnection) -> None:
    """Builds both tables from the shared ones, best rank first."""
    for table in (SEARCH, PLACES):
        connection.execute(schema_render.duckdb_ddl(table))
    with sibling_connection(connection) as target:
        target.execute("CREATE TEMP TABLE unordered AS FROM search LIMIT 0")
        for found in prefetch(_search_row_chunks(connection)):
            _insert_chunk(target, found)
        # sorted last, when rows are narrowest
        target.execute("INSERT INTO search FROM unordered ORDER BY rank")
        target.execute("DROP TABLE unordered")
    _dedupe_ranks(connection)


def reassign_ranks(connection: duckdb.DuckDBPyConnection, served: str) -> None:
    """Increments ranks until none is in the relation `served`; companies in `served` keep theirs."""
    taken = f"SELECT rank FROM search SEMI JOIN ({served}) USING (rank)"
    while ranks := connection.execute(taken).fetchall():
        connection.executemany("UPDATE search SET rank = rank + 1 WHERE rank = $1", ranks)
        _dedupe_ranks(connection)


def _search_row_chunks(connection: duckdb.DuckDBPyConnection) -> Generator[pl.DataFrame, None, None]:
    """Rows of both tables, in chunks of companies."""
    for which in id_ranges.id_range_predicates(connection, COMPANIES.name):
        for found in stream_frames(connection, search_rows_sql(which), _CHUNK):
            yield _with_folded_columns(found)


def _insert_chunk(target: duckdb.DuckDBPyConnection, found: pl.DataFrame) -> None:
    with registered_frame(target, "chunk", found):
        target.execute(f"INSERT INTO unordered SELECT {quoted_columns(SEARCH.names)} FROM chunk")
        target.execute(
            """INSERT INTO places SELECT DISTINCT place, names FROM chunk
                WHERE place IS NOT NULL AND place NOT IN (SELECT place FROM places)"""
        )


def _with_folded_columns(found: pl.DataFrame) -> pl.DataFrame:
    """Adds names and places, folded like queries (`name_matching.folding.fold_text`)."""
    words = fold_texts(found["name"])
    return found.with_columns(
        pl.format(" {} ", words.alias("words")).alias("words"),
        name_sort_keys(words).alias("name_initials"),
        id_sort_keys(found["company_id"]).alias("id_initials"),
    ).join(_place_rows(found), on=_PLACE, how="left", nulls_equal=True, maintain_order="left")


def _place_rows(found: pl.DataFrame) -> pl.DataFrame:
    """The distinct places of these companies: the columns of `_PLACE`, place and names."""
    given = found.select(_PLACE).unique()
    rows = [(*row, *_place_id_and_names(*row)) for row in given.iter_rows()]
    return pl.DataFrame(rows, given.schema | {"place": pl.Int64, "names": pl.String}, orient="row")


@lru_cache(_KEPT)
def _place_id_and_names(country: str, *given: str | None) -> tuple[int | None, str | None]:
    """Id and folded names of a place; None if the register has none."""
    county_code = given[-1]
    region = f"{iso_country(country)}-{county_code}" if county_code else None
    written = (name for text in given if text for name in names_in_every_language(country, text))
    named = dict.fromkeys(name for text in (*written, region or "") if (name := fold_text(text)))
    if not named:
        return None, None
    names = f"|{'|'.join(named)}|"
    # six bytes of a digest: the same in every build, and collisions among some ten thousand places are
    # unlikely
    return int.from_bytes(hashlib.sha256(names.encode()).digest()[:6]), names


def _dedupe_ranks(connection: duckdb.DuckDBPyConnection) -> None:
    """Resolves equal ranks (two of 2^56 ids may collide): all but the first are incremented."""
    while query_int(connection, _SHARING):
        shared = "SELECT rank FROM search GROUP BY rank HAVING count(*) > 1"
        for (rank,) in connection.execute(shared).fetchall():
            connection.execute(
                """UPDATE search SET rank = rank + 1 WHERE company_id IN (
                    SELECT company_id FROM search WHERE rank = $1 ORDER BY company_id OFFSET 1)""",
                [rank],
            )


def _row_checksum(connection: duckdb.DuckDBPyConnection, table: str) -> tuple[int, int, int]:
    """Row count and sums of two hashes per row: equal for equal rows, in any order."""
    served = ["company_id", *AS_SERVED]
    sums = f"sum(hash({quoted_columns(served)})), sum(hash({quoted_columns(served[::-1])}))"
    return connection.execute(f"SELECT count(*), {sums} FROM {table}").fetchall()[0]


def find_inconsistency(connection: duckdb.DuckDBPyConnection) -> str | None:
    """Validates the tables; returns the first violation, or None."""
    if _row_checksum(connection, "search") != _row_checksum(connection, "companies"):
        return "search rows do not match the companies"
    if query_int(connection, _SHARING):
        return "search rows share a rank"
    if query_int(connection, "SELECT count(*) FROM search ANTI JOIN places USING (place) WHERE place IS NOT NULL"):
        return "search rows refer to unknown places"
    return None


def name_sort_keys(words: pl.Series) -> pl.Series:
    """Sort keys of folded names, as `sort_keys.name_sort_key`."""
    padded = pl.concat_str(pl.lit("\0"), pl.col("name"), pl.lit("\0" * sort_keys.BYTES)).cast(pl.Binary)
    number = padded.bin.slice(0, _WORD).bin.reinterpret(dtype=pl.Int64, endianness="big")
    return words.rename("name").to_frame().select(number.alias("initials")).to_series()


def id_sort_keys(company_ids: pl.Series) -> pl.Series:
    """Sort keys of company ids, as `sort_keys.id_sort_key`; polars' InvalidOperationError for other markets."""
    parts = company_ids.str.splitn(":", 3).struct.unnest()
    found = parts["field_1"].replace_strict(sort_keys.MARKET_PLACES, return_dtype=pl.Int64)
    number = (parts["field_2"] + "\0" * sort_keys.CHARACTERS).cast(pl.Binary)
    goes_on = pl.repeat(1, len(found), dtype=pl.Int64, eager=True)  # 0 after the end of a number
    for place in range(sort_keys.CHARACTERS):
        sign = number.bin.get(place).cast(pl.Int64) - sort_keys.BEFORE_HYPHEN
        code = sign.clip(0, sort_keys.LAST) * goes_on
        found = found * (sort_keys.LAST + 1) + code
        goes_on = ((code != 0) & (code != sort_keys.LAST)).cast(pl.Int64)
    return found

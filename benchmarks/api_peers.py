"""The rows of a release as the peers serve them: SQLite for datasette, Parquet for roapi.

Each gets what helps it: datasette a primary key, an FTS5 table and an index per filter; roapi its columns in
memory, and ready JSON by number for its key-value store. Does not belong here: starting them (`api_servers`),
asking them (`api_questions`).
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from warehouse.serving import document_sql, search_table
from warehouse.storage.duckdb import open_database

COLUMNS = (
    *(name for name, _ in document_sql.PROFILE if name not in ("id", "sni_code", "sni_label")),
    "company_id",
    "industry_code",
    "industry_label",
    "employees",
)
"""What a profile shows, by our own column names, and what its filters need."""
_EXPRESSIONS = {
    "latest_revenue": "l.revenue",
    "latest_currency": "l.currency",
    "latest_year": "l.fiscal_year",
    "registered_date": "c.registered_date::VARCHAR",
}
_ROWS = f"""
    WITH latest AS ({search_table.LATEST.format(which="true")})
    SELECT {", ".join(f"{_EXPRESSIONS.get(name, f'c.{name}')} AS {name}" for name in COLUMNS)}
    FROM companies AS c LEFT JOIN latest AS l USING (company_id)
"""
_FILTERS = (
    "company_id",
    "country",
    "industry_code",
    "municipality",
    "county",
    "registered_date",
    "status",
    "is_listed",
    "latest_revenue",
    "employees",
    "name",
)
_CHUNK = 50_000


def write(folder: Path, warehouse: Path) -> int:
    """Makes `peer.db`, `companies.parquet` and `profiles.parquet`; tells how many rows each holds."""
    rows, ready = _literal(folder / "companies.parquet"), _literal(folder / "profiles.parquet")
    with open_database(warehouse, read_only=True) as source:
        source.execute(f"COPY ({_ROWS}) TO {rows} (FORMAT parquet)")
        body = document_sql.json_object_sql((name, name) for name in COLUMNS if name != "employees")
        source.execute(
            f"COPY (SELECT org_number, {body} AS body FROM read_parquet({rows})) TO {ready} (FORMAT parquet)"
        )
        with closing(sqlite3.connect(folder / "peer.db", isolation_level=None)) as target:
            return _fill(target, source, rows)


def sizes(folder: Path) -> dict[str, int]:
    """Bytes of each peer's files."""
    return {
        "datasette_bytes": (folder / "peer.db").stat().st_size,
        "roapi_bytes": (folder / "companies.parquet").stat().st_size,
    }


def _fill(target: sqlite3.Connection, source, rows: str) -> int:  # noqa: ANN001 - a DuckDB connection
    for pragma in ("journal_mode = OFF", "synchronous = OFF", "page_size = 8192", "temp_store = MEMORY"):
        target.execute(f"PRAGMA {pragma}")
    target.execute("BEGIN")
    target.execute(f"CREATE TABLE companies ({', '.join(COLUMNS)}, PRIMARY KEY (org_number))")
    found = source.execute(f"SELECT * FROM read_parquet({rows})")
    marks = ", ".join("?" * len(COLUMNS))
    while chunk := found.fetchmany(_CHUNK):
        target.executemany(f"INSERT INTO companies VALUES ({marks})", chunk)
    for column in _FILTERS:
        target.execute(f"CREATE INDEX by_{column} ON companies ({column})")
    target.execute("CREATE VIRTUAL TABLE companies_fts USING fts5(name, content = 'companies', prefix = '2 3')")
    target.execute("INSERT INTO companies_fts (companies_fts) VALUES ('rebuild')")
    target.execute("COMMIT")
    target.execute("ANALYZE")
    return target.execute("SELECT count(*) FROM companies").fetchone()[0]


def _literal(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"

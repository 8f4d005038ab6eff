"""Bulk files as objects of responses, and the parameters of their list (docs/contract/contract.md 4.15).

Does not belong here: finding files (`warehouse.reader.export_files`), links (`api.exports.links`).
"""

from datetime import datetime
from typing import Annotated, Final

from api.companies.query_params import Countries
from api.http.query.fields import Cursor, LongLimit, words_field
from api.http.query.model import QueryModel
from api.schemas import declare, shared
from api.schemas.declare import ResponseModel
from warehouse.reader.export_files import FORMATS, PARTS, TABLES, ExportFile

_COUNT: Final = 2**53
SortKey = tuple[int, str, int, int, int, int]

_Tables = Annotated[tuple[str, ...], words_field(TABLES, "Only these tables.")]
_Formats = Annotated[tuple[str, ...], words_field(FORMATS, "Only these formats.")]
_Parts = Annotated[tuple[str, ...], words_field(PARTS, "Only these parts: rows of exports, or parts of deltas.")]


class ExportsParams(QueryModel):
    market: Countries = ()
    table: _Tables = ()
    format: _Formats = ()
    part: _Parts = ()
    release: Annotated[int | None, declare.integer(1, _COUNT, "Only files that end at this release.")] = None
    limit: LongLimit = 25
    cursor: Cursor = None


class BulkFile(ResponseModel):
    """A file with all rows of a table, or with what has changed in it since another export."""

    market: shared.Country
    table: str = declare.open_word(TABLES, "The table.")
    part: str = declare.open_word(
        PARTS, "Rows of an export; or of a delta: deletes, which are applied first, and upserts."
    )
    format: str = declare.open_word(FORMATS, "Format of the file.")
    compression: str = declare.open_word(("zstd", "gzip"), "Compression of the file.")
    release: int = declare.integer(1, _COUNT, "The release that the file ends at.")
    base_release: int | None = declare.integer(
        1, _COUNT, "The release of the export that a delta is applied to; null for an export."
    )
    released_at: datetime = declare.instant("When the release was published.")
    last_sequence: int = declare.integer(0, 10**18, "The last event that the release contains.")
    rows: int = declare.integer(0, _COUNT, "Number of rows.")
    bytes: int = declare.integer(0, _COUNT, "Size of the file.")
    sha256: str = declare.text(64, "SHA-256 of the file.", pattern="^[0-9a-f]{64}$")
    url: str = declare.url("Link to the file, without a key.")
    expires_at: datetime = declare.instant("When the link expires; a download that has begun then goes on.")


class BulkFileList(shared.Page[BulkFile]):
    """Bulk files, newest release first."""


def sort_key(file: ExportFile) -> SortKey:
    """Newest release first; per market exports before deltas, and these in the order in which they are applied."""
    return (
        -file.release,
        file.market,
        file.base_release or 0,
        TABLES.index(file.table),
        PARTS.index(file.part),
        FORMATS.index(file.format),
    )

"""Formats of export files. Imports nothing, so that settings can name them. Does not belong here: writing (`sinks`)."""

from __future__ import annotations

from typing import Final

SUFFIXES: Final = {"parquet": ".parquet", "ndjson": ".ndjson.gz", "csv": ".csv.gz"}  # of each table
BODS: Final = "bods"  # of the owners alone: statements (`warehouse.exports.bods`)
COMPRESSIONS: Final = {"parquet": "zstd", "ndjson": "gzip", "csv": "gzip", BODS: "gzip"}
TABLE_FORMATS: Final = tuple(SUFFIXES)  # what is exported unless other formats are asked for
FORMATS: Final = tuple(COMPRESSIONS)

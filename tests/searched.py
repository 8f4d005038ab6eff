"""Everything that a data folder holds, unpacked: what a search for a person must look at.

Archive objects, zips in them, gzip, Parquet cells, SQLite and DuckDB cells, and the bytes and names of all files.
"""

from __future__ import annotations

import gzip
import io
import re
import sqlite3
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import polars as pl
import zstandard

_END_OF_ZIP = b"PK\x05\x06"  # in every zip: to look for it first takes a tenth of the time
ENCODINGS = ("utf-8", "latin-1", "utf-16-le", "utf-16-be")
_EMPTY = re.compile(rb"\0{33,}")  # of a database's file it is 19 bytes of 20, and no encoding has two of them in a row


def found(folder: Path, words: list[str]) -> set[tuple[str, str]]:
    """(file, word) wherever a word stands in a file of the folder, in a file's name, or in anything packed in it."""
    needles = [
        (
            word,
            {variant.encode(one).lower() for variant in _variants(word) for one in ENCODINGS if _suits(variant, one)},
        )
        for word in words
    ]
    hits: set[tuple[str, str]] = set()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        for folded in {_folded(text) for text in texts(path)} if path.is_file() else ():
            hits |= {(name, word) for word, spelled in needles if any(needle in folded for needle in spelled)}
    return hits


def _folded(text: bytes) -> bytes:
    """In small letters and without empty pages, which hold no word and part what stands beside them."""
    return _EMPTY.sub(bytes(32), text).lower()


def _variants(word: str) -> set[str]:
    """Bytes know the case of ASCII letters alone."""
    return {word, word.upper(), word.lower(), word.title()}


def _suits(word: str, encoding: str) -> bool:
    try:
        word.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def texts(path: Path) -> Iterator[bytes]:
    """All that one file holds."""
    yield str(path).encode()
    body = path.read_bytes()
    yield from unpacked(body)
    if body.startswith(b"PAR1"):
        yield str(pl.read_parquet(path).to_dicts()).encode()
    elif body.startswith(b"SQLite"):
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            yield from _cells(database)
    elif path.suffix == ".duckdb":
        with duckdb.connect(path, read_only=True) as connection:
            names = connection.execute("SELECT table_schema, table_name FROM information_schema.tables").fetchall()
            for schema, table in names:
                yield str(connection.execute(f'FROM "{schema}"."{table}"').fetchall()).encode()


def _cells(database: sqlite3.Connection) -> Iterator[bytes]:
    names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    told = [
        dictionary
        for table in {"packing", "formats"}.intersection(names)
        for (dictionary,) in database.execute(f"SELECT dictionary FROM {table}")
    ]
    (words,) = told or [b""]  # a past file has one of every version of the software; tests have one
    for name in names:
        plain: list[str] = []
        for row in database.execute(f'SELECT * FROM "{name}"'):
            for cell in row:
                if isinstance(cell, bytes):
                    yield from unpacked(cell, words)
                else:
                    plain.append(str(cell))
        yield "\0".join(plain).encode()  # nothing is packed in text: one search instead of one for each cell


def unpacked(body: bytes, words: bytes = b"") -> Iterator[bytes]:
    """A body, and whatever is packed in it, with the words of a dictionary where there is one."""
    yield body
    if body.startswith(b"\x28\xb5\x2f\xfd"):
        known = zstandard.ZstdCompressionDict(words, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        unpack = zstandard.ZstdDecompressor(dict_data=known) if words else zstandard.ZstdDecompressor()
        yield from unpacked(unpack.stream_reader(io.BytesIO(body)).read())
    elif body.startswith(b"\x1f\x8b\x08"):  # a hash in a cell begins with two of the three often enough
        yield from unpacked(gzip.decompress(body))
    elif _END_OF_ZIP in body and zipfile.is_zipfile(io.BytesIO(body)):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            for name in archive.namelist():
                yield name.encode()
                yield from unpacked(archive.read(name))

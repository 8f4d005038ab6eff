"""The dataset `<cc>.isin`: which LEI issued an ISIN, by ANNA and GLEIF (docs/formats/news.md 3.4).

Belongs here: the declaration, reading, the shared identifiers. Only ISINs of the market's own numbering
agency are kept: those of others mean notes and depositary receipts. An ISIN is no evidence of a listing. Does
not belong here: LEI records (`level1`), or traded instruments (`connectors.firds`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.gleif.level1.dataset import LICENCE
from connectors.gleif.level1.registration_numbers import are_leis
from connectors.gleif.single_file_zip import NotSingleFileError, unpacked_member
from connectors.gleif.sound_rows import split_sound
from connectors.kit import staging
from connectors.kit.columns.isin import are_isins
from connectors.kit.csv import reader
from connectors.kit.csv.reader import CsvFormat
from connectors.kit.formats import BodyFormat, detect_body_format
from connectors.kit.http.conditional import ConditionalFile
from connectors.kit.staging import SignalCounter
from warehouse.schema.identifiers import iso_country
from warehouse.schema.tables import IDENTIFIERS
from warehouse.schema.types import Column, ColumnKind, Table

HOST: Final = "mapping.gleif.org"
URL: Final = f"https://{HOST}/api/v2/isin-lei/latest/download"
MOST: Final = 200  # ISINs of one company: issuers with more have notes and warrants, which serve no look-up
_COLUMNS: Final = (
    Column("isin", ColumnKind.TEXT, "of a security", nullable=False),
    Column("lei", ColumnKind.TEXT, "of its issuer", nullable=False),
)
_LAYOUT: Final = CsvFormat(
    table=Table("gleif_isin_csv", "Pairs of the file.", ("isin", "lei"), _COLUMNS),
    mandatory=("isin", "lei"),
    key="isin",
)
_HEADER: Final = (b"LEI,ISIN", b'"LEI","ISIN"', b"ISIN,LEI", b'"ISIN","LEI"')


def isin_table(market: str) -> Table:
    """The staged table of a market."""
    return Table(f"{market.lower()}_isin", "Issuers of the market's ISINs.", ("isin", "lei"), _COLUMNS)


def isin_dataset(market: str) -> Dataset:
    """Declares a market's dataset of ISINs."""
    made = isin_table(market)
    return Dataset(
        key=f"{market.lower()}.isin",
        title="ANNA and GLEIF: issuers of ISINs",
        licence=LICENCE,
        cadence=Cadence(cron="50 9 * * 6", stale_after_hours=24 * 21),
        guard_limits=GuardLimits(max_shrink=0.1, max_rejected=0.01),
        host=HOST,
        staged_tables={made.name: made},
        file_patterns=("isin_lei/**", "isin-lei*", "isin_lei*", "lei-isin*"),
        recognise_file=recognise_file,
        read_batches=partial(_read, market),
        fetch=ConditionalFile(URL, "isin-lei.zip", {BodyFormat.ZIP}, Scope.FULL).fetch,
    )


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises the pairs as CSV, plain or zipped; the content does not give the publication day."""
    del name
    found = detect_body_format(head)
    first = head.removeprefix(b"\xef\xbb\xbf")
    if found is BodyFormat.ZIP or (found is BodyFormat.TEXT and first.startswith(_HEADER)):
        return RecognisedFile(None, Scope.FULL)
    return NotApplicable(f"expected pairs of LEI and ISIN (CSV, or a zip with it), found {found.value}")


def _read(market: str, piece: ArchiveMember) -> Iterator[Batch]:
    made = isin_table(market)
    tally = SignalCounter(piece.dataset)
    with staging.unreadable_on(piece, NotSingleFileError):
        for batch in reader.read_csv(unpacked_member(piece), _LAYOUT):
            mine = batch.rows.filter(pl.col("isin").str.starts_with(iso_country(market)))
            sound = are_isins(mine["isin"]) & are_leis(pl.col("lei"))
            kept, refused = split_sound(mine, sound, "no ISIN, or no LEI of an issuer", "isin", "lei")
            rejects = pl.concat([batch.rejects, refused])
            yield staging.make_batch(made, kept, rejects, (*batch.signals, *tally.drain()))


def map_identifiers(market: str, present: Mapping[str, pl.LazyFrame]) -> pl.DataFrame:
    """The ISINs of each company; none of an issuer of more than `MOST`: other registers name its shares."""
    made = isin_table(market)
    if made.name not in present:
        return staging.empty_staged_frame(IDENTIFIERS)
    rows = present[made.name].filter(pl.col("_company_id").is_not_null(), pl.col("_retired_at").is_null())
    few = rows.filter(pl.len().over("_company_id") <= MOST).sort("_observed_at", "lei")
    once = few.unique(["_company_id", "isin"], keep="last", maintain_order=True)
    register = pl.lit(f"{market.lower()}.isin")
    named = once.select(*staging.ORIGIN, scheme=pl.lit("isin"), value="isin", register=register)
    return named.select(IDENTIFIERS.names).collect()

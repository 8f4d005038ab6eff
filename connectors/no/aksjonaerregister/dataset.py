"""Dataset no.aksjonaer: the yearly shareholder register (Aksjonærregisteret) of the tax administration.

See docs/formats/no.md 7.

Belongs here: the declaration, recognising a file, and reading it after redaction (`redact`). The file
cannot be fetched: it is ordered with a form and dropped into a folder. Does not belong here: percentages
(`holdings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import BinaryIO, Final

import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits, Licence
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.columns import text
from connectors.kit.csv import reader
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.kit.staging import SignalCounter, count_signals
from connectors.no import code_lists
from connectors.no.aksjonaerregister.redact import (
    MARKED,
    PASSED,
    STRANGE,
    UNREADABLE,
    field_count_of,
    is_redacted_header,
    redact,
)
from connectors.no.aksjonaerregister.schema import (
    CLASS,
    HAS_UNREAD,
    HOLDER,
    KEY,
    NUMBER,
    PERSON,
    PERSON_MARK,
    SHAREHOLDERS,
    SHARES,
    STAGED,
    TOTAL,
    YEAR,
)
from connectors.no.register import has_check_digit
from name_matching.folding import spelling_key
from warehouse.schema.ids import natural_id
from warehouse.schema.types import Column, ColumnKind, Table

_YEAR: Final = re.compile(r"(?<![0-9])(20[0-9]{2})(?![0-9])")
_NAMED_YEAR: Final = re.compile(r"aksjeeiebok[ _-]*(20[0-9]{2})(?![0-9])", re.IGNORECASE)
_SLACK: Final = 1.001  # shares of all holders may exceed the total by 0.1 % (docs/formats/no.md 7)
_BEGINNING: Final = r"^\s*([0-9]{9})(?:[;,]|$)"  # of a rejected line: its company
_LONGEST: Final = 4096
_KIND: Final = PASSED[4]
_NAME, _COUNTRY, _SHARES, _TOTAL = PASSED[3], PASSED[6], PASSED[7], PASSED[8]
_LINES: Final = Table(
    "no_aksjonaer_linjer",
    "Lines of the file, as text.",
    ("Orgnr",),
    tuple(Column(name, ColumnKind.TEXT, name) for name in PASSED),
)
_LAYOUT: Final = reader.CsvFormat(
    table=_LINES,
    mandatory=PASSED,
    key="Orgnr",
    separator=";",
    quote=None,  # a quote is an ordinary character: UAB "ERA CAPITAL"
    patterns={"Orgnr": "[0-9]{9}", "Navn aksjonær": ".*[^ ].*", _SHARES: "[0-9](?: *[0-9]){0,17}"},
)


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises the file of one income year; only the folder's `day.json` says whether it is complete."""
    del name
    head = plain_head(head)
    found = detect_body_format(head)
    if found is BodyFormat.ZIP:
        return NotApplicable("a workbook or a packed file: unpack it, or order the CSV, and drop that")
    first = head.partition(b"\n")[0].decode(errors="replace")
    if found is BodyFormat.TEXT and field_count_of(first) is None and not first.startswith(UNREADABLE):
        return NotApplicable("text whose first line is not the header of the shareholder file")
    return RecognisedFile(None, Scope.PART)


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields shares summed by holder and class; rejects and signals of the lines come first."""
    year = _income_year(member)
    tally = SignalCounter(member.dataset)
    frames: list[pl.DataFrame] = []
    unread: set[str] = set()
    for batch in reader.read_csv(replace(member, open=partial(_open_redacted, member)), _LAYOUT):
        frames.append(batch.rows.select("Orgnr", "Aksjeklasse", _NAME, _KIND, _COUNTRY, _SHARES, _TOTAL))
        unread.update(batch.rejects["excerpt"].str.extract(_BEGINNING).drop_nulls())
        yield staging.make_batch(SHAREHOLDERS, staging.empty_staged_frame(SHAREHOLDERS), batch.rejects, batch.signals)
    rows = _to_staged_rows(pl.concat(frames), year, tally)
    _check_totals(rows, tally)
    has_unread = pl.when(pl.col(NUMBER).is_in(sorted(unread))).then(statement=True)
    yield staging.make_batch(
        SHAREHOLDERS, _sum_by_holder(rows).with_columns(has_unread.alias(HAS_UNREAD)), None, tally.drain()
    )


def _income_year(piece: ArchiveMember) -> int:
    """Income year, which only the file name states: aksjeeiebok__2024_07052025.csv. Its last day must be past."""
    name = piece.name.rpartition("/")[2]
    years = set(_NAMED_YEAR.findall(name) or _YEAR.findall(name))
    if len(years) != 1:
        found = "two years" if years else "no income year"
        raise piece.unreadable_error(f"the file name has {found}: call it aksjeeiebok__<year>.csv")
    year = int(years.pop())
    if year >= piece.observed_at.year:
        raise piece.unreadable_error(f"the shares of 31 December {year} are not known yet: the name has another year")
    return year


def _open_redacted(piece: ArchiveMember) -> BinaryIO:
    """The redacted body: a file that has not been redacted yet is redacted now."""
    with staging.open_plain(piece) as body:
        first = body.readline(_LONGEST)
    passed = first if is_redacted_header(first) or first.startswith(UNREADABLE.encode()) else b""
    if not passed:
        with staging.open_plain(piece) as body, redact(body) as clean:
            passed = clean.readline(_LONGEST)
    if passed.startswith(UNREADABLE.encode()):
        reason = passed.decode(errors="replace").removeprefix(UNREADABLE).strip()
        raise piece.unreadable_error(reason)
    opened = staging.open_plain(piece)
    return opened if is_redacted_header(first) else redact(opened)


def _to_staged_rows(lines: pl.DataFrame, year: int, tally: SignalCounter) -> pl.DataFrame:
    """Lines as rows of the staged table, not yet summed."""
    country = code_lists.COUNTRIES.expr(pl.col(_COUNTRY).str.strip_chars().str.to_uppercase())
    company = (pl.col(_KIND).str.contains(r"^[0-9]{9}$") & (pl.col(_KIND) != "0" * 9)).fill_null(value=False)
    person = pl.col(_KIND).str.starts_with(PERSON).fill_null(value=False)
    rows = lines.select(
        pl.col("Orgnr").alias(NUMBER),
        pl.lit(year, pl.Int64).alias(YEAR),
        pl.col("Aksjeklasse").fill_null("").alias(CLASS),
        text.clean_text(pl.col(_NAME)).alias("navn"),
        pl.when(company)
        .then(pl.lit("company"))
        .when(person)
        .then(pl.lit("person"))
        .otherwise(pl.lit("unknown"))
        .alias("art"),
        country.alias("landkode"),
        text.parse_integer(pl.col(_SHARES).str.replace_all(" ", "")).alias(SHARES),
        text.parse_integer(pl.col(_TOTAL).str.replace_all(" ", "")).alias(TOTAL),
        pl.when(company).then(pl.col(_KIND)).alias("_number"),
        pl.col(_KIND).fill_null("").str.replace(rf"{MARKED}.*$", "").alias("_mark"),
        pl.col(_KIND).str.extract(rf"{MARKED}(.+)$").alias(PERSON_MARK),
        pl.col(_COUNTRY).alias("_country"),
        pl.col(_TOTAL).alias("_total"),
    )
    for name, lost in (
        ("Landkode", pl.col("_country").is_not_null() & pl.col("landkode").is_null()),
        (_TOTAL, pl.col("_total").is_not_null() & pl.col(TOTAL).is_null()),
        ("Fødselsår/orgnr", pl.col("_mark").str.starts_with(STRANGE)),
    ):
        count_signals(tally, "unreadable_value", name, rows.filter(lost)[NUMBER])
    count_signals(
        tally, "wrong_check_digit", "Fødselsår/orgnr", rows.filter(~has_check_digit(pl.col("_number")))["_number"]
    )
    return rows.join(_holder_keys(rows), on=[NUMBER, "navn", "_mark", "landkode"], how="left", nulls_equal=True)


def _holder_keys(rows: pl.DataFrame) -> pl.DataFrame:
    """Adds each holder's key: its organisation number, else a key of company, name, ordinal and country.

    The company is part of the key: equal names in two companies do not mean the same person.
    """
    parts = [NUMBER, "navn", "_mark", "landkode"]
    holders = rows.select(*parts, "_number").unique()
    made = [
        number or natural_id("inn", company, spelling_key(name or ""), mark, country)
        for company, name, mark, country, number in holders.iter_rows()
    ]
    return holders.select(parts).with_columns(pl.Series(HOLDER, made, dtype=pl.String)).unique(parts)


def _sum_by_holder(rows: pl.DataFrame) -> pl.DataFrame:
    """Sums the accounts of a holder: one row per holder and class."""
    return (
        rows.group_by(SHAREHOLDERS.key, maintain_order=True)
        .agg(
            pl.col("navn").first(),
            pl.col("art").first(),
            pl.col("landkode").drop_nulls().first(),
            pl.col(SHARES).sum(),
            pl.col(TOTAL).max(),
            pl.col(PERSON_MARK).drop_nulls().first(),
        )
        .select(name for name in SHAREHOLDERS.names if name != HAS_UNREAD)
    )


def _check_totals(rows: pl.DataFrame, tally: SignalCounter) -> None:
    """Signals impossible sums, totals that differ within one company, and invalid numbers."""
    companies = rows.group_by(NUMBER, maintain_order=True).agg(
        pl.col(SHARES).sum().alias("_held"),
        pl.col(TOTAL).max().alias("_most"),
        pl.col(TOTAL).drop_nulls().n_unique().alias("_totals"),
    )
    most = pl.col("_most").fill_null(0)
    for code, found in (
        ("shares_above_total", (most > 0) & (pl.col("_held") > most * _SLACK)),
        ("no_total", most <= 0),
        ("several_totals", pl.col("_totals") > 1),
        ("wrong_check_digit", ~has_check_digit(pl.col(NUMBER))),
    ):
        count_signals(tally, code, TOTAL if "total" in code else NUMBER, companies.filter(found)[NUMBER])


DATASET: Final = Dataset(
    key=KEY,
    title="Aksjonærregisteret: shareholders on 31 December",
    licence=Licence(
        name="by order of Skatteetaten; privacy rules apply",
        url="https://www.skatteetaten.no/deling/aksjonarregisteret/",
        attribution="Kilde: Skatteetaten, Aksjonærregisteret",
    ),
    cadence=Cadence(cron="0 8 15 5 *", stale_after_hours=24 * 400),  # once a year, in May
    guard_limits=GuardLimits(max_shrink=0.10, max_changed=1.0, max_rejected=0.001),
    host="www.skatteetaten.no",
    staged_tables=STAGED,
    file_patterns=("aksjonaerregisteret/**", "**/aksjeeiebok*"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    redact=redact,
    mark_persons=redact,
)

"""Dataset us.fsds: the quarterly Financial Statement Data Sets, for history (docs/formats/us.md 6).

Reads the facts of the whole entity under standard tags: the same as companyfacts, for filers it no longer covers.
Days are rounded to month ends; filings that companyfacts has are ignored here (`us.financials_mapping`). Does not
belong here: the daily sources (`companyfacts.dataset`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Final

import polars as pl

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, Cursor, FetchedFile, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.archive import members
from connectors.kit.archive.members import ArchiveError, PackedMember
from connectors.kit.csv import reader
from connectors.kit.csv.reader import CsvFormat
from connectors.kit.currencies import CURRENCIES
from connectors.kit.formats import BodyFormat, detect_body_format
from connectors.kit.staging import SignalCounter
from connectors.us.companyfacts.parse import more_precise_amount
from connectors.us.filing_days import newest_filing_day
from connectors.us.financial_statement_data_sets.schema import (
    FILERS,
    HISTORY,
    KEY,
    NUM,
    NUM_IGNORED,
    STAGED,
    SUB,
    SUB_IGNORED,
)
from connectors.us.financials.closing_totals import replaced_by
from connectors.us.financials.concepts import MONEY, taxonomy_of
from connectors.us.financials.model import LARGEST
from connectors.us.register import FILES_HOST, FILES_URL, LICENCE, central_index_keys, normalise_accessions
from connectors.us.sec_http import error_body_reason, fetch_if_exists

if TYPE_CHECKING:
    from connectors.kit.http.client import HttpClient

URL: Final = f"{FILES_URL}/files/dera/data/financial-statement-data-sets"
_TABLE: Final = re.compile(r"(?:^|/)(sub|num)\.(?:txt|tsv)$", re.IGNORECASE)
_QUARTER: Final = re.compile(r"(\d{4})q([1-4])$")
_FIRST: Final = "2009q1"
_MONTHS: Final = 3  # of a quarter
_PARENT: Final = "parentcompany"  # the name under which a parent's own statements stand, without subsidiaries
_MOST: Final = 200  # quarters of one sum; the longest are of companies since their inception
_INDEX: Final = ("cik", "accession", "unit", "span", "period_start", "period_end", "form", "filed", "focus")
_SUB: Final = CsvFormat(SUB, ("adsh", "cik", "form", "filed"), "adsh", "\t", None, ignored=SUB_IGNORED)
_NUM: Final = CsvFormat(
    NUM, ("adsh", "tag", "version", "ddate", "qtrs", "uom", "value"), "adsh", "\t", None, ignored=NUM_IGNORED
)
_COLUMNS: Final[Mapping[tuple[str, str], str]] = {taxonomy_of(name): name for name in MONEY}


def recognise_file(_name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises a quarter's archive."""
    said = error_body_reason(head)
    if said is not None:
        return NotApplicable(said)
    found = detect_body_format(head)
    if found is BodyFormat.ZIP:
        return RecognisedFile(None, Scope.PART)
    if head.startswith(b"PAR1"):
        return NotApplicable("Parquet conversion of these tables: the SEC publishes zips of text")
    return NotApplicable(f"expected the zip of a quarter, found {found.value}")


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Batches of `us_fsds`."""
    tables = _table_members(member)
    tally = SignalCounter(member.dataset)
    filings = _parse_filings(_read_table(member, tables["sub"], _SUB), member.observed_at.date())
    values = _read_table(member, tables["num"], _NUM, partial(_selected_values, tally))
    facts = _of_whole_entity(values.rows.join(filings.rows, on="adsh", how="left"))
    strangers = facts.filter(pl.col("accession").is_null())
    if not strangers.is_empty():
        tally.add("values_of_no_filing", "adsh", strangers["adsh"][0], strangers.height)
    found, odd = _with_days(facts.filter(pl.col("accession").is_not_null()))
    if odd:
        tally.add("impossible_day", "ddate", member.name, odd)
    found = _without_contradictions(found, tally)
    rejects = pl.concat([filings.rejects, values.rejects])
    signals = (*filings.signals, *values.signals, *tally.drain())
    yield staging.make_batch(HISTORY, _pivot_tags(found), rejects, signals)
    newest = filings.rows.filter(pl.col("name").is_not_null()).sort("filed", "accession")
    yield staging.make_batch(FILERS, newest.unique("cik", keep="last", maintain_order=True).select("cik", "name"))


def _table_members(piece: ArchiveMember) -> dict[str, PackedMember]:
    """The two tables that are read, in any folder of the archive."""
    tables: dict[str, PackedMember] = {}
    with staging.unreadable_on(piece, ArchiveError):
        for member in members.archive_members(piece.open, piece.name, keep=lambda name: bool(_TABLE.search(name))):
            name = _TABLE.search(member.name)
            tables[name[1].lower() if name else ""] = member
    missing = sorted({"sub", "num"} - tables.keys())
    if missing:
        raise piece.unreadable_error(f"no {', '.join(missing)}.txt in the archive of a quarter")
    return tables


def _read_table(
    piece: ArchiveMember,
    member: PackedMember,
    layout: CsvFormat,
    select: Callable[[pl.DataFrame], pl.DataFrame] = lambda rows: rows,
) -> Batch:
    """One table as a single batch, of the selected rows."""
    table = replace(piece, open=member.open, name=f"{piece.name}#{member.name}")
    batches = [replace(batch, rows=select(batch.rows)) for batch in reader.read_csv(table, layout)]
    signals = tuple(signal for batch in batches for signal in batch.signals)
    rows, rejects = (pl.concat(frames) for frames in zip(*((one.rows, one.rejects) for one in batches), strict=True))
    return Batch(layout.table.name, rows, rejects, signals)


def _parse_filings(table: Batch, today: date) -> Batch:
    """One row per filing; rows without accession number, filer or day are rejected."""
    rows = table.rows.with_columns(
        accession=normalise_accessions(pl.col("adsh")),
        cik=central_index_keys(pl.col("cik")),
        filed=_plausible_day("filed", newest_filing_day(today)),
        focus=pl.col("fy").cast(pl.Float64, strict=False).cast(pl.Int64, strict=False),
    )
    whole = pl.all_horizontal(pl.col("accession", "cik", "filed", "form").is_not_null())
    bad = [(row["adsh"], "no accession, filer, form or day", str(row)) for row in rows.filter(~whole).to_dicts()]
    kept = rows.filter(whole).unique("adsh", keep="first", maintain_order=True)
    kept = kept.select("adsh", "accession", "cik", "name", "form", "filed", "focus", "nciks")
    return replace(table, rows=kept, rejects=pl.concat([table.rejects, staging.reject_rows(bad)]))


def _selected_values(tally: SignalCounter, rows: pl.DataFrame) -> pl.DataFrame:
    """Values of the wanted tags without segments and custom tags, of every registrant of a filing.

    Those in another unit than a currency are left out, and counted.
    """
    taxonomy = pl.col("version").str.split("/").list.first()
    names = pl.DataFrame(
        [(taxonomy, tag, column) for (taxonomy, tag), column in _COLUMNS.items()],
        schema=["taxonomy", "tag", "column"],
        orient="row",
    )
    names = names.with_columns(taxonomy=pl.col("taxonomy").replace("ifrs-full", "ifrs"))
    whole = pl.col("segments").is_null() & pl.col("value").is_not_null()
    found = rows.filter(whole).with_columns(taxonomy=taxonomy).join(names, on=["taxonomy", "tag"])
    is_money = pl.col("uom").is_in(list(CURRENCIES.codes)).fill_null(value=False)
    for column, unit, adsh in found.filter(~is_money).select("column", "uom", "adsh").rows():
        tally.add("amount_without_currency", f"{column} {(unit or '')[:40]}".strip(), adsh)
    return found.filter(is_money)


def _of_whole_entity(facts: pl.DataFrame) -> pl.DataFrame:
    """Values of no co-registrant; those under one where the filing has one registrant and no value of none.

    That one then is the filer. Beside consolidated values it is the parent alone, or a guarantor.
    """
    is_alone = pl.col("nciks").cast(pl.Int64, strict=False).eq(1).fill_null(value=False)
    named = pl.col("coreg").drop_nulls().n_unique().over("adsh")
    has_plain = pl.col("coreg").is_null().any().over("adsh")
    is_parent = pl.col("coreg").str.to_lowercase().str.replace_all(r"[^a-z]", "").str.starts_with(_PARENT)
    is_filer = is_alone & (named == 1) & ~has_plain & ~is_parent
    return facts.filter(pl.col("coreg").is_null() | is_filer)


def _plausible_day(name: str, newest: date = date(2199, 12, 31)) -> pl.Expr:
    """A day in the range in which accounts exist; null for any other."""
    day = pl.col(name).str.to_date("%Y%m%d", strict=False)
    return pl.when(day.is_between(date(1900, 1, 1), newest)).then(day)


def _with_days(facts: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Values with their days: the rounded end, and the first day computed from the number of quarters."""
    quarters = pl.col("qtrs").cast(pl.Int64, strict=False)
    quarters = pl.when(quarters.is_between(0, _MOST)).then(quarters)
    end = _plausible_day("ddate")
    months = pl.format("-{}mo", (quarters * _MONTHS - 1).clip(lower_bound=0))
    value = pl.col("value").cast(pl.Decimal(38, 4), strict=False).round(0, mode="half_to_even")
    dated = facts.with_columns(
        quarters=quarters, period_end=end, amount=value.cast(pl.Int64, strict=False)
    ).with_columns(
        amount=pl.when(pl.col("amount").is_between(-LARGEST, LARGEST, closed="left")).then("amount"),
        period_start=pl.when(quarters > 0).then(pl.col("period_end").dt.month_start().dt.offset_by(months)),
    )
    good = dated.filter(pl.all_horizontal(pl.col("quarters", "period_end", "amount").is_not_null()))
    return good, dated.height - good.height


_SAME: Final = ("accession", "column", "uom", "period_end", "quarters")


def _without_contradictions(facts: pl.DataFrame, tally: SignalCounter) -> pl.DataFrame:
    """Facts without those that one filing states twice with different values: nothing says which is meant.

    Of a value and its rounding the more precise counts, as in `companyfacts`.
    """
    differing = pl.col("amount").n_unique().over(_SAME) > 1
    repeated = facts.filter(differing)
    if repeated.is_empty():
        return facts
    groups = repeated.group_by(list(_SAME), maintain_order=True).agg(pl.col("amount").unique(maintain_order=True))
    chosen = [_finest_amount(amounts) for amounts in groups["amount"].to_list()]
    decided = groups.select(_SAME).with_columns(_chosen=pl.Series(chosen, dtype=pl.Int64))
    for column, accession, count in (
        decided.filter(pl.col("_chosen").is_null())
        .group_by("column")
        .agg(pl.col("accession").min(), pl.len())
        .sort("column")
        .rows()
    ):
        tally.add("contradicting_facts", column, accession, count)
    kept = repeated.join(decided, on=_SAME, how="left", maintain_order="left")
    kept = kept.filter(pl.col("amount") == pl.col("_chosen")).drop("_chosen")
    kept = pl.concat([facts.filter(~differing), kept])
    undecided = decided.filter(pl.col("_chosen").is_null()).drop("_chosen")
    return kept if undecided.is_empty() else _without_replacements(kept, undecided)


def _without_replacements(facts: pl.DataFrame, undecided: pl.DataFrame) -> pl.DataFrame:
    """Facts without those that would take the place of a contradicted one, though they are other quantities."""
    place = [name for name in _SAME if name != "column"]
    contradicted = undecided.group_by(place).agg(_lost="column")
    around = facts.join(contradicted, on=place, nulls_equal=True)
    replaced = [
        (*row[:-3], tag)
        for row in around.group_by(*place, "_lost")
        .agg("column", "amount")
        .select(*place, "_lost", "column", "amount")
        .rows()
        for amounts in (dict(zip(row[-2], row[-1], strict=True)),)
        for lost in row[-3]
        for tag in replaced_by(amounts, lost)
    ]
    schema = {name: facts.schema[name] for name in (*place, "column")}
    return facts.join(
        pl.DataFrame(replaced, schema=schema, orient="row"), on=[*place, "column"], how="anti", nulls_equal=True
    )


def _finest_amount(amounts: list[int]) -> int | None:
    """The amount that all others are roundings of; null where there is none."""
    finest: int | None = amounts[0]
    for other in amounts[1:]:
        finest = None if finest is None else more_precise_amount(finest, other)
    return finest


def _pivot_tags(facts: pl.DataFrame) -> pl.DataFrame:
    first, last = (pl.col(name).dt.to_string("%Y-%m-%d") for name in ("period_start", "period_end"))
    rows = facts.with_columns(unit="uom", span=pl.when(pl.col("quarters") > 0).then(first + "/" + last).otherwise(last))
    return rows.pivot("column", index=list(_INDEX), values="amount", aggregate_function="first")


def fetch(http: HttpClient, cursor: Cursor | None, _subjects: Iterable[str]) -> Iterator[FetchedFile]:
    """Fetches the quarters after the last one read, oldest first, until one is not published yet."""
    last = _QUARTER.match("" if cursor is None else cursor.value)
    name = _FIRST if last is None else _next_quarter(last)
    while (answer := fetch_if_exists(http, f"{URL}/{name}.zip", {BodyFormat.ZIP})) is not None:
        yield answer.to_fetched_file(f"{name}.zip", Scope.PART, Cursor(name))
        found = _QUARTER.match(name)
        if found is None:
            return
        name = _next_quarter(found)


def _next_quarter(quarter: re.Match[str]) -> str:
    year, number = int(quarter[1]), int(quarter[2])
    return f"{year + number // 4}q{number % 4 + 1}"


DATASET: Final = Dataset(
    key=KEY,
    title="Financial Statement Data Sets",
    licence=LICENCE,
    cadence=Cadence(cron="15 11 * * 1", stale_after_hours=24 * 120),
    guard_limits=GuardLimits(max_rejected=0.01),
    host=FILES_HOST,
    file_patterns=("fsds/**", "financial-statement-data-sets/**"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    staged_tables=STAGED,
    fetch=fetch,
)

"""Past validity of owner lines, for holders with sources that date each of their statements.

Belongs here: for every day before a line's own, the statements valid then, reconciled like today's. The
result depends on the statements alone, not on their order of arrival: a notice filed late is inserted in its
place. A record of a group, a role or a person with significant control is changed in place: its former content is
known only from history. If one of several records is such a one, its states seen in history serve as statements; a
line with only such a record has no past other than history. Does not belong here: the line of today (`owners`), or
storing states and spans (`warehouse.history.history`).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import date
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, Final

import polars as pl

from pipelines.transforms.holders.resolve import SINGLE, holder_ids
from pipelines.transforms.ownership.owners import SHARE, SourcePrecedence, source_text, sources_text
from pipelines.transforms.ownership.survivorship import merge_by_precedence, record_date
from warehouse.schema.ids import holder_id
from warehouse.schema.tables import OWNERS

SEEN: Final = "known_from"
_RECORD: Final = ("company_id", "register", "native_id")

Key = tuple[str, str, str]  # company, register, native id
VALID_TO: Final = "valid_to"
_KEY: Final = ("company_id", "holder_id")
_SAME: Final = (*SHARE, "holder_name", "holder_type", "reconciliation")
Record = Mapping[str, Any]
Statements = Mapping[Key, Sequence[Record]]


def companies_with_overwrites(lines: pl.DataFrame, previous_rows: pl.DataFrame, sources: SourcePrecedence) -> pl.Series:
    """Companies with a line of several records of which one is changed in place.

    `lines`, `previous_rows`: OWNERS rows now and before.
    """
    if not (_has_several_records(lines) or _has_several_records(previous_rows)):
        return pl.Series("company_id", [], dtype=pl.String)
    several = (
        pl.concat([lines, previous_rows]).filter(pl.col("reconciliation") != SINGLE).select("company_id", "sources")
    )
    found = {
        company
        for company, told in several.iter_rows()
        if any(source["register"] not in sources.dated for source in json.loads(told))
    }
    return pl.Series("company_id", sorted(found), dtype=pl.String)


def _has_several_records(lines: pl.DataFrame) -> bool:
    """True if a line is made of several records."""
    return bool((lines["reconciliation"] != SINGLE).any())


def observed_statements(states: pl.DataFrame, sources: SourcePrecedence) -> dict[Key, list[Record]]:
    """The statements of records that are changed in place, oldest first, with `valid_from` set to the day of each.

    `states`: HOLDINGS rows with `known_from`, all versions ever current.
    """
    undated = states.filter(~pl.col("register").is_in(list(sources.dated)))
    rows = undated.sort(*_RECORD, SEEN).iter_rows(named=True)
    return {key: list(_distinct_statements(told)) for key, told in groupby(rows, key=itemgetter(*_RECORD))}


def _distinct_statements(states: Iterable[Record]) -> Iterator[Record]:
    """One statement per run of states with the same share: the last state, with the day of the first."""
    last: Record | None = None
    is_first = True
    for state in states:
        if last is None:
            last = {**state, "valid_from": state["valid_from"] or state[SEEN].date()}
        elif all(last[name] == state[name] for name in SHARE):
            corrected = state["valid_from"] if is_first else None
            last = {**state, "valid_from": corrected or last["valid_from"]}
        else:
            day = _change_day(state, last["valid_from"])
            if day > last["valid_from"]:
                yield last
                is_first = False
            last = {**state, "valid_from": day}
    if last is not None:
        yield last


def _change_day(state: Record, before: date) -> date:
    """The day of a changed share: the record's own if it moved, else the day seen, or of its end if earlier."""
    own = state["valid_from"]
    if own is not None and own > before:
        return own
    seen = state[SEEN].date()
    return max(before, min(seen, state["ended_on"] or seen))


@dataclass(frozen=True, slots=True)
class ValidTimeSpans:
    """Earlier spans of lines. rows: OWNERS columns and `valid_to`; keys: the holders they replace the past of."""

    rows: pl.DataFrame
    keys: pl.DataFrame


def build_valid_time_spans(
    lines: pl.DataFrame,
    told: tuple[pl.DataFrame, pl.DataFrame],
    sources: SourcePrecedence,
    states: pl.DataFrame | None = None,
    previous_rows: pl.DataFrame | None = None,
) -> ValidTimeSpans:
    """All spans of these companies' holders before the lines' own days, as far as statements show them.

    Args:
        lines: OWNERS rows as `ownership.owners` makes them of these holdings.
        told: HOLDINGS rows (the current records) and HOLDINGS_EARLIER rows (their earlier statements).
        sources: which registers date their statements, and their precedence.
        states: HOLDINGS rows with `known_from` of the companies that
            `companies_with_overwrites` gives, all versions ever current; without them,
            lines with a record changed in place keep their past from history.
        previous_rows: OWNERS rows known before, of the same companies: a line split off from others gets only its
            own past, and one whose earlier statements were withdrawn has lost the past that they told.
    """
    earlier, joins = told[1], _or_empty(previous_rows, lines)
    restated = _restated_keys(joins, lines, told[0], sources)
    if earlier.is_empty() and not _has_several_records(lines) and not _has_several_records(joins):
        return ValidTimeSpans(_span_rows(lines.schema, ()), restated)
    before = earlier.filter(pl.col("register").is_in(list(sources.dated)))
    before = before.with_columns(holder_ids(before))
    # a line with one record has that record's id, unless it keeps that of a record that is gone
    theirs = pl.col("company_id").is_in(before["company_id"].unique().implode())
    single = lines.filter(theirs & (pl.col("reconciliation") == SINGLE))
    alone = before.join(single, on=_KEY, how="inner", suffix="_line")
    others = before.join(single, on=_KEY, how="anti")
    several, joined = (rows.filter(pl.col("reconciliation") != SINGLE) for rows in (lines, joins))
    concerned = pl.concat([several["company_id"], joined["company_id"], others["company_id"]]).unique().to_frame()
    statements = _statements_by_record(frame.join(concerned, on="company_id", how="semi") for frame in told)
    seen = {} if states is None else observed_statements(states, sources)
    parted = {record for line in joined.iter_rows(named=True) for record in _record_keys(line)}
    of_several = _multi_record_spans(
        lines.join(concerned, on="company_id", how="semi"), statements | seen, (seen.keys(), parted), sources
    )
    of_single = ValidTimeSpans(_single_record_spans(alone), alone.select(_KEY).unique())
    return ValidTimeSpans(
        pl.concat([of_single.rows, of_several.rows]), pl.concat([of_single.keys, of_several.keys, restated]).unique()
    )


def _restated_keys(
    former: pl.DataFrame, lines: pl.DataFrame, records: pl.DataFrame, sources: SourcePrecedence
) -> pl.DataFrame:
    """Former lines of one record that dates its statements, if it still does or is gone: these tell their whole past.

    records: HOLDINGS rows.
    """
    source = {name: pl.col("sources").str.json_path_match(f"$[0].{name}") for name in ("register", "native_id")}
    single = former.filter(pl.col("reconciliation") == SINGLE).select(*_KEY, **source)
    dated = single.filter(pl.col("register").is_in(list(sources.dated)))
    if dated.is_empty():
        return _span_keys(())
    own = dated.filter(holder_ids(dated) == dated["holder_id"])
    stated = own.join(records.select(*_RECORD, "valid_from", _is_there=True), on=_RECORD, how="left")
    standing = lines.filter(pl.col("reconciliation") == SINGLE).select(*_KEY, _stands=True)
    found = stated.join(standing, on=_KEY, how="left")
    goes_on = pl.all_horizontal(pl.col("_stands", "valid_from").is_not_null())
    return found.filter(pl.col("_is_there").is_null() | goes_on).select(_KEY).unique()


def _single_record_spans(alone: pl.DataFrame) -> pl.DataFrame:
    """Spans of holders with one record: each statement until the next, or until it ended."""
    ordered = alone.sort(*_KEY, "valid_from")
    following = pl.col("valid_from").shift(-1).over(_KEY, order_by="valid_from")
    until = pl.min_horizontal(pl.coalesce(following, "as_of"), "ended_on", "as_of")
    told = ordered.with_columns(
        until.alias(VALID_TO), holder_company_id="holder_company_id_line", as_of="valid_from"
    ).filter(pl.col("as_of") < pl.col(VALID_TO))
    goes_on = pl.all_horizontal(
        *(pl.col(name).eq_missing(pl.col(name).shift()) for name in (*_KEY, *_SAME)),
        pl.col("as_of").eq_missing(pl.col(VALID_TO).shift()),
    )
    # adjacent equal spans are merged: from the first one's day, with the last one's content
    runs = told.with_columns(_run=(~goes_on).cum_sum()).with_columns(as_of=pl.col("as_of").first().over("_run"))
    rows = runs.unique("_run", keep="last", maintain_order=True)
    rows = rows.with_columns(ended_on=pl.lit(None, pl.Date), _others=pl.lit(""))
    return rows.with_columns(sources_text(rows)).select(*OWNERS.names, VALID_TO)


def _or_empty(former: pl.DataFrame | None, lines: pl.DataFrame) -> pl.DataFrame:
    return lines.clear() if former is None else former


def _multi_record_spans(
    lines: pl.DataFrame,
    statements: Statements,
    marked: tuple[AbstractSet[Key], AbstractSet[Key]],
    sources: SourcePrecedence,
) -> ValidTimeSpans:
    """Spans of holders that have or had several records, or another record's id.

    `marked`: records with statements derived from seen states, and records of former lines with several
    records.
    """
    seen, parted = marked
    rows: list[dict[str, Any]] = []
    keys: set[tuple[str, str]] = set()
    for line in lines.iter_rows(named=True):
        records = _record_keys(line)
        said = [statements.get(record, []) for record in records]
        is_alone = line["reconciliation"] == SINGLE and holder_id(*records[0]) == line["holder_id"]
        is_parted = not parted.isdisjoint(records)
        are_dated = all(record[1] in sources.dated or record in seen for record in records)
        if not are_dated or not _are_all_dated(said) or (is_alone and not is_parted):
            continue
        if not is_parted and sum(map(len, said)) < 2:  # noqa: PLR2004 - one has no past
            continue
        if not is_alone or records[0] in seen:  # otherwise its statements are covered by `_single_record_spans`
            rows += _spans_of_line(line, said, sources.precedence)
        # a line that joins others has their past too: spans stored under their ids are removed
        keys |= {(line["company_id"], name) for name in (line["holder_id"], *(holder_id(*one) for one in records))}
    return ValidTimeSpans(_span_rows(lines.schema, rows), _span_keys(keys))


def _span_rows(lines: pl.Schema, rows: Sequence[Mapping[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=pl.Schema({**lines, VALID_TO: pl.Date()}), orient="row")


def _span_keys(keys: Iterable[tuple[str, str]]) -> pl.DataFrame:
    return pl.DataFrame(sorted(keys), schema=pl.Schema((name, pl.String()) for name in _KEY), orient="row")


def _statements_by_record(frames: Iterable[pl.DataFrame]) -> dict[Key, list[Record]]:
    found: dict[Key, list[Record]] = defaultdict(list)
    for frame in frames:
        for row in frame.iter_rows(named=True):
            found[row["company_id"], row["register"], row["native_id"]].append(row)
    return found


def _record_keys(line: Record) -> list[Key]:
    return [(line["company_id"], source["register"], source["native_id"]) for source in json.loads(line["sources"])]


def _are_all_dated(told: Sequence[Sequence[Record]]) -> bool:
    """True if every statement of the line's records has a day of its own."""
    return all(statement["valid_from"] is not None for record in told for statement in record)


def _spans_of_line(
    line: Record, told: Sequence[Sequence[Record]], precedence: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """The spans of one line before its own day; adjacent equal spans are merged."""
    statements = [statement for record in told for statement in record]
    days = {day for one in statements for day in (one["valid_from"], one["ended_on"]) if day is not None}
    marks = sorted({*(day for day in days if day < line["as_of"]), line["as_of"]})
    last: dict[str, Any] | None = None
    for day, until in pairwise(marks):
        row = _line_on_day(day, until, line, told, precedence)
        if last is not None and row is not None and last[VALID_TO] == day and _has_same_values(last, row):
            row["as_of"] = last["as_of"]
        elif last is not None:
            yield last
        last = row
    if last is not None:
        yield last


def _has_same_values(one: Record, other: Record) -> bool:
    return all(one[name] == other[name] for name in _SAME)


def _line_on_day(
    day: date, until: date, line: Record, told: Sequence[Sequence[Record]], precedence: Sequence[str]
) -> dict[str, Any] | None:
    """The line as of a day; None if the holder held nothing then."""
    standing = [found for record in told if (found := _statement_on_day(record, day)) is not None]
    if not standing:
        return None
    row, ordered = merge_by_precedence(standing, precedence)
    if row["ended_on"] is not None:
        return None
    texts = [source_text(one, day if place == 0 else record_date(one)) for place, one in enumerate(ordered)]
    row |= {name: line[name] for name in ("holder_id", "holder_company_id", "first_seen")}
    row |= {"as_of": day, "sources": f"[{','.join(texts)}]", VALID_TO: until}
    row["reconciliation"] = SINGLE if len(standing) == 1 else row["reconciliation"]
    return {name: row[name] for name in (*OWNERS.names, VALID_TO)}


def _statement_on_day(record: Sequence[Record], day: date) -> Record | None:
    """The record as of a day: its newest statement until then, without an end that is still ahead."""
    before = [statement for statement in record if statement["valid_from"] <= day]
    if not before:
        return None
    newest = max(before, key=lambda statement: statement["valid_from"])
    is_over = newest["ended_on"] is not None and newest["ended_on"] <= day
    return newest if is_over else {**newest, "ended_on": None}

"""Maps staged notices of linked issuers to holder statements, oldest first: shared HOLDINGS rows.

Language versions of one release, and the same release in two channels, are one statement; if they contradict
each other it has no percentages. A correction replaces what it corrects. A release about a holding in another
company is not a statement about the issuer's own holders. Does not belong here: parsing texts
(`parse`), linking to companies (links).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from zoneinfo import ZoneInfo

import polars as pl

from connectors.kit import staging
from connectors.nasdaq import mapping
from connectors.nasdaq.schema import HOLDER, MESSAGE
from connectors.se.major_holdings import holder_names
from connectors.se.major_holdings.dataset import KEY, NOTICES
from connectors.se.register import MARKET
from warehouse.schema.markets import MARKETS
from warehouse.schema.tables import HOLDINGS

Row = dict[str, Any]
_APART: Final = timedelta(minutes=10)  # largest gap between channels (docs/formats/news.md 2.13)
_LOCAL: Final = ZoneInfo(MARKETS[MARKET].time_zone)
_NEVER: Final = datetime.max.replace(tzinfo=UTC)
_KINDS: Final = ("shares", "votes")
_MORE: Final = ("_company_id", "_observed_at", "_raw")


def map_holdings(notices: pl.LazyFrame, releases: pl.LazyFrame, wire: pl.LazyFrame) -> pl.DataFrame:
    """All holder statements: HOLDINGS rows of register `se.flagging`.

    releases: the exchange's list, with issuer and time of each page. wire: MFN's items; those that correct others
    count even if their text gave no notice.
    """
    rows = _notices_with_releases(notices, releases).to_dicts()
    if not rows:
        return staging.empty_staged_frame(HOLDINGS)
    rows = [row for row in rows if _is_about_own_issuer(row)]
    gone = _corrected_sources(
        [*rows, *wire.select("id", "group", "corrects").rename({"id": "source"}).collect().to_dicts()]
    )
    standing = [row for row in rows if not _is_corrected(row, gone)]
    found = [_merge_versions(versions) for versions in _group_versions(standing)]
    # on one day the later statement wins
    found.sort(key=lambda row: (row["_company_id"], row[HOLDER], row["valid_from"] or date.min, row["_published"]))
    return mapping.holding_rows(KEY, _statement_frame(found, notices))


def _notices_with_releases(notices: pl.LazyFrame, releases: pl.LazyFrame) -> pl.DataFrame:
    """Notices of companies joined with their release: author and time from whichever has them."""
    listed = (
        releases.filter(pl.col(MESSAGE).is_not_null())
        .group_by(MESSAGE)
        .agg(
            pl.col("releaseTime").min().alias("_released"),
            pl.col("messageUrl").first().alias("_page"),
            pl.col("company").first().alias("_label"),
        )
    )
    return (
        notices.filter(pl.col("_company_id").is_not_null())
        .with_columns(mapping.HOLDER_KEY)
        .join(listed, on=MESSAGE, how="left")
        .with_columns(
            pl.coalesce("author", "_label").alias("author"),
            pl.coalesce("published_at", "_released").alias("_published"),
        )
        .sort("_company_id", HOLDER, "_published", "source", nulls_last=True)
        .collect()
    )


def _is_about_own_issuer(row: Row) -> bool:
    """True if the holding is in the issuer and the holder is not the issuer."""
    author = row["author"]
    if author is None:
        return True
    about = row["issuer"] is None or holder_names.is_name_prefix(author, row["issuer"])
    return about and not holder_names.is_same_name(author, row["holder"])


def _corrected_sources(rows: list[Row]) -> set[str]:
    """Sources corrected by a later one, and group keys of their releases."""
    gone = {row["corrects"] for row in rows if row["corrects"]}
    return gone | {row["group"] for row in rows if row["source"] in gone and row["group"]}


def _is_corrected(row: Row, gone: set[str]) -> bool:
    """True if a later one corrects the row; a correction may be in the group of what it corrects."""
    return row["source"] in gone or (row["corrects"] is None and row["group"] in gone)


def _group_versions(rows: list[Row]) -> Iterator[list[Row]]:
    """Yields versions of one release and holder: same group, or minutes apart. Rows: by company, holder, time."""
    versions: list[Row] = []
    for row in rows:
        if versions and not _is_version(versions, row):
            yield versions
            versions = []
        versions.append(row)
    if versions:
        yield versions


def _is_version(versions: list[Row], row: Row) -> bool:
    first = versions[0]
    if any(first[name] != row[name] for name in ("_company_id", HOLDER)):
        return False
    if row["group"] is not None and row["group"] in {one["group"] for one in versions}:
        return True
    published = (first["_published"], row["_published"])
    return None not in published and published[1] - published[0] <= _APART


def _merge_versions(versions: list[Row]) -> Row:
    """Merges versions: a value of any version, null where two differ; never a day after the release."""
    published = min((row["_published"] for row in versions if row["_published"]), default=None)
    released = published.astimezone(_LOCAL).date() if published else None  # texts name the day in Sweden
    day = _agreed_value(versions, "day")
    merged = dict(versions[0])
    for kind in _KINDS:
        merged |= _agreed_level(versions, kind)
    merged["day"] = day if day is None or released is None or day <= released else None
    merged["valid_from"] = merged["day"] or released
    merged["_observed_at"] = max(row["_observed_at"] for row in versions)
    merged["_published"] = published or _NEVER
    return merged


def _agreed_level(versions: list[Row], kind: str) -> Row:
    """Merged level: a figure wins over a bound; differing figures, or bounds without a figure, give none."""
    names = (kind, f"{kind}Below", f"{kind}Above")
    nothing = dict.fromkeys(names)
    for group in (names[:1], names[1:]):
        told = {tuple(row[name] for name in group) for row in versions} - {(None,) * len(group)}
        if told:
            return nothing if len(told) > 1 else nothing | dict(zip(group, told.pop(), strict=True))
    return nothing


def _agreed_value(versions: list[Row], name: str) -> Any:
    found = {row[name] for row in versions if row[name] is not None}
    return found.pop() if len(found) == 1 else None


def _statement_frame(found: list[Row], notices: pl.LazyFrame) -> pl.DataFrame:
    schema = notices.collect_schema()
    names = (*NOTICES.names, *_MORE)
    form: dict[str, Any] = {name: schema[name] for name in names}
    form |= {"valid_from": pl.Date(), "_page": pl.String()}
    return pl.DataFrame([{name: row[name] for name in form} for row in found], schema=form, orient="row")

"""Groups items of a source into news: languages of one release together, corrections with their originals.

Versions of one release share the source's own id (`group`); without one, items of one company, minute and kind
in different languages are versions: the first of each language with the first of the other, or adjacent ones
where a language lacks some. A correction keeps the id of the item it corrects and replaces its words. Does not
belong here: the same release through another source (`pipelines.transforms.news.dedup`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

import polars as pl

from connectors.kit import staging
from connectors.kit.disjoint_sets import DisjointSets
from connectors.kit.visible_text import visible_text
from connectors.news.schema import ITEM
from warehouse.schema.ids import news_id
from warehouse.schema.tables import NEWS

_FIRST: Final = ("en",)  # the preferred language of news
Row = dict[str, Any]


def group_into_news(items: pl.DataFrame) -> pl.DataFrame:
    """NEWS rows of items (columns of ITEM): one per company, source and release."""
    rows = items.filter(pl.col("company_id").is_not_null()).to_dicts()
    rows.sort(key=_order_key)
    versions = _versions_by_release(rows)
    chains = _correction_chains(rows, versions)
    found = [_news_row(rows, chain) for chain in chains]
    return pl.DataFrame(found, schema=staging.staged_schema(NEWS), orient="row")


def _order_key(row: Row) -> tuple[str, str, datetime, int, str]:
    """Sort key: company and source, then time; ids of equal length sort as numbers."""
    return row["company_id"], row["register"], row["published_at"], len(row["native_id"]), row["native_id"]


def _versions_by_release(rows: list[Row]) -> list[list[int]]:
    """Positions of rows grouped by release, each in order, the releases by their first row."""
    sets = DisjointSets()
    first: dict[tuple[str, str, str], int] = {}
    for place, row in enumerate(rows):
        if row["group"] is not None:
            sets.join(first.setdefault((row["company_id"], row["register"], row["group"]), place), place)
    for one, other in _version_pairs(rows):
        sets.join(one, other)
    return sets.groups(len(rows))


def _version_pairs(rows: list[Row]) -> Iterator[tuple[int, int]]:
    """Pairs of versions matched only by time, kind and language."""
    alike: dict[tuple[Any, ...], dict[str, list[int]]] = {}
    for place, row in enumerate(rows):
        if row["group"] is None and row["language"] is not None:
            minute = row["published_at"].replace(second=0, microsecond=0)
            key = (row["company_id"], row["register"], minute, row["kind"])
            alike.setdefault(key, {}).setdefault(row["language"], []).append(place)
    for languages in alike.values():
        for first, *others in _split_releases(languages):
            yield from ((first, other) for other in others)


def _split_releases(languages: dict[str, list[int]]) -> Iterator[list[int]]:
    """The versions of each release: the first of every language, then the second, and so on.

    Where a language lacks one, it is unknown for which release: then adjacent items are taken as versions.
    """
    if len({len(places) for places in languages.values()}) == 1:
        yield from map(list, zip(*languages.values(), strict=True))
        return
    spoken = {place: language for language, places in languages.items() for place in places}
    together: list[int] = []
    for place in sorted(spoken):
        if spoken[place] in {spoken[one] for one in together}:
            yield together
            together = []
        together.append(place)
    yield together


def _correction_chains(rows: list[Row], versions: list[list[int]]) -> list[list[list[int]]]:
    """Releases with their corrections, in order. A correction of an item that was not read forms its own chain."""
    release = {place: number for number, places in enumerate(versions) for place in places}
    known = {(row["company_id"], row["register"], row["native_id"]): release[place] for place, row in enumerate(rows)}
    sets = DisjointSets()
    for place, row in enumerate(rows):
        of = known.get((row["company_id"], row["register"], row["corrects"]))
        if of is not None:
            sets.join(of, release[place])
    return [[versions[number] for number in chain] for chain in sets.groups(len(versions))]


def _news_row(rows: list[Row], chain: list[list[int]]) -> Row:
    """One release: the id and time of its first version, the words of its last correction."""
    corrections = [[rows[place] for place in places] for places in chain]
    told = [row for version in corrections for row in version]
    first = corrections[0][0]
    last = max(corrections, key=lambda version: max(row["published_at"] for row in version))
    shown = max(last, key=_preference_key)
    native = first["group"] or first["native_id"]
    return {
        "company_id": first["company_id"],
        "news_id": news_id(first["company_id"], first["register"], native),
        **{name: shown[name] for name in ("title", "summary", "url", "publisher", "language")},
        "published_at": first["published_at"],
        "categories": sorted({one for row in last for one in row["categories"]}),
        "native_id": native,
        "supersedes": next((row["corrects"] for row in last if row["corrects"] is not None), None),
        "told_by": sorted({f"{row['register']}:{row['native_id']}" for row in told}),
        "register": first["register"],
        "raw": shown["raw"],
        "observed_at": max(row["observed_at"] for row in told),
    }


def _preference_key(row: Row) -> tuple[bool, datetime, int, str]:
    """Preference: English before other languages; within one language the newest."""
    return row["language"] in _FIRST, row["published_at"], len(row["native_id"]), row["native_id"]


def concat_items(frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Items of several sources in one frame, with headlines as their readers see them."""
    items = pl.concat([pl.DataFrame(schema=ITEM), *(part.select(*ITEM).cast(ITEM) for part in frames)])
    titles = [title and (visible_text(title) or title) for title in items["title"]]
    return items.with_columns(pl.Series("title", titles, dtype=pl.String))

"""Renders docs/sources.md: every dataset with its source, schedule and licence, as declared.

Belongs here: formatting declarations for people. Does not belong here: the declarations, or which licence
applies to served data (`GET /api/v1/markets`, `sources` of every profile).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from connectors.contract.dataset import Dataset, Jurisdiction, Licence
from warehouse.schema.codes import MARKET_NAMES
from warehouse.schema.markets import MARKETS, PREVIEW_SETTING

_INTRODUCTION: Final = """# Data sources

Every dataset with its source and the licence under which it is used and redistributed. Data that a licence does not
allow to be redistributed is not served: of issuers' releases only title, time and link, of market data only the
listed flag. `GET /api/v1/markets` names a market's licence; every profile and every period names its own sources.
«Fetched» is a cron expression in UTC: once a market's schedule is turned on in `firm dagster`, each of its datasets is
fetched at these instants ([operating.md](operating.md#schedules)), or as soon as a run of the market that is at work
then has ended. A source without new data for longer than «stale after» is reported by
`firm doctor`, the operator's page and the metrics.

Generated from the declarations by `make generate`. The README of each folder below `connectors/` describes how a
source is parsed, and which parts and sources are left out and why; each market's is linked.
"""
_HEAD: Final = "| dataset | source | fetched | stale after | licence | attribution |\n|---|---|---|--:|---|---|"
_DAY: Final = 24


def render_sources_page(jurisdictions: Iterable[Jurisdiction]) -> str:
    """The page, as Markdown. A market without datasets is listed as announced, one in preview with its datasets."""
    return "\n".join([_INTRODUCTION, *(part for made in jurisdictions for part in _market_section(made))])


def _market_section(made: Jurisdiction) -> Iterator[str]:
    yield f"## {MARKET_NAMES[made.code]} ({made.code})\n"
    if MARKETS[made.code].has_preview:
        yield f"In preview: announced, and served where `{PREVIEW_SETTING}` names it.\n"
    elif not made.datasets:
        yield "Announced: no data yet.\n"
    if not made.datasets:
        return
    folder = f"connectors/{made.code.lower()}"
    yield f"Read and left out: [{folder}](../{folder}/README.md).\n"
    yield _HEAD
    yield from map(_dataset_row, made.datasets)
    yield ""
    for dataset in made.datasets:
        if dataset.out_of_reach is not None:
            yield f"`{dataset.key}` is out of reach: {dataset.out_of_reach}.\n"


def _dataset_row(dataset: Dataset) -> str:
    hours = dataset.cadence.stale_after_hours
    stale = f"{hours} h" if hours % _DAY else f"{hours // _DAY} d"
    cells = (
        f"`{dataset.key}`",
        dataset.title,
        f"`{dataset.cadence.cron}`",
        stale if dataset.out_of_reach is None else "out of reach",
        _licence_cell(dataset.licence),
        dataset.licence.attribution or "",
    )
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _licence_cell(licence: Licence) -> str:
    return licence.name if licence.url is None else f"[{licence.name}]({licence.url})"

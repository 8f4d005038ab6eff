"""docs/sources.md: every dataset with its source, its rhythm and its licence, as declared.

Belongs here: writing declarations down for people. Does not belong here: the declarations, or what is served under
which licence (`GET /api/v1/markets`, `sources` of every profile).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from connectors.declare import Dataset, Jurisdiction, Licence
from warehouse.schema.codes import MARKET_NAMES

_INTRODUCTION: Final = """# Where the data comes from

Every dataset with its source and the licence under which it is read and passed on. What a licence does not allow is
not served: of issuers' releases title, time and link, of market data the listed flag. `GET /api/v1/markets` names a
market's licence, every profile and every period its own sources. Times are UTC, as cron writes them; a source that
has told nothing for longer than «stale after» is reported by `firm doctor`, the operator's page and the metrics.

Made of the declarations by `make docs`. How a source is read, and what of it is left out, says the README of its
folder below `connectors/`.
"""
_HEAD: Final = "| dataset | source | asked | stale after | licence | to be shown |\n|---|---|---|--:|---|---|"
_DAY: Final = 24


def document(jurisdictions: Iterable[Jurisdiction]) -> str:
    """The page, as Markdown; a market without datasets is named as announced."""
    return "\n".join([_INTRODUCTION, *(part for made in jurisdictions for part in _market(made))])


def _market(made: Jurisdiction) -> Iterator[str]:
    yield f"## {MARKET_NAMES[made.code]} ({made.code})\n"
    if not made.datasets:
        yield "Announced: nothing is read yet.\n"
        return
    yield _HEAD
    yield from map(_row, made.datasets)
    yield ""


def _row(dataset: Dataset) -> str:
    hours = dataset.cadence.stale_after_hours
    stale = f"{hours} h" if hours % _DAY else f"{hours // _DAY} d"
    cells = (
        f"`{dataset.key}`",
        dataset.title,
        f"`{dataset.cadence.cron}`",
        stale,
        _licence(dataset.licence),
        dataset.licence.attribution or "",
    )
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _licence(licence: Licence) -> str:
    return licence.name if licence.url is None else f"[{licence.name}]({licence.url})"

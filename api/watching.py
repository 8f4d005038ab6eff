"""What operators are told by numbers of the data itself: sources by age, what guards hold, failed runs, the disk.

Out of what runs have noted beside the releases; a machine that only serves tells what came with the release. Does
not belong here: what is done about it (`deploy/alerts.yml`), or the text (`api.exposition`).
"""

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from api.exposition import Gauges, Labelled
from api.service import SnapshotSource
from warehouse.freshness import Freshness
from warehouse.run_notes import RunNote

_SOURCE = ("market", "dataset")
_MARKET = ("market",)
_RELEASE = "release"  # of an error: what keeps every market of the run from being published


def watched(reader: SnapshotSource, now: datetime) -> Mapping[str, Labelled]:
    """Reads what runs have noted; blocks for as long as fifty small files take."""
    noted, runs = reader.freshness(), reader.runs()
    return {**_sources(noted, now), **_markets(noted, runs, now)}


def _sources(noted: Freshness, now: datetime) -> Mapping[str, Labelled]:
    seen = {(_market(key), key): one for key, one in noted.datasets.items()}
    return {
        "source_age_seconds": Labelled(
            "Seconds since a source was last looked at in full.",
            _SOURCE,
            {
                key: (now - one.checked_at).total_seconds()
                for key, one in seen.items()
                if one.checked_at is not None
            },
        ),
        "source_stale_after_seconds": Labelled(
            "Seconds after which a source that nobody has looked at is stale, as it is declared.",
            _SOURCE,
            {
                key: one.stale_after_hours * 3600.0
                for key, one in seen.items()
                if one.stale_after_hours is not None
            },
        ),
        "source_held_seconds": Labelled(
            "Seconds since a source is held: its guard tripped, or it cannot be fetched. Absent where it is not.",
            _SOURCE,
            {
                key: (now - one.held_since).total_seconds()
                for key, one in seen.items()
                if one.held_since is not None
            },
        ),
    }


def _market(dataset: str) -> str:
    return dataset.partition(".")[0].upper()


def _markets(noted: Freshness, runs: Sequence[RunNote], now: datetime) -> Mapping[str, Labelled]:
    newest: dict[str, RunNote] = {}
    for note in runs:
        for market in note.markets if note.ended_at is not None else ():
            newest.setdefault(market, note)
    return {
        "market_age_seconds": Labelled(
            "Seconds since a run of a market last came through.",
            _MARKET,
            {(market,): (now - at).total_seconds() for market, at in noted.markets.items()},
        ),
        "run_failed": Labelled(
            "1 where the newest run of a market ended with an error.",
            _MARKET,
            {(market,): float(_has_failed(note, market)) for market, note in newest.items()},
        ),
    }


def _has_failed(note: RunNote, market: str) -> bool:
    return any(one.market in {market, _RELEASE} for one in note.errors)


def disk(data: Path) -> Gauges:
    """The disk below FIRM_DATA; nothing where the folder is not there yet."""
    try:
        found = os.statvfs(data)
    except FileNotFoundError:
        return {}
    return {
        "disk_free_bytes": (
            "Bytes that may still be written below FIRM_DATA.",
            found.f_bavail * found.f_frsize,
        ),
        "disk_size_bytes": ("Bytes of the disk on which FIRM_DATA lies.", found.f_blocks * found.f_frsize),
    }

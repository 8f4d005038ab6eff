"""Gauges of data health for operators: age of sources, quarantines, failed runs, unaccounted data, disk space.

Read from the notes that runs store next to the releases, and from the release's manifest; a machine that only serves
has those of its release.
Does not belong here: the alerts (`deploy/alerts.yml`), or the text format (`api.observability.prometheus`).
"""

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path

from api.common.releases import read_release
from api.observability.prometheus import Gauges, LabelledGauge
from warehouse.reader.reader import ReleaseReader
from warehouse.release.freshness import Freshness
from warehouse.release.run_log import RunNote
from warehouse.schema.market_state import Reconciliation

_SOURCE = ("market", "dataset")
_MARKET = ("market",)
_RULE = ("market", "rule")
_RELEASE = "release"  # market of an error that prevented the whole run from being published


def data_health_gauges(reader: ReleaseReader, now: datetime) -> Mapping[str, LabelledGauge]:
    """Reads the notes of runs; blocks for as long as reading fifty small files takes."""
    noted, runs = reader.read_freshness(), reader.read_run_log()
    return {
        **_source_gauges(noted, now),
        **_market_gauges(noted, runs, now),
        **reconciliation_gauges(_reconciliations(reader, noted)),
    }


def _reconciliations(reader: ReleaseReader, noted: Freshness) -> Mapping[str, Reconciliation]:
    """What the served release and runs since have counted, by market; a release of an earlier version has nothing."""
    found = read_release(
        reader, lambda one: {market: noted.of(state).reconciliation for market, state in one.markets.items()}
    )
    return {market: figures for market, figures in (found or {}).items() if figures is not None}


def _by_dataset(counts: Mapping[str, Mapping[str, int]]) -> dict[tuple[str, ...], float]:
    return {(market, key): float(count) for market, found in counts.items() for key, count in found.items()}


def reconciliation_gauges(markets: Mapping[str, Reconciliation]) -> Mapping[str, LabelledGauge]:
    """Gauges of what cannot be accounted for; absent where it is not known."""
    return {
        "dataset_unlinked_rows": LabelledGauge(
            "Staged rows of a dataset that link to no company.",
            _SOURCE,
            _by_dataset({market: one.unlinked_rows for market, one in markets.items()}),
        ),
        "dataset_changed_subjects": LabelledGauge(
            "Records of a dataset that name another subject than before under an unchanged id.",
            _SOURCE,
            _by_dataset({market: one.changed_subjects for market, one in markets.items()}),
        ),
        "market_rules_without_data": LabelledGauge(
            "Rules of a market that read absence in datasets that were never loaded, and decide nothing.",
            _MARKET,
            {(market,): float(len(one.rules_without_data)) for market, one in markets.items()},
        ),
        "rule_undecided_rows": LabelledGauge(
            "Rows that such a rule leaves undecided.",
            _RULE,
            {
                (market, rule.rule): float(rule.undecided)
                for market, one in markets.items()
                for rule in one.rules_without_data
            },
        ),
        "market_unexplained_statuses": LabelledGauge(
            "Companies whose registry status means another status than the one served, with nothing that says why.",
            _MARKET,
            {(market,): float(one.unexplained_companies) for market, one in markets.items()},
        ),
    }


def _source_gauges(noted: Freshness, now: datetime) -> Mapping[str, LabelledGauge]:
    seen = {(key.partition(".")[0].upper(), key): one for key, one in noted.dataset_checks.items()}
    return {
        "source_age_seconds": LabelledGauge(
            "Seconds since a source was last checked completely.",
            _SOURCE,
            # of a check in the future, by a clock that was ahead, how far it is: it is not mistaken for a fresh one
            {
                key: abs((now - one.checked_at).total_seconds())
                for key, one in seen.items()
                if one.checked_at is not None
            },
        ),
        "source_stale_after_seconds": LabelledGauge(
            "Declared seconds without a check after which a source is stale.",
            _SOURCE,
            {key: one.stale_after_hours * 3600.0 for key, one in seen.items() if one.stale_after_hours is not None},
        ),
        "source_held_seconds": LabelledGauge(
            "Seconds since a source was quarantined: a guard tripped or it cannot be fetched. Absent if it is not.",
            _SOURCE,
            {
                key: max(0.0, (now - one.held_since).total_seconds())
                for key, one in seen.items()
                if one.held_since is not None
            },
        ),
    }


def _market_gauges(noted: Freshness, runs: Sequence[RunNote], now: datetime) -> Mapping[str, LabelledGauge]:
    newest: dict[str, RunNote] = {}
    for note in runs:
        for market in note.markets if note.ended_at is not None else ():
            newest.setdefault(market, note)
    return {
        "market_age_seconds": LabelledGauge(
            "Seconds since the last successful run of a market.",
            _MARKET,
            {(market,): abs((now - at).total_seconds()) for market, at in noted.markets.items()},
        ),
        "run_failed": LabelledGauge(
            "1 if the newest run of a market ended with an error.",
            _MARKET,
            {
                (market,): float(any(one.market in {market, _RELEASE} for one in note.errors))
                for market, note in newest.items()
            },
        ),
    }


def disk_gauges(data: Path) -> Gauges:
    """Disk space below FIRM_DATA; empty if the folder does not exist yet."""
    try:
        found = os.statvfs(data)
    except FileNotFoundError:
        return {}
    return {
        "disk_free_bytes": ("Free bytes on the disk of FIRM_DATA.", found.f_bavail * found.f_frsize),
        "disk_size_bytes": ("Size in bytes of the disk of FIRM_DATA.", found.f_blocks * found.f_frsize),
    }

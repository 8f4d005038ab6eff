"""Freshness of a market and of its datasets: instants, quarantine with its reason, licence terms.

Written into each release's manifest and read by pipelines, exports and the API. Does not belong here: assessing it
(`pipelines.steps.publish`), or storing it (`warehouse.release.freshness`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal


@dataclass(frozen=True, slots=True)
class QuarantineReason:
    """Why a dataset is quarantined: the guard, the measured value and the allowed value."""

    guard: str
    seen: float
    allowed: float


@dataclass(frozen=True, slots=True)
class LicenceTerms:
    """Licence for redistributing a dataset. `attribution` is the sentence that consumers must show, or None."""

    licence: str
    licence_url: str | None
    attribution: str | None


@dataclass(frozen=True, slots=True)
class DatasetState:
    """Freshness of one dataset, and its licence terms. `accepted`: the guard overridden for its newest batch.

    `checked_at`: when its source was last checked completely, whether or not anything was new. `held_since`:
    the first run since which the source could not be ingested (None: fresh). `terms` None: written by an
    earlier version.
    """

    observed_at: datetime | None
    batches: tuple[str, ...] = ()
    rows: int = 0
    held: QuarantineReason | None = None
    accepted: QuarantineReason | None = None
    checked_at: datetime | None = None
    held_since: datetime | None = None
    terms: LicenceTerms | None = None


@dataclass(frozen=True, slots=True)
class MarketState:
    """Freshness of one market in a release: `at` its newest instant, `companies` the number of its companies."""

    state: Literal["fresh", "held"]
    at: datetime | None
    companies: int = 0
    datasets: Mapping[str, DatasetState] = field(default_factory=dict)

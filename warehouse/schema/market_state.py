"""State of a market and of its datasets: instants, quarantine with its reason, licence terms, reconciliation.

Written into each release's manifest and read by pipelines, exports and the API. Does not belong here: assessing it
(`pipelines.steps.publish`, `pipelines.steps.reconciliation`), or storing it (`warehouse.release`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, Self


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
class RuleWithoutData:
    """A rule that reads the absence of records of datasets that were never loaded, and so decides nothing.

    undecided: rows of the shared table that it leaves undecided.
    """

    rule: str
    datasets: tuple[str, ...]
    undecided: int


@dataclass(frozen=True, slots=True)
class UnexplainedStatus:
    """Companies whose registry status means another status than the one served, with nothing that says why.

    meaning: the status that the market's declaration gives to `registry_status`. examples: ids of a few companies.
    """

    registry_status: str
    meaning: str
    served: str
    companies: int
    examples: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """What distinguishes it from others of its market."""
        return self.registry_status, self.served


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What a release cannot account for of one market.

    unlinked_rows: by dataset, its staged rows that link to no company. changed_subjects: by dataset, its records that
    once named another subject under their key. Datasets that deliver the same records have the same number.
    """

    unlinked_rows: Mapping[str, int] = field(default_factory=dict)
    changed_subjects: Mapping[str, int] = field(default_factory=dict)
    rules_without_data: tuple[RuleWithoutData, ...] = ()
    unexplained_statuses: tuple[UnexplainedStatus, ...] = ()

    @property
    def unexplained_companies(self) -> int:
        """Number of companies with an unexplained status."""
        return sum(found.companies for found in self.unexplained_statuses)

    def without_examples(self) -> Self:
        """The same figures without ids of companies, for reports that outlast an erasure."""
        return replace(self, unexplained_statuses=tuple(replace(one, examples=()) for one in self.unexplained_statuses))


@dataclass(frozen=True, slots=True)
class MarketState:
    """Freshness of one market in a release: `at` its newest instant, `companies` the number of its companies.

    reconciliation: None if an earlier version made the release.
    """

    state: Literal["fresh", "held"]
    at: datetime | None
    companies: int = 0
    datasets: Mapping[str, DatasetState] = field(default_factory=dict)
    reconciliation: Reconciliation | None = None

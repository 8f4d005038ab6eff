"""Renders counters and current gauges in the Prometheus text format.

Does not belong here: counting (`api.observability.metrics`), or access control (`api.observability.routes`).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from api.observability.metrics import BOUNDS, COUNT, FIRST, SECONDS, SEPARATOR, TOTALS, MetricCounts, Metrics, add_rows

CONTENT_TYPE: Final = CONTENT_TYPE_LATEST

Gauges = Mapping[str, tuple[str, float]]
"""Gauges by name: description and current value."""


@dataclass(frozen=True, slots=True)
class LabelledGauge:
    """Gauges with labels: description, and a value for each combination of label values."""

    help_text: str
    labels: tuple[str, ...]
    values: Mapping[tuple[str, ...], float]


def prometheus_text(counts: MetricCounts, gauges: Gauges, labelled: Mapping[str, LabelledGauge]) -> bytes:
    """The metrics in the Prometheus text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_MetricsCollector(counts, gauges, labelled))
    return generate_latest(registry)


@dataclass(eq=False)
class _MetricsCollector(Collector):
    counts: MetricCounts
    gauges: Gauges
    labelled: Mapping[str, LabelledGauge]

    def collect(self) -> Iterator[Metric]:
        yield self._requests()
        yield self._durations_metric()
        yield _labelled_counter("firm_problems", "Problem responses, by code.", "code", self.counts.problems)
        yield _attempts_metric(self.counts)
        for name, said in TOTALS.items():
            yield CounterMetricFamily(f"firm_{name}", said, value=self.counts.totals[name])
        flying = "Requests in progress."
        yield GaugeMetricFamily("firm_http_requests_in_flight", flying, value=self.counts.in_flight)
        for name, (said, value) in self.gauges.items():
            yield GaugeMetricFamily(f"firm_{name}", said, value=value)
        for name, told in self.labelled.items():
            family = GaugeMetricFamily(f"firm_{name}", told.help_text, labels=told.labels)
            for labels, value in sorted(told.values.items()):
                family.add_metric(labels, value)
            yield family

    def _requests(self) -> Metric:
        labels = ["route", "method", "status"]
        family = CounterMetricFamily("firm_http_requests", "Requests completed.", labels=labels)
        for name, row in sorted(self.counts.requests.items()):
            family.add_metric(name.split(SEPARATOR), row[COUNT])
        return family

    def _durations_metric(self) -> Metric:
        said = "Seconds from the request's head to its response."
        family = HistogramMetricFamily("firm_http_request_duration_seconds", said, labels=["route"])
        by_route: dict[str, list[float]] = {}
        for name, row in sorted(self.counts.requests.items()):
            route = name.split(SEPARATOR)[0]
            by_route[route] = add_rows(by_route.get(route, [0.0] * len(row)), row)
        for route, row in by_route.items():
            family.add_metric([route], _cumulative_buckets(row[FIRST:]), row[SECONDS])
        return family


@dataclass(eq=False)
class AttemptCollector(Collector):
    """Attempt counters of a process that only delivers webhooks, read at scrape time."""

    metrics: Metrics

    def collect(self) -> Iterator[Metric]:
        yield _attempts_metric(self.metrics.counts())


def _attempts_metric(counts: MetricCounts) -> Metric:
    said = "Delivery attempts, by outcome."
    return _labelled_counter("firm_webhook_attempts", said, "outcome", counts.attempts)


def _labelled_counter(name: str, said: str, label: str, values: Mapping[str, float]) -> Metric:
    family = CounterMetricFamily(name, said, labels=[label])
    for labelled, value in sorted(values.items()):
        family.add_metric([labelled], value)
    return family


def _cumulative_buckets(row: list[float]) -> list[tuple[str, float]]:
    """Cumulative histogram buckets: each counts everything up to its bound."""
    buckets, seen = [], 0.0
    for bound, count in zip((*map(str, BOUNDS), "+Inf"), row, strict=True):
        seen += count
        buckets.append((bound, seen))
    return buckets

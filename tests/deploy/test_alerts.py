"""Alert rules: well formed, each driven to firing and kept quiet by what is well.

That their metrics are told is tested beside those (`tests/api/observability/test_data_health.py`).
"""

import json
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

ALERTS = Path(__file__).resolve().parents[2] / "deploy" / "alerts.yml"
RULES: list[dict[str, Any]] = [
    rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]
]
SOURCE = {"market": "NO", "dataset": "no.enheter"}
HERE = {"instance": "a"}
DAY = 24 * 60  # minutes: the step of the series below


@dataclass(frozen=True)
class Case:
    """Series that must raise an alert `at` so many minutes, with these labels, and not yet `before`.

    A series is a name, labels, and values as promtool writes them: `1x60` is 1 for an hour, `0+5x60` rises by 5.
    """

    series: tuple[tuple[str, dict[str, str], str], ...]
    at: int
    labels: dict[str, str] = field(default_factory=dict)
    before: int | None = None


FIRING = {
    "FirmDown": Case((("up", {"job": "firm", **HERE}, "1x5 0x30"),), 9, {"job": "firm", **HERE}, 7),
    "FirmErrors": Case(
        (
            ("firm_http_requests_total", {"status": "2xx"}, "0+100x60"),
            ("firm_http_requests_total", {"status": "5xx"}, "0+3x60"),
        ),
        20,
        before=9,
    ),
    "FirmWorkersDie": Case((("firm_worker_starts_total", HERE, "4x20 5+1x20"),), 26, HERE, 20),
    "FirmDatabaseAway": Case(
        (("firm_database_reachable", HERE, "1x5 0x20"), ("firm_database_reachable", {"instance": "b"}, "1x30")),
        9,
        before=7,
    ),
    "FirmSourceStale": Case(
        (
            ("firm_source_age_seconds", SOURCE | HERE, f"172000+60x{DAY}"),
            ("firm_source_age_seconds", SOURCE | {"instance": "b"}, f"172000+60x{DAY}"),
            ("firm_source_stale_after_seconds", SOURCE | HERE, f"172800x{DAY}"),
        ),
        40,
        SOURCE,
        25,
    ),
    "FirmMarketNotTakenIn": Case(
        (("firm_market_age_seconds", {"market": "NO"}, "172000+60x60"),), 40, {"market": "NO"}, 25
    ),
    "FirmRunFailed": Case((("firm_run_failed", {"market": "NO"}, "0x5 1x5"),), 7, {"market": "NO"}, 4),
    "FirmGuardTripped": Case((("firm_source_held_seconds", SOURCE, "_x5 0+60x5"),), 6, SOURCE, 4),
    "FirmSourceHeldLong": Case((("firm_source_held_seconds", SOURCE, "259100+60x10"),), 4, SOURCE, 1),
    "FirmEventsUnmatched": Case(
        (("firm_webhook_unmatched_events", HERE, "5x30"), ("firm_webhook_led", HERE, "1x5 0x20")), 12, before=9
    ),
    "FirmLedgerBehind": Case(
        (("firm_webhook_events_ahead", HERE, "0x5 20x40"), ("firm_webhook_events_ahead", {"instance": "b"}, "20x60")),
        25,
        before=19,
    ),
    "FirmWebhooksLate": Case((("firm_webhook_lag_seconds", HERE, "200x5 301x20"),), 12, before=9),
    "FirmMailStuck": Case((("firm_mail_oldest_seconds", HERE, "7000+60x30"),), 15, before=12),
    "FirmDiskLow": Case(
        (("firm_disk_free_bytes", HERE, "20x5 14x30"), ("firm_disk_size_bytes", HERE, "100x60")), 22, HERE, 19
    ),
    "FirmDiskFull": Case(
        (("firm_disk_free_bytes", HERE, "20x5 4x30"), ("firm_disk_size_bytes", HERE, "100x60")), 8, HERE, 5
    ),
}
WELL = (
    ("up", {"job": "firm", **HERE}, "1x600"),
    ("up", {"job": "another"}, "0x600"),
    ("firm_http_requests_total", {"status": "2xx"}, "0+100x600"),
    ("firm_http_requests_total", {"status": "5xx"}, "0+1x600"),
    ("firm_worker_starts_total", HERE, "4x600"),
    ("firm_database_reachable", HERE, "1x600"),
    ("firm_source_age_seconds", SOURCE, "0+60x600"),
    ("firm_source_stale_after_seconds", SOURCE, "172800x600"),
    ("firm_source_stale_after_seconds", {"market": "NO", "dataset": "no.never"}, "172800x600"),
    ("firm_market_age_seconds", {"market": "NO"}, "0+60x600"),
    ("firm_run_failed", {"market": "NO"}, "0x600"),
    ("firm_webhook_unmatched_events", HERE, "5x600"),
    ("firm_webhook_events_ahead", HERE, "0x600"),
    ("firm_webhook_events_ahead", {"instance": "b"}, "3x600"),  # it follows late
    ("firm_webhook_led", HERE, "0x600"),
    ("firm_webhook_led", {"instance": "b"}, "1x600"),
    ("firm_webhook_lag_seconds", HERE, "200x600"),
    ("firm_mail_oldest_seconds", HERE, "3600x600"),
    ("firm_disk_free_bytes", HERE, "20x600"),
    ("firm_disk_size_bytes", HERE, "100x600"),
)


def test_every_rule_is_whole_and_has_a_case() -> None:
    assert [rule["alert"] for rule in RULES] == list(FIRING)
    for rule in RULES:
        assert rule.keys() - {"for"} == {"alert", "expr", "labels", "annotations"}
        assert rule["labels"]["severity"] in ("warning", "critical")
        assert rule["annotations"].keys() == {"summary", "action"}, "what it is, and what to do"
        assert re.fullmatch(r"\d+[mh]", rule.get("for", "1m"))


def promtool(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    program = shutil.which("promtool")
    if program is None:
        pytest.skip("promtool is not there (Debian: prometheus)")
    command = [program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_prometheus_reads_the_rules() -> None:
    done = promtool("check", "rules", ALERTS)
    assert done.returncode == 0, done.stdout + done.stderr


def written(name: str, labels: dict[str, str]) -> str:
    return name + "{" + ", ".join(f'{key}="{value}"' for key, value in labels.items()) + "}"


def fires(alert: str, minute: int, labels: dict[str, str] | None) -> dict[str, Any]:
    """What promtool is to find of an alert at a minute; None: nothing."""
    severity = next(rule["labels"]["severity"] for rule in RULES if rule["alert"] == alert)
    own = {"alertname": alert, "alertstate": "firing", "severity": severity}
    found = [] if labels is None else [{"labels": written("ALERTS", own | labels), "value": 1}]
    asked = f'ALERTS{{alertname="{alert}", alertstate="firing"}}'
    return {"expr": asked, "eval_time": f"{minute}m", "exp_samples": found}


def test_each_alert_fires_when_it_should_and_not_before(tmp_path: Path) -> None:
    tests = [
        {
            "name": alert,
            "interval": "1m",
            "input_series": [{"series": written(n, labels), "values": values} for n, labels, values in case.series],
            "promql_expr_test": [
                fires(alert, case.at, case.labels),
                *([] if case.before is None else [fires(alert, case.before, None)]),
            ],
        }
        for alert, case in FIRING.items()
    ]
    well = {
        "name": "all is well",
        "interval": "1m",
        "input_series": [{"series": written(n, labels), "values": values} for n, labels, values in WELL],
        "promql_expr_test": [fires(alert, 540, None) for alert in FIRING],
    }
    path = tmp_path / "cases.yml"
    path.write_text(json.dumps({"rule_files": [str(ALERTS)], "evaluation_interval": "1m", "tests": [*tests, well]}))
    done = promtool("test", "rules", path)
    assert done.returncode == 0, done.stdout + done.stderr

"""The faults that both clients are put through, and what must come of each."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Final

from api.webhooks.egress.signing import make_secret, signature_headers
from tests.sdk.faulty import CutBody, CutStream, Fault, Refusal, Refused

COMPANY: Final = "firm:SE:5599999991"
BEHIND: Final = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)  # what the clock of a service shows that is wrong

SCENARIOS: Final[dict[str, list[Fault]]] = {
    "limited": [Refusal(429, "rate_limited", "7")],
    "unavailable": [Refusal(503, "service_unavailable", "2")],
    "skewed": [
        Refusal(
            503,
            "service_unavailable",
            format_datetime(BEHIND + timedelta(seconds=3), usegmt=True),
            date=format_datetime(BEHIND, usegmt=True),
        )
    ],
    "cut": [CutBody(100), Refused()],
    "lost": [CutBody(10)],
    "unchanged": [],
    "stream": [CutStream(1), Refusal(503, "service_unavailable", "4"), Refused()],
    "exhausted": [Refusal(429, "quota_exceeded", "90000")],
}
ASKED_WAITS: Final = {"limited": 7, "unavailable": 2, "skewed": 3}
"""Seconds that the service asks to wait, by its own clock."""


def deliveries(now: int) -> list[dict[str, Any]]:
    """Deliveries as the service signs them: now, ten minutes ago, and by a clock that is ten minutes ahead."""
    secret, body = make_secret(), '{"event_type":"status.changed","data":{"name":"Ærø"}}'
    return [
        {"body": body, "headers": signature_headers((secret,), "msg_1", now + skew, body.encode()), "secret": secret}
        for skew in (0, -600, 600)
    ]

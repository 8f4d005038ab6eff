"""Texts that name a figure of a setting name the running service's: no other figure of time or number stays."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from api.common.time_spans import exact_span
from api.openapi.setting_words import DEFAULT_SETTINGS, setting_words
from api.openapi_document import openapi_document
from api.problems.problem import BY_SLUG
from api.settings.service import ApiSettings
from api.settings.tiers import DEFAULT, read_tiers
from api.settings.webhooks import WebhookSettings
from tests.tables import check_cases

PUBLIC_URL = "https://api.example.com"
FIGURE = re.compile(
    r"\b\d[\d.]*\s+(?:\w+\s+)?(?:milli)?(?:second|minute|hour|day|week|month|byte|KiB|request|attempt)s?\b"
)
TEXTS = ("description", "summary", "explanation", "fix")
# Figures that no setting governs, by a part of their sentence.
FIXED = (
    "a request repeated with the same key within 24 hours",
    "A request repeated with the same key within 24 hours",
    "At most 10 per minute",
    "Cursors are valid for 7 days",
    "v1 is then supported for at least 12 more months",
    "in the last 30 days are notified by e-mail",
    "a `webhook-timestamp` more than 5 minutes off",
    "At most 32 KiB",
    "At most the first 2 KiB",
    "the latest 100 attempts",
    "send at most 16 requests before reading a response",
    "A comment is sent every 15 seconds",
    "a link that is valid for 15 minutes",
    "links are valid for 15 minutes",
)
CHANGED = ApiSettings(
    key_cache_seconds=47,
    list_wait_seconds=3.5,
    list_seconds=7.5,
    shutdown_seconds=13,
    follow_seconds=9,
    list_concurrency=3,
    serve_workers=5,
    tiers=read_tiers(
        {
            "tiers": {
                name: {"monthly_requests": 777_777, "burst_per_second": 71, "burst_capacity": 713}
                for name in DEFAULT.names
            },
            "clients": {"failed_authentications_per_second": 17, "publishable_key_requests_per_second": 19},
        }
    ),
    webhooks=WebhookSettings(
        waits=(61.0, 420.0, 2_460.0, 10_800.0, 61_200.0),
        ack_seconds=11.5,
        retention_days=43,
        in_flight=257,
        in_flight_per_endpoint=7,
    ),
)


def texts(document: Any) -> Iterator[str]:
    """Every sentence of every text below a value."""
    if isinstance(document, dict):
        for name, value in document.items():
            if name in TEXTS and isinstance(value, str):
                yield from re.split(r"(?<=[.;:])\s+", value)
            elif name not in ("example", "value"):
                yield from texts(value)
    elif isinstance(document, list):
        for value in document:
            yield from texts(value)


def stale(document: Any) -> set[str]:
    """Sentences with a figure that is neither fixed nor one of the changed settings'."""
    words = setting_words(CHANGED).values()
    return {
        text
        for text in texts(document)
        if FIGURE.search(text) and not any(fixed in text for fixed in FIXED) and not any(word in text for word in words)
    }


def test_no_figure_of_the_document_is_of_other_settings():
    document = json.loads(openapi_document(PUBLIC_URL, CHANGED))
    assert stale(document) == set()
    assert "[[" not in document["info"]["description"]
    usual = json.loads(openapi_document(PUBLIC_URL))
    assert {text for text in texts(usual) if "within 10 seconds" in text}, "which is what the defaults say"
    for before in setting_words(DEFAULT_SETTINGS).values():
        saying = [text for text in texts(usual) if before in text and not any(fixed in text for fixed in FIXED)]
        assert saying, before
        assert not set(saying) & set(texts(document)), before


def test_the_served_document_and_problem_pages_are_of_the_service_s_settings(serve, world):
    service = serve(world, webhooks=CHANGED.webhooks, key_cache_seconds=CHANGED.key_cache_seconds)
    served = service.client.get("/api/openapi.json").json()
    description = served["info"]["description"]
    assert "a 2xx within 11.5 seconds: immediately, then" in description
    assert "after 61 seconds, 7 minutes, 41 minutes, 3 hours and 17 hours." in description
    assert "up to 47 seconds." in description
    assert stale(served) == set()
    for slug in BY_SLUG:
        page = service.client.get(f"/problems/{slug}")
        assert "[[" not in page.text
        assert stale(page.json()) == set()
    assert "older than 43 days" in service.client.get("/problems/delivery-not-found").text


@check_cases(
    ("seconds", "words"),
    [
        (0, "0 seconds"),
        (1, "1 second"),
        (0.5, "0.5 seconds"),
        (11.5, "11.5 seconds"),
        (60, "1 minute"),
        (90, "90 seconds"),
        (5_400, "90 minutes"),
        (7_200, "2 hours"),
        (7_201, "7201 seconds"),
        (43_200.0, "12 hours"),
        (604_800, "168 hours"),
        (1_000_001, "1000001 seconds"),
    ],
)
def test_a_span_is_exact(seconds, words):
    assert exact_span(seconds) == words


def test_a_retention_is_said_in_days():
    assert exact_span(86_400, largest="day") == "1 day"
    assert exact_span(30 * 86_400, largest="day") == "30 days"


@pytest.mark.parametrize("command", ["suspend", "revoke"])
def test_help_names_the_setting_instead_of_a_figure(command):
    from firm.commands import accounts

    text = {"suspend": accounts.suspend_account, "revoke": accounts.revoke_key}[command].__doc__
    assert "FIRM_KEY_CACHE_SECONDS" in text

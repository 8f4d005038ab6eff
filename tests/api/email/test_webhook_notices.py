"""What owners are told: everything they need, in plain words, whatever others put into the values."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from api.common.time_spans import format_span
from api.email.webhook_notices import LONGEST_SUBJECT, EndpointFailure, pause_notice, warning_notice
from tests.tables import check_cases

FAILING = EndpointFailure(
    subscription_id="whs_01kaf3w9c8m2v7q4x1z6t5y0r2",
    endpoint_url="https://hooks.example.com/company-events?token=hush",
    delivery_id="dlv_01kaf49n6m7p8q9r0s1t2v3w4x",
    event_id="evt_c4cthsej3686j9zsejemb8n4gb",
    event_type="ownership.changed",
    failing_since=datetime(2026, 11, 20, 4, 12, 21, tzinfo=UTC),
    error="http_status",
    error_detail="Endpoint returned 500.",
    response_status=500,
)


def test_the_pause_mail_says_what_failed_since_when_and_how_to_resume() -> None:
    notice = pause_notice(FAILING, 7, "https://api.example.com")
    assert notice.subject == "Webhook paused: hooks.example.com did not acknowledge"
    for told in (
        "https://hooks.example.com/company-events",
        "First failure:    2026-11-20T04:12:21Z",
        "Last response:    500",
        "Last error:       http_status: Endpoint returned 500.",
        "evt_c4cthsej3686j9zsejemb8n4gb (ownership.changed)",
        "Held deliveries:  7",
        f'PATCH https://api.example.com/api/v1/webhooks/{FAILING.subscription_id}   {{"status": "active"}}',
        f"POST https://api.example.com/api/v1/webhooks/{FAILING.subscription_id}/replays",
        f"GET https://api.example.com/api/v1/webhooks/{FAILING.subscription_id}/deliveries/{FAILING.delivery_id}",
    ):
        assert told in notice.body


def test_the_replay_that_is_proposed_reaches_back_before_the_first_failure() -> None:
    """Deliveries are older than their first attempt; more of them than failed or are held it cannot fetch."""
    assert '{"since": "2026-11-19T04:12:21Z", "statuses": ["failed", "held"]}' in pause_notice(FAILING, 7).body
    assert '   {"statuses": ["failed", "held"]}' in pause_notice(replace(FAILING, failing_since=None), 7).body


def test_the_warning_says_how_long_is_left_and_what_to_do() -> None:
    notice = warning_notice(FAILING, timedelta(hours=12), "https://api.example.com")
    assert notice.subject == "Webhook failing: hooks.example.com, about 12 hours left"
    assert "One retry is left, in about 12 hours." in notice.body
    assert f"/deliveries/{FAILING.delivery_id}/retry" in notice.body
    assert "Held deliveries" not in notice.body


@pytest.mark.parametrize(
    "notice", [pause_notice(FAILING, 0), warning_notice(FAILING, timedelta(hours=12))], ids=["p", "w"]
)
def test_the_query_of_a_url_is_told_to_nobody(notice: object) -> None:
    assert "hush" not in repr(notice)


def test_an_endpoint_that_never_answered_has_no_status() -> None:
    failing = replace(FAILING, error="timeout", error_detail="No 2xx response within 10 s.", response_status=None)
    assert "Last response:    none" in pause_notice(failing, 0).body
    assert "Last error:       timeout: No 2xx response within 10 s." in pause_notice(failing, 0).body


@check_cases(
    "hostile",
    ["a\r\nBcc: all@example.com", "a\n.\nMAIL FROM:<x>", "a\x00b", "a\u2028b", "a\x1b[31mb", "a\udcffb", "a\u202eb"],
    ids=["header", "dot", "nul", "separator", "escape", "surrogate", "direction"],
)
def test_hostile_values_stay_on_their_line(hostile: str) -> None:
    url = f"https://hooks.example.com/{hostile}"
    failing = replace(FAILING, endpoint_url=url, error_detail=hostile, event_id=hostile, error=hostile)
    for honest, notice in (
        (pause_notice(FAILING, 1), pause_notice(failing, 1)),
        (warning_notice(FAILING, timedelta(1)), warning_notice(failing, timedelta(1))),
    ):
        assert len(notice.body.splitlines()) == len(honest.body.splitlines())
        assert (notice.subject + notice.body.replace("\n", "")).isprintable()
        assert notice.body.encode()


def test_long_values_fit() -> None:
    host = ".".join(["a" * 60] * 4)
    path = "b" * 1_500
    failing = replace(FAILING, endpoint_url=f"https://{host}/{path}", error_detail="c" * 5_000)
    notice = pause_notice(failing, 1)
    assert len(notice.subject) <= LONGEST_SUBJECT
    assert path in notice.body, "the owner must recognise the whole of it"
    assert "c" * 501 not in notice.body


@pytest.mark.parametrize("url", ["https://[", "", "https://"], ids=["bracket", "empty", "no-host"])
def test_a_url_that_is_none_is_named_by_its_subscription(url: str) -> None:
    assert FAILING.subscription_id in pause_notice(replace(FAILING, endpoint_url=url), 1).subject


@check_cases(
    ("seconds", "said"),
    [
        (0, "1 second"),
        (1, "1 second"),
        (59, "59 seconds"),
        (60, "1 minute"),
        (75, "75 seconds"),
        (300, "5 minutes"),
        (3_600, "1 hour"),
        (4_800, "80 minutes"),
        (43_200, "12 hours"),
        (46_800, "13 hours"),
        (86_400, "1 day"),
        (604_800, "7 days"),
    ],
)
def test_spans_are_said_as_one_says_them(seconds: int, said: str) -> None:
    assert format_span(timedelta(seconds=seconds)) == said

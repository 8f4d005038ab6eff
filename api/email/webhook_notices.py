"""Texts of the two failure mails to owners, in plain words, with what to do (docs/contract/contract.md 4.8).

Foreign values (a URL, an error's detail) become one printable line each, without the URL's query, which may hold a
secret of the receiver: without a mail server the same text goes to the log. Does not belong here: when a notice is
sent (`api.webhooks.delivery.retry_policy`), the outbox and sending (`api.email.outbox`).
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

from api.common.clock import format_instant
from api.common.time_spans import format_span

LONGEST_SUBJECT: Final = 200
_LONGEST_VALUE: Final = 500
_CUT: Final = "…"
_BEFORE: Final = timedelta(days=1)  # deliveries are older than their first attempt


@dataclass(frozen=True, slots=True)
class OwnerNotice:
    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class EndpointFailure:
    """The latest failed attempt, and since when its endpoint fails."""

    subscription_id: str
    endpoint_url: str
    delivery_id: str
    event_id: str
    event_type: str
    failing_since: datetime | None
    error: str | None
    error_detail: str | None
    response_status: int | None


def pause_notice(failure: EndpointFailure, held_count: int, public_url: str = "") -> OwnerNotice:
    """Notice that a subscription was paused after its last retry; `held_count` deliveries wait for a replay.

    `public_url`: base URL of the service; if empty, only paths are shown.
    """
    address = f"{public_url}/api/v1/webhooks/{failure.subscription_id}"
    return OwnerNotice(
        _single_line(f"Webhook paused: {_endpoint_host(failure)} did not acknowledge", LONGEST_SUBJECT),
        f"Your webhook subscription {failure.subscription_id} is paused. Its endpoint did not acknowledge an\n"
        "event in any attempt, including the last retry. Nothing is sent to it until\n"
        "you resume it; new events are held until then.\n"
        "\n"
        f"{_failure_facts(failure)}"
        f"Held deliveries:  {held_count}\n"
        "\n"
        "To resume, once the endpoint acknowledges again:\n"
        "\n"
        f"1. Send a test:        POST {address}/test\n"
        f'2. Resume:             PATCH {address}   {{"status": "active"}}\n'
        "   New events are delivered from then on; held events stay held.\n"
        f"3. Replay held events: POST {address}/replays   {_replay_body(failure)}\n"
        "   Events keep their ids. They are stored for a limited time: do not wait for weeks.\n"
        "\n"
        f"Requests and responses: GET {address}/deliveries/{failure.delivery_id}\n",
    )


def warning_notice(failure: EndpointFailure, remaining: timedelta, public_url: str = "") -> OwnerNotice:
    """Warning that one retry is left, in `remaining`, and that its failure pauses the subscription."""
    address = f"{public_url}/api/v1/webhooks/{failure.subscription_id}"
    span = format_span(remaining)
    return OwnerNotice(
        _single_line(f"Webhook failing: {_endpoint_host(failure)}, about {span} left", LONGEST_SUBJECT),
        f"The endpoint of your webhook subscription {failure.subscription_id} has not acknowledged an\n"
        f"event. One retry is left, in about {span}. If it also fails, the subscription is paused\n"
        "and its deliveries are held until you resume it.\n"
        "\n"
        f"{_failure_facts(failure)}"
        "\n"
        "What to do: make the endpoint acknowledge in time. Nothing else is needed.\n"
        "\n"
        f"Send a test:           POST {address}/test\n"
        f"Retry this event now:  POST {address}/deliveries/{failure.delivery_id}/retry\n"
        f"Requests and responses: GET {address}/deliveries/{failure.delivery_id}\n",
    )


def _replay_body(failing: EndpointFailure) -> str:
    """Body of a replay of failed and held deliveries, from well before the first failure."""
    since = f'"since": "{format_instant(failing.failing_since - _BEFORE)}", ' if failing.failing_since else ""
    return f'{{{since}"statuses": ["failed", "held"]}}'


def _failure_facts(failing: EndpointFailure) -> str:
    first = format_instant(failing.failing_since) if failing.failing_since else "not known"
    return (
        f"Endpoint:         {_url_without_query(failing.endpoint_url)}\n"
        f"First failure:    {first}\n"
        f"Last response:    {failing.response_status or 'none'}\n"
        f"Last error:       {_error_text(failing)}\n"
        f"Event:            {_single_line(failing.event_id)} ({_single_line(failing.event_type)})\n"
        f"Delivery:         {_single_line(failing.delivery_id)}\n"
    )


def _error_text(failing: EndpointFailure) -> str:
    named = _single_line(failing.error or "not known")
    return f"{named}: {_single_line(failing.error_detail)}" if failing.error_detail else named


def _endpoint_host(failing: EndpointFailure) -> str:
    try:
        return urlsplit(failing.endpoint_url).hostname or failing.subscription_id
    except ValueError:
        return failing.subscription_id


def _url_without_query(url: str) -> str:
    """The URL without its query; otherwise complete, so that the owner recognises it."""
    return _single_line(url.partition("?")[0].partition("#")[0], len(url) + 1)


def _single_line(text: str, longest: int = _LONGEST_VALUE) -> str:
    """One printable line: characters that could start a new line or header become blanks."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return printable if len(printable) <= longest else printable[: longest - 1] + _CUT

"""What an owner is told when an endpoint fails: two texts, in plain words, with what to do.

See docs/contract/contract.md 4.8.

Values of others (a URL, an error's detail) become one printable line each, without the URL's query, which may hold
a secret of the receiver's: the same text goes to the log where there is no mail server. Does not belong here: when
a notice is due (`api.webhooks.schedule`), how it is kept (`api.db.outbox`) or sent (`api.webhooks.mail`).
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlsplit

LONGEST_SUBJECT: Final = 200
_LONGEST_VALUE: Final = 500
_CUT: Final = "…"
_BEFORE: Final = timedelta(days=1)  # deliveries are older than their first attempt
_SPANS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
_LEAST_OF_A_UNIT: Final = 1.5  # 90 minutes are «90 minutes», not «2 hours»


@dataclass(frozen=True, slots=True)
class Notice:
    """A text to an owner."""

    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class Failing:
    """The attempt that failed last, and since when its endpoint fails."""

    subscription_id: str
    endpoint_url: str
    delivery_id: str
    event_id: str
    event_type: str
    failing_since: datetime | None
    error: str | None
    error_detail: str | None
    response_status: int | None


def paused(failing: Failing, held: int, public_url: str = "") -> Notice:
    """The subscription was paused because the last retry failed; `held` deliveries wait for a replay.

    `public_url`: where the service is reached; without it the paths alone are named.
    """
    address = f"{public_url}/api/v1/webhooks/{failing.subscription_id}"
    return Notice(
        _line(f"Webhook paused: {_host(failing)} did not acknowledge", LONGEST_SUBJECT),
        f"Your webhook subscription {failing.subscription_id} is paused. Its endpoint did not acknowledge an\n"
        "event in any of the attempts that were due, the last retry included. Nothing is sent to it until\n"
        "you resume it; what happens meanwhile is held for you.\n"
        "\n"
        f"{_facts(failing)}"
        f"Held deliveries:  {held}\n"
        "\n"
        "How to resume, once the endpoint answers 2xx again:\n"
        "\n"
        f"1. Try it:             POST {address}/test\n"
        f'2. Resume it:          PATCH {address}   {{"status": "active"}}\n'
        "   New events are delivered from then on; held ones stay held.\n"
        f"3. Fetch held ones:    POST {address}/replays   {_replay(failing)}\n"
        "   The same events with the same ids. They are kept for a limited time: do not wait for weeks.\n"
        "\n"
        f"What was sent and answered: GET {address}/deliveries/{failing.delivery_id}\n",
    )


def warning(failing: Failing, left: timedelta, public_url: str = "") -> Notice:
    """One retry is left, after this long: the subscription will be paused if it fails."""
    address = f"{public_url}/api/v1/webhooks/{failing.subscription_id}"
    span = span_of(left)
    return Notice(
        _line(f"Webhook failing: {_host(failing)}, about {span} left", LONGEST_SUBJECT),
        f"The endpoint of your webhook subscription {failing.subscription_id} has not acknowledged an\n"
        f"event so far. One retry is left, in about {span}. If it fails too, the subscription is paused\n"
        "and its deliveries are held until you resume it.\n"
        "\n"
        f"{_facts(failing)}"
        "\n"
        "What to do: make the endpoint answer 2xx in time. Nothing else is needed.\n"
        "\n"
        f"To try it:                  POST {address}/test\n"
        f"To have this event at once: POST {address}/deliveries/{failing.delivery_id}/retry\n"
        f"What was sent and answered: GET {address}/deliveries/{failing.delivery_id}\n",
    )


def span_of(span: timedelta) -> str:
    """A span as one says it: «12 hours», «90 minutes», «1 second»."""
    seconds = max(1.0, span.total_seconds())
    fitting = [(size, unit) for size, unit in _SPANS if seconds >= _LEAST_OF_A_UNIT * size or seconds == size]
    size, unit = fitting[0] if fitting else _SPANS[-1]
    count = round(seconds / size)
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"


def _replay(failing: Failing) -> str:
    """The request that fetches what failed and is held: from well before the first failure, never too much."""
    since = f'"since": "{_instant(failing.failing_since - _BEFORE)}", ' if failing.failing_since else ""
    return f'{{{since}"statuses": ["failed", "held"]}}'


def _facts(failing: Failing) -> str:
    first = _instant(failing.failing_since) if failing.failing_since else "not known"
    return (
        f"Endpoint:         {_shown_url(failing.endpoint_url)}\n"
        f"First failure:    {first}\n"
        f"Last answer:      {failing.response_status or 'none'}\n"
        f"Last error:       {_error(failing)}\n"
        f"Event:            {_line(failing.event_id)} ({_line(failing.event_type)})\n"
        f"Delivery:         {_line(failing.delivery_id)}\n"
    )


def _error(failing: Failing) -> str:
    named = _line(failing.error or "not known")
    return f"{named}: {_line(failing.error_detail)}" if failing.error_detail else named


def _host(failing: Failing) -> str:
    try:
        return urlsplit(failing.endpoint_url).hostname or failing.subscription_id
    except ValueError:
        return failing.subscription_id


def _shown_url(url: str) -> str:
    """Without its query; whole otherwise, because the owner must recognise it."""
    return _line(url.partition("?")[0].partition("#")[0], len(url) + 1)


def _line(text: str, longest: int = _LONGEST_VALUE) -> str:
    """One printable line: what could begin another (or a header) becomes a blank."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return printable if len(printable) <= longest else printable[: longest - 1] + _CUT


def _instant(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

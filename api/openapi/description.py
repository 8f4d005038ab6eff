"""Texts of the OpenAPI document that apply to all operations.

Does not belong here: texts of one operation (`api.companies.openapi`) or of one field (the schemas).
"""

from typing import Final

from warehouse.schema.codes import SERVED
from warehouse.schema.markets import MARKETS

_COUNTS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNTRIES: Final = [MARKETS[code].in_text or MARKETS[code].name for code in SERVED]
SUMMARY: Final = f"Company data of {_COUNTS[len(SERVED)]} countries and its change events."
DESCRIPTION: Final = f"""\
Profiles, financials, ownership and events of companies in {", ".join(_COUNTRIES[:-1])} and {_COUNTRIES[-1]}, \
taken from public registers.

**Values.** Every key is always present; null means unknown, never zero. Amounts of money are in whole units of \
the accompanying currency. Dates are ISO 8601, times are RFC 3339 in UTC.

**Methods.** Every GET operation also supports HEAD, every path supports OPTIONS and returns `Allow`. Unknown, \
repeated and malformed parameters are rejected, never ignored; so are unknown and repeated members of request \
bodies.

**Lists.** Pass `next_cursor` as `cursor` and leave all other parameters except `limit` unchanged; the `Link` \
header also gives the next page. Rows added or removed between two pages cause neither repeated nor skipped \
rows.

**Conditional requests.** Data responses have an `ETag`: send it in `If-None-Match` to get 304 if nothing has \
changed; a 304 is not counted against the quota. Each response comes from one release of the data, named in \
`Firm-Release`.

**Webhooks.** A subscription has an endpoint, event types and companies. Every matching event published after \
its creation is sent to the endpoint until it is acknowledged by a 2xx within 10 seconds: immediately, then \
after 1 minute, 5 minutes, 30 minutes, 2 hours and 12 hours. If the last attempt fails, the subscription is \
paused, its owner is notified by e-mail, and later events are held until a replay. Events may be delivered more \
than once and in any order: deduplicate by `event_id`, order by `sequence`.

**Idempotency.** Every POST accepts an `Idempotency-Key`: a request repeated with the same key within 24 hours \
is executed once and returns the first response. `If-Match` with a subscription's `ETag` prevents lost updates.

**Limits.** Requests are limited by a burst per second and a quota per calendar month (UTC), both per account. \
`RateLimit-Policy`, `RateLimit` and `X-RateLimit-*` on every authenticated response give what remains. Above a \
limit the response is 429 with `Retry-After`.

**Keys.** Keep secret keys (`firm_live_…`, `firm_secret_…`) on servers. Publishable keys (`firm_public_…`) read \
company data from web pages on their domains; only they get CORS headers. Send keys in the Authorization header, \
never in a URL. A revoked key may still work for up to 30 seconds.

**Errors.** `application/problem+json` (RFC 9457). Programs should use `code`; `detail` is meant for people and \
may change. Quote `request_id` to support.

**Versions.** The major version is in the path. The following may be added within v1: operations, optional \
parameters, keys, event types, problem codes, values of enumerations marked `x-extensible-enum`, and higher \
limits. Clients must ignore unknown keys and accept new values of these enumerations. Any other change requires \
a new major version; v1 is then supported for at least 12 more months.

**Deprecation.** Deprecated operations and parameters are marked `deprecated` here and respond with \
`Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a `Link` to an explanation. Accounts that used them in the \
last 30 days are notified by e-mail.\
"""
TAGS: Final = {
    "Companies": "Profiles and search.",
    "Events": "Change events.",
    "Financials": "Annual and quarterly figures.",
    "Ownership": "Owners of companies.",
    "Service": "The API itself: markets, usage and the OpenAPI document.",
    "Webhooks": "Webhook subscriptions, delivery log and payloads.",
}
BEARER: Final = "An API key: `firm_live_…` on servers, `firm_public_…` on web pages."

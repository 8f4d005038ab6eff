"""The words of the document that stand beside its operations: what holds for all of them.

Does not belong here: texts of one operation (`api.operations`) or of one field (the schemas).
"""

from typing import Final

SUMMARY: Final = "Company data of five countries, and what changes in it."
DESCRIPTION: Final = """\
Profiles, financials, ownership and events of companies in the US, Sweden, Norway, Finland and the United Kingdom, \
from their registers.

**Values.** Every key is always there; null means unknown, never zero. Money is in whole units of the currency \
beside it. Dates are ISO 8601, instants RFC 3339 in UTC.

**Methods.** Every GET operation answers HEAD the same without a body, every path OPTIONS with `Allow`. Unknown, \
repeated and malformed parameters are refused, never ignored, and so are unknown and repeated members of bodies.

**Lists.** `next_cursor` goes into `cursor`, with all other parameters but `limit` unchanged; the `Link` header \
names the next page too. Rows that come or go between pages neither repeat nor hide others.

**Conditional requests.** Data has an `ETag`: send it in `If-None-Match`, and an answer that did not change is \
a 304, which is not counted. One answer comes from one release of the data, named in `Firm-Release`.

**Webhooks.** A subscription names an endpoint, event types and companies; every event published after it was \
made is sent there until it is acknowledged by a 2xx within 10 seconds: at once, then after 1 minute, 5 minutes, \
30 minutes, 2 hours and 12 hours. When the last of these fails the subscription pauses, its owner is e-mailed, \
and what follows is held until a replay. Events may come more than once and in any order: deduplicate by \
`event_id`, order by `sequence`.

**Repeating safely.** Every POST takes an `Idempotency-Key`: with one, a request that is repeated within 24 hours \
is done once and answered as the first time. `If-Match` with a subscription's `ETag` keeps two writers apart.

**Limits.** A burst per second and a quota per calendar month (UTC), both per account; `RateLimit-Policy`, \
`RateLimit` and `X-RateLimit-*` tell what remains on every authenticated answer. Over a limit the answer is 429 \
with `Retry-After`.

**Keys.** Secret keys (`firm_live_…`, `firm_secret_…`) stay on servers. Publishable keys (`firm_public_…`) read \
company data from web pages on their domains; only they get CORS headers. Keys go into the Authorization header, \
never into a URL. A revoked key may still be answered for 30 seconds.

**Errors.** `application/problem+json` (RFC 9457). Switch on `code`; `detail` is for people and may change. Quote \
`request_id` to support.

**Versions.** The major version is in the path, under `/api`, which the product has promised; guidelines that want \
neither are not followed in this. Within v1 may come: operations, optional parameters, keys, event types, problem \
codes, values of enumerations marked `x-extensible-enum`, and looser limits. So clients ignore keys they do not \
know and expect new values there. Anything else is a new major version, and v1 then lives for at least 12 months \
beside it.

**Deprecation.** What will go is marked `deprecated` here and answers with `Deprecation` (RFC 9745), `Sunset` \
(RFC 8594) and a `Link` to the explanation; accounts that used it within 30 days get an e-mail.\
"""
TAGS: Final = {
    "Companies": "Profiles and search.",
    "Events": "What changed.",
    "Financials": "Annual and quarterly figures.",
    "Ownership": "Who holds a company.",
    "Service": "The interface itself.",
    "Webhooks": "Subscriptions, the log of their deliveries, and what is sent.",
}
BEARER: Final = "An API key: `firm_live_…` on servers, `firm_public_…` on web pages."

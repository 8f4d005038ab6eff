"""All routes of the API, one module per resource; short handlers, bound to their paths by `api.http.routing`.

Does not belong here: checks before a route (`api.http.access_control`), SQL, or the format of lists
(`api.http.pagination.responses`).
"""

from api.accounts import routes as accounts
from api.billing import routes as billing
from api.companies.routes import events, financials, markets, ownership, profile, search
from api.http.routing import operations_in, to_litestar_handlers
from api.observability import metrics_route
from api.observability import routes as health
from api.openapi import routes as document
from api.webhooks.routes import deliveries, event_types, replays, subscriptions

ROUTES = to_litestar_handlers(
    operations_in(
        *(profile, search, financials, ownership, events, markets),
        *(subscriptions, deliveries, replays, event_types),
        *(accounts, document, health, metrics_route, billing),
    )
)

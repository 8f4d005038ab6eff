"""All routes of the API, one module per resource; short handlers, bound to their paths by `api.http.routing`.

Does not belong here: checks before a route (`api.http.access_control`), SQL, or the format of lists
(`api.http.pagination.responses`).
"""

from api.accounts import routes as accounts
from api.billing import routes as billing
from api.companies.routes import company_lists, markets, profile, search
from api.http.routing import operations_in, to_litestar_handlers
from api.observability import routes as health
from api.openapi import routes as document
from api.webhooks.routes import deliveries, event_types, subscriptions

ROUTES = to_litestar_handlers(
    operations_in(
        *(profile, search, company_lists, markets),
        *(subscriptions, deliveries, event_types),
        *(accounts, document, health, billing),
    )
)

"""All routes of the API, one module per resource; short handlers with what the OpenAPI document says of them.

Does not belong here: checks before a route (`api.http.routing`), SQL, or the format of lists
(`api.http.pagination.responses`).
"""

from api.accounts import routes as accounts
from api.agents import routes as agents
from api.billing import routes as billing
from api.companies.routes import company_lists, markets, profile, search
from api.events.routes import event_list, event_stream
from api.exports import routes as exports
from api.http.routing import handlers_in
from api.lookups import routes as lookups
from api.observability import routes as health
from api.openapi import routes as document
from api.reconcile import routes as reconcile
from api.watchlists import routes as watchlists
from api.webhooks.routes import deliveries, event_types, subscriptions

ROUTES = (
    *handlers_in(profile, search, tag="Companies"),
    *handlers_in(lookups, tag="Lookups"),
    *handlers_in(reconcile, tag="Reconciliation"),
    *handlers_in(company_lists, tag="Ownership"),
    *handlers_in(event_list, event_stream, tag="Events"),
    *handlers_in(markets, tag="Service"),
    *handlers_in(exports, tag="Exports"),
    *handlers_in(watchlists, tag="Watchlists"),
    *handlers_in(subscriptions, deliveries, event_types, tag="Webhooks"),
    *handlers_in(accounts, document, health, billing, agents, tag="Service"),
)

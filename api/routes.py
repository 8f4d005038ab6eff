"""The routes, one module per resource; short handlers, bound to their paths by `api.http.routing`.

Does not belong here: checks before a route (`api.http.access_control`), SQL, or the format of lists
(`api.http.pagination.responses`).
"""

from api.accounts.routes import get_usage
from api.billing.routes import receive_stripe_event
from api.companies.routes.events import list_company_events, list_events
from api.companies.routes.financials import list_financials
from api.companies.routes.markets import list_markets
from api.companies.routes.ownership import list_ownership
from api.companies.routes.profile import get_company, get_company_in_market
from api.companies.routes.search import search_companies
from api.http.routing import to_litestar_handlers
from api.observability.metrics_route import get_metrics
from api.observability.routes import get_openapi, get_problem, healthz, readyz
from api.webhooks.routes.deliveries import (
    get_webhook_delivery,
    list_webhook_deliveries,
    retry_webhook_delivery,
)
from api.webhooks.routes.event_types import list_event_types
from api.webhooks.routes.replays import create_webhook_replay, get_webhook_replay
from api.webhooks.routes.subscriptions import (
    create_webhook,
    delete_webhook,
    get_webhook,
    list_webhooks,
    rotate_webhook_secret,
    test_webhook,
    update_webhook,
)

ROUTES = to_litestar_handlers(
    (
        get_company,
        get_company_in_market,
        search_companies,
        list_financials,
        list_ownership,
        list_company_events,
        list_events,
        list_markets,
        create_webhook,
        list_webhooks,
        get_webhook,
        update_webhook,
        delete_webhook,
        rotate_webhook_secret,
        test_webhook,
        list_webhook_deliveries,
        get_webhook_delivery,
        retry_webhook_delivery,
        create_webhook_replay,
        get_webhook_replay,
        list_event_types,
        get_usage,
        get_openapi,
        get_problem,
        healthz,
        readyz,
        get_metrics,
        receive_stripe_event,
    )
)

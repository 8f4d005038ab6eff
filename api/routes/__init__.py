"""The routes, one module per resource; short handlers, bound to their paths by `api.endpoints`.

Does not belong here: checks before a route (`api.admission`), SQL, or the format of lists (`api.pages`).
"""

from api.endpoints import bound
from api.routes.billing import receive_stripe_event
from api.routes.companies import get_company, get_company_in_market
from api.routes.deliveries import (
    get_webhook_delivery,
    list_webhook_deliveries,
    retry_webhook_delivery,
)
from api.routes.event_types import list_event_types
from api.routes.events import list_company_events, list_events
from api.routes.financials import list_financials
from api.routes.markets import list_markets
from api.routes.metrics import get_metrics
from api.routes.ownership import list_ownership
from api.routes.replays import create_webhook_replay, get_webhook_replay
from api.routes.search import search_companies
from api.routes.system import get_openapi, get_problem, healthz, readyz
from api.routes.usage import get_usage
from api.routes.webhooks import (
    create_webhook,
    delete_webhook,
    get_webhook,
    list_webhooks,
    rotate_webhook_secret,
    test_webhook,
    update_webhook,
)

ROUTES = bound(
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

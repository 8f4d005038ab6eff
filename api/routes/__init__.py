"""The routes, one module per resource; handlers of a few lines, bound to their paths by `api.endpoints`.

Does not belong here: checks before a route (`api.admission`), SQL, or the form of lists (`api.pages`).
"""

from api.routes.companies import get_company, get_company_in_market
from api.routes.events import list_company_events, list_events
from api.routes.financials import list_financials
from api.routes.markets import list_markets
from api.routes.metrics import get_metrics
from api.routes.ownership import list_ownership
from api.routes.search import search_companies
from api.routes.system import get_openapi, get_problem, healthz, readyz
from api.routes.usage import get_usage

ROUTES = (
    get_company,
    get_company_in_market,
    search_companies,
    list_financials,
    list_ownership,
    list_company_events,
    list_events,
    list_markets,
    get_usage,
    get_openapi,
    get_problem,
    healthz,
    readyz,
    get_metrics,
)

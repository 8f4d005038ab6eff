"""The pages, one module per subject; short handlers, before which runs what is in `api.dashboard.routing`.

Does not belong here: sessions (`api.dashboard.sessions`), or templates (`api.dashboard.templating`).
"""

from api.dashboard.pages import (
    api_keys,
    assets,
    companies,
    company_data,
    company_tables,
    explorer,
    exports,
    operator,
    plan,
    public_companies,
    sign_in,
    usage,
    watchlists,
    webhooks,
)
from api.http.routing import handlers_in

PAGES = handlers_in(
    usage,
    companies,
    company_data,
    company_tables,
    public_companies,
    plan,
    sign_in,
    api_keys,
    webhooks,
    watchlists,
    exports,
    explorer,
    operator,
    assets,
)

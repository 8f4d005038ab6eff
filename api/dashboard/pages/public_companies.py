"""Pages of companies for everybody, as of the demo: read with one publishable key, which stands in the page.

There are none without the setting `public_companies_key`. Such a key is no secret, reads company data alone, and has a
limit for each visitor (docs/contract/keys-and-limits.md 3.2). Does not belong here: the pages of who is signed in
(`api.dashboard.pages.companies`).
"""

from dataclasses import replace

from litestar import get

from api.companies.path_parameters import CompanyId
from api.dashboard.pages.companies import requested_company, requested_day
from api.dashboard.routing import PUBLIC_COMPONENTS, CurrentPage
from api.http.responses import HttpResponse
from api.problems.problem import not_found_problem


@get("/companies/{company_id:str}", access=PUBLIC_COMPONENTS)
async def show_public_company(page: CurrentPage, company_id: CompanyId) -> HttpResponse:
    service = page.services
    if not service.settings.public_companies_key:
        raise not_found_problem(page.context.path)
    # no form stands on it, so no cookie is needed
    page = replace(page, is_new_browser=False)
    return page.render(
        "public_company.html",
        head=requested_company(page, company_id),
        key=service.settings.public_companies_key,
        day=requested_day(page),
        today=service.clock.today(),
    )

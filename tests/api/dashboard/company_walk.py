"""A customer's walk to a company and its events, by keyboard alone, with scripts; and what its page shows.

Belongs here: the steps. Does not belong here: what must hold of the pages (`test_browser`).
"""

from typing import Any

from tests.api.dashboard.dashboard_scene import OWNER, Customer
from tests.browsing import Tab
from tests.firm.hooked import until

COMPANIES = "/dashboard/companies"
READ = ("", "/financials?period_type=annual&years=5", "/ownership", "/group", "/filings?limit=10", "/events?limit=10")
FIGURES = ("revenue", "operating_result", "net_result", "equity", "total_assets", "employees")


def watch_by_keyboard(customer: Customer, tab: Tab, company_id: str) -> None:
    """From the front page to a subscription to a watched company."""
    _sign_in(customer, tab)
    _find(customer, tab, company_id.rpartition(":")[2])
    _see_company(customer, tab, company_id)
    tab.reach("summary", "Watch")
    tab.key("Enter")
    tab.reach("button", "Watch")
    tab.enter()
    customer.see("company-watched", tab)
    _copy(customer, tab)
    tab.open(f"{customer.seen.base}{COMPANIES}/{company_id}")
    _subscribe(customer, tab)


def _sign_in(customer: Customer, tab: Tab) -> None:
    tab.open(f"{customer.seen.base}/")
    tab.reach("link", "Sign in")
    tab.enter()
    tab.reach("textbox", "E-mail address")
    tab.write(OWNER)
    tab.reach("button", "Send me a link")
    tab.open(customer.link(tab.enter))
    tab.reach("button", "Sign in")
    tab.enter()


def _find(customer: Customer, tab: Tab, number: str) -> None:
    """Typed, chosen from what is suggested, opened."""
    tab.reach("link", "Companies")
    tab.enter()
    tab.settle("#company-search input[role=combobox]")
    customer.look("companies", tab)
    tab.reach("combobox", "Find a company")
    tab.write(number)
    tab.settle("[role=option]")
    customer.see("companies-suggested", tab)
    tab.key("ArrowDown")
    tab.enter()
    customer.seen.facts["company_address"] = tab.address()
    tab.settle("#company section")


def _copy(customer: Customer, tab: Tab) -> None:
    tab.reach("summary", "Copy as curl")
    tab.key("Enter")
    tab.reach("button", "Copy curl")
    tab.key("Enter")
    told = ".copy + span:not(:empty)"
    tab.settle(told)
    customer.seen.facts["company_copied"] = tab.text(told)


def _subscribe(customer: Customer, tab: Tab) -> None:
    tab.reach("summary", "Notify me")
    tab.key("Enter")
    tab.reach("textbox", "Endpoint")
    tab.write(f"{customer.receiver.url}/company")
    tab.reach("button", "Subscribe")
    tab.enter()
    customer.see("company-subscribed", tab)
    tab.reach("link", "I have copied it")
    tab.enter()
    customer.seen.facts["company_subscription"] = tab.address()


def read_delivery_by_keyboard(customer: Customer, tab: Tab) -> None:
    """Once the company has filed: from the subscription to what was delivered."""
    address = customer.seen.facts["company_subscription"].partition("?")[0]

    def is_delivered() -> bool:
        tab.open(f"{address}?status=succeeded")
        return "filing.added" in tab.text()

    until(is_delivered, "nothing was delivered for the watched company")
    tab.reach("link", "filing.added")
    tab.enter()
    customer.see("company-delivered", tab)


def _see_company(customer: Customer, tab: Tab, company_id: str) -> None:
    facts, seen = customer.seen.facts, customer.seen
    facts["company"] = _shown(tab)
    facts["company_api"] = {path: _answer(customer, company_id + path) for path in READ}
    customer.look("company", tab)
    facts["company_print"] = tab.print("company")
    tab.reach("button", "Source of: Status")
    facts["company_source"] = tab.text("[role=tooltip]")
    tab.key("Escape")
    tab.open(f"{seen.base}{COMPANIES}/{company_id}?as_of={facts['company_day']}")
    tab.settle("#company section")
    customer.look("company-past", tab)
    facts["company_past"] = _shown(tab)
    past = f"{company_id}/filings?limit=10&to={facts['company_day']}"
    facts["company_past_filings"] = [one["filing_id"] for one in _answer(customer, past)["data"]]
    tab.open(f"{seen.base}{COMPANIES}/{company_id}")
    tab.settle("#company section")


def search_without_scripts(customer: Customer, company_id: str) -> None:
    """The form of the search, and a page without its components; watching and no longer watching by forms alone."""
    tab, number = customer.tab, company_id.rpartition(":")[2]
    customer.open(COMPANIES)
    tab.fill("Find a company", number)
    tab.press("Search")
    customer.look("companies-found")
    customer.open(f"{COMPANIES}/{company_id}")
    customer.look("company-bare")
    tab.unfold("CSV")
    customer.seen.facts["company_csv"] = tab.attributes(".tools a[download]", "href")


def _shown(tab: Tab) -> dict[str, Any]:
    return {
        "figures": {
            name: tab.attributes(f".firmdata-financials [data-figure={name}] data", "value") for name in FIGURES
        },
        "bars": tab.attributes("[data-bar]", "data-value"),
        "holders": tab.attributes("[data-holder]", "data-holder"),
        "children": tab.attributes("[data-child]", "data-child"),
        "filings": tab.attributes("[data-filing]", "data-filing"),
        "events": tab.attributes(".firmdata-changes [data-event]", "data-event"),
        "failures": tab.attributes("[data-code]", "data-code"),
    }


def _answer(customer: Customer, below: str) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {customer.seen.facts['key']}"}
    answer = customer.client.get(f"/api/v1/companies/{below}", headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()

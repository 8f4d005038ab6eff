"""One customer's way through the dashboard in a Chromium, and what was seen on it.

Belongs here: the steps. Does not belong here: what stands around them (`dashboard_scene`), what must hold of the pages
(`test_browser`).
"""

import json
import time
from dataclasses import asdict
from pathlib import Path

from sandbox import sufficient_companies, write_days
from tests.api.billing.stripe_server import FakeStripe, Listening
from tests.api.dashboard.company_walk import read_delivery_by_keyboard, search_without_scripts, watch_by_keyboard
from tests.api.dashboard.dashboard_scene import OWNER, Customer, Seen, endpoint, settings
from tests.api.fixtures.mail_server import PostOffice
from tests.browsing import Tab, browsing, keep_screenshots
from tests.firm.hooked import Hooked, until
from tests.firm.inside import Told, planned
from tests.hostile import HostileWorld

MARKETS = ("FI",)  # one market has every kind of event, and little to load
DAYS = 2
LABEL = "made by keyboard"
WEBHOOKS = "/dashboard/webhooks"


def make_tour(office: PostOffice, into: Path) -> None:
    """Fills a folder with seen.json and, where they are kept, two screenshots of every page."""
    stripe = FakeStripe(time.time)
    with Listening(stripe) as address:
        _tour(Hooked(into / "data", settings(office, address)), office, stripe, into)
    keep_screenshots(into, "dashboard")


def _tour(firm: Hooked, office: PostOffice, stripe: FakeStripe, into: Path) -> None:
    world = HostileWorld(every=1, seed=23, companies=sufficient_companies(DAYS, MARKETS), days=DAYS, markets=MARKETS)
    days = write_days(world, into / "days")
    truth = json.loads((into / "days" / "truth.json").read_text(encoding="utf-8"))
    firm.ingest(days[0], "fi")
    with firm.serving() as client, endpoint() as receiver, browsing(into) as browser:
        seen = Seen(str(client.base_url).rstrip("/"))
        tour = Tour(firm, office, stripe, receiver, client, seen, browser.tab(scripts=False), days[1])
        tour.sign_up_by_keyboard()
        tour.choose_a_plan()
        tour.use_the_key()
        tour.watch()
        walker = browser.tab()
        tour.find_a_company(walker, truth)
        tour.subscribe()
        tour.receive()
        read_delivery_by_keyboard(tour, walker)
        tour.resume_and_replay()
        tour.second_browser(browser.tab())
        tour.replace_and_delete()
        tour.refused()
        seen.visited += tour.tab.visited() + walker.visited()
    (into / "seen.json").write_text(json.dumps(asdict(seen)))


class Tour(Customer):
    """One customer, from nothing to the end."""

    def sign_up_by_keyboard(self) -> None:
        """No pointer and no script from the first page to the first key."""
        tab = self.tab
        self.open("/dashboard")
        self.look("sign-in")
        tab.reach("textbox", "E-mail address")
        tab.write(OWNER)
        tab.reach("button", "Send me a link")
        link = self.link(tab.enter)
        self.look("sent")
        tab.open(link)
        self.look("link")
        tab.reach("button", "Sign in")
        tab.enter()
        self.see("usage-new")
        tab.reach("link", "Keys")
        tab.enter()
        self.look("keys-none")
        tab.reach("textbox", "Label")
        tab.write(LABEL)
        tab.reach("button", "Create key")
        tab.enter()
        self.look("key-made")
        self.seen.facts["key"] = tab.value("Key")
        tab.open(link)
        self.look("link-spent")

    def choose_a_plan(self) -> None:
        """A trial begun at Stripe, which the browser never reaches, and cancelled there."""
        tab, stripe = self.tab, self.stripe
        self.seen.facts["before"] = self.ask()
        self.open(WEBHOOKS)
        self.look("webhooks-no-tier")
        tab.follow("Plan")
        self.look("plan-none")
        tab.press("Try Pro")
        self.look("leaving")
        (session,) = stripe.sessions.values()
        stripe.complete(session["url"])
        self.open("/dashboard/plan?from=checkout")
        self.look("plan-begun")
        tab.press("Card, tier and invoices at Stripe")
        self.open("/dashboard/plan")
        tab.press("Cancel the trial")
        stripe.cancel_in_portal(list(stripe.portals)[-1])
        self.open("/dashboard/plan?from=portal")
        self.see("plan-cancelled")

    def use_the_key(self) -> None:
        """The key works once there is a plan, and what it asked stands on the page of usage."""
        self.seen.facts["answers"] = [self.ask() for _ in range(3)]

        def counted() -> bool:
            self.open("/dashboard")
            return "3 of " in self.tab.text()

        until(counted, "the page of usage does not tell of 3 requests")
        self.look("usage")
        self.open("/dashboard/keys")
        self.tab.check("Publishable")
        self.tab.fill("Domains", "not a domain")
        self.tab.press("Create key")
        self.look("keys-refused")
        self.tab.fill("Domains", "shop.example.com\n*.example.org")
        self.tab.fill("Label", "shop")
        self.tab.press("Create key")
        self.see("key-made-public")
        self.tab.follow("I have copied it")
        self.look("keys")

    def watch(self) -> None:
        """A list is made, filled, emptied by one, renamed and deleted."""
        tab = self.tab
        tab.follow("Watchlists")
        self.look("watchlists-none")
        tab.fill("Name", "Suppliers")
        tab.press("Create watchlist")
        self.see("watchlist-new")
        tab.fill("Companies", "12ab")
        tab.press("Add")
        self.look("watchlist-refused")
        tab.fill("Companies", "firm:NO:900000000\nfirm:NO:900000001")
        tab.press("Add")
        tab.press("Remove")
        self.look("watchlist")
        tab.unfold("Rename")
        tab.fill("Name", "Customers")
        tab.press("Rename")
        self.open("/dashboard/watchlists")
        self.look("watchlists")
        tab.follow("Customers")
        tab.unfold("Delete")
        tab.press("Delete permanently")
        self.see("watchlists-deleted")
        tab.follow("Exports")
        self.look("exports-no-tier")

    def find_a_company(self, other: Tab, truth: Told) -> None:
        """A company that files on the next day, watched and subscribed to in a browser with scripts."""
        filed = next(event for event in planned(truth, 1).values() if event["event_type"] == "filing.added")
        company = filed["data"]["company_id"]
        self.seen.facts |= {"company_id": company, "company_day": truth["days"][0]}
        watch_by_keyboard(self, other, company)
        search_without_scripts(self, company)
        self.open("/dashboard")

    def subscribe(self) -> None:
        tab = self.tab
        tab.follow("Webhooks")
        self.look("webhooks-none")
        tab.fill("Endpoint", "https://10.0.0.1/hook")
        tab.check("filing.added")
        tab.press("Subscribe")
        self.look("webhooks-refused")
        self.seen.facts["secret"] = self._subscribed("for everybody")
        self.look("secret")
        tab.follow("I have copied it")
        self.seen.facts["page"] = tab.address()
        self.look("webhook-new")
        tab.follow("Change destination")
        tab.unfold("Filters")
        self.look("webhook-edit")
        tab.fill("Description", "for everybody in here")
        tab.press("Save")
        self.see("webhook-changed")
        self.seen.facts["waiting"] = self._waiting()
        self.open(WEBHOOKS)
        self.look("webhooks")

    def _waiting(self) -> str:
        """A second subscription, paused before anything happens; its page."""
        self.open(WEBHOOKS)
        self._subscribed("paused for a while")
        self.tab.follow("I have copied it")
        self.tab.press("Pause")
        self.look("webhook-paused")
        return self.tab.address().partition("?")[0]

    def _subscribed(self, description: str) -> str:
        tab = self.tab
        tab.fill("Endpoint", self.receiver.url)
        for kind in ("filing.added", "ownership.changed", "status.changed"):
            tab.check(kind)
        tab.fill("Description", description)
        tab.press("Subscribe")
        return tab.value("Secret")

    def receive(self) -> None:
        """A test, then a day of change: every delivery fails once, is repeated, and can be read."""
        tab, page = self.tab, self.seen.facts["page"]
        tab.open(page)
        tab.unfold("Send a test")
        tab.press("Send now")
        tab.unfold("Response body")
        tab.unfold("Response headers")
        self.look("tested")
        self.firm.ingest(self.next_day, "fi")

        def delivered() -> bool:
            tab.open(f"{page}?status=succeeded")
            return "filing.added" in tab.text("table") if "No deliveries." not in tab.text() else False

        until(delivered, "nothing was delivered")
        tab.open(page)
        self.look("webhook")
        tab.picture("webhook-window")
        tab.open(f"{page}?status=succeeded")
        tab.follow("filing.added")
        tab.unfold("Response body")
        self.look("delivery")
        self.seen.facts["deliveries"] = dict(self.receiver.got)
        tab.press("Retry now")
        self.see("delivery-retried")
        tab.follow("Operator")
        self.look("operator")
        tab.picture("operator-window")

    def resume_and_replay(self) -> None:
        tab = self.tab
        tab.open(self.seen.facts["waiting"])
        self.look("webhook-held")
        tab.press("Resume")
        self.see("webhook-resumed")
        tab.unfold("Redeliver failed or held events")
        tab.press("Redeliver")
        self.see("replay")

        def complete() -> bool:
            tab.open(tab.address())
            return "Completed" in tab.text()

        until(complete, "the replay does not end")
        self.look("replay-complete")

    def replace_and_delete(self) -> None:
        tab = self.tab
        tab.open(self.seen.facts["page"])
        tab.unfold("Rotate the signing secret")
        tab.choose("The previous secret stays valid", "1")
        tab.press("Rotate the signing secret")
        self.see("secret-replaced")
        self.seen.facts["secret_after"] = tab.value("Secret")
        tab.follow("I have copied it")
        tab.unfold("Delete")
        tab.press("Delete permanently")
        self.see("webhook-deleted")
        self.open("/dashboard/keys")
        tab.unfold("revoke")
        tab.press("Revoke permanently")
        self.look("keys-revoked")

    def second_browser(self, other: Tab) -> None:
        """Signed in twice; each can sign the other out, and itself. Scripts are on, as in most browsers."""
        self._sign_in(other)
        self._attack(other)
        self._hostile_pages(other)
        self._explore(other)
        self.open("/dashboard/sessions")
        self.look("sessions")
        self.tab.press("Sign out the browser")
        self._sign_in(other)
        self.open("/dashboard/sessions")
        self.tab.press("Sign out all other browsers")
        self._sign_in(other)
        other.press("Sign out")
        self.seen.facts["signed_out"] = other.address()
        self.seen.visited += other.visited()

    def _attack(self, tab: Tab) -> None:
        """Another page of the same site frames the keys and sends their form; then the keys are looked at."""
        self.receiver.attacked = self.seen.base
        tab.open(self.receiver.url)
        self.seen.facts |= {"framed": tab.frames(), "stopped": tab.broken()}
        tab.press("Win")
        self.see("forged", tab)
        tab.open(f"{self.seen.base}/dashboard/keys")
        self.see("keys-after-attack", tab)

    def _hostile_pages(self, tab: Tab) -> None:
        """What companies and endpoints wrote, where scripts would run."""
        tab.open(self.seen.facts["waiting"])
        tab.follow("filing.added")
        self.see("delivery-scripts", tab)
        tab.open(self.seen.facts["waiting"])
        tab.unfold("Send a test")
        tab.press("Send now")
        tab.unfold("Response body")
        self.see("tested-scripts", tab)

    def _explore(self, tab: Tab) -> None:
        """A profile asked for by a form, whose answer holds a hostile name."""
        tab.follow("Explorer")
        self.look("explorer", tab)
        tab.follow("Get a company profile")
        self.see("operation", tab)
        found = self.client.get("/api/v1/companies?limit=1").json()["data"][0]
        tab.fill("Key", self.seen.facts["key"])
        tab.fill("org_number", found["org_number"])
        tab.press("Send")
        self.look("operation-answer", tab)

    def _sign_in(self, tab: Tab) -> None:
        tab.open(f"{self.seen.base}/dashboard/sign-in")
        tab.fill("E-mail address", OWNER)
        tab.open(self.link(lambda: tab.press("Send me a link")))
        tab.press("Sign in")

    def refused(self) -> None:
        self.open("/companies/firm:FI:5000008-4")
        self.look("company-of-nobody")
        self.open(f"{WEBHOOKS}/whs_{'0' * 26}")
        self.look("not-there")
        self.operator("accounts", "suspend", OWNER)
        self.open("/dashboard")
        self.look("suspended")

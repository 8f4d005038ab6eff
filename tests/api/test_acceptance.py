"""The acceptance names of the contract: those that need a world of their own, and where all of them stand.

See docs/contract/contract.md 4.16 «API».
"""

import itertools
import random
import re
from datetime import date, timedelta
from pathlib import Path

import pytest

from api.settings.tiers import DEFAULT
from warehouse.reader.reader import NoReleaseError, ReleaseReader

ROOT = Path(__file__).resolve().parents[2]
CONTRACT = ROOT / "docs" / "contract" / "contract.md"
ROWS = 10_000
SORTS = {
    "relevance": "q=selskap",
    "relevance, filtered": "q=selskap&status=active,dormant",
    "id": "sort=id",
    "name": "sort=name",
    "name, asked": "q=selskap&sort=name",
    "-latest_revenue": "sort=-latest_revenue",
    "-registered_date": "sort=-registered_date",
    "filtered": "country=NO&employees_min=0",
}

# Contract's name -> tests of that promise, anywhere in this folder
ACCEPTANCE = {
    "14 exact profile keys": ("test_exactly_14_profile_keys",),
    "same shape in five markets": ("test_same_shape_in_five_markets",),
    "id/number/scoped equality incl. ETag": (
        "test_id_number_scoped_equality_including_etag",
        "test_scoped_path_is_the_same_answer",
    ),
    "304 free": ("test_304_is_free",),
    "HEAD equals GET": ("test_head_equals_get",),
    "cursor tamper/mismatch/expiry": ("test_cursor_tamper", "test_cursor_mismatch", "test_cursor_expiry"),
    "page stability under insert and delete": ("test_page_stability_under_insert_and_delete",),
    "no duplicates or gaps over 10 000 rows": ("test_no_duplicates_or_gaps_over_10000_rows",),
    "ascending tail resumes": ("test_ascending_tail_resumes",),
    "unknown/duplicate parameter": ("test_unknown_and_duplicate_parameter",),
    "currency rule": ("test_currency_rule",),
    "DK": ("test_dk",),
    "events of all companies": ("test_pages_are_the_ledger", "test_tiers_that_read_all_events"),
    "every problem example produced at least once": ("test_every_problem_example_produced_at_least_once",),
    "rate headers everywhere": ("test_rate_headers_everywhere_after_authentication",),
    "burst and month 429": ("test_burst_429", "test_month_429"),
    "quota not spent by 304/429/5xx": ("test_quota_not_spent_by_304_429_5xx",),
    "publishable key origin matrix": ("test_publishable_key_origin_matrix",),
    "preflight": ("test_preflight",),
    "secret key no CORS": ("test_a_secret_key_is_never_read_by_a_page",),
}


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


def company_number(index):
    return 800_000_000 + index


def one(made, index):
    """A company whose sort values are shared by many, or missing."""
    chance = random.Random(index)
    return made.company(
        f"firm:NO:{company_number(index)}",
        f"{chance.choice(['Selskap', 'Nord Selskap', 'SELSKAPET', 'Ås Selskap'])} {index % 500} AS",
        status=chance.choice(["active", "active", "dormant", "dissolved"]),
        employees=chance.choice([None, 0, 7, 7, 300]),
        registered_date=chance.choice([None, date(1990, 1, 1) + timedelta(days=index % 90)]),
        is_listed=index % 97 == 0,
    )


def revenue(made, index):
    amount = random.Random(-index).choice([None, None, 0, 5, index % 40])
    row = made.period(f"firm:NO:{company_number(index)}", 2024, revenue=amount, currency="NOK")
    return row | {"is_consolidated": False}


def published(made, indexes, gone=()):
    made.publish(
        [one(made, index) for index in indexes],
        periods=[revenue(made, index) for index in indexes],
        gone=[f"firm:NO:{company_number(index)}" for index in gone],
    )


@pytest.fixture(scope="module")
def ten_thousand(new_world):
    """Companies with even numbers; odd ones come and go. A released world of its own for each test that changes it."""
    made = new_world()
    published(made, range(0, 2 * ROWS, 2))
    return made


class Walk:
    """One reader of one list, page after page."""

    def __init__(self, service, query):
        self.service, self.query = service, query
        self.ids, self.done, self.cursor, self.releases = [], False, "", set()

    def step(self):
        answer = self.service.get(f"/api/v1/companies?{self.query}&limit=100&fields=id{self.cursor}")
        assert answer.status_code == 200, answer.text
        body = answer.json()
        self.releases.add(answer.headers["firm-release"])
        self.ids += [row["id"] for row in body["data"]]
        self.done = not body["has_more"]
        assert body["data"] or self.done
        self.cursor = f"&cursor={body['next_cursor']}"


def expected_count(name):
    chosen = [one(Made, index) for index in range(0, 2 * ROWS, 2)]
    if name == "relevance, filtered":
        return sum(row["status"] != "dissolved" for row in chosen)
    if name == "filtered":
        return sum(row["employees"] is not None for row in chosen)
    return ROWS


class Made:
    """Rows without a world."""

    @staticmethod
    def company(company_id, name, **more):
        return {"company_id": company_id, "name": name} | more


@pytest.mark.slow
@pytest.mark.parametrize("sort", SORTS)
def test_no_duplicates_or_gaps_over_10000_rows(serve, ten_thousand, sort):
    walk = Walk(serve(ten_thousand.world), SORTS[sort])
    while not walk.done:
        walk.step()
    assert len(walk.ids) == expected_count(sort)
    assert len(set(walk.ids)) == len(walk.ids), "a company came twice"


@pytest.mark.slow
def test_page_stability_under_insert_and_delete(serve, ten_thousand):
    """Every sort is read on while releases bring and take companies: no other is repeated or missed."""
    made = ten_thousand
    service = serve(made.world, ReleaseReader(made.world.layout, monotonic=itertools.count().__next__, seconds=1e9))
    walks = {sort: Walk(service, query) for sort, query in SORTS.items()}
    chance, there = random.Random(11), []
    for round_ in itertools.count():
        for walk in walks.values():
            if not walk.done:
                walk.step()
        if all(walk.done for walk in walks.values()):
            break
        if round_ % 12 == 0:
            come = [2 * index + 1 for index in chance.sample(range(ROWS), 30)]
            go, there = there, come
            published(made, come, gone=[index for index in go if index not in come])
    staying = {f"firm:NO:{company_number(index)}" for index in range(0, 2 * ROWS, 2)}
    for sort, walk in walks.items():
        assert len(walk.releases) > 5, sort
        assert len(set(walk.ids)) == len(walk.ids), f"{sort}: a company came twice"
        assert len(staying & set(walk.ids)) == expected_count(sort), f"{sort}: a company that stayed was missed"


def test_same_shape_in_five_markets(service):
    """Same keys in the same order, and of the same kinds where they are known, whatever the market."""
    numbers = ("5599999991", "999999999", "9999999-2", "99999999", "US9999999999")
    everything = "?include=detail,identifiers,address,sources"
    shapes = {tuple(service.get(f"/api/v1/companies/{number}{everything}").json()) for number in numbers}
    assert len(shapes) == 1
    address = {tuple(service.get(f"/api/v1/companies/{number}{everything}").json()["address"]) for number in numbers}
    assert len(address) == 1
    for below in ("financials", "ownership", "events"):
        lists = {tuple(service.get(f"/api/v1/companies/{number}/{below}").json()) for number in numbers}
        assert len(lists) == 1, below


@pytest.mark.parametrize(
    "path", ["/api/v1/companies/5599999991", "/api/v1/companies?limit=2", "/api/v1/companies/999999999/financials"]
)
def test_304_is_free(own_service, path):
    tag = own_service.get(path).headers["etag"]
    used = own_service.get("/api/v1/usage").json()["requests_used"]
    for _ in range(3):
        assert own_service.get(path, **{"If-None-Match": tag}).status_code == 304
    assert own_service.get("/api/v1/usage").json()["requests_used"] == used
    assert own_service.get(path).status_code == 200
    assert own_service.get("/api/v1/usage").json()["requests_used"] == used + 1


class Failing:
    """A reader that has a release only while it is told to."""

    def __init__(self, reader):
        self.reader, self.trouble = reader, None

    def pin_release(self):
        if self.trouble is not None:
            raise self.trouble
        return self.reader.pin_release()


def test_quota_not_spent_by_304_429_5xx(serve, world):
    reader = Failing(ReleaseReader(world.layout))
    service = serve(world, reader, tiers=DEFAULT)
    path = "/api/v1/companies/5599999991"

    def used():
        service.hands.seconds += 60  # the bucket is full again
        return service.get("/api/v1/usage").json()["requests_used"]

    tag = service.get(path).headers["etag"]
    assert used() == 1
    for trouble, expected in ((OSError("disk gone"), 500), (NoReleaseError("not yet"), 503)):
        reader.trouble = trouble
        assert service.get(path).status_code == expected
    reader.trouble = None
    assert service.get(path, **{"If-None-Match": tag}).status_code == 304
    assert used() == 1
    statuses = [service.get(path).status_code for _ in range(60)]
    assert statuses.count(429) >= 9
    assert used() == 1 + statuses.count(200)


@pytest.mark.parametrize("bound", ["revenue_min=1", "revenue_max=1", "revenue_min=1&revenue_max=2"])
def test_currency_rule(service, bound):
    """Amounts are not converted: a range of revenues says of which currency."""
    answer = service.get(f"/api/v1/companies?{bound}")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_parameter")
    assert [(error["code"], error["parameter"]) for error in answer.json()["errors"]] == [("required", "currency")]
    assert service.get(f"/api/v1/companies?{bound}&currency=USD").status_code == 200


def test_dk(service):
    """Announced: said so in a query, in a path and in an id; listed among the markets."""
    for path, status in (
        ("companies?country=DK", 400),
        ("companies?country=SE,DK", 400),
        ("dk/companies/24256790", 404),
        ("companies/firm:DK:24256790", 404),
        ("companies/firm:DK:24256790/events", 404),
    ):
        answer = service.get(f"/api/v1/{path}")
        assert (answer.status_code, answer.json()["code"]) == (status, "market_not_available"), path
    states = {market["market"]: market["state"] for market in service.get("/api/v1/markets").json()["data"]}
    assert states.pop("DK") == "announced"
    assert set(states.values()) == {"served"}
    number = service.get("/api/v1/companies/24256790")
    assert (number.status_code, number.json()["code"]) == (404, "company_not_found"), "eight digits are British"


def test_every_acceptance_name_has_its_tests():
    written = "\n".join(path.read_text() for path in (ROOT / "tests" / "api").rglob("test_*.py"))
    known = re.findall(r"^ *(?:async )?def (test_\w+)\(", written, re.MULTILINE)
    wanted = {name for names in ACCEPTANCE.values() for name in names}
    assert wanted <= set(known), sorted(wanted - set(known))
    assert all(known.count(name) == 1 for name in wanted)


def test_the_acceptance_names_are_the_contracts():
    line = re.search(r"^API: (.*)\.$", CONTRACT.read_text(), re.MULTILINE)
    assert line is not None
    names = {re.sub(r" \(.*\)", "", name.strip()) for name in line[1].split(" · ")}
    assert names == set(ACCEPTANCE)

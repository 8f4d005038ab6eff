"""What was used, by month and by day: the figures of the page are those of the database."""

from datetime import UTC, date, datetime

import pytest

from api.accounts.service import AccountService
from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.dashboard.pages.usage import build_usage_chart, daily_usage
from api.database.migrate import prepare_database
from api.usage.repository import DatabaseUsageStore
from tests.api.dashboard.conftest import texts
from tests.tables import check_cases

TODAY = date(2026, 11, 6)
COMPANY = "/api/v1/companies/5599999991"
DAY = 86_400


@check_cases(
    ("marks", "used", "counts"),
    [
        ([], 0, [0, 0, 0, 0, 0, 0]),
        ([(1, 0)], 7, [7, 0, 0, 0, 0, 0]),
        ([(3, 0), (6, 40)], 52, [0, 0, 40, 0, 0, 12]),
        ([(3, 5), (4, 6)], 9, [None, None, 1, 3, 0, 0]),  # five were counted before days were told apart
        ([], 5, [None] * 6),
        ([(6, 0)], 0, [0] * 6),
    ],
)
def test_days_are_what_lies_between_marks(marks, used, counts):
    days = daily_usage(marks, used, TODAY)
    assert [day.count for day in days] == counts
    assert [day.date.day for day in days] == [1, 2, 3, 4, 5, 6]


def test_bars_are_as_high_as_their_days():
    chart = build_usage_chart(daily_usage([(3, 0), (6, 40)], 52, TODAY))
    assert chart.top == 40
    assert [bar.height for bar in chart.bars] == [0, 0, 128, 0, 0, pytest.approx(38.4)]
    assert all(bar.y + bar.height == pytest.approx(chart.base_y) for bar in chart.bars)
    whole = build_usage_chart(daily_usage([(1, 0)], 10**9 + 1, date(2026, 10, 31)))
    assert whole.top == 1_100_000_000
    assert whole.bars[-1].x + whole.bars[-1].width <= whole.width
    assert [bar.height for bar in build_usage_chart(daily_usage([], 5, TODAY)).bars] == [None] * 6


def test_the_page_counts_each_day_by_itself(desk):
    """Two days of requests; what is not counted (usage itself, errors of ours) is on no day."""
    asking = desk.browser()
    for count in (3, 2):
        for _ in range(count):
            assert asking.get(COMPANY, authorization=f"Bearer {desk.made.key}").status_code == 200
        asking.get("/api/v1/usage", authorization=f"Bearer {desk.made.key}")
        _stored(desk, count if count == 3 else 5)
        desk.made.hands.seconds += DAY
    browser = desk.signed_in()
    page = browser.get("/dashboard")
    assert texts(page, "//h1") == ["Usage of November 2026"]
    days, figures = texts(page, "//details//tbody/tr/th"), texts(page, "//details//tbody/tr/td")
    rows = dict(zip(days, figures, strict=True))
    assert next(iter(rows)) == "2026-11-01"
    assert list(rows)[-1] == "2026-11-23"
    assert {day: count for day, count in rows.items() if count != "0"} == {"2026-11-21": "3", "2026-11-22": "2"}
    assert texts(page, "//dl/div")[:2] == ["Requests used5 of 60,000", "Remaining this month59,995"]
    assert "2026-11-21: 3" in texts(page, "//*[local-name()='rect']")
    assert texts(page, "//h2")[1] == "Your tier: Pro"


def test_days_add_up_to_the_month_on_both_databases(control_url):
    """Over days, a month's turn, processes that take turns, and an account that came before days were kept."""
    now = {"at": datetime(2026, 11, 29, 12, tzinfo=UTC)}

    def wall() -> float:
        return now["at"].timestamp()

    clock = Clock(wall=wall)
    database = prepare_database(control_url)
    accounts = AccountService(database, b"p" * 32, clock, UlidGenerator(clock.wall))
    old, new = (accounts.create_account(f"{name}@example.com", "basic").account_id for name in ("old", "new"))
    before = DatabaseUsageStore(database, lambda: date(2026, 10, 31))
    before.add([(old, 202611, 4)])  # another month's day: no mark, as before there were any
    first, second = DatabaseUsageStore(database, clock.today), DatabaseUsageStore(database, clock.today)
    for day in (29, 30):
        now["at"] = datetime(2026, 11, day, 12, tzinfo=UTC)
        for counts in (first, second, first):
            counts.add([(new, 202611, day), (old, 202611, 1)])
    now["at"] = datetime(2026, 12, 1, 0, 0, 0, tzinfo=UTC)
    first.add([(new, 202611, 1), (new, 202612, 2), ("acc_gone", 202612, 9)])
    assert accounts.days(new, 202611) == [(29, 0), (30, 87)]
    assert accounts.used(new, 202611) == 87 + 90 + 1
    assert accounts.days(new, 202612) == [(1, 0)]
    assert accounts.days(old, 202611) == [(29, 4), (30, 7)]
    told = daily_usage(accounts.days(old, 202611), accounts.used(old, 202611), date(2026, 11, 30))
    assert [day.count for day in told][-3:] == [None, 3, 3]
    for counts in (before, first, second):
        counts.close()
    database.close()


def _stored(desk, count):
    """Until as many are stored: they are gathered for half a second of true time."""
    import time

    account = desk.made.accounts.account("owner@example.com").account_id
    until = time.monotonic() + 20
    while desk.made.accounts.used(account, 202611) < count:
        assert time.monotonic() < until
        time.sleep(0.05)

"""Company numbers: every accepted form of the contract, canonical spelling, check digits, disjoint patterns."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.tables import check_cases
from warehouse.schema import ids
from warehouse.schema.identifiers import market_code, parse_company_id, parse_company_number, parse_scoped
from warehouse.schema.markets import MARKETS


@check_cases(
    ("text", "company_id", "check"),
    [
        ("5560125790", "firm:SE:5560125790", True),
        ("556012-5790", "firm:SE:5560125790", True),
        ("5560125791", "firm:SE:5560125791", False),
        ("923609016", "firm:NO:923609016", True),
        ("0923609016", "firm:NO:923609016", True),
        ("923609017", "firm:NO:923609017", False),
        ("0112038-9", "firm:FI:0112038-9", True),
        ("00445790", "firm:UK:00445790", True),
        ("sc123456", "firm:UK:SC123456", True),
        ("IP12345R", "firm:UK:IP12345R", True),
        ("R0000012", "firm:UK:R0000012", True),
        ("US0000320193", "firm:US:US0000320193", True),
        ("US320193", "firm:US:US0000320193", True),
        ("US-320193", "firm:US:US0000320193", True),
        ("CIK0000320193", "firm:US:US0000320193", True),
        ("firm:NO:923609016", "firm:NO:923609016", True),
        ("firm:GB:00445790", "firm:UK:00445790", True),
        ("firm:DK:24256790", "firm:DK:24256790", True),
    ],
)
def test_accepted_forms(text: str, company_id: str, check: bool) -> None:
    number = parse_company_number(text)
    assert number is not None
    assert (number.company_id, number.has_valid_check_digit) == (company_id, check)


@check_cases(
    "text",
    [
        "",
        "12ab",
        "0923609017",
        "01120389x",
        "firm:XX:1",
        "firm:NO",
        "evil:NO:923609016",
        "٩23609016",
        "1234567",
        "US12345678901",
        "923609016\n",
    ],
)
def test_refused_forms(text: str) -> None:
    assert parse_company_number(text) is None


@check_cases(
    ("market", "text", "org_number"),
    [
        ("FI", "01120389", "0112038-9"),
        ("UK", "445790", "00445790"),
        ("UK", "SC1234", "SC001234"),
        ("US", "320193", "US0000320193"),
        ("NO", "0923609016", "923609016"),
        ("DK", "24256790", "24256790"),
    ],
)
def test_a_known_market_accepts_more(market: str, text: str, org_number: str) -> None:
    number = parse_scoped(market, text)
    assert number is not None
    assert number.org_number == org_number


def test_gb_is_uk() -> None:
    assert market_code("gb") == "UK"
    assert market_code("de") is None


@given(st.data())
def test_at_most_one_market_answers_a_bare_number(data: st.DataObject) -> None:
    patterns = {
        code: re.compile(market.number.bare, re.IGNORECASE) for code, market in MARKETS.items() if market.number.bare
    }
    code = data.draw(st.sampled_from(sorted(patterns)))
    text = data.draw(st.from_regex(patterns[code], fullmatch=True, alphabet=st.characters(codec="ascii")))
    assert [other for other, pattern in patterns.items() if pattern.fullmatch(text)] == [code], text


@given(st.text(max_size=40))
def test_parsing_never_raises_and_is_stable(text: str) -> None:
    number = parse_company_number(text)
    if number is not None:
        again = parse_company_id(number.company_id)
        assert again is not None
        assert again.company_id == number.company_id


def test_natural_keys_keep_their_parts_apart() -> None:
    assert ids.natural_id("evt", "ab", "c") != ids.natural_id("evt", "a", "bc")
    assert ids.natural_id("evt", None) != ids.natural_id("evt", "")
    assert len(ids.natural_id("evt", "x")) == 30
    assert (
        ids.natural_id("own", "firm:NO:923609016", "no.enheter", "1")
        == "own_" + ids.natural_id("x", "firm:NO:923609016", "no.enheter", "1")[2:]
    )


def test_ids_of_transitions_equal_the_vectors_of_the_contract() -> None:
    known_at = datetime(2026, 11, 18, 2, 55, 12, tzinfo=timezone(timedelta(hours=1)))
    status = ids.status_changed_id("firm:FI:9999999-2", "active", "dormant", date(2026, 11, 17), known_at)
    assert status == "evt_1pnn5gk9bmdvjksta82mctd8s3"
    shares, known_at = (Decimal("8.20"), Decimal("10.7")), datetime(2026, 11, 20, 3, 58, 31, tzinfo=UTC)
    holder = "own_7h2k9m4p1q8s3t6v0w5x2y7z4b"
    owner = ids.ownership_changed_id("firm:SE:5599999991", holder, date(2026, 11, 18), shares, known_at)
    assert owner == "evt_q6x8z481chh30kvp803m562zq1"
    contract = (Path(__file__).parents[2] / "docs/contract/contract.md").read_text()
    assert f"`2026-11-18T01:55:12.000000Z`) → `{status}`" in contract
    assert f"`2026-11-20T03:58:31.000000Z`) → `{owner}`" in contract

"""When a number of shares gives a percentage: shares and count on one basis (docs/formats/us.md 7.3, 7.4)."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import pytest

from connectors.contract.dataset import MAPPING_SIGNALS
from connectors.us.contributions import ownership
from connectors.us.ownership.parse_values import parse_percent
from connectors.us.ownership.shares_outstanding import (
    ABOVE_ALL,
    COUNTS_DIFFER,
    RECEIPTS,
    derived_percentage,
    has_one_basis,
    is_receipt,
)
from tests.connectors.us.fact_files import merged_covers
from tests.connectors.us.holder_files import (
    COMPANY,
    INSIDERS,
    INSTANT,
    MANAGERS,
    STAKES,
    cover_13f,
    day,
    filing,
    form4,
    line,
    owner,
    person_d,
    position,
    present,
    read,
    schedule_d,
    table_13f,
)
from tests.tables import check_cases

Covers = Sequence[tuple[int, str]]


def counts(covers: Covers) -> dict[str, list[tuple[Decimal, date]]]:
    return {COMPANY: [(Decimal(shares), day(at)) for shares, at in covers]}


SPLIT: Covers = ((100_000_000, "2026-07-24"), (1_001_000_000, "2026-10-23"))
SLIP: Covers = ((53_990_112, "2026-05-01"), (54_119, "2026-08-01"))
STEADY: Covers = ((1_000, "2026-04-24"), (1_100, "2026-07-24"), (1_200, "2026-10-23"))


def test_derived_percentage_below_a_threshold_is_not_rounded_up_to_it() -> None:
    shares, day_of = Decimal(49_999_999), day("2026-10-23")
    owned = derived_percentage(shares, COMPANY, day_of, None, counts(((1_000_000_000, "2026-10-23"),)))
    assert owned.level == Decimal("4.9999")
    assert parse_percent("4.99999%") == Decimal("4.9999")


@check_cases(
    ("covers", "at", "shares", "level", "doubt"),
    [
        (SPLIT, "2026-09-30", 88_000_000, None, COUNTS_DIFFER),
        (SPLIT, "2026-06-30", 8_700_000, None, COUNTS_DIFFER),  # which of the two is of that day's basis is not said
        (SPLIT, "2026-12-31", 88_000_000, None, COUNTS_DIFFER),  # until the next cover agrees
        ((*SPLIT, (1_002_000_000, "2027-02-01")), "2026-12-31", 100_100_000, "10", None),
        (SLIP, "2026-09-30", 120_000, None, COUNTS_DIFFER),  # 0.22 %, or twice as many shares as there are
        ((*SLIP, (54_000_000, "2026-10-31")), "2026-09-30", 120_000, None, COUNTS_DIFFER),
        (((1_000, "2026-07-24"), (100, "2026-10-23")), "2026-09-30", 50, None, COUNTS_DIFFER),  # a reverse split
        (((1_000, "2026-07-24"), (1_600, "2026-10-23")), "2026-09-30", 50, None, COUNTS_DIFFER),  # a merger
        (((1_000, "2026-07-24"), (1_400, "2026-10-23")), "2026-09-30", 50, "5", None),  # shares were issued
        (((1_000, "2026-07-24"), (1_499, "2026-10-23")), "2026-09-30", 90, None, COUNTS_DIFFER),  # a split of 3 for 2
        (STEADY, "2026-09-30", 110, "10", None),
        (STEADY, "2026-09-30", 1_200, None, ABOVE_ALL),
        (STEADY, "2026-09-30", 1_100, "100", None),
        (STEADY[:1], "2026-09-30", 100, "10", None),  # one cover is all there is
    ],
)
def test_derived_percentage_of_counts_around_the_day_agrees_or_is_null(
    covers: Covers, at: str, shares: int, level: str | None, doubt: str | None
) -> None:
    found = derived_percentage(Decimal(shares), COMPANY, day(at), "COM", counts(covers))
    assert found == (None if level is None else Decimal(level), doubt)


@check_cases(
    ("title", "due"),
    [
        ("SPONSORED ADS", True),
        ("SPON ADR", True),
        ("American Depositary Shares, each representing eight ordinary shares", True),
        ("DEPOSITORY RECEIPT", True),
        ("DEP SHS REPSTG", True),
        ("GDR", True),
        ("SPONADR", True),
        ("SPN A.D.R.", True),
        ("AMERICAN DEPOSIT SHS", True),
        ("AMERN DEP SHS", True),
        ("BDR", True),
        ("ADDRESS COM", False),
        ("COM", False),
        ("ADSERVE COM", False),
        ("ORD SHS", False),
        (None, False),
    ],
)
def test_is_receipt_by_title(title: str | None, due: bool) -> None:
    assert is_receipt(title) is due
    found = derived_percentage(Decimal(110), COMPANY, day("2026-09-30"), title, counts(STEADY))
    assert found == ((None, RECEIPTS) if due else (Decimal(10), None))


def test_has_one_basis_of_slow_growth_and_of_a_split_between() -> None:
    assert has_one_basis(counts(STEADY), COMPANY, day("2026-05-01"), day("2026-11-01"))
    assert not has_one_basis(counts(SPLIT), COMPANY, day("2026-08-01"), day("2026-11-01"))
    assert has_one_basis({}, COMPANY, day("2026-08-01"), day("2026-11-01"))


def report(*positions: str, period: str = "09-30-2026", number: int = 1) -> str:
    told = cover_13f("13F-HR", period=period, entries=len(positions))
    return filing(
        "13F-HR",
        ("13F-HR", told),
        ("INFORMATION TABLE", table_13f(*positions)),
        accession=f"0000000009-26-{number:06}",
        filed="20261104",
    )


def mapped(covers: Covers, *batches: list) -> tuple[list[tuple[str, Decimal | None]], list[tuple[str, str]]]:
    """Holders with their percentages, and the signals, as the market's mapping gives them."""
    found = present(*batches, company=COMPANY) | merged_covers(covers, COMPANY)
    made = ownership.OWNERSHIP.to_shared_tables(found, INSTANT.date())
    signals = made[MAPPING_SIGNALS].select("dataset", "code").unique().sort("dataset", "code").rows()
    return [(row["holder_name"], row["pct"]) for row in made["holdings"].to_dicts()], signals


def test_manager_after_a_split_has_no_percentage_and_a_signal() -> None:
    held = read(MANAGERS, report(position(shares="88000000", value="990")), "us/a.txt")
    assert mapped(SPLIT, held) == ([], [("us.form13f", COUNTS_DIFFER)])
    assert mapped(STEADY, read(MANAGERS, report(position(shares="110", value="990")), "us/a.txt")) == (
        [("Example Management LLC", Decimal(10))],
        [],
    )


def test_manager_of_receipts_has_no_percentage_and_a_signal() -> None:
    text = report(position(shares="110", value="990")).replace(">COM<", ">SPONSORED ADS<")
    assert mapped(STEADY, read(MANAGERS, text, "us/a.txt")) == ([], [("us.form13f", RECEIPTS)])


@pytest.mark.parametrize("others", [0, 2])
def test_manager_whose_shares_repeat_the_values_has_unknown_shares(others: int) -> None:
    repeated = [position(shares="110", value="110"), *(position(cusip="594918104", shares="7", value="7"),) * others]
    batches = read(MANAGERS, report(*repeated), "us/a.txt")
    assert {
        row["shares"] for batch in batches if batch.table == "us_13f_position" for row in batch.rows.to_dicts()
    } == {None}
    assert "shares_repeat_values" in {signal.code for batch in batches for signal in batch.signals}
    assert mapped(STEADY, batches) == ([], [])


@pytest.mark.parametrize(("value", "shares"), [("110000", "110"), ("110", "110000")])
def test_manager_whose_shares_repeat_the_values_in_thousands_has_unknown_shares(value: str, shares: str) -> None:
    other = position(cusip="594918104", shares=f"{shares}0", value=f"{value}0")
    batches = read(MANAGERS, report(position(shares=shares, value=value), other), "us/a.txt")
    assert "shares_repeat_values" in {signal.code for batch in batches for signal in batch.signals}
    assert mapped(STEADY, batches) == ([], [])
    dear = read(MANAGERS, report(position(shares="110", value="110000")), "us/a.txt")  # one share may cost a thousand
    assert mapped(STEADY, dear) == ([("Example Management LLC", Decimal(10))], [])


def test_insider_lines_of_both_sides_of_a_split_are_not_added() -> None:
    ann = owner("EXAMPLE ANN", "0000000011", isTenPercentOwner="1")
    forms = [
        read(
            INSIDERS,
            form4(line("9000000", day=at, nature=nature), owners=ann, period=at),
            f"0000000007-26-00000{n}.xml",
        )
        for n, (at, nature) in enumerate((("2026-08-03", "By Trust"), ("2026-11-02", None)))
    ]
    after = (*SPLIT, (1_002_000_000, "2026-11-10"))
    assert mapped(after, *forms) == ([("EXAMPLE ANN", None)], [("us.insiders", COUNTS_DIFFER)])
    steady = ((100_000_000, "2026-07-24"), (100_000_000, "2026-10-23"))
    assert mapped(steady, *forms) == ([("EXAMPLE ANN", Decimal(18))], [])


def test_schedule_without_a_percentage_after_a_split_has_none() -> None:
    text = schedule_d(person_d("ALPHA LP", "", shares="8000000", cik="0000000007"), event="10/01/2026")
    stake = read(STAKES, text, "0000000007-26-000009.xml")
    assert mapped(SPLIT, stake) == ([("ALPHA LP", None)], [("us.schedule13", COUNTS_DIFFER)])

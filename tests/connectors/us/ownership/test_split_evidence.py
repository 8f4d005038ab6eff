"""Splits that no cover states yet (docs/formats/us.md 7.3, 7.4)."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from connectors.contract.dataset import MAPPING_SIGNALS, SharedTables
from connectors.kit.staging import make_batch
from connectors.us.contributions import ownership
from connectors.us.submissions.schema import FILED_TABLE
from tests.connectors.us.fact_files import merged_covers
from tests.connectors.us.holder_files import (
    COMPANY,
    INSTANT,
    ISSUER,
    MANAGERS,
    cover_13f,
    filing,
    position,
    present,
    read,
    table_13f,
)
from tests.tables import check_cases

Covers = Sequence[tuple[int, str]]
BEFORE: Covers = ((100_000_000, "2026-04-24"), (100_000_000, "2026-07-24"))


def managed(shares: int, dollars: int, *, cik: int = 9, period: str = "09-30-2026") -> list:
    """A manager's report of one position."""
    row = position(shares=str(shares), value=str(dollars))
    number = f"{cik:010}-26-{int(period[:2]):06}"
    text = filing(
        "13F-HR",
        ("13F-HR", cover_13f(period=period)),
        ("INFORMATION TABLE", table_13f(row)),
        accession=number,
        filed=f"2026{int(period[:2]) + 1:02}12",
    )
    return read(MANAGERS, text.replace("0000000009<", f"{cik:010}<"), f"us/{number}.txt")


def tables(covers: Covers, *batches: list) -> SharedTables:
    found = present(*batches, company=COMPANY) | merged_covers(covers, COMPANY)
    return ownership.OWNERSHIP.to_shared_tables(found, INSTANT.date())


def notice(items: Sequence[str], day: str) -> list:
    """One current report in the company's list."""
    filed = date.fromisoformat(day)
    row = {"cik": ISSUER, "accession": f"{ISSUER}-26-000077", "form": "8-K", "filed": filed, "items": list(items)}
    return [make_batch(FILED_TABLE, [row])]


@check_cases(
    ("items", "day", "later", "level"),
    [
        (("3.03", "5.03", "9.01"), "2026-08-14", (), None),  # the shares before are 30 times as many
        (("3.03", "5.03", "9.01"), "2026-07-01", (), Decimal(8)),  # the cover of 24 July is of after it
        (("3.03", "5.03"), "2026-08-14", ((100_000_000, "2026-10-23"),), Decimal(8)),  # it was no split
        (("3.03", "5.03"), "2026-08-14", ((3_340_000, "2026-10-23"),), None),
        (("1.01", "3.02", "3.03", "5.03"), "2026-08-14", (), Decimal(8)),
        (("5.03", "9.01"), "2026-08-14", (), Decimal(8)),
    ],
)
def test_count_before_a_split_that_no_cover_states_yet_gives_no_percentage(
    items: Sequence[str], day: str, later: Covers, level: Decimal | None
) -> None:
    covers = ((100_000_000, "2026-04-24"), (100_000_000, "2026-07-24"), *later)
    made = tables(covers, managed(8_000_000, 400_000_000), notice(items, day))
    assert made["holdings"]["pct"].to_list() == [level] * (level is not None)
    assert set(made[MAPPING_SIGNALS]["code"]) == ({"share_counts_differ"} if level is None else set())


@check_cases(
    ("shares", "dollars", "later", "level"),
    [
        (88_000_000, 440_000_000, (), None),  # ten for one
        (290_000, 420_000_000, (), None),  # one for thirty
        (8_800_000, 440_000_000, (), Decimal("8.8")),
        (17_400_000, 870_000_000, (), Decimal("17.4")),  # bought as many again
        (8_700_000, 43_500_000, (), Decimal("8.7")),  # the price fell
        (17_400_000, 435_000_000, ((100_000_000, "2026-10-23"),), Decimal("17.4")),  # the next cover knows of no split
    ],
)
def test_count_before_a_split_that_managers_shares_and_values_show_gives_no_percentage(
    shares: int, dollars: int, later: Covers, level: Decimal | None
) -> None:
    before = managed(8_700_000, 435_000_000, period="06-30-2026")
    made = tables((*BEFORE, *later), before, managed(shares, dollars))
    [row] = made["holdings"].to_dicts()
    assert row["pct"] == level
    assert set(made[MAPPING_SIGNALS]["code"]) == ({"share_counts_differ"} if level is None else set())


def test_one_manager_among_several_who_doubles_at_half_the_price_shows_no_split() -> None:
    steady = [
        managed(1_000_000 - 1_000 * cik, dollars, cik=cik, period=period)
        for cik in (10, 11)
        for period, dollars in (("06-30-2026", 50_000_000), ("09-30-2026", 25_000_000))
    ]
    doubled = (managed(2_000_000, 100_000_000, period="06-30-2026"), managed(4_000_000, 100_000_000))
    made = tables(BEFORE, *steady, *doubled)
    assert max(made["holdings"]["pct"].drop_nulls()) == Decimal(4)

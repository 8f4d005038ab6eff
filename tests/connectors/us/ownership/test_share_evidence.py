"""Share counts and classes that the owners' own filings contradict (docs/formats/us.md 7.3, 7.4)."""

from collections.abc import Sequence
from decimal import Decimal

from connectors.contract.dataset import MAPPING_SIGNALS, SharedTables
from connectors.kit.staging import make_batch
from connectors.us.contributions import ownership
from connectors.us.ownership.form13f.linked_rows import is_similar
from connectors.us.submissions.schema import FILERS
from tests.connectors.us.fact_files import merged_covers
from tests.connectors.us.holder_files import (
    COMPANY,
    CUSIP,
    INSIDERS,
    INSTANT,
    ISSUER,
    MANAGERS,
    STAKES,
    Row,
    cover_13f,
    filing,
    form4,
    line,
    owner,
    person_g,
    position,
    present,
    read,
    schedule_g,
    table_13f,
)
from tests.tables import check_cases

Covers = Sequence[tuple[int, str]]
STEADY: Covers = ((100_000_000, "2026-07-24"), (100_000_000, "2026-10-23"))
THOUSANDS: Covers = ((53_990, "2026-05-01"), (54_119, "2026-08-01"))
ORDINARY: Covers = ((19_000_000_000, "2026-05-01"), (19_010_000_000, "2026-08-01"))
OLD, NEW = "0001364742", "0002012383"
OTHER_CUSIP = "65432XYZ1"


def managed(
    shares: str,
    cik: str = "0000000009",
    title: str = "COM",
    name: str = "Example Management LLC",
    *,
    period: str = "09-30-2026",
    more: Sequence[str] = (),
    amendment: str = "",
    issuer: str = "EXAMPLE &amp; CO",
    cusip: str = CUSIP,
) -> list:
    """A manager's report of one position."""
    form = "13F-HR/A" if amendment else "13F-HR"
    entries = (position(cusip, shares=shares, value=f"{int(shares) * 20}"), *more)
    documents = (
        (form, cover_13f(form, period=period, amendment=amendment, entries=len(entries))),
        ("INFORMATION TABLE", table_13f(*entries)),
    )
    filed, number = ("20261120", 2) if amendment else (f"2026{int(period[:2]) + 1:02}12", 1)
    text = filing(form, *documents, accession=f"{cik}-26-{number:06}", filed=filed).replace(">COM<", f">{title}<")
    text = text.replace("0000000009<", f"{cik}<").replace("Example Management LLC", name)
    return read(MANAGERS, text.replace("EXAMPLE &amp; CO", issuer), f"us/{cik}.txt")


def stated(shares: str, percent: str, title: str = "Common Stock", name: str = "OMEGA LP", cik: str = "8") -> list:
    text = schedule_g(person_g(name, percent, shares, cik=f"{cik:0>10}"), event="06/30/2026", filer=f"{cik:0>10}")
    return read(STAKES, text.replace(">Common Stock<", f">{title}<"), f"{cik:0>10}-26-000001.xml")


def tables(covers: Covers, *batches: list) -> SharedTables:
    found = present(*batches, company=COMPANY) | merged_covers(covers, COMPANY)
    return ownership.OWNERSHIP.to_shared_tables(found, INSTANT.date())


def table(covers: Covers, *batches: list) -> list[Row]:
    return tables(covers, *batches)["holdings"].to_dicts()


def mapped(covers: Covers, *batches: list) -> tuple[dict[str, Decimal | None], set[str]]:
    """Standing holders with their percentages, and the signals."""
    made = tables(covers, *batches)
    rows = made["holdings"].to_dicts()
    assert len({row["native_id"] for row in rows}) == len(rows)
    held = {row["holder_name"]: row["pct"] for row in rows if row["ended_on"] is None}
    return held, set(made[MAPPING_SIGNALS]["code"])


# Counts that are not of the shares held


def test_scale_slip_on_every_cover_gives_nobody_a_percentage() -> None:
    big, small = managed("650000"), managed("12000", "0000000010", name="Small LLC")
    assert mapped(THOUSANDS, big, small) == ({}, {"share_counts_differ"})


def test_scale_slip_on_every_cover_is_shown_by_a_schedule_that_states_both() -> None:
    held, signals = mapped(THOUSANDS, stated("3000000", "5.5"), managed("12000"))
    assert (held, signals) == ({"OMEGA LP": Decimal("5.5")}, {"share_counts_differ"})


def test_insider_of_a_disproved_count_has_no_percentage() -> None:
    ann = owner("EXAMPLE ANN", "0000000011", isTenPercentOwner="1")
    form = read(INSIDERS, form4(line("12000", day="2026-09-30"), owners=ann, period="2026-09-30"), "us/4.xml")
    held, signals = mapped(THOUSANDS, managed("650000"), form)
    assert (held, signals) == ({"EXAMPLE ANN": None}, {"share_counts_differ"})


def test_one_managers_own_slip_among_many_takes_no_other_percentage() -> None:
    others = [managed("1000000", f"{cik:010}", name=f"Manager {cik} LLC") for cik in range(20, 32)]
    held, signals = mapped(STEADY, managed("650000000", name="Slip LLC"), *others)
    assert (set(held.values()), len(held), signals) == ({Decimal(1)}, 12, {"above_100"})


def test_split_that_no_cover_states_yet_is_shown_by_a_schedule_of_after_it() -> None:
    before = ((100_000_000, "2026-04-24"), (100_000_000, "2026-06-24"))
    assert mapped(before, stated("61000000", "6.1"), managed("88000000")) == (
        {"OMEGA LP": Decimal("6.1")},
        {"share_counts_differ"},
    )
    assert mapped(before, stated("6100000", "6.1"), managed("8800000"))[0]["Example Management LLC"] == Decimal("8.8")


@check_cases(
    ("title", "other", "held", "signals"),
    [
        ("CL A", "CL B", [], set()),
        ("COM", "CL B", [], set()),
        ("CL A", "CL A", [2, 3], set()),
        ("COM", "COM NEW", [2, 3], set()),
        ("CL A", "PFD SER B", [3], {"not_common_stock"}),
        ("COM", "UNIT 99/99/9999", [3], {"not_common_stock"}),
    ],
)
def test_two_classes_at_once_have_no_percentage_of_one_count(
    title: str, other: str, held: list[int], signals: set[str]
) -> None:
    second = position(OTHER_CUSIP, shares="2000000", value="40000000").replace(">COM<", f">{other}<")
    batches = managed("3000000", title=title, more=[second])
    made = tables(STEADY, batches)
    assert sorted(made["holdings"]["pct"]) == [Decimal(share) for share in held]
    assert set(made[MAPPING_SIGNALS]["code"]) == signals


# Receipts that are titled as if they were shares


def test_receipts_titled_com_by_one_manager_are_receipts() -> None:
    careful, careless = managed("95000000", title="SPONSORED ADS"), managed("95000000", "0000000010", name="Other LLC")
    assert mapped(ORDINARY, careful, careless) == ({}, {"depositary_receipts"})


def test_receipts_titled_so_by_a_schedule_are_receipts_in_every_table() -> None:
    schedule = stated("130000000", "5.47", "American Depositary Shares")
    assert mapped(ORDINARY, schedule, managed("95000000")) == ({"OMEGA LP": Decimal("5.47")}, {"depositary_receipts"})


def test_receipts_titled_as_ordinary_shares_are_shown_by_their_percentage() -> None:
    held, signals = mapped(ORDINARY, stated("130000000", "5.47", "Ordinary Shares"), managed("95000000"))
    assert (held, signals) == ({"OMEGA LP": Decimal("5.47")}, {"share_counts_differ"})


def test_one_title_of_a_receipt_among_many_of_shares_is_a_slip() -> None:
    reports = [managed("1000000", f"{cik:010}", name=f"Manager {cik} LLC") for cik in range(20, 23)]
    held, signals = mapped(STEADY, managed("1000000", title="ADR/FOREIGN", name="Odd LLC"), *reports)
    assert (len(held), signals) == (3, {"depositary_receipts"})


# Amendments and successors of managers


def test_new_holdings_that_repeat_the_report_are_not_added_to_it() -> None:
    added = position(shares="100000", value="2000000")
    again = managed("3000000", amendment="NEW HOLDINGS", more=[added])
    held, signals = mapped(STEADY, managed("3000000"), again)
    assert (held, signals) == ({"Example Management LLC": Decimal("3.1")}, {"repeated_by_amendment"})
    only_new = managed("100000", amendment="NEW HOLDINGS")
    assert mapped(STEADY, managed("3000000"), only_new) == ({"Example Management LLC": Decimal("3.1")}, set())


def test_manager_that_reports_under_a_new_cik_goes_on_as_one_holder() -> None:
    covers = ((100_000_000, "2026-06-01"), *STEADY)
    before = managed("7500000", OLD, name="BlackRock Inc.", period="06-30-2026")
    after = managed("7700000", NEW, name="BLACKROCK, INC.")
    assert mapped(covers, before, after) == ({"BLACKROCK, INC.": Decimal("7.7")}, set())
    both = managed("7400000", OLD, name="BlackRock Inc.")  # the older one still reports: two managers
    assert len(mapped(covers, before, both, after)[0]) == 2
    other = managed("7700000", NEW, name="Blackstone Inc.")
    assert len(table(covers, before, other)) == 2
    assert len(table(covers, before, after)) == 1


@check_cases(
    ("title", "after", "period", "is_one"),
    [
        ("COM", "COM NEW", "09-30-2026", True),
        ("CL A", "CL A", "09-30-2026", True),
        ("CL A", "CL B", "09-30-2026", False),
        ("SPONSORED ADS", "COM", "09-30-2026", False),
        ("COM", "PFD SER A", "09-30-2026", False),
        ("COM", "COM", "06-30-2026", False),  # both at once
    ],
)
def test_shares_under_a_new_cusip_go_on_as_one_holding(title: str, after: str, period: str, *, is_one: bool) -> None:
    covers = ((100_000_000, "2026-04-24"), *STEADY)
    before = managed("8000000", period="06-30-2026", title=title)
    rows = table(covers, before, managed("8100000", period=period, title=after, cusip=OTHER_CUSIP))
    held = {row["native_id"].rpartition("/")[2]: row["pct"] for row in rows}
    assert (held == {CUSIP: Decimal("8.1")}) is is_one


def test_manager_named_like_a_holder_of_a_schedule_is_that_holder() -> None:
    schedule = stated("7500000", "7.5", name="BlackRock, Inc.", cik=OLD)
    rows = table(STEADY, schedule, managed("7700000", NEW, name="BLACKROCK INC."))
    assert {row["holder_company_id"] for row in rows} == {f"firm:US:US{OLD}"}


# Whose row it is


def test_row_with_the_cusip_of_one_issuer_and_the_name_of_another_is_neithers() -> None:
    held, signals = mapped(STEADY, stated("6000000", "6"), managed("3000000", issuer="BIRCH STEEL INC"))
    assert (held, signals) == ({"OMEGA LP": Decimal(6)}, {"cusip_of_another_issuer"})


def test_row_with_a_former_name_of_the_company_is_its_own() -> None:
    row = {"cik": ISSUER, "name": "EXAMPLE CORP", "is_person": False, "former_names": ["BIRCH STEEL INC"]}
    lists = {column: [] for column in ("tickers", "exchanges", "categories", "pages", "aged")}
    held, signals = mapped(
        STEADY,
        stated("6000000", "6"),
        managed("3000000", issuer="BIRCH STEEL INC"),
        [make_batch(FILERS, [row | lists])],
    )
    assert (held, signals) == ({"OMEGA LP": Decimal(6), "Example Management LLC": Decimal(3)}, set())


def test_name_that_most_managers_use_is_the_renamed_companys() -> None:
    renamed = [
        managed("3000000", f"{cik:010}", name=f"Manager {cik} LLC", issuer="BIRCH STEEL INC") for cik in range(20, 23)
    ]
    held, signals = mapped(STEADY, stated("6000000", "6"), *renamed)
    assert (len(held), signals) == (4, set())


@check_cases(
    ("name", "other", "due"),
    [
        ("INTL BUSINESS MACHS", "International Business Machines Corp", True),
        ("IBM", "International Business Machines Corp", True),
        ("ALPHABET INC CL A", "Alphabet Inc.", True),
        ("3M CO", "3M Company", True),
        ("BIRCH STEEL INC", "Alder Timber Corp", False),
        ("VICTOR CORP", "Velo Inc", False),
    ],
)
def test_is_similar_of_issuers_names(name: str, other: str, due: bool) -> None:
    assert is_similar(name, other) is due

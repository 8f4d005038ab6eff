"""What managers and insiders said of earlier days: each report is a statement of a day of its own."""

from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl

from connectors.kit import holdings_history
from connectors.kit.staging import present_rows
from connectors.us import UNITED_STATES
from connectors.us.ownership.form13f import holdings as form13f_holdings
from connectors.us.ownership.form13f.schema import COVERS as MANAGER_COVERS
from connectors.us.ownership.form13f.schema import POSITIONS
from connectors.us.ownership.forms345 import holdings as forms345_holdings
from connectors.us.ownership.forms345.schema import LINES
from connectors.us.ownership.shares_outstanding import derived_percentage
from connectors.us.submissions.schema import FILED_TABLE
from tests.connectors.us.holder_files import (
    COMPANY,
    CUSIP,
    INSIDERS,
    MANAGERS,
    cover_13f,
    day,
    filing,
    form4,
    line,
    owner,
    position,
    present,
    read,
    table_13f,
)
from tests.tables import check_cases

COUNTS = [(Decimal(1000), day("2025-04-20")), (Decimal(1400), day("2026-04-20"))]
TODAY = date(2026, 11, 20)
Told = list[tuple[str, Decimal | None, str | None]]


def told(frame: pl.DataFrame) -> Told:
    """Day, percentage and end of each statement."""
    rows = frame.select("valid_from", "pct", "ended_on").iter_rows()
    return [(str(since), share, None if ended is None else str(ended)) for since, share, ended in rows]


def quarter(period: str, *positions: str, form: str = "13F-HR", number: int = 1, amendment: str = "") -> str:
    return filing(
        form,
        (form, cover_13f(form, period=period, amendment=amendment)),
        ("INFORMATION TABLE", table_13f(*positions)),
        accession=f"0000000009-{period[-2:]}-{number:03}{period[:2]}{number}",
        filed=f"{period[-4:]}{period[:2]}28" if number == 1 else f"{period[-4:]}{period[:2]}29",
    )


def managed(texts: Iterable[str], counts: Any = COUNTS) -> pl.DataFrame:
    found = present_rows(present(*(read(MANAGERS, text, "us/a.txt") for text in texts), company=COMPANY), POSITIONS)
    made, _ = form13f_holdings.map_holdings(found, TODAY, {COMPANY: counts})
    return made


def test_each_quarter_is_a_statement_by_the_count_of_then() -> None:
    first = quarter("03-31-2025", position(shares="60"))
    second = quarter("06-30-2025", position(shares="40"))
    restated = quarter("06-30-2025", position(shares="50"), form="13F-HR/A", number=2, amendment="RESTATEMENT")
    last = quarter("09-30-2026", position(shares="28"))
    made = managed((last, restated, first, second))
    assert told(holdings_history.superseded_statements(made)) == [
        ("2025-03-31", Decimal(6), "2025-11-15"),
        ("2025-06-30", Decimal(5), "2026-02-14"),
    ]
    assert told(holdings_history.latest_statements(made)) == [("2026-09-30", Decimal(2), None)]


def test_a_quarter_of_options_alone_is_the_end_of_the_shares() -> None:
    made = managed(
        (quarter("06-30-2026", position(shares="42")), quarter("09-30-2026", position(shares="42", option="Put")))
    )
    assert told(made) == [("2026-06-30", Decimal(3), None), ("2026-09-30", Decimal(0), "2026-09-30")]
    assert managed((quarter("09-30-2026", position(shares="60", option="Put")),)).is_empty()


def test_a_quarter_whose_count_is_unknown_is_no_end() -> None:
    counts = [(Decimal(1000), day("2024-06-20"))]
    made = managed((quarter("06-30-2025", position(shares="60")), quarter("09-30-2026", position(shares="60"))), counts)
    assert told(made) == [("2025-06-30", Decimal(6), "2026-02-14"), ("2026-09-30", None, None)]
    assert made["basis"].to_list() == ["derived", None]


def reported(*texts: str, today: str = "2026-11-20") -> Told:
    """The last statement of each holding, where the covers of all reports of the manager are known."""
    batches = [read(MANAGERS, text, "us/a.txt") for text in texts]
    found = present(*batches, company=COMPANY)
    positions, covers = (present_rows(found, table) for table in (POSITIONS, MANAGER_COVERS))
    positions = positions.filter(pl.col("cusip") == CUSIP)  # those of another issuer are not this company's
    made, _ = form13f_holdings.map_holdings(positions, day(today), {COMPANY: COUNTS}, covers=covers)
    return told(holdings_history.latest_statements(made))


def test_position_ends_with_the_report_that_leaves_it_out_and_not_on_a_deadline() -> None:
    held, other = position(shares="42"), position(cusip="594918104", shares="42")
    before = quarter("06-30-2026", held)
    assert reported(before) == [("2026-06-30", Decimal(3), None)]  # the next one is late
    assert reported(before, quarter("09-30-2026", other)) == [("2026-06-30", Decimal(3), "2026-09-30")]
    assert reported(before, quarter("09-30-2026", held)) == [("2026-09-30", Decimal(3), None)]
    cut = quarter("09-30-2026", other).replace("<tableEntryTotal>1<", "<tableEntryTotal>2<")
    assert reported(before, cut) == [("2026-06-30", Decimal(3), None)]  # the row that is missing may be it
    secret = quarter("09-30-2026", other).replace(
        "</summaryPage>", "<isConfidentialOmitted>true</isConfidentialOmitted></summaryPage>"
    )
    assert reported(before, secret) == [("2026-06-30", Decimal(3), None)]  # it may be omitted
    assert reported(before, today="2027-02-15") == [("2026-06-30", Decimal(3), "2027-02-14")]


def test_shares_too_few_to_count_are_not_none() -> None:
    made = managed((quarter("09-30-2026", position(shares="1")),), [(Decimal(10_000_000), day("2026-09-20"))])
    assert told(made) == [("2026-09-30", Decimal(0), None)]


ANN = owner("EXAMPLE ANN", "0000000011", isTenPercentOwner="1")


def owned(*forms: str) -> pl.DataFrame:
    found = present(*(read(INSIDERS, text, f"00000000{at:02}-26-000001.xml") for at, text in enumerate(forms)))
    made, _ = forms345_holdings.map_holdings(
        present_rows(found, LINES), present_rows(found, FILED_TABLE), outstanding={COMPANY: COUNTS}
    )
    return made


def on(when: str, *shares: str, nature: str | None = None) -> str:
    told = (line(share, day=when, nature=nature) for share in shares)
    return form4(*told, owners=ANN, period=when)


def test_each_day_of_transactions_is_a_statement_of_all_lines_then() -> None:
    direct, trust = on("2026-05-04", "140"), on("2026-06-01", "70", nature="By Trust")
    more = on("2026-07-01", "168", "210")
    expected = [("2026-05-04", Decimal(10), None), ("2026-06-01", Decimal(15), None)]
    for order in ((direct, trust, more), (more, trust, direct)):
        made = owned(*order)
        assert told(holdings_history.superseded_statements(made)) == expected
        assert told(holdings_history.latest_statements(made)) == [("2026-07-01", Decimal(20), None)]


def test_a_day_that_changes_no_percentage_tells_nothing_but_the_last_does() -> None:
    made = owned(on("2026-05-04", "140"), on("2026-06-01", "140"), on("2026-07-01", "140"))
    assert told(made) == [("2026-05-04", Decimal(10), None), ("2026-07-01", Decimal(10), None)]


def test_selling_all_and_buying_again_leaves_a_gap() -> None:
    made = owned(on("2026-05-04", "140"), on("2026-06-01", "0"), on("2026-07-01", "70"))
    assert told(made) == [
        ("2026-05-04", Decimal(10), None),
        ("2026-06-01", Decimal(0), "2026-06-01"),
        ("2026-07-01", Decimal(5), None),
    ]


@check_cases(
    ("at", "share"),
    [
        ("2025-01-01", "15"),  # before the first count
        ("2025-04-20", "15"),
        ("2026-04-19", "15"),  # a later count changes nothing of then
        ("2026-04-20", "10.7143"),
        ("2027-04-20", "10.7143"),
        ("2027-06-20", None),
        ("2024-01-01", None),
    ],
)
def test_a_percentage_is_of_the_shares_outstanding_then(at: str, share: str | None) -> None:
    found = derived_percentage(Decimal(150), COMPANY, day(at), "Common Stock", {COMPANY: COUNTS})
    assert found == (None if share is None else Decimal(share), None)


def test_every_source_of_holdings_dates_its_statements() -> None:
    assert set(UNITED_STATES.dated_datasets) == set(UNITED_STATES.field_precedence["ownership"])

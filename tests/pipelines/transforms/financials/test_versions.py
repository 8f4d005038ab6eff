from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import polars as pl

from pipelines.transforms.financials.periods import period_label
from pipelines.transforms.financials.versions import build_financial_versions, changed_fields, is_new_version
from tests.pipelines.frames import DAY_1, DAY_3, filing, frame, statement
from tests.tables import check_cases
from warehouse.schema.tables import FILINGS, FINANCIALS, FINANCIALS_REPORTED


def made(
    statements: list[dict[str, Any]], filings: list[dict[str, Any]], former: pl.DataFrame | None = None
) -> list[dict[str, Any]]:
    return rows(statements, filings, former).to_dicts()


def rows(
    statements: list[dict[str, Any]], filings: list[dict[str, Any]], former: pl.DataFrame | None = None
) -> pl.DataFrame:
    return build_financial_versions(
        frame(FINANCIALS_REPORTED, *statements),
        frame(FILINGS, *filings),
        frame(FINANCIALS) if former is None else former,
    )


def figures(**values: Any) -> dict[str, Any]:
    fields = ("revenue", "operating_result", "net_result", "equity", "total_assets", "employees")
    return {**dict.fromkeys(fields), "currency": "EUR", "period_start": None, "period_end": None} | values


@check_cases(
    ("start", "end", "expected"),
    [
        (date(2025, 1, 1), date(2025, 12, 31), "annual"),
        (date(2025, 1, 1), date(2025, 10, 27), "annual"),  # 300 days
        (date(2025, 1, 1), date(2025, 10, 26), None),
        (date(2024, 11, 27), date(2025, 12, 31), "annual"),  # 400 days
        (date(2024, 11, 26), date(2025, 12, 31), None),
        (date(2025, 1, 1), date(2025, 3, 11), "quarterly"),  # 70 days
        (date(2025, 1, 1), date(2025, 3, 10), None),
        (date(2025, 1, 1), date(2025, 4, 30), "quarterly"),  # 120 days
        (date(2025, 1, 1), date(2025, 6, 30), None),
    ],
)
def test_period_type_of_filings_with_several_durations_goes_by_days(
    start: date, end: date, expected: str | None
) -> None:
    kinds = {"us.companyfacts": "annual_report", "fi.esef": "interim_report", "fi.nasdaq": "interim_report"}
    for register, kind in kinds.items():
        [row] = made(
            [statement("a", end, period_start=start, revenue=1, register=register)],
            [filing("a", end, period_start=start, register=register, filing_type=kind)],
        )
        assert (row["period_type"], row["fiscal_year"]) == (expected, end.year), register


@check_cases(
    ("start", "end", "expected", "months"),
    [
        (date(2025, 12, 31), date(2025, 12, 31), "annual", 1),
        (date(2023, 9, 15), date(2023, 12, 31), "annual", 4),
        (date(2025, 1, 1), date(2025, 6, 30), "annual", 6),
        (date(2025, 1, 1), date(2025, 12, 28), "annual", 12),
        (date(2022, 10, 1), date(2023, 12, 31), "annual", 15),
        (date(2023, 6, 15), date(2024, 6, 29), "annual", 13),  # 381 days
        (date(2024, 12, 29), date(2026, 1, 3), "annual", 12),  # 53 weeks
        (date(2024, 7, 1), date(2025, 12, 31), "annual", 18),
        (date(2024, 5, 1), date(2025, 12, 31), None, 20),
    ],
)
def test_period_type_of_annual_accounts_is_annual_up_to_eighteen_months(
    start: date, end: date, expected: str | None, months: int
) -> None:
    for register in ("no.regnskap", "fi.esef"):
        [row] = made(
            [statement("a", end, period_start=start, revenue=1, register=register)],
            [filing("a", end, period_start=start, register=register)],
        )
        assert (row["period_type"], row["period_months"], row["fiscal_year"]) == (expected, months, end.year)


def test_own_accounts_of_another_length_take_the_place_of_a_comparative() -> None:
    end = date(2024, 12, 31)
    result = made(
        [
            statement("a", end, period_start=date(2023, 10, 1), revenue=20),
            statement("b", date(2025, 12, 31), revenue=30),
            statement("b", end, revenue=20, is_comparative=True),
        ],
        [filing("a", end, period_start=date(2023, 10, 1)), filing("b")],
    )
    assert [(row["period_start"], row["is_comparative"]) for row in result] == [
        (date(2023, 10, 1), False),
        (date(2025, 1, 1), False),
    ]


def test_quarters_count_from_the_companys_own_year_end() -> None:
    statements = [
        statement("y", date(2025, 6, 30), period_start=date(2024, 7, 1), revenue=4),
        statement("q", date(2025, 9, 30), period_start=date(2025, 7, 1), revenue=1),
        statement("r", date(2025, 12, 31), period_start=date(2025, 10, 1), revenue=1),
    ]
    quarters = {row["period_end"].month: row["fiscal_quarter"] for row in made(statements, [])}
    assert quarters == {6: None, 9: 1, 12: 2}


def test_an_early_month_end_belongs_to_the_month_before() -> None:
    [row] = made([statement("q", date(2025, 4, 3), period_start=date(2025, 1, 1), revenue=1)], [])
    assert row["fiscal_quarter"] == 1


def test_labels() -> None:
    assert period_label("annual", 2025, None) == "2025"
    assert period_label("quarterly", 2026, 3) == "2026-Q3"
    assert period_label(None, 2026, None) is None


def test_a_later_filing_with_another_value_is_the_next_version() -> None:
    result = made(
        [statement("b", revenue=120, equity=5), statement("a", revenue=100, equity=5)],
        [filing("a", filed_at=date(2026, 3, 1)), filing("b", filed_at=date(2026, 6, 1))],
    )
    assert [(row["version"], row["revenue"], row["is_current"], row["is_restated"]) for row in result] == [
        (1, 100, False, False),
        (2, 120, True, True),
    ]


def test_the_same_values_filed_again_are_no_version() -> None:
    [row] = made(
        [statement("a", revenue=100), statement("b", revenue=100)],
        [filing("a", filed_at=date(2026, 3, 1)), filing("b", filed_at=date(2026, 6, 1))],
    )
    assert (row["version"], row["filed_at"]) == (1, date(2026, 3, 1))


def test_rounding_to_a_coarser_unit_is_no_version_and_finer_values_are() -> None:
    exact = statement("a", revenue=1_234_567, equity=400_400)
    rounded = statement("b", revenue=1_235_000, equity=400_000)
    filings = [filing("a", filed_at=date(2026, 3, 1)), filing("b", filed_at=date(2026, 6, 1))]
    assert [row["revenue"] for row in made([exact, rounded], filings)] == [1_234_567]
    filings[0]["filed_at"], filings[1]["filed_at"] = date(2026, 6, 1), date(2026, 3, 1)
    assert [row["revenue"] for row in made([exact, rounded], filings)] == [1_235_000, 1_234_567]


@check_cases(
    ("before", "after", "fields"),
    [
        (figures(revenue=5_400, equity=9_100), figures(revenue=5_000, equity=9_000), ()),
        (figures(revenue=5_000, equity=9_100), figures(revenue=5_400, equity=9_100), ("revenue",)),
        # 6,000 would be the rounding
        (figures(revenue=5_600, equity=9_100), figures(revenue=5_000, equity=9_000), ("revenue",)),
        (figures(revenue=400), figures(revenue=0), ("revenue",)),  # nothing tells of a unit
        (
            figures(revenue=5_400, equity=9_100, employees=7),
            figures(revenue=5_000, equity=9_000, employees=8),
            ("employees",),
        ),
        (
            figures(revenue=5_400, equity=9_100),
            figures(revenue=5_000, equity=9_000, currency="SEK"),
            ("revenue", "equity", "currency"),
        ),
        (figures(revenue=None), figures(revenue=0), ("revenue",)),
    ],
)
def test_fields_that_differ(before: dict[str, Any], after: dict[str, Any], fields: tuple[str, ...]) -> None:
    assert changed_fields(before, after) == fields
    assert is_new_version(before, after) == bool(fields)


@check_cases(
    ("before", "after", "fields"),
    [
        # a share capital is round by itself: its correction is no rounding
        ({"equity": 25_300}, {"equity": 25_000}, ("equity",)),
        ({"equity": 25_300, "total_assets": 25_300}, {"equity": 25_000, "total_assets": 25_000}, None),
        ({"equity": 25_300, "total_assets": 30_000}, {"equity": 25_000, "total_assets": 30_000}, ("equity",)),
        ({"equity": 25_300, "net_result": None}, {"equity": 25_000, "net_result": 7_000}, ("net_result", "equity")),
        ({"equity": 25_300, "net_result": 200}, {"equity": 25_000, "net_result": 0}, ("net_result", "equity")),
    ],
)
def test_one_round_amount_shows_no_coarser_unit(
    before: dict[str, Any], after: dict[str, Any], fields: tuple[str, ...] | None
) -> None:
    assert changed_fields(figures(**before), figures(**after)) == (tuple(before) if fields is None else fields)


def test_leaving_a_figure_out_gives_no_other_value() -> None:
    assert not is_new_version(figures(revenue=5, equity=2), figures(equity=2))
    assert changed_fields(figures(revenue=5, equity=2), figures(equity=3)) == ("revenue", "equity")


def test_scopes_have_versions_of_their_own() -> None:
    result = made(
        [statement("a", revenue=1), statement("b", revenue=2, is_consolidated=True)], [filing("a"), filing("b")]
    )
    assert [(row["is_consolidated"], row["version"], row["is_current"]) for row in result] == [
        (False, 1, True),
        (True, 1, True),
    ]


def test_comparatives_only_fill_periods_without_a_document() -> None:
    result = made(
        [
            statement("b", date(2025, 12, 31), revenue=30),
            statement("b", date(2024, 12, 31), revenue=21, is_comparative=True),
            statement("b", date(2023, 12, 31), revenue=11, is_comparative=True),
            statement("a", date(2024, 12, 31), revenue=20),
        ],
        [filing("a", date(2024, 12, 31)), filing("b")],
    )
    assert [(row["period_end"].year, row["revenue"], row["is_comparative"]) for row in result] == [
        (2023, 11, True),
        (2024, 20, False),
        (2025, 30, False),
    ]


def test_of_several_comparatives_the_newest_document_speaks() -> None:
    prior = date(2023, 12, 31)
    result = made(
        [
            statement("b", prior, revenue=12, is_comparative=True),
            statement("a", prior, revenue=11, is_comparative=True),
            statement("c", prior, is_comparative=True),
        ],
        [filing("a", filed_at=date(2025, 3, 1)), filing("b", filed_at=date(2026, 3, 1)), filing("c")],
    )
    assert [(row["revenue"], row["version"]) for row in result] == [(12, 1)]


def test_other_figures_under_the_same_document_are_the_next_version_and_stay_so() -> None:
    filings = [filing("a")]
    first = rows([statement("a", revenue=100, observed_at=DAY_1)], filings)
    second = rows([statement("a", revenue=90)], filings, first)
    assert second["revenue"].to_list() == [100, 90]
    assert second["version"].to_list() == [1, 2]
    assert rows([statement("a", revenue=90, observed_at=DAY_3)], filings, second)["revenue"].to_list() == [100, 90]
    back = rows([statement("a", revenue=100, observed_at=DAY_3)], filings, second)
    assert back["revenue"].to_list() == [100, 90, 100]


def test_serving_documents_again_does_not_reorder_their_versions() -> None:
    filings = [filing("a"), filing("b")]
    first = rows([statement("b", revenue=1, observed_at=DAY_1)], filings)
    second = rows([statement("a", revenue=2), statement("b", revenue=1, observed_at=DAY_1)], filings, first)
    third = rows(
        [statement("a", revenue=2, observed_at=DAY_3), statement("b", revenue=1, observed_at=DAY_3)], filings, second
    )
    assert second["revenue"].to_list() == third["revenue"].to_list() == [1, 2]


def test_a_document_that_is_gone_takes_its_versions_along() -> None:
    former = rows([statement("a", revenue=1), statement("b", revenue=2)], [filing("a"), filing("b")])
    assert rows([statement("b", revenue=2)], [filing("b")], former)["version"].to_list() == [1]


def test_order_of_the_input_changes_nothing() -> None:
    statements = [statement(name, revenue=value) for name, value in (("a", 1), ("b", 2), ("c", 3))]
    filings = [filing(name) for name in "abc"]
    assert rows(statements, filings).equals(rows(statements[::-1], filings[::-1]))


def test_no_rows_give_no_rows() -> None:
    assert rows([], []).is_empty()
    assert rows([], []).columns == list(FINANCIALS.names)


def spans(*periods: tuple[str, str, int | None]) -> dict[str, tuple[str | None, int, int | None]]:
    """Label of each period, by its last day."""
    statements = [
        statement(str(number), date.fromisoformat(end), period_start=date.fromisoformat(start), revenue=1)
        | {"fiscal_year": year}
        for number, (start, end, year) in enumerate(periods)
    ]
    return {
        str(row["period_end"]): (row["period_type"], row["fiscal_year"], row["fiscal_quarter"])
        for row in made(statements, [])
    }


@check_cases(
    "ends",
    [
        ("2025-04-20", "2025-07-13", "2025-10-05", "2025-12-28"),  # 16, 12, 12, 12 weeks
        ("2025-03-23", "2025-06-15", "2025-09-07", "2025-12-28"),  # 12, 12, 12, 16 weeks
        ("2025-03-30", "2025-06-29", "2025-09-28", "2025-12-28"),
    ],
)
def test_quarters_are_numbered_by_the_share_of_their_year(ends: tuple[str, ...]) -> None:
    starts = ("2024-12-30", *(str(date.fromordinal(date.fromisoformat(end).toordinal() + 1)) for end in ends))
    quarters = [(start, end, 2025) for start, end in zip(starts, ends, strict=False)]
    found = spans(*quarters[:3], ("2024-12-30", "2025-12-28", 2025))
    assert [found[end][2] for end in ends[:3]] == [1, 2, 3]
    assert spans(("2023-12-31", "2024-12-29", 2024), quarters[3])[ends[3]][2] == 4
    running = spans(("2023-12-31", "2024-12-29", 2024), (starts[0], ends[0], 2025))
    assert running[ends[0]] == ("quarterly", 2025, 1)


@check_cases(
    "weeks",
    [
        (13, 13, 13, 14),
        (14, 13, 13, 13),
        (16, 12, 12, 13),
        (12, 12, 12, 17),
        (13, 13, 14, 14),  # 54 weeks, once in a changed year
    ],
)
@check_cases("begins", [date(2024, 12, 29), date(2025, 2, 2), date(2024, 6, 30), date(2024, 9, 29)])
def test_quarters_of_a_year_of_more_than_52_weeks_are_numbered_in_their_order(
    weeks: tuple[int, ...], begins: date
) -> None:
    starts = [begins + timedelta(weeks=sum(weeks[:place])) for place in range(5)]
    ends = [str(start - timedelta(days=1)) for start in starts[1:]]
    quarters = [(str(start), end, None) for start, end in zip(starts, ends, strict=False)]
    year = (str(begins), ends[3], None)
    found = spans(*quarters[:3], year)
    assert [found[end][2] for end in ends[:3]] == [1, 2, 3]
    before = (str(begins - timedelta(weeks=52)), str(begins - timedelta(days=1)), None)
    assert spans(before, quarters[3])[ends[3]][2] == 4


def test_a_changed_year_end_changes_no_earlier_number_and_gives_no_label_twice() -> None:
    found = spans(
        ("2022-07-01", "2023-06-30", 2023),
        ("2022-07-01", "2022-09-30", 2023),
        ("2023-04-01", "2023-06-30", 2023),
        ("2023-07-01", "2023-09-30", 2023),  # of the transition period: stored, not served
        ("2024-01-01", "2024-12-31", 2024),
        ("2024-01-01", "2024-03-31", 2024),
    )
    assert found["2022-09-30"] == ("quarterly", 2023, 1)
    assert found["2023-06-30"] in (("annual", 2023, None), ("quarterly", 2023, 4))
    assert found["2023-09-30"] == (None, 2023, None)
    assert found["2024-03-31"] == ("quarterly", 2024, 1)


def test_a_year_end_moved_from_december_to_june_leaves_the_quarters_before_it_as_they_were() -> None:
    found = spans(
        ("2022-01-01", "2022-12-31", 2022),
        ("2022-01-01", "2022-03-31", 2022),
        ("2022-04-01", "2022-06-30", 2022),
        ("2022-07-01", "2022-09-30", 2022),
        ("2023-07-01", "2024-06-30", 2024),
        ("2023-07-01", "2023-09-30", 2024),
        ("2023-10-01", "2023-12-31", 2024),
        ("2024-01-01", "2024-03-31", 2024),
    )
    numbers = {end: number for end, (kind, _, number) in found.items() if kind == "quarterly"}
    assert numbers == {
        "2022-03-31": 1,
        "2022-06-30": 2,
        "2022-09-30": 3,
        "2023-09-30": 1,
        "2023-12-31": 2,
        "2024-03-31": 3,
    }


def interim_quarters(year: tuple[str, str], *quarters: tuple[str, str]) -> dict[str, int | None]:
    """The number of each quarter beside the annual accounts of one year, by its last day; None: not served."""
    periods = [(*year, "annual_report"), *((*quarter, "interim_report") for quarter in quarters)]
    statements, filings = [], []
    for number, (start, end, kind) in enumerate(periods):
        period = {"end": date.fromisoformat(end), "period_start": date.fromisoformat(start)}
        statements.append(statement(str(number), **period, revenue=1))
        filings.append(filing(str(number), **period, filing_type=kind))
    found = made(statements, filings)
    return {str(row["period_end"]): row["fiscal_quarter"] for row in found if row["period_type"] == "quarterly"}


def test_quarters_of_a_first_or_changed_year_count_from_its_end() -> None:
    first = ("2022-10-01", "2022-12-31"), ("2023-01-01", "2023-03-31"), ("2023-04-01", "2023-06-30")
    rest = ("2023-07-01", "2023-09-30"), ("2023-10-01", "2023-12-31")
    assert interim_quarters(("2022-10-01", "2023-12-31"), *first, *rest[:1]) == {
        "2022-12-31": 4,
        "2023-03-31": 1,
        "2023-06-30": 2,
        "2023-09-30": 3,
    }
    assert interim_quarters(("2023-07-01", "2023-12-31"), *rest) == {"2023-09-30": 3, "2023-12-31": 4}


def annual_labels(register: str, *periods: tuple[str, str, int]) -> dict[str, tuple[str | None, int]]:
    statements = [
        statement(str(number), date.fromisoformat(end), period_start=date.fromisoformat(start), revenue=1)
        | {"fiscal_year": year, "register": register}
        for number, (start, end, year) in enumerate(periods)
    ]
    filings = [
        filing(str(number), date.fromisoformat(end), period_start=date.fromisoformat(start), register=register)
        for number, (start, end, _) in enumerate(periods)
    ]
    return {str(row["period_end"]): (row["period_type"], row["fiscal_year"]) for row in made(statements, filings)}


def test_transition_period_of_ten_months_takes_no_fiscal_years_label() -> None:
    periods = ("2022-03-01", "2023-02-28", 2023), ("2023-03-01", "2023-12-31", 2023), ("2024-01-01", "2024-12-31", 2024)
    assert annual_labels("us.companyfacts", *periods) == {
        "2023-02-28": ("annual", 2023),
        "2023-12-31": (None, 2023),
        "2024-12-31": ("annual", 2024),
    }
    first = ("2023-03-01", "2023-12-31", 2023)  # a company's first year, of as many months
    assert annual_labels("us.companyfacts", first) == {"2023-12-31": ("annual", 2023)}
    assert annual_labels("no.brreg.regnskap", *periods[:2]) == {
        "2023-02-28": ("annual", 2023),
        "2023-12-31": ("annual", 2023),
    }

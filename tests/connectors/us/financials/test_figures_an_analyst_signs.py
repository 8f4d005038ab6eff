"""Totals, quarters and years of odd filers: the figure that the filing itself supports, or none."""

from datetime import UTC, date, datetime

import polars as pl

from connectors.us import financials_mapping
from connectors.us.companyfacts.parse import parse_companyfacts
from connectors.us.financials import closing_totals, figure_rules, revenue_rules, tagged_figures
from connectors.us.financials.versions import build_statements
from pipelines.transforms.financials.periods import period_type
from tests.connectors.us.fact_files import Fact, amounts, body, read, shared, statements
from tests.tables import check_cases

GROSS, NET = (
    "RevenueFromContractWithCustomerIncludingAssessedTax",
    "RevenueFromContractWithCustomerExcludingAssessedTax",
)
PRETAX = "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest"
NII, FEES, PROVISION = "InterestIncomeExpenseNet", "NoninterestIncome", "ProvisionForLoanAndLeaseLosses"
GAINS = "GainLossOnInvestments"
FOOT = "LiabilitiesAndStockholdersEquity"
MINORITIES = "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest"
Q4 = ("2023-10-01", "2023-12-31")
YEAR, NINE = ("2023-01-01", "2023-12-31"), ("2023-01-01", "2023-09-30")
LAST_YEAR, LAST_NINE = ("2022-01-01", "2022-12-31"), ("2022-01-01", "2022-09-30")


def fact(tag: str, span: tuple[str, str], value: int, filing: tuple[str, str, str]) -> Fact:
    return (tag, *span, value, *filing)


TEN_K_22, TEN_Q, TEN_K = (
    ("23001", "10-K", "2023-02-20"),
    ("23002", "10-Q", "2023-11-08"),
    ("24001", "10-K", "2024-02-20"),
)
LATER_Q = ("24002", "10-Q", "2024-11-08")
LATER_K = ("25001", "10-K", "2025-02-20")


# Which of several totals


@check_cases(
    ("facts", "due"),
    [
        ({GROSS: 2_136, NET: 2_008, "CostOfRevenue": 1_156, "GrossProfit": 852}, 2_008),
        ({GROSS: 2_136, NET: 2_008, "CostOfRevenue": 1_156, "GrossProfit": 980}, 2_136),
        ({"Revenues": -579, NET: 2_486, "CostsAndExpenses": 1_309, "OperatingIncomeLoss": -1_888}, -579),
        ({"Revenues": 100, NET: 90, "OperatingExpenses": 70, "OperatingIncomeLoss": 20}, 90),
        ({"Revenues": 100, NET: 90, "CostsAndExpenses": 70, "OperatingIncomeLoss": 25}, 100),  # none closes: the larger
        ({"Revenues": 0, NET: 90, "CostsAndExpenses": 70, "OperatingIncomeLoss": 20}, 90),  # a fragment stays one
        ({"Revenues": 100, NET: 90}, 100),
        ({GROSS: 2_136, NET: 2_008, "CostOfGoodsAndServicesSold": 1_156, "GrossProfit": 852}, 2_008),
        ({GROSS: 2_136, NET: 2_008, "CostOfGoodsSold": 1_156, "GrossProfit": 852}, 2_008),
        ({"Revenues": -500, NET: 2_500, "CostsAndExpenses": 1_300, PRETAX: -1_800}, -500),
        # costs that lead to the operating result come before costs that lead to the result before tax
        ({"Revenues": 110, NET: 90, "CostsAndExpenses": 70, "OperatingIncomeLoss": 20, PRETAX: 40}, 90),
        # parts beside a fragment, and a gross profit of the goods alone
        ({"Revenues": 0, "SalesRevenueGoodsNet": 900, "CostOfRevenue": 400, "GrossProfit": 500}, 900),
        ({"Revenues": 1_100, "SalesRevenueGoodsNet": 900, "CostOfRevenue": 400, "GrossProfit": 500}, 1_100),
        (
            {"SalesRevenueGoodsNet": 900, "SalesRevenueServicesNet": 300, "CostOfRevenue": 700, "GrossProfit": 500},
            1_200,
        ),
        (
            {
                "Revenues": 50,
                "OperatingLeaseLeaseIncome": 900,
                "RealEstateInvestmentPropertyNet": 1,
                "CostsAndExpenses": 500,
                "OperatingIncomeLoss": 400,
            },
            900,
        ),
        (
            {
                "ifrs_Revenue": 10,
                "ifrs_RevenueFromContractsWithCustomers": 900,
                "ifrs_CostOfSales": 500,
                "ifrs_GrossProfit": 400,
            },
            900,
        ),
        # rounded to a tenth of a million: the columns differ by one unit
        (
            {GROSS: 2_136_300_000, NET: 2_008_600_000, "CostOfRevenue": 1_156_300_000, "GrossProfit": 852_400_000},
            2_008_600_000,
        ),
        (
            {GROSS: 2_136_300_001, NET: 2_008_600_001, "CostOfRevenue": 1_156_300_001, "GrossProfit": 852_400_001},
            2_136_300_001,
        ),  # stated in dollars, a difference is none of rounding
    ],
)
def test_revenue_of_several_totals_is_the_one_that_closes_the_statement(facts: dict[str, int], due: int) -> None:
    found = revenue_rules.revenue_figure(facts, tagged_figures.filer_type_of(facts))
    assert found is not None
    assert found.amount == due


def test_total_of_a_filing_holds_for_its_comparatives_and_quarters_without_costs() -> None:
    facts = [
        *(fact(tag, YEAR, value, TEN_K) for tag, value in
          ((GROSS, 2_136), (NET, 2_008), ("CostOfRevenue", 1_156), ("GrossProfit", 852))),
        *(fact(tag, span, value, TEN_K) for span in (LAST_YEAR, Q4) for tag, value in ((GROSS, 2_000), (NET, 1_900))),
    ]  # fmt: skip
    assert amounts(facts) == {YEAR: 2_008, LAST_YEAR: 1_900, Q4: 1_900}


def test_totals_that_close_in_turn_decide_only_their_own_spans() -> None:
    closing = {YEAR: (GROSS, NET), LAST_YEAR: (NET, GROSS)}
    facts = [
        item
        for span, (total, other) in closing.items()
        for item in (
            fact(total, span, 100, TEN_K),
            fact(other, span, 120, TEN_K),
            fact("CostOfRevenue", span, 60, TEN_K),
            fact("GrossProfit", span, 40, TEN_K),
        )
    ]
    facts += [fact(GROSS, NINE, 70, TEN_K), fact(NET, NINE, 80, TEN_K), fact("NetIncomeLoss", NINE, 1, TEN_K)]
    found = build_statements(parse_companyfacts(body(facts)).filings.values()).statements
    assert {one.span: one.amounts["revenue"] for one in found} == {YEAR: 100, LAST_YEAR: 100}
    spans = {YEAR: {GROSS: 100, NET: 120, "CostOfRevenue": 60, "GrossProfit": 40}, NINE: {GROSS: 70, NET: 80}}
    assert closing_totals.closing_by_span(spans) == {YEAR: {GROSS}, NINE: {GROSS}}
    spans[LAST_YEAR] = {GROSS: 100, NET: 120, "CostOfRevenue": 60, "GrossProfit": 60}
    assert closing_totals.closing_by_span(spans) == {YEAR: {GROSS}, NINE: set(), LAST_YEAR: {NET}}, "nothing says which"


@check_cases(
    ("facts", "due"),
    [
        # interest paid is no revenue: the result before tax is net revenue less provision and expenses
        ({"Revenues": 900, NII: 500, FEES: 100, "NoninterestExpense": 300, PROVISION: 50, PRETAX: 250}, 600),
        ({"Revenues": 900, NII: 500, FEES: 100, "NoninterestExpense": 300, PRETAX: 300}, 600),
        ({"Revenues": 600, NII: 500, FEES: 100, "NoninterestExpense": 300, PRETAX: 300}, 600),
        ({"Revenues": 900, NII: 500, FEES: 100, "NoninterestExpense": 300, PRETAX: 600}, 900),
        ({"Revenues": 900, NII: 500, FEES: 100, "NoninterestExpense": 300, PRETAX: 111}, 900),  # nothing closes
        # an insurer's fragment: less than its premiums alone
        ({"Revenues": 20, "PremiumsEarnedNet": 500, "NetInvestmentIncome": 100}, 600),
        ({"Revenues": 300, "PremiumsEarnedNet": 500, "NetInvestmentIncome": 100, GAINS: -300}, 300),  # losses
        ({"Revenues": 300, "PremiumsEarnedNet": 500}, 300),
    ],
)
def test_total_of_a_bank_or_an_insurer_that_its_own_parts_refute(facts: dict[str, int], due: int) -> None:
    found = revenue_rules.revenue_figure(facts, tagged_figures.filer_type_of(facts))
    assert found is not None
    assert (found.amount, found.is_computed) == (due, due != facts["Revenues"])


@check_cases(
    ("facts", "due"),
    [
        ({"Assets": 500, FOOT: 500}, 500),
        ({"Assets": 30, FOOT: 500, "Liabilities": 300, "StockholdersEquity": 200}, 500),
        ({"Assets": 500, FOOT: 450, "Liabilities": 300, MINORITIES: 200}, 500),
        ({"Assets": 30, FOOT: 500, "StockholdersEquity": 200}, None),  # nothing says which side is wrong
        ({"Assets": 5_000_000, FOOT: 6_000_000}, 5_000_000),  # rounding
        ({FOOT: 500}, 500),
        ({"ifrs_Assets": 30, "ifrs_EquityAndLiabilities": 500, "ifrs_Liabilities": 300, "ifrs_Equity": 200}, 500),
    ],
)
def test_total_assets_of_sides_that_differ_is_the_one_that_liabilities_and_equity_make(
    facts: dict[str, int], due: int | None
) -> None:
    found = figure_rules.total_assets_figure(facts)
    assert (None if found is None else found.amount) == due


# A figure that its filing contradicts


def test_contradicted_figure_is_not_replaced_by_another_quantity() -> None:
    end = ("", YEAR[1])
    facts = [
        *(fact("Revenues", YEAR, value, TEN_K) for value in (5_000, 7_000)),
        fact("SalesRevenueGoodsNet", YEAR, 900, TEN_K),
        fact(NET, YEAR, 4_000, TEN_K),
        *(fact("NetIncomeLoss", YEAR, value, TEN_K) for value in (10, 20)),
        fact("ProfitLoss", YEAR, 33, TEN_K),
        fact("OperatingIncomeLoss", YEAR, 50, TEN_K),
        *(fact("StockholdersEquity", end, value, TEN_K) for value in (10, 90)),
        fact(MINORITIES, end, 95, TEN_K),
        *(fact("Assets", end, value, TEN_K) for value in (500, 600)),
        fact(FOOT, end, 500, TEN_K),  # the other side of the same sheet says which
    ]
    for told in (facts, facts[::-1]):
        found = {name: amounts(told, name)[YEAR] for name in ("revenue", "net_result", "equity", "total_assets")}
        assert found == {"revenue": None, "net_result": None, "equity": None, "total_assets": 500}


def test_contradicted_total_beside_one_that_closes_the_statement() -> None:
    facts = [
        *(fact("Revenues", YEAR, value, TEN_K) for value in (5_000, 7_000)),
        fact(NET, YEAR, 4_000, TEN_K),
        fact("CostOfRevenue", YEAR, 3_000, TEN_K),
        fact("GrossProfit", YEAR, 1_000, TEN_K),
    ]
    assert amounts(facts) == {YEAR: 4_000}


# Semi-annual reports (form 10-S, proposed by the SEC)

HALF, LAST_HALF = ("2027-01-01", "2027-06-30"), ("2026-01-01", "2026-06-30")
WHOLE, LAST_WHOLE = ("2027-01-01", "2027-12-31"), ("2026-01-01", "2026-12-31")
TEN_S, TEN_S_AMENDED = ("27001", "10-S", "2027-08-05"), ("27003", "10-S/A", "2027-09-05")
TEN_K_26, TEN_K_27 = ("27000", "10-K", "2027-02-20"), ("28001", "10-K", "2028-02-20")


def semi_annual() -> list[Fact]:
    """A filer that went from quarters to half-years in 2027."""
    quarters = (("2026-01-01", "2026-03-31", 10, "05"), ("2026-04-01", "2026-06-30", 11, "08"))
    return [
        *(fact(NET, (start, end), value, (f"2600{month[1]}", "10-Q", f"2026-{month}-05"))
          for start, end, value, month in quarters),
        fact(NET, LAST_HALF, 21, ("26008", "10-Q", "2026-08-05")),
        fact(NET, LAST_WHOLE, 44, TEN_K_26),
        fact(NET, HALF, 25, TEN_S),
        fact(NET, LAST_HALF, 21, TEN_S),
        fact(NET, WHOLE, 52, TEN_K_27),
    ]  # fmt: skip


def test_half_year_of_a_semi_annual_report_makes_no_quarter() -> None:
    found = amounts(semi_annual())
    assert {span: value for span, value in found.items() if span[0] >= "2027"} == {HALF: 25, WHOLE: 52}
    assert found["2026-04-01", "2026-06-30"] == 11  # quarters of the years before stay


def test_half_year_is_an_interim_report_whose_period_is_no_quarter_and_no_year() -> None:
    seen = datetime(2028, 3, 1, tzinfo=UTC)
    tables = shared(read(body([*semi_annual(), fact(NET, HALF, 26, TEN_S_AMENDED)]), seen=seen))
    columns = ("filing_id", "filing_type", "register")
    typed = tables["financials_reported"].drop("register").join(tables["filings"].select(columns), on="filing_id")
    typed = typed.with_columns(period_type=period_type()).filter(pl.col("period_start") >= date(2027, 1, 1))
    assert sorted(typed.select("period_end", "filing_type", "period_type", "revenue").rows()) == [
        (date(2027, 6, 30), "interim_report", None, 25),
        (date(2027, 6, 30), "interim_report", None, 26),
        (date(2027, 12, 31), "annual_report", "annual", 52),
    ]


# Fourth quarters


def recast(by: int) -> list[Fact]:
    return [
        fact(NET, LAST_YEAR, 15_315, TEN_K_22),
        fact(NET, NINE, 12_032, TEN_Q),
        fact(NET, YEAR, 13_122, TEN_K),
        fact(NET, LAST_YEAR, by, TEN_K),
    ]


def test_fourth_quarter_after_a_recast_of_the_year_before_is_not_derived() -> None:
    assert Q4 not in amounts(recast(12_653))
    assert amounts(recast(15_315))[Q4] == 1_090
    assert amounts(recast(15_316))[Q4] == 1_090  # a reclassification of less than half a percent


def test_fourth_quarter_is_derived_once_the_nine_months_are_told_in_the_new_scope() -> None:
    facts = [*recast(12_653), fact(NET, NINE, 9_952, LATER_Q), fact(NET, YEAR, 13_122, LATER_K)]
    assert amounts(facts)[Q4] == 3_170


def test_fourth_quarter_of_parts_recast_before_is_derived() -> None:
    facts = [
        *recast(12_653),
        fact(NET, LAST_NINE, 11_400, ("22002", "10-Q", "2022-11-08")),
        fact(NET, LAST_NINE, 9_400, TEN_Q),  # the nine months are of the new scope already
    ]
    assert amounts(facts)[Q4] == 1_090


def test_fourth_quarter_of_a_shell_under_the_merged_company_is_not_derived() -> None:
    def facts(assets: int) -> list[Fact]:
        return [
            fact("Assets", ("", "2022-12-31"), 200, TEN_K_22),
            fact("NetIncomeLoss", NINE, -2, TEN_Q),
            fact("NetIncomeLoss", YEAR, -90, TEN_K),
            fact("Assets", ("", "2022-12-31"), assets, TEN_K),
        ]

    assert amounts(facts(150), "net_result").get(Q4) is None
    assert amounts(facts(200), "net_result")[Q4] == -88


def test_a_fourth_quarter_of_two_scopes_is_a_signal() -> None:
    found = shared(read(body(recast(12_653))))["_mapping_signals"]
    assert found.select("code", "subject").rows() == [(financials_mapping.UNLIKE_PARTS, "revenue")]
    assert shared(read(body(recast(15_315))))["_mapping_signals"].is_empty()


def two_tags(last_year: int) -> list[Fact]:
    return [
        fact(NET, LAST_YEAR, 161_857, TEN_K_22),
        fact(NET, NINE, 125_629, TEN_Q),
        fact("Revenues", YEAR, 182_527, TEN_K),
        fact("Revenues", LAST_YEAR, last_year, TEN_K),
    ]


def test_fourth_quarter_over_two_tags_is_joined_where_comparatives_agree() -> None:
    assert amounts(two_tags(161_857))[Q4] == 56_898
    assert Q4 not in amounts(two_tags(170_000))


def test_fourth_quarter_over_two_tags_that_one_report_tells_apart_is_not_joined() -> None:
    apart = [*two_tags(161_857), fact("Revenues", ("2023-07-01", "2023-09-30"), 50_000, TEN_Q)]
    apart.append(fact(NET, ("2023-07-01", "2023-09-30"), 46_000, TEN_Q))
    assert Q4 not in amounts(apart)


def net_results(comparative: int, *more: Fact) -> list[Fact]:
    """Nine months of the parent, a year of the group; the group's comparative beside the parent's of before."""
    return [
        fact("NetIncomeLoss", LAST_YEAR, 40, TEN_K_22),
        fact("NetIncomeLoss", NINE, 33, TEN_Q),
        fact("ProfitLoss", YEAR, 50, TEN_K),
        fact("ProfitLoss", LAST_YEAR, comparative, TEN_K),
        *more,
    ]


def test_fourth_quarter_of_net_result_over_two_tags_goes_by_the_comparatives() -> None:
    assert amounts(net_results(40), "net_result")[Q4] == 17  # the group has no minorities
    assert Q4 not in amounts(net_results(45), "net_result")
    before = ("2021-01-01", "2021-12-31")
    differs = (fact("NetIncomeLoss", before, 30, TEN_K_22), fact("ProfitLoss", before, 35, TEN_K))
    assert Q4 not in amounts(net_results(40, *differs), "net_result")


def test_fourth_quarter_by_three_quarters_of_the_report_itself() -> None:
    quarters = (("2023-01-01", "2023-03-31"), ("2023-04-01", "2023-06-30"), ("2023-07-01", "2023-09-30"))
    told = [fact(NET, span, 3_300, TEN_K) for span in quarters]
    assert amounts([*recast(12_653), *told])[Q4] == 13_122 - 9_900


# Years


def test_of_one_end_the_span_nearest_to_52_weeks_is_the_year() -> None:
    since_inception = ("2022-12-01", "2023-12-31")
    facts = [fact(NET, span, value, TEN_K) for span, value in ((since_inception, 110), (YEAR, 100))]
    assert amounts(facts) == {YEAR: 100}
    made = build_statements(parse_companyfacts(body(facts)).filings.values())
    assert [span for _, span in made.reports] == [YEAR]


def test_labels_are_by_regime_of_year_ends_not_by_a_majority_over_all_years() -> None:
    def year(end: int) -> Fact:
        return fact(NET, (f"{end - 1}-02-01", f"{end}-01-31"), 100, (f"{end % 100}001", "10-K", f"{end}-03-20"))

    january = [year(end) for end in range(2015, 2021)]  # a year filed in March is labelled by the year before
    december = [
        fact(NET, ("2020-02-01", "2020-12-31"), 90, ("21001", "10-KT", "2021-03-20")),
        fact(NET, ("2021-01-01", "2021-12-31"), 100, ("22001", "10-K", "2022-03-20")),
    ]
    labels = {one.span[1]: one.fiscal_year for one in statements([*january, *december])}
    assert (labels["2015-01-31"], labels["2020-01-31"]) == (2014, 2019)
    assert (labels["2020-12-31"], labels["2021-12-31"]) == (2020, 2021)

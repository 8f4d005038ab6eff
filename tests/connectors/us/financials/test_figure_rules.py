"""Which tag of one filing is which figure: by filer type, on facts written by hand (docs/formats/us.md 12.3)."""

from connectors.us.financials import concepts, figure_rules, revenue_rules, tagged_figures
from connectors.us.financials.tagged_figures import FilerType
from tests.tables import check_cases

BANK = {"InterestIncomeExpenseNet": 60, "NoninterestIncome": 40, "InterestAndDividendIncomeOperating": 90}
INSURER = {"PremiumsEarnedNet": 80, "NetInvestmentIncome": 15}


def revenue(facts: dict[str, int]) -> tuple[int, bool] | None:
    found = revenue_rules.revenue_figure(facts, tagged_figures.filer_type_of(facts))
    return None if found is None else (found.amount, found.is_computed)


@check_cases(
    ("facts", "due"),
    [
        ({"Revenues": 65_357, "SalesRevenueNet": 63_435}, (65_357, False)),  # Target of 2009: the total
        ({"Revenues": 0, "RevenueFromContractWithCustomerExcludingAssessedTax": 70}, (70, False)),
        ({"Revenues": 0}, (0, False)),  # tagged 0 is 0
        ({"SalesRevenueGoodsNet": 7, "OilAndGasRevenue": 3}, (7, False)),
        (
            {"RevenueFromContractWithCustomerIncludingAssessedTax": 70, "RegulatedAndUnregulatedOperatingRevenue": 80},
            (80, False),  # a utility: the contracts are a part
        ),
        (
            {
                "RevenueFromContractWithCustomerExcludingAssessedTax": 6,
                "RevenuesNetOfInterestExpense": 36,
                "CostOfRevenue": 2,
            },
            (36, False),  # a lender over the net: fees are a part
        ),
        ({"Revenues": 33, "HealthCareOrganizationRevenue": 36}, (33, False)),  # before bad debts
        ({"NetIncomeLoss": -5}, None),  # a company without revenue has none, not 0
        (BANK, (100, True)),
        ({**BANK, "RevenuesNetOfInterestExpense": 101}, (101, False)),
        ({**BANK, "Revenues": 102}, (102, False)),
        ({**BANK, "RevenueFromContractWithCustomerExcludingAssessedTax": 30, "Revenues": 102}, (102, False)),
        ({"InterestIncomeExpenseNet": 60, "NoninterestExpense": 40}, None),  # half of a bank's revenue is none
        ({**INSURER, "GainLossOnInvestments": -2, "InsuranceCommissionsAndFees": 7}, (100, True)),
        ({**INSURER, "Revenues": 120}, (120, False)),
        ({"PremiumsEarnedNet": 80}, None),
        ({**BANK, "Revenues": 12}, (100, True)),  # a fragment: less than one of its parts
        ({**BANK, "NoninterestIncome": -30, "Revenues": 28}, (28, False)),  # losses explain it
        ({**BANK, "CostOfRevenue": 9}, (100, True)),  # has both parts of a bank's revenue
        (
            {"Revenues": 5_200, "RevenuesNetOfInterestExpense": 5_000, "InterestAndDividendIncomeOperating": 300},
            (5_000, False),  # a broker
        ),
        ({"PremiumsEarnedNet": 80, "RevenueFromContractWithCustomerExcludingAssessedTax": 30}, None),
        (
            {"PremiumsEarnedNet": 8, "RevenueFromContractWithCustomerExcludingAssessedTax": 300, "CostOfRevenue": 200},
            (300, False),  # sells goods, and has an insurer among its subsidiaries
        ),
        ({**INSURER, "Revenues": -4, "GainLossOnInvestments": -99}, (-4, False)),
        ({"ifrs_Revenue": 43, "ifrs_RevenueFromContractsWithCustomers": 5}, (43, False)),
        ({"ifrs_RevenueFromContractsWithCustomers": 5}, (5, False)),
        ({"ifrs_InsuranceRevenue": 50, "ifrs_RevenueFromContractsWithCustomers": 5}, (50, False)),
        ({"ifrs_InterestRevenueExpense": 30, "ifrs_FeeAndCommissionIncomeExpense": 12}, (42, True)),
        ({"ifrs_RevenueFromInterest": 60, "ifrs_FeeAndCommissionIncome": 20}, (80, True)),
        ({"ifrs_RevenueFromInterest": 60}, None),
        (
            {
                "ifrs_RevenueFromContractsWithCustomers": 14,
                "ifrs_InterestRevenueExpense": 30,
                "ifrs_FeeAndCommissionIncomeExpense": 12,
            },
            (42, True),  # of a bank what is under contracts is its fees
        ),
    ],
)
def test_revenue_by_filer_type(facts: dict[str, int], due: tuple[int, bool] | None) -> None:
    assert revenue(facts) == due


def test_landlords_revenue_is_not_the_part_under_contracts() -> None:
    lessor = {
        "RealEstateInvestmentPropertyNet": 900,
        "OperatingLeaseLeaseIncome": 80,
        "RevenueFromContractWithCustomerExcludingAssessedTax": 4,
    }
    assert tagged_figures.filer_type_of(lessor) is FilerType.REAL_ESTATE
    assert revenue(lessor) == (80, False)
    assert revenue({**lessor, "Revenues": 90}) == (90, False)


def test_landlords_total_is_not_its_rent() -> None:
    landlord = {"RealEstateInvestmentPropertyNet": 900, "OperatingLeaseLeaseIncome": 3_050}
    assert revenue({**landlord, "RevenueFromContractWithCustomerIncludingAssessedTax": 3_116}) == (3_116, False)
    assert revenue({**landlord, "Revenues": 0}) == (3_050, False)  # a fragment


@check_cases(
    ("facts", "due"),
    [
        # of a shop that counts its gross profit from its sales alone, the total with other income is the revenue
        (
            {
                "Revenues": 708,
                "RevenueFromContractWithCustomerExcludingAssessedTax": 700,
                "CostOfRevenue": 460,
                "GrossProfit": 240,
                "OperatingExpenses": 270,
                "OperatingIncomeLoss": -22,
            },
            708,
        ),
        # what is no larger than the gross profit, or far from costs and result, is a part beside an untagged total
        ({"OperatingLeaseLeaseIncome": 12, "GrossProfit": 1_100}, None),
        ({"Revenues": 25, "GrossProfit": 1_100, "CostOfGoodsAndServicesSold": 1_850}, None),
        ({"Revenues": 25, "CostsAndExpenses": 2_500, "OperatingIncomeLoss": 480}, None),
        ({"Revenues": 25, "CostOfRevenue": 1_850, "OperatingIncomeLoss": 480}, None),
        ({"RegulatedAndUnregulatedOperatingRevenue": 25, "CostsAndExpenses": 2_500, "OperatingIncomeLoss": 480}, None),
        ({"Revenues": 25, "CostsAndExpenses": 80, "OperatingIncomeLoss": -54}, 25),
        ({"Revenues": -579, "CostsAndExpenses": 1_309, "OperatingIncomeLoss": -1_888}, -579),
        ({"Revenues": 60, "CostsAndExpenses": 50, "OperatingIncomeLoss": 40}, 60),  # with a gain between them
        ({"Revenues": 60, "GrossProfit": 60}, 60),
        ({"ifrs_Revenue": 25, "ifrs_GrossProfit": 1_100}, None),
        ({"ifrs_RevenueFromContractsWithCustomers": 25, "ifrs_GrossProfit": 1_100}, None),
        # a bank whose contracts are less than its interest has no total in them
        ({"ifrs_RevenueFromContractsWithCustomers": 100, "ifrs_InterestRevenueExpense": 300}, None),
        ({"ifrs_RevenueFromContractsWithCustomers": 100, "ifrs_RevenueFromInterest": 300}, None),
        ({"ifrs_RevenueFromContractsWithCustomers": 400, "ifrs_RevenueFromInterest": 300}, 400),
        # a bank's or an insurer's total that is less than half of the one part that is tagged
        ({"InterestIncomeExpenseNet": 60, "NoninterestExpense": 40, "Revenues": 12}, None),
        ({"InterestIncomeExpenseNet": 60, "NoninterestExpense": 40, "Revenues": 58}, 58),
        ({"PremiumsEarnedNet": 80, "Revenues": 12}, None),
        ({"PremiumsEarnedNet": 80, "Revenues": 78}, 78),
        # goods and services make the net sales, by the taxonomy
        ({"SalesRevenueGoodsNet": 900, "SalesRevenueServicesNet": 300}, 1_200),
        ({"SalesRevenueGoodsNet": 900, "SalesRevenueServicesNet": 300, "Revenues": 1_150}, 1_150),
        (
            {"SalesRevenueGoodsNet": 900, "SalesRevenueServicesNet": 300, "CostOfRevenue": 500, "GrossProfit": 400},
            900,  # the gross profit is counted from it
        ),
        # a rent below the result is a note of a company that lives of something else
        ({"OperatingLeaseLeaseIncome": 12, "NetIncomeLoss": 370}, None),
        ({"OperatingLeaseLeaseIncome": 12, "OperatingIncomeLoss": 480}, None),
        ({"OperatingLeaseLeaseIncome": 500, "NetIncomeLoss": 370}, 500),
        ({"OperatingLeaseLeaseIncome": 300, "NetIncomeLoss": 370, "RealEstateInvestmentPropertyNet": 900}, 300),
        ({"Revenues": 700, "RevenuesNetOfInterestExpense": 650}, 650),  # a broker, by that tag alone
        ({"Revenues": 700, "RevenuesNetOfInterestExpense": 650, "GrossProfit": 300}, 700),  # a trader is none
        # a bank's total before the interest that it pays
        ({**BANK, "Revenues": 130}, 100),
        ({**BANK, "Revenues": 131}, 131),
    ],
)
def test_revenue_that_the_statement_refutes_is_none(facts: dict[str, int], due: int | None) -> None:
    found = revenue(facts)
    assert (None if found is None else found[0]) == due


@check_cases(
    ("facts", "due"),
    [
        ({"Revenues": -120, "CostOfRevenue": 90, "GrossProfit": 30}, {"Revenues"}),
        ({"Revenues": -579, "CostsAndExpenses": 1_309, "OperatingIncomeLoss": -1_888}, set()),
        ({"Revenues": -120}, set()),
        ({"ifrs_Revenue": -120, "ifrs_CostOfSales": 90, "ifrs_GrossProfit": 30}, {"ifrs_Revenue"}),
        ({"NetIncomeLoss": 5, "ProfitLoss": -5}, {"NetIncomeLoss", "ProfitLoss"}),
        ({"NetIncomeLoss": 5, concepts.PRETAX[0]: -5}, {"NetIncomeLoss"}),
        ({"NetIncomeLoss": 5, "ProfitLoss": -4}, set()),  # with losses of minorities
        ({"NetIncomeLoss": 0, "ProfitLoss": 0}, set()),
        (
            {"ifrs_ProfitLoss": 5, "ifrs_ProfitLossAttributableToOwnersOfParent": -5},
            {"ifrs_ProfitLoss", "ifrs_ProfitLossAttributableToOwnersOfParent"},
        ),
        ({"Assets": 300, "Liabilities": 500, "StockholdersEquity": 200}, {"StockholdersEquity"}),
        ({"Assets": 300, "Liabilities": 500, "StockholdersEquity": -200}, set()),
        ({"Assets": 300, "Liabilities": 100, "StockholdersEquity": -200}, {"StockholdersEquity"}),
        ({"LiabilitiesAndStockholdersEquity": 300, "Liabilities": 500, "PartnersCapital": 200}, {"PartnersCapital"}),
        ({"ifrs_Assets": 300, "ifrs_Liabilities": 500, "ifrs_Equity": 200}, {"ifrs_Equity"}),
        ({"Assets": 300, "Liabilities": 300, "StockholdersEquity": 0}, set()),
    ],
)
def test_amounts_that_the_statement_has_with_the_other_sign_are_none(facts: dict[str, int], due: set[str]) -> None:
    assert figure_rules.tags_of_opposite_sign(facts) == due
    kind = tagged_figures.filer_type_of(facts)
    figures = (
        revenue_rules.revenue_figure(facts, kind),
        figure_rules.net_result_figure(facts),
        figure_rules.equity_figure(facts),
    )
    assert not [figure for figure in figures if figure is not None and figure.tags & due]


def test_a_trader_with_a_finance_arm_is_no_bank() -> None:
    facts = {"InterestAndDividendIncomeOperating": 3, "ProvisionForLoanAndLeaseLosses": 1, "GrossProfit": 20}
    assert tagged_figures.filer_type_of({**facts, "SalesRevenueNet": 50}) is FilerType.COMMERCIAL
    assert revenue({**facts, "SalesRevenueNet": 50}) == (50, False)


@check_cases(
    ("facts", "due"),
    [
        ({"OperatingIncomeLoss": 9}, (9, False)),
        ({"Revenues": 100, "CostsAndExpenses": 88}, (12, True)),
        (
            {"Revenues": 0, "RevenueFromContractWithCustomerExcludingAssessedTax": 100, "CostsAndExpenses": 88},
            (12, True),
        ),
        ({"GrossProfit": 40, "OperatingExpenses": 30}, (10, True)),
        ({"Revenues": 100, "CostsAndExpenses": 88, concepts.PRETAX[0]: 12}, None),  # costs with interest
        ({"Revenues": 100, "CostsAndExpenses": 88, "NetIncomeLoss": 12}, None),  # with interest, and no tax
        ({"Revenues": 100, "CostsAndExpenses": 88, "NetIncomeLoss": 12, concepts.PRETAX[0]: 14}, (12, True)),
        (
            {
                "Revenues": 100,
                "CostsAndExpenses": 88,
                "RealEstateInvestmentPropertyNet": 900,
                "OperatingLeaseLeaseIncome": 98,
            },
            None,  # a landlord's expenses hold its interest
        ),
        # expenses that hold the cost of sales, or costs that do not
        ({"Revenues": 100, "GrossProfit": 40, "OperatingExpenses": 90, "NetIncomeLoss": 7}, None),
        ({"Revenues": 100, "GrossProfit": 40, "OperatingExpenses": 90, concepts.PRETAX[1]: -52}, (-50, True)),
        ({"Revenues": 100, "GrossProfit": 40, "OperatingExpenses": 90}, (-50, True)),
        ({"Revenues": 100, "GrossProfit": 40, "CostsAndExpenses": 30}, None),
        ({"Revenues": 100, "CostsAndExpenses": -80, "NetIncomeLoss": 15}, None),  # a slip of the sign
        ({"GrossProfit": 40, "OperatingExpenses": -30}, None),
        ({**BANK, "Revenues": 100, "CostsAndExpenses": 88}, None),
        ({**INSURER, "Revenues": 100, "CostsAndExpenses": 88}, None),
        ({"ifrs_ProfitLossFromOperatingActivities": 36}, (36, False)),
        ({"ifrs_OperatingProfit": 36}, (36, False)),
    ],
)
def test_operating_result(facts: dict[str, int], due: tuple[int, bool] | None) -> None:
    found = figure_rules.operating_result_figure(facts, tagged_figures.filer_type_of(facts))
    assert (None if found is None else (found.amount, found.is_computed)) == due


@check_cases(
    ("chain", "facts", "due"),
    [
        (concepts.NET_RESULT, {"ProfitLoss": 12, "NetIncomeLoss": 10}, 10),
        (concepts.NET_RESULT, {"ifrs_ProfitLoss": -19, "ifrs_ProfitLossAttributableToOwnersOfParent": -29}, -29),
        (concepts.EQUITY, {"PartnersCapital": 5}, 5),
        (concepts.EQUITY, {"ifrs_Equity": 270, "ifrs_EquityAttributableToOwnersOfParent": 228}, 228),
        (concepts.ASSETS, {"LiabilitiesAndStockholdersEquity": 8}, 8),
    ],
)
def test_the_parents_scope_comes_first(chain: tuple[str, ...], facts: dict[str, int], due: int) -> None:
    found = tagged_figures.first_tagged(facts, chain)
    assert found is not None
    assert found.amount == due


def test_every_chain_is_decoded() -> None:
    chained = {
        *concepts.TOTALS,
        *concepts.PARTS,
        *concepts.BANK_TOTALS,
        *concepts.BANK_SIGNS,
        *concepts.INSURER_GAINS,
        *concepts.IFRS_BANK_GROSS,
        *concepts.OPERATING,
        *concepts.NET_RESULT,
        *concepts.EQUITY,
        *concepts.ASSETS,
        *concepts.EMPLOYEES,
    }
    assert chained <= set(concepts.WANTED)
    assert len(set(concepts.WANTED)) == len(concepts.WANTED)

"""Which tag of one filing is which figure: by filer type, on facts written by hand (docs/formats/us.md 12.3)."""

from connectors.us import chains, facts_tags
from connectors.us.chains import Filer
from tests.tables import check_cases

BANK = {"InterestIncomeExpenseNet": 60, "NoninterestIncome": 40, "InterestAndDividendIncomeOperating": 90}
INSURER = {"PremiumsEarnedNet": 80, "NetInvestmentIncome": 15}


def revenue(facts: dict[str, int]) -> tuple[int, bool] | None:
    found = chains.revenue(facts, chains.filer_of(facts))
    return None if found is None else (found.amount, found.computed)


@check_cases(
    ("facts", "due"),
    [
        ({"Revenues": 65_357, "SalesRevenueNet": 63_435}, (65_357, False)),  # Target of 2009: the total
        ({"Revenues": 0, "RevenueFromContractWithCustomerExcludingAssessedTax": 70}, (70, False)),
        ({"Revenues": 0}, (0, False)),  # tagged 0 is 0
        ({"SalesRevenueGoodsNet": 7, "OilAndGasRevenue": 3}, (7, False)),
        (
            {
                "RevenueFromContractWithCustomerIncludingAssessedTax": 70,
                "RegulatedAndUnregulatedOperatingRevenue": 80,
            },
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
        (
            {"InterestIncomeExpenseNet": 60, "NoninterestExpense": 40},
            None,
        ),  # half of a bank's revenue is none
        ({**INSURER, "GainLossOnInvestments": -2, "InsuranceCommissionsAndFees": 7}, (100, True)),
        ({**INSURER, "Revenues": 120}, (120, False)),
        ({"PremiumsEarnedNet": 80}, None),
        ({**BANK, "Revenues": 12}, (100, True)),  # a fragment: less than one of its parts
        ({**BANK, "NoninterestIncome": -30, "Revenues": 28}, (28, False)),  # losses explain it
        ({**BANK, "CostOfRevenue": 9}, (100, True)),  # has both parts of a bank's revenue
        (
            {
                "Revenues": 5_200,
                "RevenuesNetOfInterestExpense": 5_000,
                "InterestAndDividendIncomeOperating": 300,
            },
            (5_000, False),  # a broker
        ),
        ({"PremiumsEarnedNet": 80, "RevenueFromContractWithCustomerExcludingAssessedTax": 30}, None),
        (
            {
                "PremiumsEarnedNet": 8,
                "RevenueFromContractWithCustomerExcludingAssessedTax": 300,
                "CostOfRevenue": 200,
            },
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
    assert chains.filer_of(lessor) is Filer.REAL_ESTATE
    assert revenue(lessor) == (80, False)
    assert revenue({**lessor, "Revenues": 90}) == (90, False)


def test_a_trader_with_a_finance_arm_is_no_bank() -> None:
    facts = {"InterestAndDividendIncomeOperating": 3, "ProvisionForLoanAndLeaseLosses": 1, "GrossProfit": 20}
    assert chains.filer_of({**facts, "SalesRevenueNet": 50}) is Filer.COMMERCIAL
    assert revenue({**facts, "SalesRevenueNet": 50}) == (50, False)


@check_cases(
    ("facts", "due"),
    [
        ({"OperatingIncomeLoss": 9}, (9, False)),
        ({"Revenues": 100, "CostsAndExpenses": 88}, (12, True)),
        (
            {
                "Revenues": 0,
                "RevenueFromContractWithCustomerExcludingAssessedTax": 100,
                "CostsAndExpenses": 88,
            },
            (12, True),
        ),
        ({"GrossProfit": 40, "OperatingExpenses": 30}, (10, True)),
        ({"Revenues": 100, "CostsAndExpenses": 88, facts_tags.PRETAX[0]: 12}, None),  # costs with interest
        ({**BANK, "Revenues": 100, "CostsAndExpenses": 88}, None),
        ({**INSURER, "Revenues": 100, "CostsAndExpenses": 88}, None),
        ({"ifrs_ProfitLossFromOperatingActivities": 36}, (36, False)),
        ({"ifrs_OperatingProfit": 36}, (36, False)),
    ],
)
def test_operating_result(facts: dict[str, int], due: tuple[int, bool] | None) -> None:
    found = chains.operating_result(facts, chains.filer_of(facts))
    assert (None if found is None else (found.amount, found.computed)) == due


@check_cases(
    ("chain", "facts", "due"),
    [
        (facts_tags.NET_RESULT, {"ProfitLoss": 12, "NetIncomeLoss": 10}, 10),
        (
            facts_tags.NET_RESULT,
            {"ifrs_ProfitLoss": -19, "ifrs_ProfitLossAttributableToOwnersOfParent": -29},
            -29,
        ),
        (facts_tags.EQUITY, {"PartnersCapital": 5}, 5),
        (facts_tags.EQUITY, {"ifrs_Equity": 270, "ifrs_EquityAttributableToOwnersOfParent": 228}, 228),
        (facts_tags.ASSETS, {"LiabilitiesAndStockholdersEquity": 8}, 8),
    ],
)
def test_the_parents_scope_comes_first(chain: tuple[str, ...], facts: dict[str, int], due: int) -> None:
    found = chains.first(facts, chain)
    assert found is not None
    assert found.amount == due


def test_every_chain_is_decoded() -> None:
    chained = {
        *facts_tags.TOTALS,
        *facts_tags.PARTS,
        *facts_tags.BANK_TOTALS,
        *facts_tags.BANK_SIGNS,
        *facts_tags.INSURER_GAINS,
        *facts_tags.IFRS_BANK_GROSS,
        *facts_tags.OPERATING,
        *facts_tags.NET_RESULT,
        *facts_tags.EQUITY,
        *facts_tags.ASSETS,
        *facts_tags.EMPLOYEES,
    }
    assert chained <= set(facts_tags.WANTED)
    assert len(set(facts_tags.WANTED)) == len(facts_tags.WANTED)

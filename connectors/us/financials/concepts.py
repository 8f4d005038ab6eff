"""The XBRL tags of each figure, by filer type, as data (docs/formats/us.md 12.3).

Tags of `us-gaap` appear without a prefix, those of `ifrs-full` and `dei` with one, like the staged columns.
Does not belong here: which of several tags counts (`figure_rules`), or periods.
"""

from __future__ import annotations

from typing import Final

IFRS: Final = "ifrs_"
DEI: Final = "dei_"

# Commercial revenue. The largest total counts: other filers use `Revenues` for a fragment, or for 0.
TOTALS: Final = (
    "Revenues",
    "RevenueFromContractWithCustomerExcludingAssessedTax",
    "RevenueFromContractWithCustomerIncludingAssessedTax",
    "SalesRevenueNet",
)
PARTS: Final = (
    "SalesRevenueGoodsNet",
    "SalesRevenueServicesNet",
    "RegulatedAndUnregulatedOperatingRevenue",
    "OilAndGasRevenue",
    "RealEstateRevenueNet",
    "HealthCareOrganizationRevenue",
    "ElectricUtilityRevenue",
    "OperatingLeasesIncomeStatementLeaseRevenue",
    "OperatingLeaseLeaseIncome",
    "RevenuesNetOfInterestExpense",
)
GOODS_AND_SERVICES: Final = PARTS[:2]
# If such a part is larger than every total, the totals are fragments: a utility's contracts, a lender's fees.
WHOLES: Final = ("RegulatedAndUnregulatedOperatingRevenue", "RevenuesNetOfInterestExpense")
LEASES: Final = ("OperatingLeaseLeaseIncome", "OperatingLeasesIncomeStatementLeaseRevenue")
REAL_ESTATE: Final = ("RealEstateRevenueNet", *LEASES)
PROPERTY: Final = "RealEstateInvestmentPropertyNet"

BANK_TOTALS: Final = ("RevenuesNetOfInterestExpense", "Revenues")
BANK_PARTS: Final = ("InterestIncomeExpenseNet", "NoninterestIncome")
BANK_GROSS: Final = ("InterestAndDividendIncomeOperating", "NoninterestIncome")  # before the interest paid
BANK_COSTS: Final = "NoninterestExpense"
PROVISIONS: Final = (
    "ProvisionForLoanLeaseAndOtherLosses",
    "ProvisionForLoanAndLeaseLosses",
    "ProvisionForLoanLossesExpensed",
)
BANK_SIGNS: Final = (
    *BANK_PARTS,
    "RevenuesNetOfInterestExpense",
    "InterestAndDividendIncomeOperating",
    "InterestIncomeExpenseAfterProvisionForLoanLoss",
    BANK_COSTS,
    *PROVISIONS,
)
TRADE_SIGNS: Final = (
    "CostOfRevenue",
    "GrossProfit",
)  # a filer with these is not a bank, whatever its finance arm tags, unless it has both parts of a bank's revenue

INSURER_SIGNS: Final = ("PremiumsEarnedNet", "PolicyholderBenefitsAndClaimsIncurredNet")
INSURER_DUE: Final = ("PremiumsEarnedNet", "NetInvestmentIncome")
INSURER_GAINS: Final = ("GainLossOnInvestments", "RealizedInvestmentGainsLosses")  # one of them
INSURER_FEES: Final = ("InsuranceCommissionsAndFees",)

IFRS_REVENUE: Final = f"{IFRS}Revenue"
IFRS_PARTS: Final = (f"{IFRS}RevenueFromContractsWithCustomers", f"{IFRS}InsuranceRevenue")
IFRS_BANK: Final = (f"{IFRS}InterestRevenueExpense", f"{IFRS}FeeAndCommissionIncomeExpense")
IFRS_BANK_GROSS: Final = (f"{IFRS}RevenueFromInterest", f"{IFRS}FeeAndCommissionIncome")
IFRS_INTEREST: Final = (IFRS_BANK[0], IFRS_BANK_GROSS[0])

OPERATING: Final = ("OperatingIncomeLoss", f"{IFRS}ProfitLossFromOperatingActivities", f"{IFRS}OperatingProfit")
COSTS: Final = "CostsAndExpenses"
GROSS: Final = "GrossProfit"
IFRS_GROSS: Final = f"{IFRS}GrossProfit"
EXPENSES: Final = "OperatingExpenses"
COSTS_OF_SALES: Final = ("CostOfRevenue", "CostOfGoodsAndServicesSold", "CostOfGoodsSold")
PRETAX: Final = (
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest",
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments",
)
# Total revenue less these costs is this result; expenses alone only where there is no cost of sales among them. The
# second only where none of the first holds: costs that include interest lead to the result before tax.
IDENTITIES: Final = (
    (
        ((COSTS,), OPERATING[:1]),
        *(((costs,), (GROSS,)) for costs in COSTS_OF_SALES),
        *(((costs, EXPENSES), OPERATING[:1]) for costs in COSTS_OF_SALES),
        ((EXPENSES,), OPERATING[:1]),
    ),
    (((COSTS,), PRETAX),),
)
IFRS_IDENTITIES: Final = ((((f"{IFRS}CostOfSales",), (IFRS_GROSS,)),),)

# From the parent's scope to wider ones: a later filing with only a wider scope never replaces a narrower one.
# Equivalent scopes of the two standards have equal ranks (`SCOPES`), so a filer moving to IFRS restates the
# parent's result.
NET_RESULT: Final = (
    "NetIncomeLoss",
    "ProfitLoss",
    "NetIncomeLossAvailableToCommonStockholdersBasic",
    "IncomeLossFromContinuingOperationsIncludingPortionAttributableToNoncontrollingInterest",
    f"{IFRS}ProfitLossAttributableToOwnersOfParent",
    f"{IFRS}ProfitLoss",
)
EQUITY: Final = (
    "StockholdersEquity",
    "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest",
    "PartnersCapital",
    "MembersEquity",
    "PartnersCapitalIncludingPortionAttributableToNoncontrollingInterest",
    f"{IFRS}EquityAttributableToOwnersOfParent",
    f"{IFRS}Equity",
)
# With the equity of either scope it is the foot of the balance sheet.
LIABILITIES: Final = ("Liabilities", f"{IFRS}Liabilities")
ASSETS: Final = ("Assets", "LiabilitiesAndStockholdersEquity", f"{IFRS}Assets", f"{IFRS}EquityAndLiabilities")
EMPLOYEES: Final = (f"{IFRS}AverageNumberOfEmployees", f"{IFRS}NumberOfEmployees", f"{DEI}EntityNumberOfEmployees")

MONEY: Final = tuple(
    dict.fromkeys(
        (
            *TOTALS,
            *PARTS,
            PROPERTY,
            *BANK_SIGNS,
            *TRADE_SIGNS,
            *INSURER_SIGNS,
            *INSURER_DUE,
            *INSURER_GAINS,
            *INSURER_FEES,
            IFRS_REVENUE,
            *IFRS_PARTS,
            *IFRS_BANK,
            *IFRS_BANK_GROSS,
            *OPERATING,
            COSTS,
            EXPENSES,
            *COSTS_OF_SALES,
            *PRETAX,
            *NET_RESULT,
            *EQUITY,
            *ASSETS,
            *LIABILITIES,
            f"{IFRS}CostOfSales",
            IFRS_GROSS,
        )
    )
)
SHARES: Final = f"{DEI}EntityCommonStockSharesOutstanding"  # as of the cover page's own day
WANTED: Final = (*MONEY, *EMPLOYEES, SHARES)
# Both sides of one balance sheet, by standard (docs/formats/us.md 12.3: they are equal).
SIDES: Final = (ASSETS[:2], ASSETS[2:])


def _scope_ranks(chain: tuple[str, ...]) -> dict[str, int]:
    """Rank of each tag among those of its own standard."""
    own = [tag for tag in chain if not tag.startswith(IFRS)]
    return {tag: place for tags in (own, [tag for tag in chain if tag not in own]) for place, tag in enumerate(tags)}


SCOPES: Final = {
    tag: scope for chain in (OPERATING, NET_RESULT, EQUITY, ASSETS) for tag, scope in _scope_ranks(chain).items()
}
# Where a filing states a figure twice and differently, these would take its place, though they are other quantities.
REPLACEMENTS: Final = {
    **dict.fromkeys(TOTALS, (*TOTALS, *PARTS)),
    **{
        tag: chain[place + 1 :]
        for chain in (PARTS, NET_RESULT, EQUITY, (IFRS_REVENUE, *IFRS_PARTS))
        for place, tag in enumerate(chain)
    },
}


def taxonomy_of(column: str) -> tuple[str, str]:
    """A column's taxonomy, as the source spells it, and the tag."""
    for prefix, taxonomy in ((IFRS, "ifrs-full"), (DEI, "dei")):
        if column.startswith(prefix):
            return taxonomy, column.removeprefix(prefix)
    return "us-gaap", column

"""Concepts of UK accounts: FRC suites, UK GAAP of 2009, and earlier XML taxonomies (docs/formats/uk.md 9.5).

Concepts are matched by local name, as prefixes and taxonomy versions change every year. Does not belong here:
which of several facts counts (`figures`).
"""

from __future__ import annotations

from typing import Final

# The first match wins.
REVENUE: Final = (
    "TurnoverRevenue",
    "TurnoverGrossOperatingRevenue",
    "Revenue",
    "IncomeEndowments",
    "TotalIncomeEndowments",
)
OPERATING_RESULT: Final = ("OperatingProfitLoss", "ProfitLossFromOperatingActivities")
NET_RESULT: Final = (
    "ProfitLoss",
    "ProfitLossForPeriod",
    "NetIncreaseDecreaseInCharitableFunds",
    "NetIncomeExpenditureBeforeTransfersBetweenFundsOtherRecognisedGainsLosses",
)
NET_RESULT_OF_GROUP: Final = (*NET_RESULT[:2], "ProfitLossAttributableToOwnersParent", *NET_RESULT[2:])
EQUITY: Final = (
    "Equity",
    "ShareholderFunds",
    "NetAssetsLiabilities",
    "NetAssetsLiabilitiesIncludingPensionAssetLiability",
    "CharityFunds",
    "TotalMembersInterests",
    "CapitalEmployed",
)
EMPLOYEES: Final = ("AverageNumberEmployeesDuringPeriod", "EmployeesTotal")
TOTAL_ASSETS: Final = ("Assets", "TotalAssets")  # IFRS instances; UK GAAP has no such line
CHAINS: Final = (REVENUE, OPERATING_RESULT, NET_RESULT_OF_GROUP, EQUITY, EMPLOYEES, TOTAL_ASSETS)

# Total assets are computed from these, and used only if the sheet balances (accounts_assets).
FIXED_ASSETS: Final = "FixedAssets"
FIXED_PARTS: Final = (
    ("IntangibleAssets", "IntangibleFixedAssets"),
    ("PropertyPlantEquipment", "TangibleFixedAssets"),
    ("InvestmentProperty",),
    ("FixedAssetInvestments", "InvestmentsFixedAssets"),
    ("HeritageAssets",),
    ("BiologicalAssetsNon-current", "BiologicalAssets"),
)
CURRENT_ASSETS: Final = "CurrentAssets"
CURRENT_PARTS: Final = (
    ("TotalInventories", "Stocks", "StocksInventory"),
    ("Debtors",),
    ("CurrentAssetInvestments", "InvestmentsCurrentAssets"),
    ("CashBankOnHand", "CashBankInHand", "CashCashEquivalents"),
)
OTHER_ASSETS: Final = (
    ("CalledUpShareCapitalNotPaidNotExpressedAsCurrentAsset",),
    ("PrepaymentsAccruedIncomeNotExpressedWithinCurrentAssetSubtotal",),
)
LESS_CURRENT_LIABILITIES: Final = "TotalAssetsLessCurrentLiabilities"
CREDITORS: Final = "Creditors"
CREDITORS_WITHIN: Final = ("CreditorsDueWithinOneYear", "CreditorsDueWithinOneYearTotalCurrentLiabilities")
CREDITORS_AFTER: Final = ("CreditorsDueAfterOneYear", "CreditorsDueAfterOneYearTotalNoncurrentLiabilities")
PROVISIONS: Final = (
    "ProvisionsForLiabilitiesBalanceSheetSubtotal",
    "ProvisionsForLiabilitiesCharges",
    "ProvisionsForLiabilities",
)
ACCRUALS: Final = (
    "AccruedLiabilitiesNotExpressedWithinCreditorsSubtotal",
    "AccruedLiabilitiesDeferredIncomeNotExpressedWithinCreditorsSubtotal",
    "AccrualsDeferredIncome",
    "AccruedLiabilitiesDeferredIncome",
)
PENSION: Final = ("DefinedBenefitPensionPlanNetLiability", "PensionLiability", "RetirementBenefitObligationsSurplus")
NET_ASSETS: Final = ("NetAssetsLiabilities", "NetAssetsLiabilitiesIncludingPensionAssetLiability")

FLOWS: Final = frozenset((*REVENUE, *OPERATING_RESULT, *NET_RESULT_OF_GROUP))
STOCKS: Final = frozenset(
    (
        *EQUITY,
        *TOTAL_ASSETS,
        FIXED_ASSETS,
        CURRENT_ASSETS,
        LESS_CURRENT_LIABILITIES,
        CREDITORS,
        *CREDITORS_WITHIN,
        *CREDITORS_AFTER,
        *PROVISIONS,
        *ACCRUALS,
        *PENSION,
        *(name for part in (*FIXED_PARTS, *CURRENT_PARTS, *OTHER_ASSETS) for name in part),
    )
)

NUMBER: Final = ("UKCompaniesHouseRegisteredNumber", "CompaniesHouseRegisteredNumber")
NAME: Final = ("EntityCurrentLegalOrRegisteredName", "EntityCurrentLegalName")
BALANCE_DATE: Final = "BalanceSheetDate"
REPORT_START: Final = "StartDateForPeriodCoveredByReport"
REPORT_END: Final = "EndDateForPeriodCoveredByReport"
DORMANT: Final = ("EntityDormantTruefalse", "EntityDormant", "CompanyDormant")
NOT_DORMANT: Final = "CompanyNotDormant"
RECEIVED: Final = "DateAccountsReceived"
AMENDED: Final = ("ReportAnAmendedRevisedVersionPreviouslyFiledReportTruefalse",)
STANDARD: Final = "AccountingStandardsApplied"
ACCOUNTS_TYPE: Final = ("AccountsType", "AccountsTypeFullOrAbbreviated")
METADATA: Final = frozenset(
    (
        *NUMBER,
        *NAME,
        BALANCE_DATE,
        REPORT_START,
        REPORT_END,
        *DORMANT,
        NOT_DORMANT,
        RECEIVED,
        *AMENDED,
        STANDARD,
        *ACCOUNTS_TYPE,
    )
)
ONCE: Final = frozenset((*NAME, BALANCE_DATE, REPORT_START, REPORT_END))
# Tagged in a group's IFRS statements only; undimensioned ones are the group's, unlike in the FRC suites.
IFRS: Final = "/ifrs-full"  # part of the namespace
OWNERS: Final = frozenset({"EquityAttributableToOwnersOfParent", "ProfitLossAttributableToOwnersOfParent"})
WANTED: Final = FLOWS | STOCKS | METADATA | OWNERS | frozenset(EMPLOYEES)

# Members meaning the total, not a part (docs/formats/uk.md 9.4); axes by local name.
IFRS_AXIS: Final = "ConsolidatedAndSeparateFinancialStatementsAxis"
GROUP_AXES: Final = frozenset(
    {
        "GroupCompanyDataDimension",
        "GroupCompanyDimension",  # UK GAAP of 2009
        "ConsolidationDimension",
        "ConsolidatedGroupCompanyDimension",
        IFRS_AXIS,
    }
)
GROUP_MEMBERS: Final = frozenset({"Consolidated", "ConsolidatedGroup", "Group", "ConsolidatedMember"})
COMPANY_MEMBERS: Final = frozenset({"Company", "CompanyOnly", "CompanyDefault", "ParentCompany", "SeparateMember"})
WHOLE_MEMBERS: Final = frozenset({"ContinuingAndDiscontinuedOperations", "AllPeriods"})
RESTATED: Final = "RestatedAmount"
DEFAULT: Final = "Default"  # suffix of default members
# Some software marks every figure of a first filing as original; next to a revised one it is the superseded value.
REVISION_AXIS: Final = "OriginalRevisedDataDimension"
ORIGINAL: Final = "Original"
REVISED: Final = "Revised"
SUPERSEDED: Final = "Superseded"
MATURITY_AXES: Final = frozenset(
    {"MaturitiesOrExpirationPeriodsDimension", "FinancialInstrumentCurrentNon-currentDimension"}
)
MATURITIES: Final = {
    "WithinOneYear": "Creditors.within",
    "CurrentFinancialInstruments": "Creditors.within",
    "AfterOneYear": "Creditors.after",
    "Non-currentFinancialInstruments": "Creditors.after",
}

STANDARDS: Final = {
    "FRS102": "FRS102",
    "FRS101": "FRS101",
    "FRS105": "FRS105",
    "Micro-entities": "FRS105",
    "SmallEntities": "FRS102",
    "FRSSE": "FRSSE",
    "FullIFRS": "IFRS",
    "InternationalFinancialReportingStandards": "IFRS",
    "IFRS": "IFRS",
}

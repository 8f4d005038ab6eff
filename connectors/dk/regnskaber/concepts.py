"""Concepts of Danish reports (docs/formats/dk.md 5.1), by local name and namespace family.

Prefixes are arbitrary, and older editions are dated: families are ends of namespaces. Does not belong here: which of
several facts counts (`figures`).
"""

from __future__ import annotations

from typing import Final

FIGURES_FAMILY: Final = "/fsa"
GENERAL_FAMILY: Final = "/gsd"
IFRS_FAMILY: Final = "/ifrs-full"

# The first with a value wins. Revenue has no fallback: small companies may withhold it; gross profit is another line.
CHAINS: Final = {
    "revenue": ("Revenue", "RevenueFromContractsWithCustomers"),
    "gross_result": ("GrossProfitLoss", "GrossResult", "GrossProfit"),
    "operating_result": ("ProfitLossFromOrdinaryOperatingActivities", "ProfitLossFromOperatingActivities"),
    "before_tax": ("ProfitLossFromOrdinaryActivitiesBeforeTax", "ProfitLossBeforeTax"),
    "net_result": ("ProfitLoss",),
}
BALANCES: Final = {"equity": ("Equity",), "total_assets": ("Assets", "LiabilitiesAndEquity")}
EMPLOYEES: Final = ("AverageNumberOfEmployees",)
FLOWS: Final = frozenset(name for names in CHAINS.values() for name in names)
STOCKS: Final = frozenset(name for names in BALANCES.values() for name in names)
NUMBERS: Final = FLOWS | STOCKS | frozenset(EMPLOYEES)

NUMBER: Final = "IdentificationNumberCvrOfReportingEntity"
NAME: Final = "NameOfReportingEntity"
FIRST_DAY: Final = "ReportingPeriodStartDate"
LAST_DAY: Final = "ReportingPeriodEndDate"
KIND: Final = "InformationOnTypeOfSubmittedReport"
CLASS: Final = "ClassOfReportingEntity"
METADATA: Final = frozenset((NUMBER, NAME, FIRST_DAY, LAST_DAY, KIND, CLASS))
WANTED: Final = NUMBERS | METADATA

SCHEME: Final = "http://www.dcca.dk/cvr"  # of entities named by CVR number
LEI_SCHEME: Final = "http://standards.iso.org/iso/17442"  # of ESEF reports, in which the group is the default
# Members that mean a whole, not a part
SCOPE_AXIS: Final = "ConsolidatedSoloDimension"
GROUP_MEMBER: Final = "ConsolidatedMember"
COMPANY_MEMBER: Final = "SoloMember"
IFRS_AXIS: Final = "ConsolidatedAndSeparateFinancialStatementsAxis"
SEPARATE_MEMBER: Final = "SeparateMember"

"""Renders Forms 3 and 4 as XML: direct and trust holdings of an insider, and rights (docs/formats/us.md 7.3).

Does not belong here: effects of a document (`companies.us.holders`), or its header (`headers`).
"""

from __future__ import annotations

from html import escape
from typing import Final

from sandbox.companies.us.filings import company_cik
from sandbox.model.company import Company
from sandbox.model.us import FiledDocument, InsiderReport

_TRUST: Final = 1_000  # shares of every insider held by a trust, while any are left
_BESIDES: Final = {"isTenPercentOwner": "isDirector"}  # owners of ten percent sit on the board
_RELATIONS: Final = ("isDirector", "isOfficer", "isTenPercentOwner", "isOther")


def ownership_document(company: Company, filing: FiledDocument) -> str:
    """Renders one form, with an entry per form of ownership."""
    told = filing.ownership
    if not isinstance(told, InsiderReport):
        raise TypeError(f"{filing.form} is no insider's form")
    trust = _TRUST if told.shares else 0
    lines = _direct_holding(filing, told, told.shares - trust) + _trust_holding(trust)
    symbol = next((ticker for ticker, _ in company.american.tickers), "NONE")
    return (
        '<?xml version="1.0"?>\n<ownershipDocument><schemaVersion>X0609</schemaVersion>'
        f"<documentType>{filing.form}</documentType><periodOfReport>{told.event}</periodOfReport>"
        f"{_form_flags(filing)}<issuer><issuerCik>{company_cik(company)}</issuerCik><issuerName>{escape(company.name)}</issuerName>"
        f"<issuerTradingSymbol>{symbol}</issuerTradingSymbol><issuerForeignTradingSymbol></issuerForeignTradingSymbol>"
        f"</issuer>{_reporting_owner(told)}<aff10b5One>0</aff10b5One><nonDerivativeTable>{lines}</nonDerivativeTable>"
        f"<derivativeTable>{_option_holding(filing, told)}</derivativeTable><footnotes>"
        '<footnote id="F1">By an invented trust.</footnote></footnotes><remarks></remarks>'
        "<ownerSignature><signatureName>/s/ Nobody Invented</signatureName>"
        f"<signatureDate>{filing.filed}</signatureDate></ownerSignature></ownershipDocument>"
    )


def _form_flags(paper: FiledDocument) -> str:
    if paper.form == "3":
        return "<noSecuritiesOwned>0</noSecuritiesOwned>"
    return "<notSubjectToSection16>0</notSubjectToSection16>"


def _reporting_owner(told: InsiderReport) -> str:
    flags = (told.relation, _BESIDES.get(told.relation))
    relations = "".join(f"<{name}>{int(name in flags)}</{name}>" for name in _RELATIONS)
    title = "<officerTitle>Chief Placeholder</officerTitle>" if told.relation == "isOfficer" else ""
    return (
        f"<reportingOwner><reportingOwnerId><rptOwnerCik>{told.person.cik}</rptOwnerCik>"
        f"<rptOwnerName>{escape(told.person.name)}</rptOwnerName></reportingOwnerId><reportingOwnerAddress>"
        "<rptOwnerNonUSAddressFlag>false</rptOwnerNonUSAddressFlag>"
        "<rptOwnerStreet1>1 PLACEHOLDER WAY</rptOwnerStreet1><rptOwnerStreet2></rptOwnerStreet2>"
        f"<rptOwnerCity>AUSTIN</rptOwnerCity><rptOwnerState>{told.person.place}</rptOwnerState>"
        "<rptOwnerZipCode>78701</rptOwnerZipCode><rptOwnerStateDescription></rptOwnerStateDescription>"
        f"</reportingOwnerAddress><reportingOwnerRelationship>{relations}{title}</reportingOwnerRelationship>"
        "</reportingOwner>"
    )


def _value_element(name: str, value: object) -> str:
    return f"<{name}><value>{value}</value></{name}>"


def _post_transaction(shares: int, nature: str) -> str:
    kept = _value_element("sharesOwnedFollowingTransaction", shares)
    return f"<postTransactionAmounts>{kept}</postTransactionAmounts><ownershipNature>{nature}</ownershipNature>"


def _direct_holding(paper: FiledDocument, told: InsiderReport, shares: int) -> str:
    title, nature = (_value_element("securityTitle", "Common Stock"), _value_element("directOrIndirectOwnership", "D"))
    if paper.form == "3":
        return f"<nonDerivativeHolding>{title}{_post_transaction(shares, nature)}</nonDerivativeHolding>"
    coding, amounts = _transaction_parts(told)
    return (
        f"<nonDerivativeTransaction>{title}{_value_element('transactionDate', told.event)}{coding}"
        f"<transactionTimeliness></transactionTimeliness>{amounts}{_post_transaction(shares, nature)}"
        "</nonDerivativeTransaction>"
    )


def _transaction_parts(told: InsiderReport) -> tuple[str, str]:
    code, side = ("S", "D") if told.change < 0 else ("P", "A")
    coding = (
        f"<transactionCoding><transactionFormType>4</transactionFormType><transactionCode>{code}</transactionCode>"
        "<equitySwapInvolved>0</equitySwapInvolved></transactionCoding>"
    )
    amounts = (
        f"<transactionAmounts>{_value_element('transactionShares', abs(told.change))}"
        f"{_value_element('transactionPricePerShare', '21.50')}"
        f"{_value_element('transactionAcquiredDisposedCode', side)}"
        "</transactionAmounts>"
    )
    return coding, amounts


def _trust_holding(shares: int) -> str:
    nature = (
        f"{_value_element('directOrIndirectOwnership', 'I')}<natureOfOwnership><value>By Trust</value>"
        '<footnoteId id="F1"/></natureOfOwnership>'
    )
    title = _value_element("securityTitle", "Common Stock")
    return f"<nonDerivativeHolding>{title}{_post_transaction(shares, nature)}</nonDerivativeHolding>"


def _option_holding(paper: FiledDocument, told: InsiderReport) -> str:
    """Renders an option on many shares, which must not count as a holding."""
    title = _value_element("securityTitle", "Stock Option (right to buy)")
    price = _value_element("conversionOrExercisePrice", "20.57")
    underlying = (
        '<exerciseDate><footnoteId id="F1"/></exerciseDate>'
        f"{_value_element('expirationDate', '2033-08-20')}<underlyingSecurity>"
        f"{_value_element('underlyingSecurityTitle', 'Common Stock')}"
        f"{_value_element('underlyingSecurityShares', 9_000_000)}"
        "</underlyingSecurity>"
    )
    nature = f"<ownershipNature>{_value_element('directOrIndirectOwnership', 'D')}</ownershipNature>"
    if paper.form == "3":
        return f"<derivativeHolding>{title}{price}{underlying}{nature}</derivativeHolding>"
    coding, amounts = _transaction_parts(told)
    left = _value_element("sharesOwnedFollowingTransaction", 9_000_000)
    after = f"<postTransactionAmounts>{left}</postTransactionAmounts>"
    return (
        f"<derivativeTransaction>{title}{price}{_value_element('transactionDate', told.event)}"
        f"{coding}{amounts}{underlying}"
        f"{after}{nature}</derivativeTransaction>"
    )

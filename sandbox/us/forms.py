"""Contents of EDGAR's forms: 3 and 4 (docs/formats/us.md 7.3), 13F (7.4), 25 and 15 (9).

Forms 3 and 4 have direct and trust holdings of an insider, and rights. The table of a 13F, under a file name chosen
by the manager, has the story's position in two rows, which are added up, an option on it, which is not a position,
and a position in an unknown company. Does not belong here: schedules (`schedule13`), what a document changes
(`companies.us.holders`, `companies.us.stories`), or its header (`headers`).
"""

from __future__ import annotations

from html import escape
from typing import Final

from sandbox.companies.us.filings import company_cik
from sandbox.companies.us.holders import company_cusip
from sandbox.model.company import Company
from sandbox.model.us import FiledDocument, InsiderReport, ManagerReport

EXCHANGE: Final = ("0000876661", "INVENTED EXCHANGE LLC")
_TRUST: Final = 1_000  # shares of every insider held by a trust, while any are left
_BESIDES: Final = {"isTenPercentOwner": "isDirector"}  # owners of ten percent sit on the board
_RELATIONS: Final = ("isDirector", "isOfficer", "isTenPercentOwner", "isOther")
_PRICE: Final = 21  # dollars per share: values are whole dollars since 2023
_OTHER: Final = ("NOBODY KNOWS CORP", "Z99999999", 1_234)
_ROWS: Final = 4


def ownership_document(company: Company, filing: FiledDocument, report: InsiderReport) -> str:
    """Renders one form, with an entry per form of ownership."""
    trust = _TRUST if report.shares else 0
    lines = _direct_holding(filing, report, report.shares - trust) + _trust_holding(trust)
    symbol = next((ticker for ticker, _ in company.american.tickers), "NONE")
    return (
        '<?xml version="1.0"?>\n<ownershipDocument><schemaVersion>X0609</schemaVersion>'
        f"<documentType>{filing.form}</documentType><periodOfReport>{report.event}</periodOfReport>"
        f"{_form_flags(filing)}<issuer><issuerCik>{company_cik(company)}</issuerCik><issuerName>{escape(company.name)}</issuerName>"
        f"<issuerTradingSymbol>{symbol}</issuerTradingSymbol><issuerForeignTradingSymbol></issuerForeignTradingSymbol>"
        f"</issuer>{_reporting_owner(report)}<aff10b5One>0</aff10b5One><nonDerivativeTable>{lines}</nonDerivativeTable>"
        f"<derivativeTable>{_option_holding(filing, report)}</derivativeTable><footnotes>"
        '<footnote id="F1">By an invented trust.</footnote></footnotes><remarks></remarks>'
        "<ownerSignature><signatureName>/s/ Nobody Invented</signatureName>"
        f"<signatureDate>{filing.filed}</signatureDate></ownerSignature></ownershipDocument>"
    )


def _form_flags(filing: FiledDocument) -> str:
    if filing.form == "3":
        return "<noSecuritiesOwned>0</noSecuritiesOwned>"
    return "<notSubjectToSection16>0</notSubjectToSection16>"


def _reporting_owner(report: InsiderReport) -> str:
    flags = (report.relation, _BESIDES.get(report.relation))
    relations = "".join(f"<{name}>{int(name in flags)}</{name}>" for name in _RELATIONS)
    title = "<officerTitle>Chief Placeholder</officerTitle>" if report.relation == "isOfficer" else ""
    return (
        f"<reportingOwner><reportingOwnerId><rptOwnerCik>{report.person.cik}</rptOwnerCik>"
        f"<rptOwnerName>{escape(report.person.name)}</rptOwnerName></reportingOwnerId><reportingOwnerAddress>"
        "<rptOwnerNonUSAddressFlag>false</rptOwnerNonUSAddressFlag>"
        "<rptOwnerStreet1>1 PLACEHOLDER WAY</rptOwnerStreet1><rptOwnerStreet2></rptOwnerStreet2>"
        f"<rptOwnerCity>AUSTIN</rptOwnerCity><rptOwnerState>{report.person.place}</rptOwnerState>"
        "<rptOwnerZipCode>78701</rptOwnerZipCode><rptOwnerStateDescription></rptOwnerStateDescription>"
        f"</reportingOwnerAddress><reportingOwnerRelationship>{relations}{title}</reportingOwnerRelationship>"
        "</reportingOwner>"
    )


def _value_element(name: str, value: object) -> str:
    return f"<{name}><value>{value}</value></{name}>"


def _post_transaction(shares: int, nature: str) -> str:
    kept = _value_element("sharesOwnedFollowingTransaction", shares)
    return f"<postTransactionAmounts>{kept}</postTransactionAmounts><ownershipNature>{nature}</ownershipNature>"


def _direct_holding(filing: FiledDocument, report: InsiderReport, shares: int) -> str:
    title, nature = (_value_element("securityTitle", "Common Stock"), _value_element("directOrIndirectOwnership", "D"))
    if filing.form == "3":
        return f"<nonDerivativeHolding>{title}{_post_transaction(shares, nature)}</nonDerivativeHolding>"
    coding, amounts = _transaction_parts(report)
    return (
        f"<nonDerivativeTransaction>{title}{_value_element('transactionDate', report.event)}{coding}"
        f"<transactionTimeliness></transactionTimeliness>{amounts}{_post_transaction(shares, nature)}"
        "</nonDerivativeTransaction>"
    )


def _transaction_parts(report: InsiderReport) -> tuple[str, str]:
    code, side = ("S", "D") if report.change < 0 else ("P", "A")
    coding = (
        f"<transactionCoding><transactionFormType>4</transactionFormType><transactionCode>{code}</transactionCode>"
        "<equitySwapInvolved>0</equitySwapInvolved></transactionCoding>"
    )
    amounts = (
        f"<transactionAmounts>{_value_element('transactionShares', abs(report.change))}"
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


def _option_holding(filing: FiledDocument, report: InsiderReport) -> str:
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
    if filing.form == "3":
        return f"<derivativeHolding>{title}{price}{underlying}{nature}</derivativeHolding>"
    coding, amounts = _transaction_parts(report)
    left = _value_element("sharesOwnedFollowingTransaction", 9_000_000)
    after = f"<postTransactionAmounts>{left}</postTransactionAmounts>"
    return (
        f"<derivativeTransaction>{title}{price}{_value_element('transactionDate', report.event)}"
        f"{coding}{amounts}{underlying}"
        f"{after}{nature}</derivativeTransaction>"
    )


def cover_document(filing: FiledDocument, report: ManagerReport) -> str:
    """The first document of a 13F: the cover."""
    period = f"{report.period:%m-%d-%Y}"
    total = (report.shares * 2 + _OTHER[2]) * _PRICE
    amended = (
        f"<isAmendment>true</isAmendment><amendmentNo>1</amendmentNo><amendmentInfo>"
        f"<amendmentType>{report.amends}</amendmentType></amendmentInfo>"
        if report.amends
        else "<isAmendment>false</isAmendment>"
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<edgarSubmission xmlns="http://www.sec.gov/edgar/thirteenffiler" xmlns:com="http://www.sec.gov/edgar/common">'
        f"<schemaVersion>X0202</schemaVersion><headerData><submissionType>{filing.form}</submissionType><filerInfo>"
        "<liveTestFlag>LIVE</liveTestFlag><flags><confirmingCopyFlag>false</confirmingCopyFlag>"
        "<returnCopyFlag>false</returnCopyFlag><overrideInternetFlag>false</overrideInternetFlag></flags>"
        f"<filer><credentials><cik>{report.manager.cik}</cik><ccc>XXXXXXXX</ccc></credentials></filer>"
        f"<periodOfReport>{period}</periodOfReport></filerInfo></headerData><formData><coverPage>"
        f"<reportCalendarOrQuarter>{period}</reportCalendarOrQuarter>{amended}<filingManager>"
        f"<name>{escape(report.manager.name)}</name><address><com:street1>1 PLACEHOLDER WAY</com:street1>"
        f"<com:city>NEW YORK</com:city><com:stateOrCountry>{report.manager.place}</com:stateOrCountry>"
        "<com:zipCode>10001</com:zipCode></address></filingManager><reportType>13F HOLDINGS REPORT</reportType>"
        "<form13FFileNumber>028-90001</form13FFileNumber><crdNumber>000900001</crdNumber>"
        "<secFileNumber>801-90001</secFileNumber><provideInfoForInstruction5>N</provideInfoForInstruction5>"
        "</coverPage><signatureBlock><name>Nobody Invented</name><title>Officer</title><phone>5550100</phone>"
        "<signature>/s/ Nobody Invented</signature><city>NEW YORK</city><stateOrCountry>NY</stateOrCountry>"
        f"<signatureDate>{filing.filed:%m-%d-%Y}</signatureDate></signatureBlock><summaryPage>"
        f"<otherIncludedManagersCount>0</otherIncludedManagersCount><tableEntryTotal>{_ROWS}</tableEntryTotal>"
        f"<tableValueTotal>{total}</tableValueTotal><isConfidentialOmitted>false</isConfidentialOmitted>"
        "</summaryPage></formData></edgarSubmission>"
    )


def information_table(company: Company, report: ManagerReport) -> str:
    """The second document of a 13F: the table of positions."""
    half = report.shares // 2
    name, number = escape(company.name.upper()), company_cusip(company)
    rows = (
        _table_row(name, number, half),
        _table_row(name, number, report.shares - half),
        _table_row(name, number, report.shares, option="Call"),
        _table_row(*_OTHER),
    )
    space = "http://www.sec.gov/edgar/document/thirteenf/informationtable"
    head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    return f'{head}<ns1:informationTable xmlns:ns1="{space}">{"".join(rows)}</ns1:informationTable>'


def _table_row(name: str, number: str, shares: int, option: str | None = None) -> str:
    right = f"<ns1:putCall>{option}</ns1:putCall>" if option else ""
    return (
        f"<ns1:infoTable><ns1:nameOfIssuer>{name}</ns1:nameOfIssuer><ns1:titleOfClass>COM</ns1:titleOfClass>"
        f"<ns1:cusip>{number}</ns1:cusip><ns1:value>{shares * _PRICE}</ns1:value><ns1:shrsOrPrnAmt>"
        f"<ns1:sshPrnamt>{shares}</ns1:sshPrnamt><ns1:sshPrnamtType>SH</ns1:sshPrnamtType></ns1:shrsOrPrnAmt>{right}"
        "<ns1:investmentDiscretion>SOLE</ns1:investmentDiscretion><ns1:votingAuthority>"
        f"<ns1:Sole>{shares}</ns1:Sole><ns1:Shared>0</ns1:Shared><ns1:None>0</ns1:None></ns1:votingAuthority>"
        "</ns1:infoTable>"
    )


def removal_document(company: Company, filing: FiledDocument) -> str:
    """Form 25-NSE, filed by the exchange. Its issuer's CIK is not padded."""
    place = company.place
    address = (
        f"<address><street1>{company.street}</street1><street2></street2><city>{place.town}</city>"
        f"<stateOrCountryCode>{place.code}</stateOrCountryCode><stateOrCountry>{place.county}</stateOrCountry>"
        f"<zipCode>{place.postcode}</zipCode></address><telephoneNumber>5550100</telephoneNumber>"
        if place
        else ""
    )
    return (
        '<?xml version="1.0"?>\n<notificationOfRemoval><schemaVersion>X0203</schemaVersion>'
        f"<exchange><cik>{EXCHANGE[0]}</cik><entityName>{EXCHANGE[1]}</entityName></exchange>"
        f"<issuer><cik>{int(company_cik(company))}</cik><entityName>{escape(company.name)}</entityName>"
        f"<fileNumber>001-90001</fileNumber>{address}</issuer>"
        f"<descriptionClassSecurity>{filing.security}</descriptionClassSecurity>"
        f"<ruleProvision>17 CFR 240.12d2-2{filing.rule}</ruleProvision>"
        "<signatureData><signatureName>Nobody Invented</signatureName><signatureTitle>Analyst</signatureTitle>"
        f"<signatureDate>{filing.filed}</signatureDate></signatureData></notificationOfRemoval>"
    )


def deregistration_document(filing: FiledDocument) -> str:
    """Form 15: a printed frame with the classes above their captions."""
    return (
        "<html><body><p>(Address, including zip code, and telephone number of registrant's principal executive "
        f"offices)</p><p>{filing.security}</p><p>(Title of each class of securities covered by this Form)</p>"
        "<p>None</p><p>(Titles of all other classes of securities for which a duty to file reports remains)</p>"
        "</body></html>"
    )

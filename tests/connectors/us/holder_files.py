"""Ownership filings written by hand in their own formats, and reading them."""

import io
from collections.abc import Iterable
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import polars as pl

from connectors.contract.dataset import ArchiveMember, Batch, Dataset, Scope, Signal
from connectors.kit.composition import company_ids_resolver
from connectors.us.contributions import ownership

STAKES, INSIDERS, MANAGERS = ownership.OWNERSHIP.datasets
INSTANT = datetime(2026, 11, 20, 12, tzinfo=UTC)
ISSUER = "0000000042"
COMPANY = f"firm:US:US{ISSUER}"
CUSIP = "123456AB7"
Row = dict[str, Any]


def piece(dataset: Dataset, body: bytes, name: str, at: datetime = INSTANT) -> ArchiveMember:
    return ArchiveMember(dataset.key, name, f"{hash(body):064x}"[-64:], at, Scope.PART, "b", lambda: io.BytesIO(body))


def read(dataset: Dataset, body: bytes | str, name: str = "us/x.xml", at: datetime = INSTANT) -> list[Batch]:
    """As the pipeline does: taken through the archive's door first."""
    assert dataset.redact is not None
    kept = dataset.redact(io.BytesIO(body.encode() if isinstance(body, str) else body)).read()
    return [
        batch for part in dataset.split_members(piece(dataset, kept, name, at)) for batch in dataset.read_batches(part)
    ]


def rows(batches: Iterable[Batch], table: str) -> list[Row]:
    return [row for batch in batches if batch.table == table for row in batch.rows.to_dicts()]


def reasons(batches: Iterable[Batch]) -> list[str]:
    return [reason for batch in batches for reason in batch.rejects["reason"]]


def signals(batches: Iterable[Batch]) -> dict[tuple[str, str], Signal]:
    return {(signal.code, signal.subject): signal for batch in batches for signal in batch.signals}


def present(*batches: list[Batch], at: datetime = INSTANT, company: str | None = None) -> dict[str, pl.LazyFrame]:
    """Batches as the present rows that a part gets. `company`: whose the rows are that a link would find."""
    touches = company_ids_resolver(ownership.OWNERSHIP.company_ids)
    found: dict[str, list[pl.DataFrame]] = {}
    for batch in (batch for some in batches for batch in some):
        whose = touches(batch.table, batch.rows)
        whose = whose if company is None else whose.fill_null(company)
        meta = [
            whose.alias("_company_id"),
            pl.lit(at, pl.Datetime("us", "UTC")).alias("_observed_at"),
            pl.lit("raw").alias("_raw"),
            pl.lit(None, pl.Datetime("us", "UTC")).alias("_retired_at"),
        ]
        found.setdefault(batch.table, []).append(batch.rows.with_columns(meta))
    return {table: pl.concat(frames).lazy() for table, frames in found.items()}


def holdings(*batches: list[Batch], company: str | None = None) -> list[Row]:
    made = ownership.OWNERSHIP.to_shared_tables(present(*batches, company=company), INSTANT.date())
    return made["holdings"].to_dicts()


def person_d(name: str, percent: str, shares: str = "100", cik: str | None = None, kind: str = "OO") -> str:
    number = (
        f"<reportingPersonCIK>{cik}</reportingPersonCIK>" if cik else "<reportingPersonNoCIK>Y</reportingPersonNoCIK>"
    )
    return (
        f"<reportingPersonInfo>{number}<reportingPersonName>{name}</reportingPersonName>"
        "<memberOfGroup>b</memberOfGroup><fundType>WC</fundType>"
        "<citizenshipOrOrganization>CA</citizenshipOrOrganization><soleVotingPower>0</soleVotingPower>"
        f"<aggregateAmountOwned>{shares}</aggregateAmountOwned><percentOfClass>{percent}</percentOfClass>"
        f"<typeOfReportingPerson>{kind}</typeOfReportingPerson></reportingPersonInfo>"
    )


def schedule_d(
    *persons: str,
    form: str = "SCHEDULE 13D",
    event: str = "11/02/2026",
    title: str = "Common Stock, par value $0.01",
    filer: str = "0000000007",
    prefix: str = "",
    more: str = "",
) -> str:
    """A Schedule 13D; `prefix` is what the elements carry in some copies."""
    text = (
        '<edgarSubmission xmlns="http://www.sec.gov/edgar/schedule13D">'
        f"<headerData><submissionType>{form}</submissionType><filerInfo><filer><filerCredentials><cik>{filer}</cik>"
        "<ccc>XXXXXXXX</ccc></filerCredentials></filer></filerInfo></headerData><formData><coverPageHeader>"
        f"<amendmentNo>1</amendmentNo><securitiesClassTitle>{title}</securitiesClassTitle>"
        f"<dateOfEvent>{event}</dateOfEvent><issuerInfo><issuerCIK>{ISSUER}</issuerCIK>"
        f"<issuerCUSIP>{CUSIP}</issuerCUSIP><issuerName>Example Corp.</issuerName></issuerInfo>"
        "<authorizedPersons><notificationInfo><personName>A Lawyer</personName>"
        "<personPhoneNum>555-0100</personPhoneNum></notificationInfo></authorizedPersons></coverPageHeader>"
        f"<reportingPersons>{''.join(persons)}</reportingPersons>{more}"
        "<signatureInfo><signaturePerson><signatureDetails><date>11/04/2026</date></signatureDetails>"
        "</signaturePerson></signatureInfo></formData></edgarSubmission>"
    )
    if prefix:
        text = text.replace("xmlns=", f"xmlns:{prefix}=").replace("</", f"</{prefix}:")
        text = "".join(
            f"<{prefix}:{part}" if part and part[0].isalpha() else f"<{part}" if place else part
            for place, part in enumerate(text.split("<"))
        )
    return f'<?xml version="1.0"?>{text}'


def person_g(name: str, percent: str, shares: str = "100", cik: str | None = None, kind: str = "IA") -> str:
    number = f"<reportingCik>{cik}</reportingCik>" if cik else ""
    return (
        f"<coverPageHeaderReportingPersonDetails>{number}<reportingPersonName>{name}</reportingPersonName>"
        "<citizenshipOrOrganization>DE</citizenshipOrOrganization><reportingPersonBeneficiallyOwnedNumberOfShares>"
        "<soleVotingPower>0</soleVotingPower></reportingPersonBeneficiallyOwnedNumberOfShares>"
        "<reportingPersonBeneficiallyOwnedAggregateNumberOfShares>"
        f"{shares}</reportingPersonBeneficiallyOwnedAggregateNumberOfShares><classPercent>{percent}</classPercent>"
        f"<typeOfReportingPerson>{kind}</typeOfReportingPerson></coverPageHeaderReportingPersonDetails>"
    )


def schedule_g(
    *persons: str,
    form: str = "SCHEDULE 13G",
    event: str = "09/30/2026",
    filer: str = "0000000008",
    cusips: str = f"<issuerCusips><issuerCusipNumber>{CUSIP}</issuerCusipNumber></issuerCusips>",
    exit_: str = "",
    version: str = "X0202",
) -> str:
    five = f"<items><item5><classOwnership5PercentOrLess>{exit_}</classOwnership5PercentOrLess></item5></items>"
    return (
        '<?xml version="1.0"?><edgarSubmission xmlns="http://www.sec.gov/edgar/schedule13g">'
        f"<schemaVersion>{version}</schemaVersion><headerData><submissionType>{form}</submissionType><filerInfo><filer>"
        f"<filerCredentials><cik>{filer}</cik></filerCredentials></filer></filerInfo></headerData><formData>"
        "<coverPageHeader><securitiesClassTitle>Common Stock</securitiesClassTitle>"
        f"<eventDateRequiresFilingThisStatement>{event}</eventDateRequiresFilingThisStatement><issuerInfo>"
        f"<issuerCik>{ISSUER}</issuerCik><issuerName>Example Corp.</issuerName>{cusips}</issuerInfo></coverPageHeader>"
        f"{''.join(persons)}<items><item4><classPercent>99%</classPercent></item4></items>{five if exit_ else ''}"
        "</formData></edgarSubmission>"
    ).replace("</items><items>", "")


def owner(name: str, cik: str, **flags: str) -> str:
    relation = "".join(f"<{flag}>{value}</{flag}>" for flag, value in flags.items())
    return (
        f"<reportingOwner><reportingOwnerId><rptOwnerCik>{cik}</rptOwnerCik><rptOwnerName>{name}</rptOwnerName>"
        "</reportingOwnerId><reportingOwnerAddress><rptOwnerStreet1>1 PRIVATE ROAD</rptOwnerStreet1>"
        "<rptOwnerCity>NOWHERE</rptOwnerCity><rptOwnerState>NE</rptOwnerState><rptOwnerZipCode>00000</rptOwnerZipCode>"
        f"</reportingOwnerAddress><reportingOwnerRelationship>{relation}</reportingOwnerRelationship></reportingOwner>"
    )


def line(
    shares: str | None,
    day: str | None = "2026-11-02",
    title: str = "Common Stock",
    nature: str | None = None,
    code: str = "S",
    change: str = "10",
) -> str:
    """A transaction; without a day a holding. `shares` None: only a footnote tells."""
    after = f"<value>{shares}</value>" if shares is not None else '<footnoteId id="F1"/>'
    kind = "nonDerivativeTransaction" if day else "nonDerivativeHolding"
    told = (
        f"<transactionDate><value>{day}</value></transactionDate>"
        f"<transactionCoding><transactionCode>{code}</transactionCode></transactionCoding>"
        f"<transactionAmounts><transactionShares><value>{change}</value></transactionShares>"
        "<transactionAcquiredDisposedCode><value>D</value></transactionAcquiredDisposedCode></transactionAmounts>"
        if day
        else ""
    )
    indirect = f"<natureOfOwnership><value>{nature}</value></natureOfOwnership>" if nature else ""
    return (
        f"<{kind}><securityTitle><value>{title}</value></securityTitle>{told}<postTransactionAmounts>"
        f"<sharesOwnedFollowingTransaction>{after}</sharesOwnedFollowingTransaction></postTransactionAmounts>"
        f"<ownershipNature><directOrIndirectOwnership><value>{'I' if nature else 'D'}</value>"
        f"</directOrIndirectOwnership>{indirect}</ownershipNature></{kind}>"
    )


def form4(
    *lines: str, owners: str, form: str = "4", version: str = "X0609", period: str = "2026-11-02", amended: str = ""
) -> str:
    original = f"<dateOfOriginalSubmission>{amended}</dateOfOriginalSubmission>" if amended else ""
    return (
        f'<?xml version="1.0"?><ownershipDocument><schemaVersion>{version}</schemaVersion>'
        f"<documentType>{form}</documentType><periodOfReport>{period}</periodOfReport>"
        f"{original}<issuer><issuerCik>{ISSUER}</issuerCik><issuerName>EXAMPLE CORP</issuerName>"
        f"<issuerTradingSymbol>EXM</issuerTradingSymbol></issuer>{owners}"
        f"<nonDerivativeTable>{''.join(lines)}</nonDerivativeTable><derivativeTable/><footnotes/>"
        "<ownerSignature><signatureName>/s/ x</signatureName><signatureDate>2026-11-04</signatureDate></ownerSignature>"
        "</ownershipDocument>"
    )


def position(
    cusip: str = CUSIP, value: str = "3000", shares: str = "100", kind: str = "SH", option: str = "", prefix: str = ""
) -> str:
    told = (
        f"<nameOfIssuer>EXAMPLE &amp; CO</nameOfIssuer><titleOfClass>COM</titleOfClass><cusip>{cusip}</cusip>"
        f"<value>{value}</value><shrsOrPrnAmt><sshPrnamt>{shares}</sshPrnamt><sshPrnamtType>{kind}</sshPrnamtType>"
        f"</shrsOrPrnAmt>{f'<putCall>{option}</putCall>' if option else ''}<investmentDiscretion>SOLE"
        "</investmentDiscretion><votingAuthority><Sole>0</Sole></votingAuthority>"
    )
    text = f"<infoTable>{told}</infoTable>"
    return text.replace("</", f"</{prefix}").replace("<", f"<{prefix}").replace(f"<{prefix}/", "</") if prefix else text


def table_13f(*positions: str, prefix: str = "") -> str:
    space = f"xmlns{':' + prefix[:-1] if prefix else ''}"
    return (
        f'<{prefix}informationTable {space}="http://www.sec.gov/edgar/document/thirteenf/informationtable">'
        f"{''.join(positions)}</{prefix}informationTable>"
    )


def cover_13f(form: str = "13F-HR", period: str = "09-30-2026", amendment: str = "", entries: int = 1) -> str:
    amended = (
        f"<isAmendment>true</isAmendment><amendmentInfo><amendmentType>{amendment}</amendmentType></amendmentInfo>"
        if amendment
        else ""
    )
    return (
        '<edgarSubmission xmlns="http://www.sec.gov/edgar/thirteenffiler"><headerData>'
        f"<submissionType>{form}</submissionType><filerInfo><filer><credentials><cik>0000000009</cik></credentials>"
        f"</filer><periodOfReport>{period}</periodOfReport></filerInfo></headerData><formData><coverPage>{amended}"
        "<filingManager><name>Example Management LLC</name><address><street1>1 STREET</street1>"
        "<stateOrCountry>NY</stateOrCountry></address></filingManager><reportType>13F HOLDINGS REPORT</reportType>"
        f"</coverPage><signatureBlock><phone>555-0199</phone></signatureBlock><summaryPage><tableEntryTotal>{entries}"
        "</tableEntryTotal></summaryPage></formData></edgarSubmission>"
    )


def filing(
    form: str, *documents: tuple[str, str], accession: str = "0000000007-26-000001", filed: str = "20261104"
) -> str:
    """A whole filing in the labelled dialect; documents are (type, text), XML in its envelope."""
    bodies = "".join(
        f"<DOCUMENT>\n<TYPE>{kind}\n<SEQUENCE>1\n<FILENAME>a.xml\n<TEXT>\n"
        f"{f'<XML>{chr(10)}{text}{chr(10)}</XML>' if text.startswith('<') and '<html' not in text else text}\n"
        "</TEXT>\n</DOCUMENT>\n"
        for kind, text in documents
    )
    return (
        f"<SEC-DOCUMENT>{accession}.txt : {filed}\n<SEC-HEADER>{accession}.hdr.sgml : {filed}\n"
        f"ACCESSION NUMBER:\t\t{accession}\nCONFORMED SUBMISSION TYPE:\t{form}\nFILED AS OF DATE:\t\t{filed}\n\n"
        "SUBJECT COMPANY:\n\n\tCOMPANY DATA:\n\t\tCOMPANY CONFORMED NAME:\t\t\tEXAMPLE CORP\n"
        f"\t\tCENTRAL INDEX KEY:\t\t\t{ISSUER}\n\nFILED BY:\n\n\tCOMPANY DATA:\n"
        "\t\tCOMPANY CONFORMED NAME:\t\t\tALPHA FUND LP\n\t\tCENTRAL INDEX KEY:\t\t\t0000000007\n"
        "\t\tIRS NUMBER:\t\t\t\t123456789\n\n\tMAIL ADDRESS:\n\t\tSTREET 1:\t\t1 PRIVATE ROAD\n\t\tSTATE:\t\tNY\n"
        f"</SEC-HEADER>\n{bodies}</SEC-DOCUMENT>\n"
    )


def day(text: str) -> date:
    return date.fromisoformat(text)


def percent(text: str) -> Decimal:
    return Decimal(text)

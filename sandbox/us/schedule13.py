"""Schedules 13D and 13G as XML: two schemas with different names for the same fields (docs/formats/us.md 7.1).

Every joint filer reports the same shares. 13G uses the later schema version, with a list of CUSIPs, 13D the
earlier one. Does not belong here: the change that a document reports (`holders`), or its header
(`headers`).
"""

from __future__ import annotations

from decimal import Decimal
from html import escape
from typing import Final

from sandbox.companies.us.filings import SHARES, company_cik
from sandbox.companies.us.holders import company_cusip
from sandbox.model.company import Company
from sandbox.model.us import FiledDocument, OwnershipParty, Schedule13Filing

TITLE: Final = "Common Stock, par value $0.01 per share"
_HUNDRED: Final = Decimal(100)
_NAMESPACES: Final = 'xmlns="http://www.sec.gov/edgar/{}" xmlns:com="http://www.sec.gov/edgar/common"'


def schedule_document(company: Company, filing: FiledDocument, schedule: Schedule13Filing) -> str:
    """One schedule."""
    return _schedule_13d(company, filing, schedule) if schedule.is_active else _schedule_13g(company, filing, schedule)


def _share_count(schedule: Schedule13Filing) -> int:
    return int(SHARES * schedule.percent / _HUNDRED)


def _header_element(filing: FiledDocument, schedule: Schedule13Filing) -> str:
    previous = f"<previousAccessionNumber>{schedule.previous}</previousAccessionNumber>" if schedule.previous else ""
    return (
        f"<headerData><submissionType>{filing.form}</submissionType>{previous}<filerInfo><filer><filerCredentials>"
        f"<cik>{schedule.persons[0].cik}</cik><ccc>XXXXXXXX</ccc></filerCredentials></filer>"
        "<liveTestFlag>LIVE</liveTestFlag></filerInfo></headerData>"
    )


def _address_elements(company: Company) -> str:
    place = company.place
    if place is None:
        return ""
    return (
        f"<com:street1>{company.street}</com:street1><com:city>{place.town}</com:city>"
        f"<com:stateOrCountry>{place.code}</com:stateOrCountry><com:zipCode>{place.postcode}</com:zipCode>"
    )


def _schedule_13d(company: Company, filing: FiledDocument, schedule: Schedule13Filing) -> str:
    amendment = f"<amendmentNo>{schedule.amendment}</amendmentNo>" if schedule.amendment else ""
    persons = "".join(_active_person(person, schedule) for person in schedule.persons)
    name, address = escape(company.name), _address_elements(company)
    signed = "".join(
        f"<signaturePerson><signatureReportingPerson>{escape(person.name)}</signatureReportingPerson>"
        f"{_signature_element(filing)}</signaturePerson>"
        for person in schedule.persons
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><edgarSubmission {_NAMESPACES.format("schedule13D")}>'
        f"{_header_element(filing, schedule)}<formData><coverPageHeader>{amendment}"
        f"<securitiesClassTitle>{TITLE}</securitiesClassTitle><dateOfEvent>{schedule.event:%m/%d/%Y}</dateOfEvent>"
        "<previouslyFiledFlag>false</previouslyFiledFlag><issuerInfo>"
        f"<issuerCIK>{company_cik(company)}</issuerCIK><issuerCUSIP>{company_cusip(company)}</issuerCUSIP>"
        f"<issuerName>{name}</issuerName><address>{address}</address></issuerInfo><authorizedPersons>"
        "<notificationInfo><personName>Nobody Invented</personName><personPhoneNum>5550100</personPhoneNum>"
        f"<personAddress>{address}</personAddress></notificationInfo></authorizedPersons></coverPageHeader>"
        f"<reportingPersons>{persons}</reportingPersons><items1To7><item1><securityTitle>{TITLE}</securityTitle>"
        f"<issuerName>{name}</issuerName><issuerPrincipalAddress>{address}</issuerPrincipalAddress>"
        "<commentText>Invented.</commentText></item1><item2><filingPersonName>N/A</filingPersonName>"
        "<principalBusinessAddress>N/A</principalBusinessAddress><principalJob>N/A</principalJob>"
        "<hasBeenConvicted>N/A</hasBeenConvicted><convictionDescription>N/A</convictionDescription>"
        "<citizenship>N/A</citizenship></item2><item3><fundsSource>N/A</fundsSource></item3>"
        "<item4><transactionPurpose>N/A</transactionPurpose></item4>"
        f"<item5><percentageOfClassSecurities>About {schedule.percent}%</percentageOfClassSecurities>"
        "<numberOfShares>N/A</numberOfShares><transactionDesc>N/A</transactionDesc>"
        "<listOfShareholders>N/A</listOfShareholders><date5PercentOwnership>N/A</date5PercentOwnership></item5>"
        "<item6><contractDescription>N/A</contractDescription></item6>"
        "<item7><filedExhibits>N/A</filedExhibits></item7></items1To7>"
        f"<signatureInfo>{signed}</signatureInfo></formData></edgarSubmission>"
    )


def _active_person(person: OwnershipParty, schedule: Schedule13Filing) -> str:
    known = (
        f"<reportingPersonCIK>{person.cik}</reportingPersonCIK><reportingPersonNoCIK>N</reportingPersonNoCIK>"
        if person.cik
        else "<reportingPersonNoCIK>Y</reportingPersonNoCIK>"
    )
    member = "<memberOfGroup>a</memberOfGroup>" if len(schedule.persons) > 1 else ""
    shares = f"{_share_count(schedule)}.00"
    return (
        f"<reportingPersonInfo>{known}<reportingPersonName>{escape(person.name)}</reportingPersonName>{member}"
        "<fundType>WC</fundType><legalProceedings>N</legalProceedings>"
        f"<citizenshipOrOrganization>{person.place}</citizenshipOrOrganization>"
        f"<soleVotingPower>0.00</soleVotingPower><sharedVotingPower>{shares}</sharedVotingPower>"
        f"<soleDispositivePower>0.00</soleDispositivePower><sharedDispositivePower>{shares}</sharedDispositivePower>"
        f"<aggregateAmountOwned>{shares}</aggregateAmountOwned>"
        f"<isAggregateExcludeShares>N</isAggregateExcludeShares><percentOfClass>{schedule.percent}</percentOfClass>"
        f"<typeOfReportingPerson>{person.kind}</typeOfReportingPerson><commentContent>Invented.</commentContent>"
        "</reportingPersonInfo>"
    )


def _signature_element(filing: FiledDocument) -> str:
    return (
        "<signatureDetails><signature>/s/ Nobody Invented</signature><title>Nobody Invented</title>"
        f"<date>{filing.filed:%m/%d/%Y}</date></signatureDetails>"
    )


def _schedule_13g(company: Company, filing: FiledDocument, schedule: Schedule13Filing) -> str:
    amendment = f"<amendmentNo>{schedule.amendment}</amendmentNo>" if schedule.amendment else ""
    persons = "".join(_passive_person(person, schedule) for person in schedule.persons)
    name, first = escape(company.name), escape(schedule.persons[0].name)
    flag = "<notApplicableFlag>{}</notApplicableFlag>"
    five = (
        f"{flag.format('N')}<classOwnership5PercentOrLess>Y</classOwnership5PercentOrLess>"
        if schedule.is_exit
        else flag.format("Y")
    )
    signed = "".join(
        f"<signatureInformation><reportingPersonName>{escape(person.name)}</reportingPersonName>"
        f"{_signature_element(filing)}</signatureInformation>"
        for person in schedule.persons
    )
    empty = "".join(f"<item{place}>{flag.format('Y')}</item{place}>" for place in (7, 8, 9))
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><edgarSubmission {_NAMESPACES.format("schedule13g")}>'
        f"<schemaVersion>X0202</schemaVersion>{_header_element(filing, schedule)}<formData><coverPageHeader>{amendment}"
        f"<securitiesClassTitle>{TITLE}</securitiesClassTitle>"
        f"<eventDateRequiresFilingThisStatement>{schedule.event:%m/%d/%Y}</eventDateRequiresFilingThisStatement>"
        f"<issuerInfo><issuerCik>{company_cik(company)}</issuerCik><issuerName>{name}</issuerName><issuerCusips>"
        f"<issuerCusipNumber>{company_cusip(company)}</issuerCusipNumber></issuerCusips>"
        f"<issuerPrincipalExecutiveOfficeAddress>{_address_elements(company)}</issuerPrincipalExecutiveOfficeAddress>"
        "</issuerInfo><designateRulesPursuantThisScheduleFiled><designateRulePursuantThisScheduleFiled>"
        "Rule 13d-1(b)</designateRulePursuantThisScheduleFiled></designateRulesPursuantThisScheduleFiled>"
        f"</coverPageHeader>{persons}<items><item1><issuerName>{name}</issuerName>"
        f"<issuerPrincipalExecutiveOfficeAddress>{company.street}</issuerPrincipalExecutiveOfficeAddress></item1>"
        f"<item2><filingPersonName>{first}</filingPersonName>"
        "<principalBusinessOfficeOrResidenceAddress>1 PLACEHOLDER WAY</principalBusinessOfficeOrResidenceAddress>"
        f"<citizenship>{schedule.persons[0].place}</citizenship></item2><item3>{flag.format('N')}"
        f"<typeOfPersonFiling>{schedule.persons[0].kind}</typeOfPersonFiling></item3>"
        f"<item4><amountBeneficiallyOwned>{_share_count(schedule)}</amountBeneficiallyOwned>"
        f"<classPercent>{schedule.percent}%</classPercent><numberOfSharesPersonHas>"
        f"<solePowerOrDirectToVote>{_share_count(schedule)}</solePowerOrDirectToVote>"
        "<sharedPowerOrDirectToVote>0</sharedPowerOrDirectToVote>"
        f"<solePowerOrDirectToDispose>{_share_count(schedule)}</solePowerOrDirectToDispose>"
        "<sharedPowerOrDirectToDispose>0</sharedPowerOrDirectToDispose></numberOfSharesPersonHas></item4>"
        f"<item5>{five}</item5><item6>{flag.format('N')}<ownershipMoreThan5PercentOnBehalfOfAnotherPerson>N/A"
        f"</ownershipMoreThan5PercentOnBehalfOfAnotherPerson></item6>{empty}<item10>{flag.format('N')}"
        f"<certifications>Invented.</certifications></item10></items>{signed}</formData></edgarSubmission>"
    )


def _passive_person(person: OwnershipParty, schedule: Schedule13Filing) -> str:
    """A person of a 13G, which has the filer's CIK only in its header."""
    shares = f"{_share_count(schedule)}.00"
    return (
        "<coverPageHeaderReportingPersonDetails>"
        f"<reportingPersonName>{escape(person.name)}</reportingPersonName>"
        f"<citizenshipOrOrganization>{person.place}</citizenshipOrOrganization>"
        f"<reportingPersonBeneficiallyOwnedNumberOfShares><soleVotingPower>{shares}</soleVotingPower>"
        f"<sharedVotingPower>0.00</sharedVotingPower><soleDispositivePower>{shares}</soleDispositivePower>"
        "<sharedDispositivePower>0.00</sharedDispositivePower></reportingPersonBeneficiallyOwnedNumberOfShares>"
        f"<reportingPersonBeneficiallyOwnedAggregateNumberOfShares>{shares}"
        "</reportingPersonBeneficiallyOwnedAggregateNumberOfShares>"
        "<aggregateAmountExcludesCertainSharesFlag>N</aggregateAmountExcludesCertainSharesFlag>"
        f"<classPercent>{schedule.percent}</classPercent><typeOfReportingPerson>{person.kind}</typeOfReportingPerson>"
        "<comments>Invented.</comments></coverPageHeaderReportingPersonDetails>"
    )

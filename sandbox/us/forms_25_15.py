"""Forms 25 and 15: removal of a class of securities from an exchange, end of registration (docs/formats/us.md 9).

Does not belong here: the header (`headers`), or the effect on the company (`companies.us.stories`).
"""

from __future__ import annotations

from html import escape
from typing import Final

from sandbox.companies.us.filings import company_cik
from sandbox.model.company import Company
from sandbox.model.us import FiledDocument

_EXCHANGE: Final = "0000876661"


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
        f"<exchange><cik>{_EXCHANGE}</cik><entityName>INVENTED EXCHANGE LLC</entityName></exchange>"
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

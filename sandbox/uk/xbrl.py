"""Accounts as plain XBRL of the old UK GAAP taxonomy, with its quirks (docs/formats/uk.md 9.2 and 9.3).

The entity identifier is the company's name under a free-text scheme; the number is in a fact and in the file
name; amounts are plain with a leading minus; unit and context ids follow the client software.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final
from xml.sax.saxutils import escape

from sandbox.model.company import Accounts, Company, Figures

_NAMESPACES: Final = {
    "iso4217": "http://www.xbrl.org/2003/iso4217",
    "gc": "http://www.xbrl.org/uk/fr/gcd/2004-12-01",
    "link": "http://www.xbrl.org/2003/linkbase",
    "xlink": "http://www.w3.org/1999/xlink",
    "pt": "http://www.xbrl.org/uk/fr/gaap/pt/2004-12-01",
    "ae": "http://www.companieshouse.gov.uk/ef/xbrl/uk/fr/gaap/ae/2009-06-21",
    "xbrli": "http://www.xbrl.org/2003/instance",
}
_NUMBER: Final = "ae:CompaniesHouseRegisteredNumber"
_RECEIVED: Final = "ae:DateAccountsReceived"
_SCHEMA: Final = "http://www.companieshouse.gov.uk/ef/xbrl/uk/fr/gaap/ae/2009-06-21/uk-gaap-ae-2009-06-21.xsd"


def render_instance(company: Company, accounts: Accounts) -> bytes:
    """The instance document."""
    end, before = accounts.end, accounts.prior_end
    received = accounts.published - timedelta(days=1)
    name = escape(company.name)
    facts = [*_amount_facts(accounts.figures, end)]
    if accounts.prior is not None:
        facts += _amount_facts(accounts.prior, before)
    facts += [
        "  <gc:EntityNames>",
        f'    <gc:EntityCurrentLegalName contextRef="y{end}">{name}</gc:EntityCurrentLegalName>',
        "  </gc:EntityNames>",
        f'  <ae:CompanyNotDormant contextRef="y{end}">true</ae:CompanyNotDormant>',
        f'  <{_NUMBER} contextRef="y{end}">{company.number}</{_NUMBER}>',
        f'  <gc:BalanceSheetDate contextRef="e{end}">{end}</gc:BalanceSheetDate>',
        *_context_elements(company.name, accounts.start, end),
        *_context_elements(company.name, accounts.prior_start, before),
        '  <xbrli:unit id="currency_thisyear"><xbrli:measure>iso4217:GBP</xbrli:measure></xbrli:unit>',
        f'<{_RECEIVED} contextRef="e{end}">{received}</{_RECEIVED}>',
    ]
    spaces = " ".join(f'xmlns:{prefix}="{address}"' for prefix, address in _NAMESPACES.items())
    head = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f"<xbrli:xbrl {spaces}>",
        f'  <link:schemaRef xlink:href="{_SCHEMA}" xlink:type="simple"/>',
    ]
    return ("\n".join([*head, *facts]) + "</xbrli:xbrl>").encode()


def _amount_facts(figures: Figures, end: date) -> list[str]:
    net = figures.equity
    stated = {
        "FixedAssets": figures.fixed_assets,
        "CurrentAssets": figures.total_assets - figures.fixed_assets,
        "CreditorsDueWithinOneYearTotalCurrentLiabilities": figures.short_creditors,
        "TotalAssetsLessCurrentLiabilities": figures.total_assets - figures.short_creditors,
        "CreditorsDueAfterOneYear": figures.long_creditors,
        "NetAssetsLiabilitiesIncludingPensionAssetLiability": net,
        "ShareholderFunds": net,
    }
    return [
        f'  <pt:{name} precision="{len(str(abs(amount)))}" unitRef="currency_thisyear" contextRef="e{end}">'
        f" {amount} </pt:{name}>"
        for name, amount in stated.items()
    ]


def _context_elements(name: str, start: date, end: date) -> list[str]:
    periods = {
        f"y{end}": f"<xbrli:startDate>{start}</xbrli:startDate><xbrli:endDate>{end}</xbrli:endDate>",
        f"s{start}": f"<xbrli:instant>{start}</xbrli:instant>",
        f"e{end}": f"<xbrli:instant>{end}</xbrli:instant>",
    }
    scheme = escape(f"{name}/results", {'"': "&quot;"})
    entity = f'<xbrli:entity><xbrli:identifier scheme="{scheme}">{escape(name)}</xbrli:identifier></xbrli:entity>'
    return [
        f'  <xbrli:context id="{key}">{entity}<xbrli:period>{period}</xbrli:period></xbrli:context>'
        for key, period in periods.items()
    ]

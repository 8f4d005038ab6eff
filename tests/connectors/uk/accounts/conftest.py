"""A blank inline document to write accounts on, for the tests of reading them."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from connectors.uk.accounts.document import AccountsDocument, AccountsRow, parse_accounts_document

FOLDERS = ("accounts_ixbrl", "accounts_ixbrl_full", "accounts_xbrl_xml", "accounts_edge_cases")
NAME = "Prod223_2125_01234567_20171231.html"
AXIS = {
    "Consolidated": "GroupCompanyDataDimension",
    "Company": "GroupCompanyDataDimension",
    "WithinOneYear": "MaturitiesOrExpirationPeriodsDimension",
    "AfterOneYear": "MaturitiesOrExpirationPeriodsDimension",
    "ShareCapital": "EquityClassesDimension",
    "TotalGeographicSegmentsIncludingAnyUnallocatedAmount": "GeographicSegmentsDimension",
    "Europe": "GeographicSegmentsDimension",
    "RestatedAmount": "RestatementsFirstTimeAdoptionDimension",
    "PriorPeriodIncreaseDecrease": "RestatementsFirstTimeAdoptionDimension",
    "Micro-entities": "AccountingStandardsDimension",
    "FRS101": "AccountingStandardsDimension",
    "FullIFRS": "AccountingStandardsDimension",
    "FRSSE": "AccountingStandardsDimension",
    "OtherStandards": "AccountingStandardsDimension",
    "AbridgedAccounts": "AccountsTypeDimension",
}


class Page:
    """An inline document being written: contexts are made as facts name them."""

    def __init__(self, version: str = "2013", schema: str = "https://xbrl.frc.org.uk/FRS-102/2019/a.xsd") -> None:
        self.version, self.schema = version, schema
        self.contexts: dict[tuple[str, ...], str] = {}
        self.facts: list[str] = []

    def context(self, period: str, *members: str) -> str:
        return self.contexts.setdefault((period, *members), f"c{len(self.contexts)}")

    def number(self, name: str, value: object, period: str, *members: str, unit: str = "GBP", more: str = "") -> None:
        text, sign = (str(value)[1:], 'sign="-"') if str(value).startswith("-") and str(value) != "-" else (value, "")
        attributes = f'name="x7:{name}" contextRef="{self.context(period, *members)}" unitRef="{unit}" {sign} {more}'
        self.facts.append(f"<ix:nonFraction {attributes}>{text}</ix:nonFraction>")

    def text(self, name: str, value: str, period: str, *members: str, more: str = "") -> None:
        context = self.context(period, *members)
        self.facts.append(f'<ix:nonNumeric name="bus:{name}" contextRef="{context}" {more}>{value}</ix:nonNumeric>')

    def body(self) -> bytes:
        contexts = "".join(self._context(identity, *key) for key, identity in self.contexts.items())
        units = "".join(
            f'<xbrli:unit id="{unit}"><xbrli:measure>{prefix}:{unit}</xbrli:measure></xbrli:unit>'
            for unit, prefix in (("GBP", "iso4217"), ("USD", "iso4217"), ("EUR", "iso4217"), ("pure", "xbrli"))
        )
        return f"""<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/{self.version}/inlineXBRL"
 xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:iso4217="http://www.xbrl.org/2003/iso4217"
 xmlns:xbrldi="http://xbrl.org/2006/xbrldi" xmlns:link="http://www.xbrl.org/2003/linkbase"
 xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:x7="http://xbrl.frc.org.uk/fr/2019-01-01/core"
 xmlns:ixt="http://www.xbrl.org/inlineXBRL/transformation/2011-07-31"><body><ix:header><ix:references>
<link:schemaRef xlink:href="{self.schema}"/></ix:references><ix:resources>{contexts}{units}</ix:resources>
</ix:header>{"".join(self.facts)}</body></html>""".encode()

    @staticmethod
    def _context(identity: str, period: str, *members: str) -> str:
        start, _, end = period.rpartition("/")
        days = f"<xbrli:startDate>{start}</xbrli:startDate><xbrli:endDate>{end}</xbrli:endDate>"
        cuts = "".join(
            f'<xbrldi:explicitMember dimension="a:{AXIS[member]}">b:{member}</xbrldi:explicitMember>'
            for member in members
        )
        segment = f"<xbrli:segment>{cuts}</xbrli:segment>" if cuts else ""
        return (
            f'<xbrli:context id="{identity}"><xbrli:entity><xbrli:identifier scheme="http://www.companieshouse.gov.uk/">'
            f"01234567</xbrli:identifier>{segment}</xbrli:entity><xbrli:period>"
            f"{days if start else f'<xbrli:instant>{end}</xbrli:instant>'}</xbrli:period></xbrli:context>"
        )

    def read(self, name: str = NAME) -> AccountsDocument:
        return parse_accounts_document(name, self.body())


def _own(document: AccountsDocument, *, group: bool = False) -> AccountsRow:
    (row,) = [row for row in document.rows if row.is_group is group and not row.period.is_comparative]
    return row


@pytest.fixture
def blank() -> type[Any]:
    return Page


@pytest.fixture
def axes() -> dict[str, str]:
    """The axis of each member that a page may name."""
    return AXIS


@pytest.fixture
def own() -> Callable[..., AccountsRow]:
    return _own


@pytest.fixture(scope="session")
def bodies(sources: Path) -> dict[str, bytes]:
    """All documents: loose ones, and those of the zip, the nested one included."""
    uk = sources / "uk"
    found = {path.name: path.read_bytes() for folder in FOLDERS for path in sorted((uk / folder).iterdir())}
    for path in sorted((uk / "accounts_bulk_zip").iterdir()):
        found |= _unzipped(path.read_bytes(), "")
    return found


def _unzipped(body: bytes, outer: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    with zipfile.ZipFile(io.BytesIO(body)) as opened:
        for name in opened.namelist():
            if "__MACOSX" in name or name.endswith("/") or "cic34" in name:
                continue
            inner = opened.read(name)
            found |= _unzipped(inner, f"{name}!/") if inner[:2] == b"PK" else {outer + name: inner}
    return found

"""British files: BasicCompanyData, the PSC snapshot and the daily accounts zip (docs/formats/uk.md 3, 4 and 8).

Names are the registry's, with one exception: the register dates BasicCompanyData with the first of a month, the
sandbox with its day, because its register is published every day. Zips are streamed and carry the day's time
stamp, so that the same world gives the same bytes. Does not belong here: documents (`ixbrl`, `xbrl`), PSC
lines (`psc`).
"""

from __future__ import annotations

import codecs
import hashlib
import io
import zipfile
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import IO, Final

from sandbox.companies.accounts import next_year_end
from sandbox.model.company import Accounts, Company
from sandbox.shared.files import open_file, stream_member, zip_info
from sandbox.uk import ixbrl, psc, xbrl
from sandbox.world import World

COMPLETE: Final = ("uk.companies", "uk.psc")
CATEGORIES: Final = {
    "micro": "MICRO ENTITY",
    "small": "TOTAL EXEMPTION FULL",
    "full": "FULL",
    "group": "GROUP",
    "cic": "TOTAL EXEMPTION FULL",
    "xml": "TOTAL EXEMPTION SMALL",
    "dormant": "DORMANT",
}
_ADDRESS: Final = ("CareOf", "POBox", "AddressLine1", " AddressLine2", "PostTown", "County", "Country", "PostCode")
_FORMER_NAMES: Final = 10
_MARKED: Final = 9  # every ninth company's files have a byte order mark
# The blanks before some names are the registry's own.
COLUMNS: Final = (
    "CompanyName", " CompanyNumber",
    *(f"{' ' if part.startswith(' ') else ''}RegAddress.{part.strip()}" for part in _ADDRESS),
    "CompanyCategory", "CompanyStatus", "CountryOfOrigin", "DissolutionDate", "IncorporationDate",
    "Accounts.AccountRefDay", "Accounts.AccountRefMonth", "Accounts.NextDueDate", "Accounts.LastMadeUpDate",
    "Accounts.AccountCategory", "Returns.NextDueDate", "Returns.LastMadeUpDate", "Mortgages.NumMortCharges",
    "Mortgages.NumMortOutstanding", "Mortgages.NumMortPartSatisfied", "Mortgages.NumMortSatisfied",
    *(f"SICCode.SicText_{number}" for number in range(1, 5)),
    "LimitedPartnerships.NumGenPartners", "LimitedPartnerships.NumLimPartners", "URI",
    *(
        f"{blank}PreviousName_{number}.{part}"
        for number in range(1, _FORMER_NAMES + 1)
        for blank, part in ((" " if number == 2 else "", "CONDATE"), (" ", "CompanyName"))  # noqa: PLR2004
    ),
    "ConfStmtNextDueDate", " ConfStmtLastMadeUpDate",
)  # fmt: skip


def companies_name(day: date) -> str:
    return f"BasicCompanyDataAsOneFile-{day}"


def psc_name(day: date) -> str:
    return f"persons-with-significant-control-snapshot-{day}"


def accounts_name(day: date) -> str:
    return f"Accounts_Bulk_Data-{day}"


def write_day(world: World, day: int, folder: Path) -> None:
    """All British files of one day below `folder`; a day without new accounts has no accounts zip."""
    today = world.date(day)
    for dataset, name in (
        ("basic_company_data", companies_name(today)),
        ("psc_snapshot", psc_name(today)),
        ("accounts_bulk_zip", accounts_name(today)),
    ):
        with open_file(folder / dataset / f"{name}.zip") as file:
            write_zip(world, day, name, file)


def write_zip(world: World, day: int, name: str, file: IO[bytes]) -> None:
    """Writes one of the day's zips, by its name without suffix."""
    today = world.date(day)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        if name == companies_name(today):
            stream_member(archive, f"{name}.csv", today, company_lines(world, day))
        elif name == psc_name(today):
            stream_member(archive, f"{name}.txt", today, psc.snapshot_lines(world, day))
        else:
            for member, body in account_members(world, day):
                stream_member(archive, member, today, (body,))


def company_lines(world: World, day: int) -> Iterator[bytes]:
    """BasicCompanyData: header and one quoted row per live company."""
    yield (",".join(COLUMNS) + "\n").encode()
    for company in world.all("UK", day):
        if company.is_in_register:
            cells = (cell.replace('"', '""') for cell in csv_row(company, world.date(day)))
            yield ('"' + '","'.join(cells) + '"\n').encode()


def csv_row(company: Company, today: date) -> list[str]:
    """The cells of one row, in column order."""
    place, last = company.place, company.current_accounts()[-1:] or [None]
    accounts = last[0]
    overseas = company.number.startswith("OE")
    return [
        company.name, company.number, "", "", company.street, "",
        place.town if place else "", (place.county or "") if place else "",
        "UNITED KINGDOM" if company.position % 3 else "", place.postcode if place else "",
        company.form, company.registry_status or "Active", "LUXEMBOURG" if overseas else "United Kingdom", "",
        _date_text(company.registered), *_accounts_cells(company, accounts), "", "",
        "0", "0", "0", "0", *_industry_cells(company), "0", "0",
        f"http://business.data.gov.uk/id/company/{company.number}",
        *_former_names(company),
        _date_text(_anniversary_date(company.registered, today) + timedelta(days=14)),
        _date_text(_anniversary_date(company.registered, today, 1)),
    ]  # fmt: skip


def _date_text(day: date | None) -> str:
    return f"{day:%d/%m/%Y}" if day else ""


def _anniversary_date(registered: date, today: date, back: int = 0) -> date:
    """The next or an earlier anniversary; the 29th of February moves to the 28th."""
    this_year = registered.replace(year=today.year, day=min(registered.day, 28))
    return this_year.replace(year=today.year + (this_year <= today) - back)


def _accounts_cells(company: Company, accounts: Accounts | None) -> list[str]:
    if accounts is None:
        if company.number.startswith("OE"):
            return ["", "", "", "", ""]
        return [str(company.registered.day), str(company.registered.month), "", "", "NO ACCOUNTS FILED"]
    due = next_year_end(accounts.end) + timedelta(days=273)
    return [
        str(accounts.end.day), str(accounts.end.month), _date_text(due), _date_text(accounts.end),
        CATEGORIES[accounts.document_style],
    ]  # fmt: skip


def _industry_cells(company: Company) -> list[str]:
    if company.industry is None:
        return ["None Supplied", "", "", ""]
    second = "82990 - Other business support service activities n.e.c." if company.position % 6 == 0 else ""
    return [f"{company.industry.code} - {company.industry.label}", second, "", ""]


def _former_names(company: Company) -> list[str]:
    pairs = [cell for changed, name in company.former_names[:_FORMER_NAMES] for cell in (_date_text(changed), name)]
    return pairs + [""] * (2 * _FORMER_NAMES - len(pairs))


def account_members(world: World, day: int) -> Iterator[tuple[str, bytes]]:
    """Members of the daily zip: documents, community interest packages, and a placeholder as seen in real zips."""
    for company, accounts in world.published_accounts("UK", day):
        yield zip_member(company, accounts, day)
    yield f"Prod223_{_run_number(day)}_99999998_20260331.html", b"ATTACHMENTPLACEHOLDER127319911"


def _run_number(day: int) -> str:
    """Number of the production run."""
    return f"{4100 + day % 5000:04d}"


def zip_member(company: Company, accounts: Accounts, day: int) -> tuple[str, bytes]:
    """Name and bytes of one member."""
    stem = f"Prod223_{_run_number(day)}_{company.number}_{accounts.end:%Y%m%d}"
    body = instance_document(company, accounts)
    if accounts.document_style == "cic":
        return f"{stem}_CIC.zip", _cic_package(company, accounts, body)
    if accounts.document_style == "xml":
        return f"{stem}.xml", body
    return f"{stem}.html", body


def instance_document(company: Company, accounts: Accounts) -> bytes:
    """The instance document; some producers put a byte order mark before it."""
    if accounts.document_style == "xml":
        return xbrl.render_instance(company, accounts)
    mark = codecs.BOM_UTF8 if company.position % _MARKED == 1 else b""
    return mark + ixbrl.render_accounts(company, accounts)


def document_sha256(company: Company, accounts: Accounts) -> str:
    """Replaces a native id, which the bulk lacks (docs/contract/contract.md 4.6)."""
    return hashlib.sha256(instance_document(company, accounts)).hexdigest()


def _cic_package(company: Company, accounts: Accounts, body: bytes) -> bytes:
    """A nested zip: the accounts, and a report without figures."""
    buffer = io.BytesIO()
    day = accounts.published
    root = f"CIC-{company.number}"
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for folder in (f"{root}/accounts/", f"{root}/cic34/"):
            archive.writestr(zip_info(folder, day, (3, 0, 0), zipfile.ZIP_STORED), b"")
        stream_member(archive, f"{root}/accounts/financialStatement.xhtml", day, (body,))
        stream_member(archive, f"{root}/cic34/cicReport.xhtml", day, (ixbrl.community_report(company, accounts.end),))
    return buffer.getvalue()

"""Finnish files: the bulk file of companies, statements and their list, notices, releases.

See docs/formats/fi.md 2 to 6. Folders and names are those of the stored samples. Registers are full snapshots
on every day; statements, notices and releases are complete on the first day and only new ones later. Does not
belong here: the format of a record (`ytj`, `xbrl`, `notices`, `sandbox.nasdaq`), or HTTP
(`http`).
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final

from sandbox.fi import notices, xbrl, ytj
from sandbox.model.company import Accounts, Company
from sandbox.nasdaq import fi_exchange_releases
from sandbox.world import World

COMPLETE: Final = ("fi.ytj",)
_BEGINNING: Final = date(2014, 11, 7)  # no notice is older
_REPLACED: Final = 2  # from this version of a key on, ids use the bytes' hash
Record = dict[str, Any]


def write_day(world: World, day: int, folder: Path) -> None:
    """All Finnish files of one day below `folder`."""
    today = world.date(day)
    with (_dataset_folder(folder, "ytj_v3") / "all_companies.zip").open("wb") as file:
        write_bulk(world, day, file)
    filed = list(appearing_statements(world, day))
    for company, accounts in filed:
        name = f"prh_xbrl_{company.number}_{accounts.end}.xml"
        (_dataset_folder(folder, "xbrl_v3") / name).write_bytes(xbrl.render_statement(company, accounts))
    _write_json(
        _dataset_folder(folder, "xbrl_v3") / f"prh_xbrl_all_financial_statements_{today}.json", statement_list(filed)
    )
    first = today if day else _BEGINNING
    found = [notices.company_with_notices(item) for item in notices.companies_with_notices(world, day, first, today)]
    answer = {"totalResults": len(found), "companies": found}
    _write_json(_dataset_folder(folder, "notices_v3") / f"prh_notices_{today}.json", answer)
    fi_exchange_releases.write_day(world, day, folder)


def _dataset_folder(folder: Path, dataset: str) -> Path:
    (folder / dataset).mkdir(parents=True, exist_ok=True)
    return folder / dataset


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")


def write_bulk(world: World, day: int, file: Any) -> None:
    """`all_companies`: a streamed zip of one member with one array; dated with the day."""
    today = world.date(day)
    info = zipfile.ZipInfo(f"data_{today:%Y%m%d}.json", (today.year, today.month, today.day, 3, 30, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(info, "w", force_zip64=True) as member,
    ):
        member.writelines(bulk_chunks(world, day))


def bulk_chunks(world: World, day: int) -> Iterator[bytes]:
    """One JSON array, company by company, including ceased ones."""
    separator = "[\n"
    for company in world.all("FI", day):
        yield (separator + json.dumps(ytj.company_object(company), ensure_ascii=False)).encode()
        separator = ",\n"
    yield b"]\n" if separator != "[\n" else b"[]\n"


def appearing_statements(world: World, day: int) -> Iterator[tuple[Company, Accounts]]:
    """Statements published on `day`: all on the first, then new ones; the last of a key counts."""
    for company in world.filers("FI", day):
        items = company.new_accounts if day else company.accounts
        newest = {(accounts.start, accounts.end): accounts for accounts in items}
        yield from ((company, accounts) for accounts in newest.values())


def statement_list(filed: list[tuple[Company, Accounts]]) -> Record:
    """The list by registration date."""
    items = [statement_entry(company, accounts) for company, accounts in filed]
    return {"totalResults": len(items), "financials": items}


def statement_entry(company: Company, accounts: Accounts) -> Record:
    """One entry of a list of statements."""
    return {
        "businessId": company.number,
        "financialDate": accounts.end.isoformat(),
        "registrationDate": accounts.published.isoformat(),
    }


def document_key(company: Company, accounts: Accounts) -> str:
    """Identifies a statement in an id: its key, and from the second replacement on a hash of its bytes."""
    same = [item for item in company.accounts if (item.start, item.end) == (accounts.start, accounts.end)]
    if same.index(accounts) < _REPLACED:
        return f"{company.number}:{accounts.end}"
    return hashlib.sha256(xbrl.render_statement(company, accounts)).hexdigest()

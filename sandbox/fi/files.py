"""Finnish files: the bulk file of companies, statements and their list, notices, releases.

See docs/formats/fi.md 2 to 6. Folders and names are those of the stored samples. Registers are full snapshots
on every day; statements, notices and releases are complete on the first day and only new ones later. Does not
belong here: the format of a record (`ytj`, `xbrl`, `sandbox.nasdaq`), or HTTP
(`http`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import IO, Any, Final

from sandbox.fi import xbrl, ytj
from sandbox.model.company import Accounts, Company
from sandbox.nasdaq import exchange_releases
from sandbox.shared.files import open_file, stream_archive, write_file, write_json
from sandbox.world import World

COMPLETE: Final = ("fi.ytj",)
_BEGINNING: Final = date(2014, 11, 7)  # no notice is older
_REPLACED: Final = 2  # from this version of a key on, ids use the bytes' hash
Record = dict[str, Any]


def write_day(world: World, day: int, folder: Path) -> None:
    """All Finnish files of one day below `folder`."""
    today = world.date(day)
    with open_file(folder / "ytj_v3" / "all_companies.zip") as file:
        write_bulk(world, day, file)
    filed = list(appearing_statements(world, day))
    statements = folder / "xbrl_v3"
    for company, accounts in filed:
        name = f"prh_xbrl_{company.number}_{accounts.end}.xml"
        write_file(statements / name, xbrl.render_statement(company, accounts))
    name = f"prh_xbrl_all_financial_statements_{today}.json"
    write_json(statements / name, statement_list(filed), indent=1)
    first = today if day else _BEGINNING
    found = ytj.companies_with_notices(world.all("FI", day), str(first), str(today))
    answer = {"totalResults": len(found), "companies": found}
    write_json(folder / "notices_v3" / f"prh_notices_{today}.json", answer, indent=1)
    exchange_releases.write_finnish_day(world, day, folder / "nasdaq_cns")


def write_bulk(world: World, day: int, file: IO[bytes]) -> None:
    """`all_companies`: a streamed zip of one member with one array; dated with the day."""
    today = world.date(day)
    stream_archive(file, f"data_{today:%Y%m%d}.json", today, bulk_chunks(world, day))


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

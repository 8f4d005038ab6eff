"""Danish files: the two indexes' answers and the documents of new reports (docs/formats/dk.md 2 and 5).

The first day has every company and every report, a later one what a search for new records and publications finds. Does
not belong here: records (`virksomhed`), publications (`publications`), searches (`elasticsearch`).
"""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Final

from sandbox.dk import indexes, publications
from sandbox.dk.elasticsearch import SearchIndex, found_answer, milliseconds
from sandbox.model.company import Accounts, Company
from sandbox.shared.files import write_file
from sandbox.world import World

COMPLETE: Final = ()  # an answer holds what has changed, and a company that has gone stays in the index
_PAGE: Final = 500


def write_day(world: World, day: int, folder: Path) -> None:
    """All Danish files of one day below `folder`."""
    today = world.date(day)
    _write_answers(indexes.company_index(world, day), today if day else None, folder / "cvr_virksomhed", str(today))
    _write_answers(indexes.report_index(world, day), today if day else None, folder / "offentliggoerelser", str(today))
    for company, accounts in world.published_accounts("DK", day):
        for document in publications.report_documents(company, accounts):
            if document.is_figures:
                write_file(folder / "regnskaber" / publications.file_name(accounts, document), document.sent_bytes)


def _write_answers(index: SearchIndex, since: date | None, folder: Path, name: str) -> None:
    """The answers to a search for all that was written on a day or later, page by page."""
    first = 0 if since is None else milliseconds(f"{since}T00:00:00+00:00")
    new = [entry for entry in index.entries if entry.sort[0] >= first]
    for page, start in enumerate(range(0, max(len(new), 1), _PAGE), start=1):
        answer = found_answer(index, new[start : start + _PAGE], len(new))
        write_file(folder / f"search_{name}_{page}.json", json.dumps(answer, ensure_ascii=False).encode())


def document_key(_company: Company, accounts: Accounts) -> str:
    """Identifies a report in an id: the publication's own."""
    return publications.publication_id(accounts)

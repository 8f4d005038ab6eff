"""Relations between companies, read both ways: the holders of companies, and what a holder holds.

See docs/contract/contract.md 4.4b. A holder is known by a company's id or by an LEI alone; an LEI leads to a company if
exactly one company of the release has it. Does not belong here: walks over several relations (`groups`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from warehouse.reader.types import CompanyHeader

_MARKS: Final = 200  # values per statement
_VALID: Final = "since <= ? AND (until = '' OR until > ?)"
_COLUMNS: Final = "company_id, minor, kind, position, holder_id, relation, holder, skips"
_HOLDERS: Final = f"""SELECT {_COLUMNS} FROM relations WHERE company_id = ? AND minor <= ? AND {_VALID}
    AND holder <> company_id ORDER BY company_id, minor, kind, position, holder_id LIMIT ?"""
_HELD: Final = f"""SELECT {_COLUMNS} FROM relations WHERE holder = ? AND skips = 0
    AND (position, company_id, holder_id, relation) > (?, ?, ?, ?) AND company_id <> ? AND {_VALID}
    ORDER BY position, company_id, holder_id, relation LIMIT ?"""
_BODY: Final = """SELECT unpacked('relations', body) FROM relations
    WHERE company_id = ? AND minor = ? AND kind = ? AND position = ? AND holder_id = ?"""
_HEADERS: Final = "SELECT company_id, org_number, name FROM companies WHERE company_id IN ({marks})"
_LEIS: Final = "SELECT company_id, lei FROM leis WHERE company_id IN ({marks})"
_WHOSE: Final = "SELECT value, company_id FROM known_as WHERE value IN ({marks})"
_COMPANY: Final = "firm:"

HeldKey = tuple[int, str, str, str]  # position, held company, holder_id, relation
FIRST_HELD: Final[HeldKey] = (-(2**63), "", "", "")


class Relation(NamedTuple):
    """One relation of a company to a holder.

    minor: 0 if the holder decides, by control, consolidation, or more than half of the capital or of the votes.
    position: largest share first. holder: a company's id; of `holders_of` also an LEI that leads to no company; empty
    if neither is known. skips: a consolidation over layers of which the source names the lowest.
    """

    company_id: str
    minor: int
    kind: int
    position: int
    holder_id: str
    relation: str
    holder: str
    skips: int

    @property
    def decides(self) -> bool:
        return self.minor == 0

    @property
    def holder_company_id(self) -> str | None:
        return self.holder if self.holder.startswith(_COMPANY) else None

    @property
    def holder_lei(self) -> str | None:
        return None if not self.holder or self.holder.startswith(_COMPANY) else self.holder

    @property
    def held_key(self) -> HeldKey:
        return self.position, self.company_id, self.holder_id, self.relation


class RelationIndex:
    """The relations of one release that are valid on one day."""

    def __init__(self, connection: sqlite3.Connection, day: str) -> None:
        self._connection = connection
        self._day = day

    def holders_of(
        self, company_ids: Iterable[str], most: int, *, only_deciding: bool = False
    ) -> dict[str, list[Relation]]:
        """The first holders of each of these companies, those who decide first; never the company itself."""
        found = {company_id: self._holder_rows(company_id, int(not only_deciding), most) for company_id in company_ids}
        whose = self.companies_by_lei({lei for rows in found.values() for row in rows if (lei := row.holder_lei)})
        return {
            company_id: [row for one in rows if (row := _resolved(one, whose)).holder != company_id]
            for company_id, rows in found.items()
        }

    def held_by(self, company_id: str, keys: Iterable[str], after: HeldKey, most: int) -> list[Relation]:
        """What a company with these keys (`keys_of`) holds after a row, largest share first; `holder` is its id."""
        found: list[Relation] = []
        for key in keys:
            rows = self._held_rows(key, after, company_id, most)
            found += (row._replace(holder=company_id) for row in rows)
        return sorted(found, key=lambda row: row.held_key)[:most]

    def keys_of(self, company_ids: Collection[str]) -> dict[str, list[str]]:
        """The keys under which relations name these companies: the id, and an LEI that is of no other company."""
        leis = {lei: company_id for company_id, lei in self._lei_rows(company_ids)}
        whose = self.companies_by_lei(leis)
        found = {company_id: [company_id] for company_id in company_ids}
        for lei, company_id in leis.items():
            if whose.get(lei) == company_id:
                found[company_id].append(lei)
        return found

    def companies_by_lei(self, leis: Collection[str]) -> dict[str, str]:
        """The company of each LEI; an LEI of no company, or of several, is missing."""
        found: dict[str, set[str]] = {}
        for lei, company_id in self._whose_rows(leis):
            found.setdefault(lei, set()).add(company_id)
        return {lei: next(iter(companies)) for lei, companies in found.items() if len(companies) == 1}

    def headers(self, company_ids: Collection[str]) -> dict[str, CompanyHeader]:
        """Numbers and names; companies that the release does not have are missing."""
        return {row[0]: CompanyHeader(*row) for row in self._rows(_HEADERS, company_ids)}

    def body(self, row: Relation) -> bytes:
        """The stored fields of a relation as a JSON object (`serving.document_sql.RELATION`)."""
        found = self._connection.execute(
            _BODY, (row.company_id, row.minor, row.kind, row.position, row.holder_id)
        ).fetchone()
        return found[0]

    def _holder_rows(self, company_id: str, minor: int, most: int) -> list[Relation]:
        """The first relations of a company, those who decide (0) alone or all (1)."""
        found = self._connection.execute(_HOLDERS, (company_id, minor, self._day, self._day, most))
        return [Relation(*row) for row in found]

    def _held_rows(self, key: str, after: HeldKey, company_id: str, most: int) -> list[Relation]:
        """The first relations of a holder after a row, under one of its keys, except to itself."""
        found = self._connection.execute(_HELD, (key, *after, company_id, self._day, self._day, most))
        return [Relation(*row) for row in found]

    def _lei_rows(self, company_ids: Collection[str]) -> Iterator[tuple[str, str]]:
        """(company, LEI) of these companies."""
        return self._rows(_LEIS, company_ids)

    def _whose_rows(self, leis: Collection[str]) -> Iterator[tuple[str, str]]:
        """(LEI, company) of these LEIs."""
        return self._rows(_WHOSE, leis)

    def _rows(self, statement: str, values: Collection[str]) -> Iterator[tuple[Any, ...]]:
        waiting = iter(sorted(values))
        while part := tuple(islice(waiting, _MARKS)):
            yield from self._connection.execute(statement.format(marks=", ".join("?" * len(part))), part)


def _resolved(row: Relation, whose: dict[str, str]) -> Relation:
    return row._replace(holder=whose[row.holder]) if row.holder in whose else row

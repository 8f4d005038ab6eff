"""NACE Rev. 2 and Rev. 2.1 as two classifications: their classes, and which correspond.

The first four digits of every national code of Europe (SN, SNI, TOL, UK SIC 2007) are a class of one revision, so that
the same digits can mean two things. `nace_revisions.csv` is Eurostat's correspondence table at the level of classes,
many to many, digits only; an empty cell is a class without a counterpart. Does not belong here: national digits and
labels (code lists of the connectors).
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from warehouse.schema.markets import MARKETS

CLASS_DIGITS: Final = 4
_SCHEMES_OF_2: Final = frozenset({"SN2007", "SNI2007", "TOL2008", "UKSIC2007"})
_SCHEMES_OF_2_1: Final = frozenset({"SN2025", "SNI2025", "TOL2025"})


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision: its classes, each with its counterparts in the other revision; the national versions of it."""

    name: str
    counterparts: dict[str, frozenset[str]]
    schemes: frozenset[str]

    def matching_classes(self, prefix: str) -> list[str]:
        """Classes that begin with a code, or contain it where the code has national digits, too."""
        return [own for own in self.counterparts if own.startswith(prefix[:CLASS_DIGITS])]


def _load_revisions() -> tuple[Revision, Revision]:
    text = files("warehouse.schema").joinpath("nace_revisions.csv").read_text(encoding="utf-8")
    older: dict[str, set[str]] = {}
    newer: dict[str, set[str]] = {}
    for row in csv.DictReader(io.StringIO(text, newline="")):
        old, new = row["rev2"], row["rev21"]
        if old:
            older.setdefault(old, set()).update({new} - {""})
        if new:
            newer.setdefault(new, set()).update({old} - {""})
    return (
        Revision("NACE Rev. 2", _frozen(older), _schemes_of("NACE Rev. 2") | _SCHEMES_OF_2),
        Revision("NACE Rev. 2.1", _frozen(newer), _schemes_of("NACE Rev. 2.1") | _SCHEMES_OF_2_1),
    )


def _schemes_of(revision: str) -> frozenset[str]:
    """The national versions of a revision that markets declare themselves."""
    declared = (item for market in MARKETS.values() for item in market.industry_schemes.items())
    return frozenset(scheme for scheme, followed in declared if followed == revision)


def _frozen(pairs: dict[str, set[str]]) -> dict[str, frozenset[str]]:
    return {code: frozenset(others) for code, others in sorted(pairs.items())}


REVISION_2, REVISION_2_1 = _load_revisions()
REVISIONS: Final = (REVISION_2, REVISION_2_1)


def revision_of_scheme(scheme: str) -> Revision | None:
    """The revision that a national version follows; None for a classification that is no NACE."""
    return next((revision for revision in REVISIONS if scheme in revision.schemes), None)


def only_revision(prefix: str) -> Revision | None:
    """The revision that alone has codes beginning so; None where both have, or neither."""
    having = [revision for revision in REVISIONS if revision.matching_classes(prefix)]
    return having[0] if len(having) == 1 else None


def corresponding_classes(prefix: str, revision: Revision) -> list[str]:
    """Classes of the other revision that correspond to those of a code, sorted."""
    return sorted(set[str]().union(*(revision.counterparts[own] for own in revision.matching_classes(prefix))))

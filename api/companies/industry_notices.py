"""Notices of an empty search: its industry codes are of a revision that the companies are not classified by.

NACE Rev. 2 and 2.1 are two classifications (`warehouse.schema.nace`). A search by a code of one finds nothing among
companies that their registers have recoded, and an empty page alone would look like «there are none». Does not belong
here: finding companies (`api.companies.routes.search`).
"""

from __future__ import annotations

from typing import Any, Final

from api.openapi.schema_types import Schema, array_schema, object_schema, text_schema
from warehouse.reader.types import CompanyQuery
from warehouse.schema import nace
from warehouse.schema.codes import CLASSIFICATIONS, SERVED

RETIRED: Final = "retired_industry_code"
NEWER: Final = "newer_industry_code"
_EUROPEAN: Final = "NACE"


def notices_schema() -> Schema:
    """The member `notices` of a page without rows."""
    code = text_schema(
        60,
        f"`{RETIRED}`: a code of NACE Rev. 2 that Rev. 2.1 does not have. `{NEWER}`: the reverse. Other values may be "
        "added.",
        pattern="^[a-z_]+$",
    )
    notice = object_schema(
        "Why a search by industry code may have found nothing.",
        {
            "code": code,
            "parameter": text_schema(30, "The query parameter.", pattern="^[a-z_]+$"),
            "value": text_schema(6, "The industry code, without dots.", pattern="^[0-9]{1,6}$"),
            "revision": text_schema(30, "The revision that has this code."),
            "corresponds_to": array_schema(
                text_schema(4, "A class, to be used as `industry`.", pattern="^[0-9]{4}$"),
                100,
                "Classes of the other revision that correspond to it.",
            ),
            "detail": text_schema(2000, "The same in a sentence."),
        },
    )
    return array_schema(notice, 50, "Only on a first page without rows, where an industry code explains it.")


def industry_notices(search: CompanyQuery) -> list[dict[str, Any]]:
    """One notice for each industry code that only one revision has, unless the search asks for that revision."""
    asked = nace.revision_of_scheme(search.industry_scheme) if search.industry_scheme else None
    classifications = {CLASSIFICATIONS[country] for country in search.countries or SERVED}
    if (search.industry_scheme and asked is None) or _EUROPEAN not in classifications:
        return []
    found = [(code, nace.only_revision(code)) for code in search.industries]
    return [_notice(code, revision) for code, revision in found if revision is not None and revision is not asked]


def _notice(code: str, revision: nace.Revision) -> dict[str, Any]:
    (other,) = (known for known in nace.REVISIONS if known is not revision)
    classes = nace.corresponding_classes(code, revision)
    instead = f"there it corresponds to {', '.join(classes)}" if classes else "it has no counterpart there"
    return {
        "code": RETIRED if revision is nace.REVISION_2 else NEWER,
        "parameter": "industry",
        "value": code,
        "revision": revision.name,
        "corresponds_to": classes,
        "detail": f"{code} is a code of {revision.name} and none of {other.name}: {instead}.",
    }

"""Notices of an empty search: its industry codes are of a revision that the companies are not classified by.

NACE Rev. 2 and 2.1 are two classifications (`warehouse.schema.nace`). A search by a code of one finds nothing among
companies that their registers have recoded, and an empty page alone would look like «there are none». Does not belong
here: finding companies (`api.companies.routes.search`).
"""

from typing import Annotated, Any, Final

from api.schemas import declare
from api.schemas.declare import ResponseModel
from warehouse.reader.company_query import CompanyQuery
from warehouse.schema import nace
from warehouse.schema.codes import CLASSIFICATIONS, SERVED

RETIRED: Final = "retired_industry_code"
NEWER: Final = "newer_industry_code"
_EUROPEAN: Final = "NACE"


class IndustryNotice(ResponseModel):
    """Why a search by industry code may have found nothing."""

    code: str = declare.text(
        60,
        f"`{RETIRED}`: a code of NACE Rev. 2 that Rev. 2.1 does not have. `{NEWER}`: the reverse. Other values may be "
        "added.",
        pattern="^[a-z_]+$",
    )
    parameter: str = declare.text(30, "The query parameter.", pattern="^[a-z_]+$")
    value: str = declare.text(6, "The industry code, without dots.", pattern="^[0-9]{1,6}$")
    revision: str = declare.text(30, "The revision that has this code.")
    corresponds_to: list[
        Annotated[str, declare.text(4, "A class, to be used as `industry`.", pattern="^[0-9]{4}$")]
    ] = declare.array(100, "Classes of the other revision that correspond to it.")
    detail: str = declare.text(2000, "The same in a sentence.")


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

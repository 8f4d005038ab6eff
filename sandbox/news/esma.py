"""ESMA's register of sanctions on one day of a world, as Solr answers it (docs/formats/news.md 1.8).

Texts hold HTML, a LEI field may hold something else, and many rows name only a person, in their text. Simulated
are the acts of the supervisors of Finland and Denmark. Does not belong here: which acts there are (`releases`), routes
and HTTP.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from sandbox.companies import releases
from sandbox.model.news import SupervisorAct
from sandbox.shared.gleif_http import company_lei
from sandbox.world import World

_USUAL: Final = 10  # default rows of a response
# By market: its authority and country as the register spells them, and the text of a fine.
AUTHORITIES: Final = {
    "FI": ("Finanssivalvonta - Finansinspektionen (FIN-FSA)", "FINLAND", "Seuraamusmaksu <b>{} euroa</b>"),
    "DK": ("Finanstilsynet - Danish FSA", "DENMARK", "Bøde <b>DKK {}</b>"),
}


def sanctions_page(world: World, day: int, query: Mapping[str, str]) -> bytes:
    """A page of the register."""
    found = [
        _act_document(act)
        for market in AUTHORITIES
        for act in releases.regulatory_acts_until(world, market, day)
        if act.kind == "sanction"
    ]
    found.append(_person_document(world))
    start, rows = int(query.get("start") or 0), int(query.get("rows") or _USUAL)
    body = {
        "responseHeader": {"status": 0, "QTime": 1, "params": dict(query)},
        "response": {
            "numFound": len(found),
            "start": start,
            "numFoundExact": True,
            "docs": found[start : start + rows],
        },
    }
    return json.dumps(body, ensure_ascii=False).encode()


def sanction_id(act: SupervisorAct) -> str:
    """The register's own id of a sanction."""
    return f"SAN{act.serial}"


def _person_document(world: World) -> dict[str, Any]:
    """A row that names a person in its text only."""
    authority, country, _ = AUTHORITIES["FI"]
    return {
        "id": "1",
        "sn_sanctionEsmaID": "SAN1",
        "sn_sanctionLegalFrameworkName": "MAR",
        "sn_natureFullName": "Administrative pecuniary sanction",
        "sn_date": f"{world.date(0)}T00:00:00Z",
        "sn_text": f"<p>{releases.PERSON}</p>",
        "sn_ncaCodeFullName": authority,
        "sn_countryName": country,
    }


def _act_document(act: SupervisorAct) -> dict[str, Any]:
    authority, country, fine = AUTHORITIES[act.company.market]
    text = f"<p>{fine.format(act.amount or 0)}: {', '.join(act.parties)}</p>"
    made: dict[str, Any] = {
        "id": str(act.serial),
        "sn_sanctionEsmaID": sanction_id(act),
        "sn_sanctionLegalFrameworkName": "MAR",
        "sn_natureFullName": "Administrative pecuniary sanction",
        "sn_date": f"{act.at:%Y-%m-%dT%H:%M:%SZ}",
        "sn_text": text,
        "sn_ncaCodeFullName": authority,
        "sn_countryName": country,
    }
    if act.is_expected:
        return made | {"sn_entityName": f"<b>{act.parties[0]}</b>", "sn_entityLEI": company_lei(act.company)}
    if act.parties[0] == releases.PERSON:  # named in the text only
        return made
    return made | {"sn_entityName": act.parties[0], "sn_entityLEI": f"{company_lei(act.company)[:18]}00"}

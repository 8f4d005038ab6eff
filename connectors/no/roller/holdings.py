"""Maps roles that mean ownership to the shared `map_holdings` (docs/formats/no.md 4 and 13.5).

A partner's `ansvarsandel` is its share; the head office of a branch, the owner municipality and the owner of a sole
proprietorship own 100 %. If several such roles exist, no share is known. Persons: name only. Does not belong here:
precedence over other sources (pipelines).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import msgspec
import polars as pl

from connectors.kit import staging
from connectors.kit.columns.percentages import percentage_from_text, round_percentage
from connectors.no import code_lists
from connectors.no.register import ENTITY_URL, MARKET
from connectors.no.roller import schema as f
from name_matching.folding import spelling_key
from warehouse.schema.identifiers import company_id
from warehouse.schema.tables import HOLDINGS

_PERCENT: Final = re.compile(r"\s*(\d{1,3}(?:[.,]\d+)?)\s*%\s*")
_FRACTION: Final = re.compile(r"\s*(\d{1,9})\s*/\s*([1-9]\d{0,8})\s*")
_ALL: Final = Decimal(100)
_SLACK: Final = Decimal("0.1")  # of shares that were rounded
Role = Mapping[str, Any]


def parse_percentage(stated: object) -> Decimal | None:
    """Parses a share as a percentage: «50%», «33,33 %» or «1/3»; None for words and shares above 100 %."""
    text = stated if isinstance(stated, str) else ""
    percent, fraction = _PERCENT.fullmatch(text), _FRACTION.fullmatch(text)
    if percent is not None:
        found = percentage_from_text(percent.group(1))
    elif fraction is not None:
        found = round_percentage(_ALL * int(fraction.group(1)) / int(fraction.group(2)))
    else:
        return None
    return found if 0 < found <= _ALL else None


def exceed_whole(roles: Iterable[Role]) -> bool:
    """True if the partners' shares of one entity add up to more than the whole: then none of them is known."""
    shares = (parse_percentage(role.get("ansvarsandel")) for role in roles if role["type"] == f.PARTNER)
    return sum(share for share in shares if share is not None) > _ALL + _SLACK


def map_holdings(rows: pl.LazyFrame) -> pl.DataFrame:
    """One row per role of ownership."""
    owned = rows.filter(pl.col(f.GROUPS) != "[]", pl.col("_retired_at").is_null()).collect()
    found = [made for row in owned.iter_rows(named=True) for made in _role_holdings(row)]
    return pl.DataFrame(found, schema=dict(staging.staged_schema(HOLDINGS)), orient="row")


def _role_holdings(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    roles: list[Role] = msgspec.json.decode(row[f.GROUPS])
    whole = sum(role["type"] in f.WHOLE for role in roles)
    are_possible = not exceed_whole(roles)
    seen: Counter[str] = Counter()
    for role in roles:
        holder = holder_of_role(role)
        if holder is None:
            continue
        native = f"{role['type']}:{holder.pop('native')}"
        seen[native] += 1
        yield {
            **dict.fromkeys(HOLDINGS.names),
            **holder,
            **_percentage_fields(role if are_possible else {**role, "ansvarsandel": None}, alone=whole == 1),
            "company_id": company_id(MARKET, row[f.NUMBER]),
            "register": f.KEY,
            # persons of the same name in one company cannot be distinguished without data we do not store
            "native_id": native if seen[native] == 1 else f"{native}:{seen[native]}",
            "is_direct": True,
            "controls": [role["type"]],
            "valid_from": _parse_day(role.get("sistEndret"), row["_observed_at"]),
            "url": f"{ENTITY_URL}{row[f.NUMBER]}/roller",
            "raw": row["_raw"],
            "observed_at": row["_observed_at"],
        }


def holder_of_role(role: Role) -> dict[str, Any] | None:
    """The holder of a role with the register's identifier (`native`); None if the role has none."""
    return _entity_holder(role) if role.get("enhet") else _person_holder(role)


def _percentage_fields(role: Role, *, alone: bool) -> dict[str, Any]:
    whole = _ALL if alone else None
    found = parse_percentage(role.get("ansvarsandel")) if role["type"] == f.PARTNER else whole
    basis = None if found is None else "exact"
    return {"pct": found, "pct_min": found, "pct_max": found, "basis": basis}


def _entity_holder(role: Role) -> dict[str, Any] | None:
    entity: Mapping[str, Any] = role["enhet"]
    number, form = entity.get(f.NUMBER), entity.get("organisasjonsform")
    if not number:
        return None
    ours = form not in code_lists.NOT_A_COMPANY
    return {
        "native": number,
        "holder_name": entity.get("navn") or None,
        "holder_type": "state" if form in f.PUBLIC_FORMS else "company",
        # a foreign head office has a Norwegian number but is not a Norwegian company
        "holder_company_id": company_id(MARKET, number) if ours else None,
        "holder_country": MARKET if ours else None,
    }


def _person_holder(role: Role) -> dict[str, Any] | None:
    person = role.get("person") or {}
    name = person.get("navn")
    if isinstance(name, dict):
        parts = [name.get(key) for key in ("fornavn", "mellomnavn", "etternavn")]
        name = " ".join(str(part).strip() for part in parts if part)
    if not isinstance(name, str) or not name.strip():
        return None
    return {"native": spelling_key(name), "holder_name": name.strip(), "holder_type": "person"}


def _parse_day(text: object, seen: datetime) -> date | None:
    """The day of the group's last change; a future one is a typing error and is dropped."""
    try:
        found = date.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return found if found is not None and found <= seen.date() else None

"""Converts one entity's roles to a staged row: those in force that mean ownership (docs/formats/no.md 4).

Belongs here: which roles count, and the signals. Ended roles are `fratraadt` or `avregistrert`; the first was
missing in September 2026, so absent means false. Does not belong here: which entity a response is for (`dataset`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from connectors.kit.staging import SignalCounter
from connectors.no.roller.holdings import exceed_whole, holder_of_role, parse_percentage
from connectors.no.roller.redact import LEFT_OUT
from connectors.no.roller.schema import GROUPS, NUMBER, OWNERS, PARTNER

_NUMBER: Final = re.compile(r"[0-9]{9}")
_KNOWN: Final = frozenset(
    {
        *("DAGL", "STYR", "REVI", "REGN", "FFØR", "KOMP", "DELT", "INNH", "BOBE", "HFOR", "EIKM", "KONT"),
        *("LEDE", "NEST", "MEDL", "VARA", "OBS", "DTPR", "DTSO"),
    }
)
_ENDED: Final = ("fratraadt", "avregistrert")
Node = Mapping[str, Any]


class RejectedRolesError(Exception):
    """A record that cannot be kept; the message says why."""


def role_row(entity: object, number: str | None, tally: SignalCounter) -> dict[str, str]:
    """The row of one entity. `number`: the requested entity, if the response does not name it."""
    if not isinstance(entity, dict) or not isinstance(entity.get(GROUPS), list):
        raise RejectedRolesError("no rollegrupper: not the roles of an entity")
    own = entity.get(NUMBER) or number
    if not isinstance(own, str) or not _NUMBER.fullmatch(own):
        raise RejectedRolesError("it does not identify the entity")
    _signal_left_out(entity, own, tally)
    kept = [role for group in entity[GROUPS] for role in _ownership_roles(group, own, tally)]
    _signal_namesakes(kept, own, tally)
    if exceed_whole(kept):
        tally.add("shares_above_total", "ansvarsandel", own)
    return {NUMBER: own, GROUPS: msgspec.json.encode(kept, order="sorted").decode()}


def _ownership_roles(group: object, number: str, tally: SignalCounter) -> Iterator[dict[str, Any]]:
    if not isinstance(group, dict) or not isinstance(group.get("roller"), list):
        raise RejectedRolesError("a group without roller")
    _signal_left_out(group, number, tally)
    for role in group["roller"]:
        if not isinstance(role, dict):
            raise RejectedRolesError("a role that is not an object")
        _signal_left_out(role, number, tally)
        kind = role.get("type")
        code = kind.get("kode") if isinstance(kind, dict) else None
        if not isinstance(code, str) or code not in OWNERS:
            if not isinstance(code, str) or code not in _KNOWN:
                tally.add("unknown_code", f"role {code}", number)
            continue
        if any(role.get(flag) is True for flag in _ENDED):
            continue
        _audit_role(role, code, number, tally)
        members = {key: role[key] for key in ("person", "ansvarsandel", "rekkefolge") if key in role}
        kept = {
            **members,
            "type": code,
            "sistEndret": group.get("sistEndret"),
            "enhet": _holder_entity(role.get("enhet")),
        }
        if holder_of_role(kept) is None:
            tally.add("unknown_holder", code, number)
        yield kept


def _signal_namesakes(roles: list[dict[str, Any]], number: str, tally: SignalCounter) -> None:
    """Tells persons of one name in one role of an entity: the register's order alone tells which of them is which."""
    named = Counter(
        (role["type"], holder["native"])
        for role in roles
        if not role.get("enhet") and (holder := holder_of_role(role)) is not None
    )
    for (code, _), count in named.items():
        if count > 1:
            tally.add("namesakes", code, number)


def _holder_entity(entity: object) -> dict[str, Any] | None:
    """Members of a holder that is an entity. Its `navn` is an array of lines, or of former and current names."""
    if not isinstance(entity, dict):
        return None
    form = entity.get("organisasjonsform")
    code = form.get("kode") if isinstance(form, dict) else form
    number = entity.get(NUMBER)
    name = entity.get("navn")
    lines = name if isinstance(name, list) else [name]
    return {
        NUMBER: number if isinstance(number, str) and _NUMBER.fullmatch(number) else None,
        "organisasjonsform": code if isinstance(code, str) else None,
        "navn": " ".join(str(line).strip() for line in lines if line),
    }


def _audit_role(role: Node, code: str, number: str, tally: SignalCounter) -> None:
    for flag in _ENDED:
        if not isinstance(role.get(flag), bool | None):
            tally.add("unreadable_value", flag, number)
    stated = role.get("ansvarsandel")
    if code == PARTNER and stated is not None and parse_percentage(stated) is None:
        tally.add("unreadable_value", "ansvarsandel", number)


def _signal_left_out(node: Node, number: str, tally: SignalCounter) -> None:
    for key in node.get(LEFT_OUT) or ():
        tally.add("unknown_key", str(key), number)

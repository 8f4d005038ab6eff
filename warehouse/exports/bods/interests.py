"""Interests of BODS 0.4 from lines of ownership and relations (docs/contract/contract.md 4.15a).

Each interest is one that a source states: shares are never summed, and control has none. Does not belong here: who
holds what (`statements`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

_DIRECTNESS: Final = {True: "direct", False: "indirect", None: "unknown"}
_WHOLE: Final = 100
_CONFLICT: Final = "conflict"
# kinds of relation that have no share (docs/contract/contract.md 4.4b)
_POWERS: Final = {
    "control": "control, by the register's word",
    "accounting_consolidation": "accounting consolidation: the company's accounts are part of the holder's",
}

Fields = Mapping[str, Any]


def stated_interests(owner: Fields | None, relations: Sequence[tuple[str, Fields]]) -> list[dict[str, Any]]:
    """The interests of a holder in one company: of its relations; of its line of ownership, if it has none.

    relations: kind and fields of each.
    """
    if not relations:
        return [] if owner is None else list(_shareholding(owner, owner))
    return [one for kind, relation in relations for one in _relation_interests(kind, relation, owner)]


def _relation_interests(kind: str, relation: Fields, owner: Fields | None) -> Iterator[dict[str, Any]]:
    if kind in _POWERS:
        details = _joined([_POWERS[kind], *_disagreement(relation)])
        yield _interest("otherInfluenceOrControl", relation, details)
    else:
        yield from _shareholding(relation, owner)


def _shareholding(line: Fields, owner: Fields | None) -> Iterator[dict[str, Any]]:
    """Capital and votes as far as they are known; an interest of unknown nature if neither is."""
    share_class = None if owner is None else owner["share_class"]
    remarks = _disagreement(line)
    capital = (line["pct"], line["pct_min"], line["pct_max"])
    votes = (line["votes_pct"], None, None)
    if any(one is not None for one in capital):
        told = [f"share class {share_class}"] if share_class else []
        yield _interest("shareholding", line, _joined([*told, *_impossible(*capital), *remarks]), _share(*capital))
    if line["votes_pct"] is not None:
        yield _interest("votingRights", line, _joined([*_impossible(*votes), *remarks]), _share(*votes))
    if all(one is None for one in (*capital, *votes)):
        yield _interest("unknownInterest", line, _joined(["no share of capital or votes is stated", *remarks]))


def _share(exact: float | None, least: float | None, most: float | None) -> dict[str, float] | None:
    """The share as the standard writes it; None if it cannot, as for more than the whole (`_impossible`)."""
    if _impossible(exact, least, most):
        return None
    if exact is None and least is not None and least == most:
        exact = least
    if exact is not None:
        return {"exact": exact}
    return {name: value for name, value in (("minimum", least), ("maximum", most)) if value is not None}


def _impossible(exact: float | None, least: float | None, most: float | None) -> list[str]:
    """A remark with a stated share that is no part of a whole, or whose bounds are the wrong way round."""
    stated = [value for value in ((least, most) if exact is None else (exact,)) if value is not None]
    if all(0 <= value <= _WHOLE for value in stated) and stated == sorted(stated):
        return []
    return [f"stated share: {' to '.join(map(str, stated))} %"]


def _interest(kind: str, line: Fields, details: str | None, share: Mapping[str, float] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {"type": kind, "directOrIndirect": _DIRECTNESS[line["is_direct"]]}
    if share is not None:
        found["share"] = share
    if details is not None:
        found["details"] = details
    return found


def _disagreement(line: Fields) -> list[str]:
    return ["sources disagree"] if line["reconciliation"] == _CONFLICT else []


def _joined(texts: Sequence[str]) -> str | None:
    return "; ".join(texts) or None

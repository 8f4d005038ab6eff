"""Dataset no.konsern: group structures with open ownership percentages between companies (docs/formats/no.md 5).

Belongs here: the declaration, recognising a file, and reading a tree. One response is a whole group, whichever
member was requested; the same company may occur at several places of it, its subtree repeated. Does not belong
here: which companies to request (`konsern_fetch`), or the shared holdings (`konsern_holdings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any, Final

import msgspec

from connectors.declare import Batch, Cadence, Dataset, Guard, NotOurs, Piece, Recognised, Scope, Unreadable
from connectors.kit import staged
from connectors.kit.formats import Format, sniff
from connectors.kit.staged import Tally
from connectors.no.bodies import error_status, opened, plain_head
from connectors.no.konsern_fetch import groups, wanted
from connectors.no.konsern_fields import (
    ANSWERS,
    EDGES,
    KEY,
    KINDS,
    KNOWN,
    MEMBERS,
    NUMBER,
    PARENT,
    ROOT,
    STAGED,
)
from connectors.no.register import HOST, LICENCE
from connectors.no.roller_holdings import share

_HEAD: Final = 65_536
_NONE: Final = 404
_LIMIT: Final = 64 * 1024 * 1024  # the largest group known is 80 kB
_NUMBER: Final = re.compile(r"[0-9]{9}")
_IN_NAME: Final = re.compile(r"(?<![0-9])([0-9]{9})(?![0-9])")
_PERCENT: Final = re.compile(r"([0-9]{1,3}(?:[.,][0-9]{1,9})?)\s*%")
_FRACTION: Final = re.compile(r"[0-9]+\s*/\s*[0-9]+")
_NUMERIC: Final = re.compile(r"[0-9%]")
_ALL: Final = Decimal(100)

Edge = dict[str, str | None]


def recognise(name: str, head: bytes) -> Recognised | NotOurs:
    """Recognises one group, always a part. An empty body is valid: the company is in no group."""
    head = plain_head(head)
    status = error_status(head)
    if status not in (None, _NONE):
        return NotOurs(f"error answer of the registry (status {status})")
    if (status == _NONE or sniff(head) is Format.EMPTY) and _asked(name) is None:
        return NotOurs("status 404 (in no group) of a file that does not name the requested company")
    if name.endswith(".csv") or sniff(head) is Format.TEXT:
        return NotOurs("the same structure as CSV: the JSON is read instead")
    return Recognised(None, Scope.PART)


def _asked(name: str) -> str | None:
    """The requested company, from the file name."""
    found = _IN_NAME.findall(name.rpartition("/")[2])
    return found[-1] if found else None


def read(piece: Piece) -> Iterator[Batch]:
    """Yields the members of the group, then the group of the requested company."""
    with opened(piece) as body:
        text = body.read(_LIMIT)
    asked = _asked(piece.name)
    if sniff(text[:_HEAD]) is Format.EMPTY or error_status(text[:_HEAD]) == _NONE:
        yield staged.batch(ANSWERS, [{NUMBER: asked, ROOT: None}] if asked else [])
        return
    root = _tree(piece, text)
    tree = _Tree(piece.dataset, str(root[NUMBER]))
    tree.walk(root)
    yield staged.batch(MEMBERS, tree.members(), staged.reject_rows(tree.rejects), tree.tally.drain())
    yield staged.batch(ANSWERS, [{NUMBER: asked or tree.root, ROOT: tree.root}])


def _tree(piece: Piece, text: bytes) -> dict[str, Any]:
    try:
        root = msgspec.json.decode(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(piece.dataset, piece.name, f"JSON that does not parse: {error}") from error
    if not isinstance(root, dict) or not _NUMBER.fullmatch(str(root.get(NUMBER))):
        raise Unreadable(piece.dataset, piece.name, "no group: the top has no organisation number")
    return root


class _Tree:
    """Collects the distinct members of one group and the edges into each."""

    def __init__(self, dataset: str, root: str) -> None:
        self.tally = Tally(dataset)
        self.root = root
        self.rejects: list[tuple[object, str, object]] = []
        self._members: dict[str, dict[str, Any]] = {}
        self._edges: dict[str, dict[str, Edge]] = {}

    def walk(self, root: dict[str, Any]) -> None:
        """Visits every node; iterative, since the depth of a tree is unbounded."""
        waiting: list[tuple[object, dict[str, Any] | None]] = [(root, None)]
        while waiting:
            node, above = waiting.pop()
            if not isinstance(node, dict) or not _NUMBER.fullmatch(str(node.get(NUMBER))):
                self.rejects.append((self.root, "a node without an organisation number", node))
                continue
            self._add_node(node, above)
            below = node.get("children")
            waiting += [(child, node) for child in reversed(below)] if isinstance(below, list) else []

    def _add_node(self, node: dict[str, Any], above: dict[str, Any] | None) -> None:
        number = str(node[NUMBER])
        for key in node.keys() - KNOWN:
            self.tally.add("unknown_key", key, number)
        self._members.setdefault(number, node)
        if above is not None:
            edge = self._edge(node, above)
            before = self._edges.setdefault(number, {}).get(str(edge[PARENT]))
            self._edges[number][str(edge[PARENT])] = (
                edge if before is None else max(before, edge, key=_weight)
            )

    def _edge(self, node: dict[str, Any], above: dict[str, Any]) -> Edge:
        number, nested = str(node[NUMBER]), str(above[NUMBER])
        parent = str(node.get("parentOrganisasjonsnummer") or nested)
        if parent != nested:
            self.tally.add("parent_mismatch", "parentOrganisasjonsnummer", number)
        kind = _code(node.get("knytningsform"))
        if kind not in KINDS:
            self.tally.add("unknown_code", f"knytningsform {kind}", number)
        return {
            PARENT: parent if _NUMBER.fullmatch(parent) else nested,
            "navn": _text(node.get("parentNavn")) or _text(above.get("navn")),
            "form": _code(above.get("organisasjonsform")) if parent == nested else None,
            "knytningsform": kind,
            "grunnlag": _text(node.get("grunnlag")),
            "prosent": self._parse_percentage(node.get("grunnlag"), number),
            "dato": self._parse_day(node.get("dato"), number),
        }

    def _parse_percentage(self, basis: object, number: str) -> str | None:
        """Parses the percentage of a free text; words give None (docs/formats/no.md 5).

        Only a text that is entirely a percentage counts: «>50%», «50-66%» and «33 1/3 %» give None.
        """
        text = str(basis or "").strip()
        percent = _PERCENT.fullmatch(text)
        found = Decimal(percent.group(1).replace(",", ".")) if percent else None
        if _FRACTION.fullmatch(text):
            found = share(text)
        if found is not None and found <= _ALL:
            return format(found, "f")
        if _NUMERIC.search(text):
            self.tally.add("unreadable_value", f"grunnlag {text}", number)
        return None

    def _parse_day(self, value: object, number: str) -> str | None:
        if value in (None, ""):
            return None
        try:
            return date.fromisoformat(str(value)).isoformat()
        except ValueError:
            self.tally.add("unreadable_value", "dato", number)
            return None

    def members(self) -> list[dict[str, Any]]:
        """One row per member, edges sorted by the parent's number, so that equal trees give equal rows."""
        return [
            {
                ROOT: self.root,
                NUMBER: number,
                "navn": _text(node.get("navn")),
                "organisasjonsform.kode": _code(node.get("organisasjonsform")),
                EDGES: msgspec.json.encode(
                    [edge for _, edge in sorted(self._edges.get(number, {}).items())]
                ).decode(),
            }
            for number, node in sorted(self._members.items())
        ]


def _weight(edge: Edge) -> tuple[bool, str]:
    """Sort key of duplicate edges: one with a percentage wins, then the newer one."""
    return edge["prosent"] is not None, edge["dato"] or ""


def _code(value: object) -> str | None:
    return _text(value.get("kode")) if isinstance(value, dict) else None


def _text(value: object) -> str | None:
    return (str(value).strip() or None) if value is not None else None


DATASET: Final = Dataset(
    key=KEY,
    title="Enhetsregisteret: group structure",
    licence=LICENCE,
    cadence=Cadence(cron="0 7 * * *", stale_after_hours=24 * 8),
    guard=Guard(max_rejected=0.01),
    host=HOST,
    staged=STAGED,
    files=("konsernstruktur/**",),
    recognise=recognise,
    split=staged.single,
    read=read,
    fetch=groups,
    wants=wanted,
)

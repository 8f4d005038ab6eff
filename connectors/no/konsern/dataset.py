"""Dataset no.konsern: group structures with open ownership percentages between companies (docs/formats/no.md 5).

Belongs here: the declaration, recognising a file, and reading a tree. One response is a whole group, whichever
member was requested; the same company may occur at several places of it, its subtree repeated. Does not belong
here: which companies to request (`fetch`), or the shared holdings (`holdings`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any, Final

import msgspec

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.columns.percentages import percentage_from_text
from connectors.kit.formats import BodyFormat, detect_body_format, plain_head
from connectors.kit.json.body import decode_body, read_body
from connectors.no.konsern.fetch import fetch_groups, subjects_to_fetch
from connectors.no.konsern.schema import (
    ANSWERS,
    EDGES,
    GROUPS,
    KEY,
    KINDS,
    KNOWN,
    MEMBERS,
    NUMBER,
    NUMBERS,
    PARENT,
    ROOT,
    STAGED,
)
from connectors.no.register import HOST, LICENCE
from connectors.no.responses import error_status
from connectors.no.roller.holdings import parse_percentage

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


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises one group, always a part. An empty body is valid: the company is in no group."""
    head = plain_head(head)
    status = error_status(head)
    if status not in (None, _NONE):
        return NotApplicable(f"error answer of the registry (status {status})")
    if (status == _NONE or detect_body_format(head) is BodyFormat.EMPTY) and _requested_number(name) is None:
        return NotApplicable("status 404 (in no group) of a file that does not name the requested company")
    if name.endswith(".csv") or detect_body_format(head) is BodyFormat.TEXT:
        return NotApplicable("the same structure as CSV: the JSON is read instead")
    return RecognisedFile(None, Scope.PART)


def _requested_number(name: str) -> str | None:
    """The requested company, from the file name."""
    found = _IN_NAME.findall(name.rpartition("/")[2])
    return found[-1] if found else None


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields the members of the group, then the group of the requested company, and who is in it if all was read."""
    text = read_body(member, _LIMIT)
    asked = _requested_number(member.name)
    if detect_body_format(text[:_HEAD]) is BodyFormat.EMPTY or error_status(text[:_HEAD]) == _NONE:
        yield staging.make_batch(ANSWERS, [{NUMBER: asked, ROOT: None}] if asked else [])
        yield staging.make_batch(GROUPS, [{ROOT: asked, NUMBERS: []}] if asked else [])
        return
    root = _parse_tree(member, text)
    tree = _GroupTree(member.dataset, str(root[NUMBER]))
    tree.walk(root)
    yield tree.batch.build(MEMBERS, tree.members())
    yield staging.make_batch(ANSWERS, [{NUMBER: asked or tree.root, ROOT: tree.root}])
    if tree.is_whole:
        yield staging.make_batch(GROUPS, [{ROOT: tree.root, NUMBERS: tree.numbers()}])


def _parse_tree(piece: ArchiveMember, text: bytes) -> dict[str, Any]:
    root = decode_body(piece, text)
    if not isinstance(root, dict) or not _NUMBER.fullmatch(str(root.get(NUMBER))):
        raise piece.unreadable_error("no group: the top has no organisation number")
    return root


class _GroupTree:
    """Collects the distinct members of one group and the edges into each. is_whole: no part of it was rejected."""

    def __init__(self, dataset: str, root: str) -> None:
        self.batch = staging.BatchBuilder(dataset)
        self.tally = self.batch.tally
        self.root = root
        self.is_whole = True
        self._members: dict[str, dict[str, Any]] = {}
        self._edges: dict[str, dict[str, list[Edge]]] = {}

    def walk(self, root: dict[str, Any]) -> None:
        """Visits every node; iterative, since the depth of a tree is unbounded."""
        waiting: list[tuple[object, dict[str, Any] | None]] = [(root, None)]
        while waiting:
            node, above = waiting.pop()
            if not isinstance(node, dict) or not _NUMBER.fullmatch(str(node.get(NUMBER))):
                self._reject(self.root, "a node without an organisation number", node)
                continue
            self._add_node(node, above)
            below = node.get("children")
            waiting += [(child, node) for child in reversed(below)] if isinstance(below, list) else []
            if not isinstance(below, list | None):
                self._reject(node[NUMBER], "children that are no list", below)

    def _reject(self, record: object, reason: str, excerpt: object) -> None:
        self.is_whole = False
        self.batch.reject(record, reason, excerpt)

    def _add_node(self, node: dict[str, Any], above: dict[str, Any] | None) -> None:
        number = str(node[NUMBER])
        for key in node.keys() - KNOWN:
            self.tally.add("unknown_key", key, number)
        self._members.setdefault(number, node)
        if above is not None and str(above[NUMBER]) == number:
            self.tally.add("parent_mismatch", "a company below itself", number)
        elif above is not None:
            edge = self._edge(node, above)
            self._edges.setdefault(number, {}).setdefault(str(edge[PARENT]), []).append(edge)

    def _edge(self, node: dict[str, Any], above: dict[str, Any]) -> Edge:
        number, nested = str(node[NUMBER]), str(above[NUMBER])
        stated = str(node.get("parentOrganisasjonsnummer") or nested)
        if stated != nested:
            self.tally.add("parent_mismatch", "parentOrganisasjonsnummer", number)
        parent = stated if _NUMBER.fullmatch(stated) and stated != number else nested  # nobody is its own parent
        named = _stripped_text(node.get("parentNavn")) if parent == stated else None
        kind = _code_value(node.get("knytningsform"))
        if kind not in KINDS:
            self.tally.add("unknown_code", f"knytningsform {kind}", number)
        return {
            PARENT: parent,
            "navn": named or _stripped_text(above.get("navn")),
            "form": _code_value(above.get("organisasjonsform")) if parent == nested else None,
            "knytningsform": kind,
            "grunnlag": _stripped_text(node.get("grunnlag")),
            "prosent": self._parse_percentage(node.get("grunnlag"), number),
            "dato": self._parse_day(node.get("dato"), number),
        }

    def _parse_percentage(self, basis: object, number: str) -> str | None:
        """Parses the percentage of a free text; words give None (docs/formats/no.md 5).

        Only a text that is entirely a percentage counts: «>50%», «50-66%» and «33 1/3 %» give None.
        """
        text = str(basis or "").strip()
        percent = _PERCENT.fullmatch(text)
        found = percentage_from_text(percent.group(1)) if percent else None
        if _FRACTION.fullmatch(text):
            found = parse_percentage(text)
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

    def numbers(self) -> list[str]:
        """The numbers of all members, sorted."""
        return sorted(self._members)

    def members(self) -> list[dict[str, Any]]:
        """One row per member, edges sorted by the parent's number, so that equal trees give equal rows."""
        return [
            {
                ROOT: self.root,
                NUMBER: number,
                "navn": _stripped_text(node.get("navn")),
                "organisasjonsform.kode": _code_value(node.get("organisasjonsform")),
                EDGES: msgspec.json.encode(self._chosen_edges(number)).decode(),
            }
            for number, node in sorted(self._members.items())
        ]

    def _chosen_edges(self, number: str) -> list[Edge]:
        """One edge per parent; of duplicates with another percentage and the same day nothing says which is meant."""
        chosen: list[Edge] = []
        for _, edges in sorted(self._edges.get(number, {}).items()):
            best = max(edges, key=_edge_precedence)
            equal = (edge["prosent"] for edge in edges if _edge_precedence(edge) == _edge_precedence(best))
            if len({Decimal(stated) for stated in equal if stated is not None}) > 1:
                self.tally.add("contradicting_edges", "grunnlag", number)
                best = {**best, "prosent": None}
            chosen.append(best)
        return chosen


def _edge_precedence(edge: Edge) -> tuple[bool, str]:
    """Sort key of duplicate edges: one with a percentage wins, then the newer one."""
    return edge["prosent"] is not None, edge["dato"] or ""


def _code_value(value: object) -> str | None:
    return _stripped_text(value.get("kode")) if isinstance(value, dict) else None


def _stripped_text(value: object) -> str | None:
    return (str(value).strip() or None) if value is not None else None


DATASET: Final = Dataset(
    key=KEY,
    title="Enhetsregisteret: group structure",
    licence=LICENCE,
    cadence=Cadence(cron="0 7 * * *", stale_after_hours=24 * 8),
    guard_limits=GuardLimits(max_rejected=0.01),
    host=HOST,
    staged_tables=STAGED,
    file_patterns=("konsernstruktur/**",),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch_groups,
    subjects_to_fetch=subjects_to_fetch,
    is_per_company=True,
)

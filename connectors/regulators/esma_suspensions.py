"""ESMA's suspensions and removals from trading (SARIS): its CSV as acts (docs/formats/news.md 1.8).

Belongs here: columns, reasons, rows to acts. A row is about one instrument, with its issuer's LEI. Does not
belong here: whether a company is listed (a removal of one instrument does not decide that).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from connectors.declare import NOT_A_COMPANY, Batch, Piece
from connectors.gleif.numbers import is_lei
from connectors.kit import staged, tabular
from connectors.kit.staged import Tally
from connectors.matching.marks import mark
from connectors.regulators import acts, kinds
from connectors.regulators.acts import Act, Respondent
from connectors.regulators.authorities import ESMA, Authority
from connectors.regulators.esma_countries import country
from connectors.regulators.esma_sanctions import day
from connectors.regulators.reading import Rejected
from warehouse.schema.identifiers import iso_country
from warehouse.schema.types import Column, Kind, Table

_REGISTER: Final = "https://registers.esma.europa.eu/publication/searchRegister?core=esma_registers_saris_new"
_COLUMNS: Final = (
    "id", "instrumentIdentifier", "instrumentFullName", "issuer", "issuerName", "actionType", "reasonsForTheAction",
    "effectiveFrom", "effectiveTo", "onGoing", "memberStateOfNotifyingCA", "notifyingCA", "markets",
)  # fmt: skip
_LAYOUT: Final = tabular.Layout(
    table=Table(
        "esma_saris",
        "The export as written; not staged.",
        ("id",),
        tuple(Column(name, Kind.TEXT, "as written") for name in _COLUMNS),
    ),
    mandatory=("id", "instrumentIdentifier", "issuer", "actionType", "effectiveFrom"),
    key="id",
    ignored=("comments", "historicalStatus", "timestamp", ""),
)
_ACTIONS: Final = (  # words of the action or its reason -> kind, title; the first match wins
    (("restor", "lift", "resum"), kinds.TRADING_RESUMED, "Trading resumed"),
    (("removal", "remove"), kinds.DELISTING, "Removal from trading"),
    (("ban",), kinds.TRADING_SUSPENSION, "Trading ban"),
    (("suspen",), kinds.TRADING_SUSPENSION, "Suspension of trading"),
)
_REASONS: Final = (
    "01. Inside Info", "02. Market Abuse", "03. Other suspension", "04. Take-over bid", "Removal",
    "Trading ban - EU sanctions",
)  # fmt: skip
_DAY_FIRST: Final = ("%d/%m/%Y", "%d/%m/%Y %H:%M", "%d/%m/%Y %H:%M:%S")


def read(market: str, piece: Piece) -> Iterator[Batch]:
    """Batches of acts, one per block of the export."""
    table = acts.table(market)
    for part in tabular.read(piece, _LAYOUT):
        tally = Tally(piece.dataset)
        rows: dict[str, dict[str, Any]] = {}
        rejects = list(part.rejects.iter_rows())
        for record in part.rows.iter_rows(named=True):
            made = act(market, record, tally)
            if isinstance(made, Rejected):
                rejects.append((record["id"] or "no id", made.reason, ""))
            elif made is not None:
                rows |= {row["native_id"]: row for row in acts.rows(piece.dataset, made)}
        yield staged.batch(
            table, list(rows.values()), staged.reject_rows(rejects), (*part.signals, *tally.drain())
        )


def act(market: str, record: dict[str, str | None], tally: Tally) -> Act | Rejected | None:
    """The act of a row; None for other markets' instruments, which are most of the register."""
    own = iso_country(market)
    place = country(record["memberStateOfNotifyingCA"])
    isin = (record["instrumentIdentifier"] or "").strip()
    if place != own and not isin.startswith(own):
        return None
    native_id = (record["id"] or "").strip()
    if not native_id:
        return Rejected("no id")
    issuer, name = (record["issuer"] or "").strip().upper(), (record["issuerName"] or "").strip()
    lei = issuer if is_lei(issuer) else None
    if issuer and lei is None:
        tally.add("bad_lei", "issuer", native_id)
    if lei is None and not name:
        return Rejected(f"{NOT_A_COMPANY}: neither an LEI nor a name of the issuer")
    begun = _instant(record["effectiveFrom"] or "")
    if begun is None:
        return Rejected(f"no day: {(record['effectiveFrom'] or '')[:60]!r}")
    kind, called = _kind(record, tally, native_id)
    title = f"{called}: {(record['instrumentFullName'] or name or isin).strip()} ({isin})"
    authority = Authority(ESMA.code, (record["notifyingCA"] or "").strip() or ESMA.name, place, ESMA.host)
    named = (Respondent(name or None, mark(name, market).value, lei=lei),)
    return Act(authority, native_id, kind, title, _REGISTER, begun, named)


def _kind(record: dict[str, str | None], tally: Tally, example: str) -> tuple[str, str]:
    action, reason = (record["actionType"] or "").strip(), (record["reasonsForTheAction"] or "").strip()
    for said in (action.lower(), reason.lower()):
        for words, kind, called in _ACTIONS:
            if any(word in said for word in words):
                if reason and reason not in _REASONS:
                    tally.add("unknown_code", f"reasonsForTheAction {reason[:60]}", example)
                return kind, called
    tally.add("unknown_kind", f"{action} {reason}"[:80], example)
    return kinds.OTHER, "Action"


def _instant(written: str) -> datetime | None:
    found = day(written.strip())
    if found is not None:
        return found
    for form in _DAY_FIRST:
        try:
            return datetime.strptime(written.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None

"""ESMA's suspensions and removals from trading (SARIS): its CSV as acts (docs/formats/news.md 1.8).

Belongs here: columns, reasons, rows to acts. A row is about one instrument, with its issuer's LEI. Does not
belong here: whether a company is listed (a removal of one instrument does not decide that).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from connectors.contract.pieces import NOT_A_COMPANY, ArchiveMember, Batch
from connectors.gleif.level1.registration_numbers import is_lei
from connectors.kit import staging
from connectors.kit.csv import reader
from connectors.kit.staging import SignalCounter
from connectors.regulators import act_types
from connectors.regulators import schema as regulators_schema
from connectors.regulators.authorities import ESMA, Authority
from connectors.regulators.common import RejectedAct, check_act
from connectors.regulators.esma.sanctions import country_code, parse_day
from connectors.regulators.schema import ActRespondent, RegulatoryAct
from name_matching.company_markers import detect_company_marker
from warehouse.schema.identifiers import iso_country
from warehouse.schema.types import Column, ColumnKind, Table

_REGISTER: Final = "https://registers.esma.europa.eu/publication/searchRegister?core=esma_registers_saris_new"
_COLUMNS: Final = (
    "id", "instrumentIdentifier", "instrumentFullName", "issuer", "issuerName", "actionType", "reasonsForTheAction",
    "effectiveFrom", "effectiveTo", "onGoing", "memberStateOfNotifyingCA", "notifyingCA", "markets",
)  # fmt: skip
_LAYOUT: Final = reader.CsvFormat(
    table=Table(
        "esma_saris",
        "The export as written; not staged.",
        ("id",),
        tuple(Column(name, ColumnKind.TEXT, "as written") for name in _COLUMNS),
    ),
    mandatory=("id", "instrumentIdentifier", "issuer", "actionType", "effectiveFrom"),
    key="id",
    ignored=("comments", "historicalStatus", "timestamp", ""),
)
_ACTIONS: Final = (  # words of the action or its reason -> kind, title; the first match wins
    (("restor", "lift", "resum"), act_types.TRADING_RESUMED, "Trading resumed"),
    (("removal", "remove"), act_types.DELISTING, "Removal from trading"),
    (("ban",), act_types.TRADING_SUSPENSION, "Trading ban"),
    (("suspen",), act_types.TRADING_SUSPENSION, "Suspension of trading"),
)
_REASONS: Final = (
    "01. Inside Info", "02. Market Abuse", "03. Other suspension", "04. Take-over bid", "Removal",
    "Trading ban - EU sanctions",
)  # fmt: skip
_DAY_FIRST: Final = ("%d/%m/%Y", "%d/%m/%Y %H:%M", "%d/%m/%Y %H:%M:%S")


def read_batches(market: str, member: ArchiveMember) -> Iterator[Batch]:
    """Batches of acts, one per block of the export."""
    table = regulators_schema.acts_table(market)
    for part in reader.read_csv(member, _LAYOUT):
        tally = SignalCounter(member.dataset)
        rows: dict[str, dict[str, Any]] = {}
        rejects = list(part.rejects.iter_rows())
        for record in part.rows.iter_rows(named=True):
            found = parse_act(market, record, tally)
            made = None if found is None else check_act(found, member)
            if isinstance(made, RejectedAct):
                rejects.append((record["id"] or "no id", made.reason, ""))
            elif made is not None:
                rows |= {row["native_id"]: row for row in regulators_schema.act_rows(member.dataset, made)}
        yield staging.make_batch(
            table, list(rows.values()), staging.reject_rows(rejects), (*part.signals, *tally.drain())
        )


def parse_act(market: str, record: dict[str, str | None], tally: SignalCounter) -> RegulatoryAct | RejectedAct | None:
    """The act of a row; None for other markets' instruments, which are most of the register."""
    own = iso_country(market)
    place = country_code(record["memberStateOfNotifyingCA"])
    isin = (record["instrumentIdentifier"] or "").strip()
    if place != own and not isin.startswith(own):
        return None
    native_id = (record["id"] or "").strip()
    if not native_id:
        return RejectedAct("no id")
    issuer, name = (record["issuer"] or "").strip().upper(), (record["issuerName"] or "").strip()
    lei = issuer if is_lei(issuer) else None
    if issuer and lei is None:
        tally.add("bad_lei", "issuer", native_id)
    if lei is None and not name:
        return RejectedAct(f"{NOT_A_COMPANY}: neither an LEI nor a name of the issuer")
    begun = _parse_instant(record["effectiveFrom"] or "")
    if begun is None:
        return RejectedAct(f"no day: {(record['effectiveFrom'] or '')[:60]!r}")
    kind, called = _kind_and_title(record, tally, native_id)
    title = f"{called}: {(record['instrumentFullName'] or name or isin).strip()} ({isin})"
    authority = Authority(ESMA.code, (record["notifyingCA"] or "").strip() or ESMA.name, place, ESMA.host)
    named = (ActRespondent(name or None, detect_company_marker(name, market).value, lei=lei),)
    return RegulatoryAct(authority, native_id, kind, title, _REGISTER, begun, named)


def _kind_and_title(record: dict[str, str | None], tally: SignalCounter, example: str) -> tuple[str, str]:
    action, reason = (record["actionType"] or "").strip(), (record["reasonsForTheAction"] or "").strip()
    for said in (action.lower(), reason.lower()):
        for words, kind, called in _ACTIONS:
            if any(word in said for word in words):
                if reason and reason not in _REASONS:
                    tally.add("unknown_code", f"reasonsForTheAction {reason[:60]}", example)
                return kind, called
    tally.add("unknown_kind", f"{action} {reason}"[:80], example)
    return act_types.OTHER, "Action"


def _parse_instant(written: str) -> datetime | None:
    found = parse_day(written.strip())
    if found is not None:
        return found
    for form in _DAY_FIRST:
        try:
            return datetime.strptime(written.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None

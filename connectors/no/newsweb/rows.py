"""Converts NewsWeb messages in the API's layout to rows, validating and repairing them (docs/formats/no.md 8).

Belongs here: types of members, double-encoded text, test messages, the layouts of a message. Does not belong here:
envelopes and files (`dataset`), or parsing texts (`periods`, `major_holdings`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from connectors.contract.pieces import NOT_A_COMPANY
from connectors.kit.json.body import stripped_text
from connectors.kit.staging import SignalCounter
from connectors.news.text import decode_again
from connectors.no import code_lists
from connectors.no.newsweb import major_holdings as flagging
from connectors.no.newsweb import periods
from connectors.no.newsweb import schema as f
from connectors.no.newsweb.periods import ReportPeriod, StatedPeriod
from connectors.no.register import has_valid_check_digit
from name_matching.folding import fold_text
from warehouse.schema.types import LARGEST_INTEGER

_OSLO: Final = ZoneInfo("Europe/Oslo")
_KNOWN: Final = f.IGNORED | set(f.MESSAGES.names)
_ID: Final = re.compile(r"[0-9]{1,18}")  # ASCII, and within a 64-bit integer
_YEARS: Final = range(1900, 9999)  # outside this range a conversion between time zones may overflow
_NUMBERS: Final = {str(label).casefold(): code for code, label in code_lists.NEWSWEB.columns["label"].items()}

Row = dict[str, Any]
Message = Mapping[str, Any]


class RejectedMessageError(Exception):
    """A message that cannot be kept; the message says why."""


def repair_double_encoding(text: str | None, tally: SignalCounter, example: str) -> str | None:
    """Repairs double-encoded text: if decoding it again as UTF-8 succeeds, the result is used."""
    plain = decode_again(text or "")
    if plain != (text or ""):
        tally.add("double_encoding", "text", example)
    return plain or None


def header_row(message: Message, tally: SignalCounter) -> Row:
    """The row of `no_newsweb`."""
    number = _checked_message_id(message)
    for name in message.keys() - _KNOWN:
        tally.add("unknown_key", name, number)
    published = _parse_instant(message.get("publishedTime"))
    if published is None:
        raise RejectedMessageError("no publishedTime")
    title = repair_double_encoding(stripped_text(message.get("title")), tally, number)
    category = _category_numbers(_items_of_type(message, "category", dict, tally), tally, number)
    markets = _items_of_type(message, "markets", str, tally)
    row = {
        f.ID: number,
        **_issuer_columns(message, tally),
        "publishedTime": published,
        "title": title,
        "category": category,
        "markets": markets,
        "numbAttachments": _attachment_count(message, tally),
        "correctionForMessageId": _reference_number(message, "correctionForMessageId", tally),
        "correctedByMessageId": _reference_number(message, "correctedByMessageId", tally),
        "oamMandatory": _parse_flag(message.get("oamMandatory")),
        f.CLIENT: stripped_text(message.get(f.CLIENT)),
    }
    return row | _period_columns(_stated_period(category, [title], (), published).period)


def text_row(message: Message, header: Row, tally: SignalCounter) -> Row | None:
    """The row of `no_newsweb_tekst` of a report; None for other messages."""
    if not {f.ANNUAL, *f.INTERIM} & set(header["category"]):
        return None
    names = [str(item.get("name")) for item in _items_of_type(message, "attachments", dict, tally)]
    texts = [header["title"], repair_double_encoding(stripped_text(message.get("body")), tally, header[f.ID])]
    found = _stated_period(header["category"], texts, names, header["publishedTime"])
    period = found.period
    if found.is_contradictory:
        tally.add("contradicting_periods", "text", header[f.ID])
    elif period is None:
        tally.add("period_not_stated", "text", header[f.ID])
    issuer = {name: header[name] for name in (f.ISSUER, "issuerSign", f.NAME)}
    return {f.ID: header[f.ID], **issuer, **_period_columns(period)}


def flag_row(message: Message, header: Row, tally: SignalCounter) -> Row | None:
    """The row of `no_newsweb_flagging`; None if the message is not a notice or cannot be parsed."""
    if f.FLAGGING not in header["category"]:
        return None
    text = repair_double_encoding(stripped_text(message.get("body")), tally, header[f.ID]) or ""
    found = flagging.parse_major_holding(text)
    if found is None:
        tally.add("flagging_not_read", "text", header[f.ID])
        return None
    if found.torn_total is not None:
        tally.add("torn_digits", found.torn_total, header[f.ID])
    number = flagging.issuer_number(text)
    if number is not None and not has_valid_check_digit(number):
        tally.add("wrong_check_digit", f.NUMBER, header[f.ID])
        number = None
    issuer = {name: header[name] for name in (f.ISSUER, "issuerSign", f.NAME)}
    if not flagging.is_about_issuer(text, header[f.NAME]):  # its holder announced it: links no other message
        tally.add("issuer_differs", "section 1", header[f.ID])
        issuer = dict.fromkeys(issuer)
    return {
        f.ID: header[f.ID],
        "holder": fold_text(found.name),
        **issuer,
        "publishedTime": header["publishedTime"],
        f.NUMBER: number,
        "name": found.name,
        "country": found.country,
        "crossed_on": _crossing_day(found.crossed_on, header, tally),
        "votes_pct": found.votes,
        "votes_below": found.votes_below,
        "instruments_pct": found.instruments,
        "capital_pct": found.capital,
        "total_votes": found.total_votes,
    }


def _crossing_day(stated: date, header: Row, tally: SignalCounter) -> date:
    """The stated day, or that of publication if it is earlier: a future day would hide all later notices."""
    published: date = header["publishedTime"].astimezone(_OSLO).date()
    if stated > published:
        tally.add("impossible_date", "crossed_on", header[f.ID])
    return min(stated, published)


def issuer_row(issuer: Message, tally: SignalCounter) -> Row:
    """The row of `no_newsweb_utsteder`."""
    found = _issuer_columns({**issuer, f.NAME: issuer.get("name")}, tally)
    if found[f.ISSUER] is None:
        raise RejectedMessageError("no issuerId")
    return {**found, "isActive": _parse_flag(issuer.get("isActive"))}


def from_reduced_layout(notice: Message) -> Message:
    """Converts a notice of the reduced layout (JSON lines) to the API's layout, with category names for numbers."""
    names = notice.get("categories")
    texts = [stripped_text(notice.get(name)) for name in ("bodyText", "pdfSupplementText")]
    return {
        "messageId": notice.get("messageId"),
        "title": notice.get("title"),
        "issuerName": notice.get("issuerName"),
        "issuerSign": notice.get("issuerSign"),
        "publishedTime": notice.get("publishedAt"),
        "category": [{"category_no": name} for name in names] if isinstance(names, list) else names,
        "markets": notice.get("markets"),
        "numbAttachments": int(bool(notice.get("hasAttachments"))),
        "body": "\n".join(text for text in texts if text),
    }


def _checked_message_id(message: Message) -> str:
    number = message.get(f.ID)
    if isinstance(number, bool) or not isinstance(number, int | str) or not _ID.fullmatch(str(number)):
        raise RejectedMessageError(f"no messageId: {number!r}")
    if message.get("test") is True:
        raise RejectedMessageError(f"{NOT_A_COMPANY}: a test message")
    return str(number)


def _issuer_columns(message: Message, tally: SignalCounter) -> Row:
    number = _reference_number(message, f.ISSUER, tally)
    return {
        f.ISSUER: number,
        "issuerSign": stripped_text(message.get("issuerSign")),
        f.NAME: repair_double_encoding(stripped_text(message.get(f.NAME)), tally, str(number)),
    }


def _items_of_type(message: Message, name: str, kind: type, tally: SignalCounter) -> list[Any]:
    """A list member without items of other types; those, and a member that is not a list, are signalled."""
    found = message.get(name)
    listed = found if isinstance(found, list) else []
    kept = [item for item in listed if isinstance(item, kind)]
    if len(kept) < len(listed) or not isinstance(found, list | None):
        tally.add("unreadable_value", name, message.get(f.ID))
    return kept


def _category_numbers(found: list[Message], tally: SignalCounter, example: str) -> list[str]:
    """Category numbers; layouts without numbers give the names."""
    numbers: list[str] = []
    for item in found:
        name = repair_double_encoding(stripped_text(item.get("category_no")), tally, example)
        number = item.get("id") or _NUMBERS.get((name or "").casefold())
        if number is None or str(number) not in code_lists.NEWSWEB:
            tally.add("unknown_code", f"category {number or name}", example)
        if number is not None:
            numbers.append(str(number))
    return numbers


def _stated_period(
    category: list[str], texts: list[str | None], names: list[str] | tuple[str, ...], published: datetime
) -> StatedPeriod:
    if f.ANNUAL in category:
        return periods.annual_statement(texts, names, published.date())
    if set(f.INTERIM) & set(category):
        return periods.interim_statement(texts, published.date())
    return StatedPeriod(None)


def _period_columns(period: ReportPeriod | None) -> Row:
    if period is None:
        return {f.START: None, f.END: None, f.IS_DATED: None}
    return {f.START: period.start, f.END: period.end, f.IS_DATED: period.is_dated}


def _parse_flag(value: object) -> bool | None:
    return None if value is None else value in (1, True, "1")


def _reference_number(message: Message, name: str, tally: SignalCounter) -> str | None:
    """The number of an issuer or another message; 0 means none."""
    value = message.get(name)
    if value in (None, 0, "0", ""):
        return None
    if type(value) in (int, str):
        return str(value)
    tally.add("unreadable_value", name, message.get(f.ID))
    return None


def _attachment_count(message: Message, tally: SignalCounter) -> int | None:
    value = message.get("numbAttachments")
    if value is None or (type(value) is int and 0 <= value <= LARGEST_INTEGER):
        return value
    tally.add("unreadable_value", "numbAttachments", message.get(f.ID))
    return None


def _parse_instant(value: object) -> datetime | None:
    """Parses an ISO timestamp with its zone; without one it is no instant."""
    try:
        found = datetime.fromisoformat(str(value))
        instant = found.astimezone(UTC) if found.tzinfo is not None else None
    except (ValueError, OverflowError):
        return None
    return instant if instant is not None and instant.year in _YEARS else None

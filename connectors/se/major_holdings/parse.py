"""Parses one release of a Swedish issuer into a notice: holder, issuer, day, position.

Belongs here: detecting the form of a text, splitting sentences. A release in the Finnish supervisor's or ESMA's
form is read by `connectors.nasdaq`. Does not belong here: unwrapping the channels' formats (`dataset`), rows
(`connectors.nasdaq.major_holdings.dataset`).
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from connectors.nasdaq.major_holdings import sentences as supervised
from connectors.nasdaq.major_holdings.form import FlaggingNotification, FormPosition, parse_positions
from connectors.nasdaq.major_holdings.form_row import FormColumn, NotFlaggingFormError
from connectors.se.major_holdings import dates, holder_names, tables
from connectors.se.major_holdings import sentences as major_holdings_sentences
from connectors.se.major_holdings.tables import PositionTable

LONGEST: Final = 60_000  # characters of a text
_LONGEST_SENTENCE: Final = 1_200
_BLANKS: Final = re.compile(r"[ \t\u00a0\u2007\u202f]+")
_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-ZÅÄÖÉ])(?<!\b(?:ca|nr|kl|St)\.\s)")
_NOTICE: Final = re.compile(r"flagg|notification|meddelande|shareholding|anmälan", re.IGNORECASE)
_FORM: Final = re.compile(r"Resulting\s+situation\s+on\s+the\s+date\s+on\s+which", re.IGNORECASE)


def parse_notice(text: str, author: str | None = None) -> FlaggingNotification:
    """Parses a normalised text. `author`: the issuer that published the release, if known.

    Raises NotFlaggingFormError.
    """
    if len(text) > LONGEST:
        raise NotFlaggingFormError(f"a text of more than {LONGEST} characters")
    lines = [line for raw in text.split("\n") if (line := _BLANKS.sub(" ", raw).strip())]
    if _FORM.search(text):
        return _from_esma_form(text, lines, author)
    registered = tables.parse_register_form(lines)
    if registered is not None:
        return _from_register_form(registered, lines, author)
    table, rest = tables.parse_side_rows(lines)
    dated = tables.parse_day_rows(lines) if table is None else None
    sentences = _split_sentences(rest)
    said = _combine_positions(sentences, dated or table)
    day, plain = said.day or dates.transaction_day(sentences), "\n".join(sentences)
    holder = holder_names.find_holder(plain, author)
    return _build_notification(holder, holder_names.find_issuer(plain, author), day, said.now, said.before)


def _combine_positions(sentences: list[str], table: PositionTable | None) -> PositionTable:
    """Position from the table, else from the sentences. Raises NotFlaggingFormError if they disagree."""
    if table is None:
        return PositionTable(*major_holdings_sentences.find_positions(sentences))
    try:
        now, _ = major_holdings_sentences.find_positions(sentences)
    except NotFlaggingFormError:
        return table  # the text around a table often states only a threshold
    for told, tabled in ((now.shares, table.now.shares), (now.votes, table.now.votes)):
        exact = {level.exact for level in (told, tabled) if level is not None and level.exact is not None}
        if len(exact) > 1:
            raise NotFlaggingFormError("one percentage in the table and another in the text")
    return table


def _from_register_form(table: PositionTable, lines: list[str], author: str | None) -> FlaggingNotification:
    """Notice from Finansinspektionen's form: the holder is above it, the issuer in the surrounding release."""
    name = holder_names.clean_name(table.holder or "")
    if not name or _NOTICE.search(name) or len(name) > holder_names.LONGEST:
        raise NotFlaggingFormError("no holder above the form")
    return _build_notification(name, holder_names.find_issuer("\n".join(lines), author), table.day, table.now, None)


def _from_esma_form(text: str, lines: list[str], author: str | None) -> FlaggingNotification:
    """Notice from ESMA's or the Finnish supervisor's form, parsed by `connectors.nasdaq`."""
    now, before = parse_positions(text)
    sentences = _split_sentences(lines)
    plain = "\n".join(sentences)
    try:
        holder = supervised.parse_notification(text).holder
    except NotFlaggingFormError:
        holder = holder_names.find_holder(plain, author)
    day = supervised.crossing_day(text) or dates.transaction_day(sentences)
    return FlaggingNotification(holder, holder_names.find_issuer(plain, author), None, day, now, before)


def _build_notification(
    holder: str, issuer: str | None, day: date | None, now: FormColumn, before: FormColumn | None
) -> FlaggingNotification:
    earlier = None if before is None else FormPosition(before, None, None)
    return FlaggingNotification(holder, issuer, None, day, FormPosition(now, None, None), earlier)


def _split_sentences(lines: list[str]) -> list[str]:
    """Sentences, split if longer than `_LONGEST_SENTENCE`."""
    return [one[:_LONGEST_SENTENCE] for line in lines for one in _END.split(line) if len(one) > 1]

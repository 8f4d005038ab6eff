"""Parses one release of a Swedish issuer into a notice: holder, issuer, day, position.

Belongs here: detecting the form of a text, splitting sentences. A release in the Finnish supervisor's or ESMA's
form is read by `connectors.nasdaq`. Does not belong here: unwrapping the channels' formats (`flagging`), rows
(`connectors.nasdaq.flagging`).
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from connectors.nasdaq import flagging_prose as supervised
from connectors.nasdaq.flagging_form import Notification, Position, positions
from connectors.nasdaq.flagging_row import Column, NoForm
from connectors.se import flagging_days, flagging_names, flagging_prose, flagging_tables
from connectors.se.flagging_tables import Table

LONGEST: Final = 60_000  # characters of a text
_LONGEST_SENTENCE: Final = 1_200
_BLANKS: Final = re.compile(r"[ \t\u00a0\u2007\u202f]+")
_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-ZÅÄÖÉ])(?<!\b(?:ca|nr|kl|St)\.\s)")
_NOTICE: Final = re.compile(r"flagg|notification|meddelande|shareholding|anmälan", re.IGNORECASE)
_FORM: Final = re.compile(r"Resulting\s+situation\s+on\s+the\s+date\s+on\s+which", re.IGNORECASE)


def notice(text: str, author: str | None = None) -> Notification:
    """Parses a normalised text. Raises NoForm. `author`: the issuer that published the release, if known."""
    if len(text) > LONGEST:
        raise NoForm(f"a text of more than {LONGEST} characters")
    lines = [line for raw in text.split("\n") if (line := _BLANKS.sub(" ", raw).strip())]
    if _FORM.search(text):
        return _of_form(text, lines, author)
    registered = flagging_tables.of_register(lines)
    if registered is not None:
        return _of_register(registered, lines, author)
    table, rest = flagging_tables.of_rows(lines)
    dated = flagging_tables.of_days(lines) if table is None else None
    sentences = _sentences(rest)
    said = _said(sentences, dated or table)
    return _notification(sentences, author, said, said.day or flagging_days.moved_on(sentences))


def _said(sentences: list[str], table: Table | None) -> Table:
    """Position from the table, else from the sentences. Raises NoForm if they disagree."""
    if table is None:
        return Table(*flagging_prose.position(sentences))
    try:
        now, _ = flagging_prose.position(sentences)
    except NoForm:
        return table  # the text around a table often states only a threshold
    for told, tabled in ((now.shares, table.now.shares), (now.votes, table.now.votes)):
        exact = {level.exact for level in (told, tabled) if level is not None and level.exact is not None}
        if len(exact) > 1:
            raise NoForm("one percentage in the table and another in the text")
    return table


def _of_register(table: Table, lines: list[str], author: str | None) -> Notification:
    """Notice from Finansinspektionen's form: the holder is above it, the issuer in the surrounding release."""
    name = flagging_names.clean(table.holder or "")
    if not name or _NOTICE.search(name) or len(name) > flagging_names.LONGEST:
        raise NoForm("no holder above the form")
    return _made(name, flagging_names.issuer("\n".join(lines), author), table.day, table.now, None)


def _of_form(text: str, lines: list[str], author: str | None) -> Notification:
    """Notice from ESMA's or the Finnish supervisor's form, parsed by `connectors.nasdaq`."""
    now, before = positions(text)
    sentences = _sentences(lines)
    plain = "\n".join(sentences)
    try:
        holder = supervised.notification(text).holder
    except NoForm:
        holder = flagging_names.holder(plain, author)
    day = supervised.crossed_on(text) or flagging_days.moved_on(sentences)
    return Notification(holder, flagging_names.issuer(plain, author), None, day, now, before)


def _notification(sentences: list[str], author: str | None, said: Table, day: date | None) -> Notification:
    plain = "\n".join(sentences)
    holder = flagging_names.holder(plain, author)
    return _made(holder, flagging_names.issuer(plain, author), day, said.now, said.before)


def _made(
    holder: str, issuer: str | None, day: date | None, now: Column, before: Column | None
) -> Notification:
    earlier = None if before is None else Position(before, None, None)
    return Notification(holder, issuer, None, day, Position(now, None, None), earlier)


def _sentences(lines: list[str]) -> list[str]:
    """Sentences, split if longer than `_LONGEST_SENTENCE`."""
    return [one[:_LONGEST_SENTENCE] for line in lines for one in _END.split(line) if len(one) > 1]

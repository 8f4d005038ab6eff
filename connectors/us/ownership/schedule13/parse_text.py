"""Parses Schedules 13D and 13G before December 2024: cover pages in HTML or ASCII, one per person.

See docs/formats/us.md 7.2.

Only the numbered rows of the cover pages are read: name, citizenship, aggregate amount, percent, type of
person. Rows in other words are null and signalled. Pages are read as plain text on one line: HTML with its cells
separated, ASCII with whitespace collapsed. Does not belong here: the lines of a page
(`connectors.kit.xml.html_text`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from itertools import pairwise
from typing import Final

from connectors.contract.pieces import ArchiveMember
from connectors.kit.staging import SignalCounter
from connectors.kit.xml.html_text import html_lines, page_encoding
from connectors.us.ownership import parse_values as values
from connectors.us.ownership.schedule13.rows import ReportingPerson, StakeStatement, signal_differing_percentages

_MARKUP: Final = re.compile(rb"<(?:html|body|div|table|p|font|pre|br)\b", re.IGNORECASE)
_REACH: Final = 20_000


def document_line(body: bytes) -> str:
    """The text of a document on one line; empty where there is none."""
    is_page = _MARKUP.search(body[:_REACH]) is not None
    text = " ".join(html_lines(body)) if is_page else body.decode(page_encoding(body), "replace")
    return " ".join(text.split())


_I: Final = re.IGNORECASE
_SCHEDULE: Final = re.compile(r"SCHEDULE\s+(13\s*[DG])(\s*/\s*A)?\b|\bSC\s+(13[DG])(/A)?\b", _I)
_AMENDMENT: Final = re.compile(r"Amendment\s+(?:No|Number)\.?\s*[:#]?\s*_*\s*(\d{1,3})", _I)
_ISSUER: Final = re.compile(r"\(\s*Names?\s+of\s+(?:the\s+)?Issuer\s*\)", _I)
_CLASS: Final = re.compile(r"\(\s*Title\s+of\s+Class(?:es)?\s+of\s+Securities\s*\)", _I)
_CUSIP: Final = re.compile(r"\(\s*CUSIP\s+Numbers?\s*\)", _I)
_EVENT: Final = re.compile(r"\(\s*Dates?\s+of\s+Events?\s+which\s+requires?\s+filing", _I)
_BEFORE_ISSUER: Final = re.compile(
    r"Exchange\s+Act\s+of\s+1934\)?|Amendment\s+(?:No|Number)\.?[^()]{0,20}\)\s*\*{0,2}|Rule\s+13d-\d\(?\w?\)?"
    r"|SCHEDULE\s+13\s*[DG](?:/A)?",
    _I,
)
_NAME: Final = re.compile(r"NAMES?\s+OF\s+REPORTING\s+PERSONS?\s*(?:\(\s*S\s*\))?\s*[:.]?", _I)
_IDENTITY: Final = re.compile(
    r"(?:[(/]\s*|\bAND\s+)?(?:S\.?S\.?\s+(?:OR|AND)\s+)?I\.?\s?R\.?\s?S\.?\s+IDENTIFICATION\s+(?:NOS?|NUMBERS?)\.?"
    r"(?:\(\s*S\s*\))?\s*O[FR]\s+(?:THE\s+)?(?:(?:ABOVE|SUCH|REPORTING)\s+)?PERSONS?\s*(?:\(\s*S\s*\))?\s*"
    r"(?:\(\s*ENTIT(?:Y|IES)(?:\s+ONLY)?\s*\))?\s*[):.]?|\(\s*ENTIT(?:Y|IES)\s+ONLY\s*\)\s*[:.]?",
    _I,
)
_NUMBERED: Final = re.compile(r"\b\d{2}-\d{7}\b|\b\d{3}-\d{2}-\d{4}\b|\(\s*none\s*\)", _I)
_GROUP: Final = re.compile(
    r"\(?\b2\b[.)]?\s*\|?\s*CHECK\s+THE\s+APPROPRIATE\s+\[?(?:BOX|LINE)|"
    r"CHECK\s+(?:(?:THE\s+)?APPROPRIATE\s+\[?(?:BOX|LINE)|(?:THE\s+)?(?:BOX\s+)?IF\s+(?:A\s+)?MEMBER)",
    _I,
)
_PLACE: Final = re.compile(
    r"CITIZENSHIP\s+OR\s+PLACE\s+OF\s+ORGANI[SZ]ATION\s*[:.]?\s*(.{0,120}?)\s*"
    r"(?:NUMBER\s+OF|\(?\d{1,2}[.)]?\s+(?:NUMBER|SOLE)|SOLE\s+VOTING)",
    _I,
)
_AMOUNT: Final = re.compile(
    r"AGGREGATED?\s+AMOUN?T\s+(?:OF\s+)?(?:BEN\w+\s+)?OWNED"
    r"(?:\s+BY\s+(?:EACH\s+|THE\s+)?(?:REPORTING\s*)?PERSONS?(?:\s*\(\s*S\s*\))?)?\s*[:.]?"
    r"(.{0,600}?)\(?(?:\b1[02]\b)?[.)]?\s*(?:CHECK\s+(?:THE\s+)?(?:BOX\s+)?IF|PERCENT(?:AGE)?\s+OF\s+(?:THE\s+)?(?:CLASS|SERIES))",
    _I,
)
_PERCENT: Final = re.compile(
    r"PERCENT(?:AGE)?\s+OF\s+(?:THE\s+)?(?:CLASS|SERIES)\s+REPRESENTED\s+(?:(?:BY|IN|OF)\s+)?(?:THE\s+)?(?:AMOUNT\s+)?"
    r"(?:(?:IN|OF)\s+)?(?:ROW|BOX|ITEM|LINE)(?:\s+(?:NO|NUMBER)\b\.?)?"
    r"\s*(?:\(\s*\d{1,2}\s*\)|\d{1,2}\)?(?![\d.%]))?\s*\*?(?::|\.(?!\d))?(.{0,600}?)"
    r"(?:\(?\b1[24]\b[.)]?\s*)?TYPES?\s+OF\s+REPORTING\s+PERSON",
    _I,
)
_TYPE: Final = re.compile(
    r"(?i:TYPES?\s+OF\s+REPORTING\s+PERSONS?\s*(?:\(\s*S\s*\))?\s*\*{0,2}\s*[:.]?\s*"
    r"(?:\(\s*SEE\s+INSTRUCTIONS?\s*\))?)\s*\*{0,2}"
    r"[:.]?\s*((?:(?:BD|BK|CO|CP|EP|FI|HC|IA|IC|IN|IV|OO|PN|SA)\b[\s,;/&+]*(?:and\s+|\(\d\)\s*)?)+)"
)
_BELOW: Final = r"(?P<below>(?:less\s+than|below|under|(?:not?\s+more|no\s+greater)\s+than|at\s+most|up\s+to|<)\s*)?"
_VALUE: Final = r"(?P<value>\d{1,3}(?:\.\d+)?|\.\d+)"
_OR_LESS: Final = r"(?P<less>\s*(?:or|and)\s+(?:less|below|fewer)\b)?"
# not the end of «7. 5%», «1/2%»
_FIGURE: Final = re.compile(rf"{_BELOW}(?<![\d.,/])(?<!\d[.,/]\s){_VALUE}\s*(?:%|per\s?cent\b){_OR_LESS}", _I)
_BARE: Final = re.compile(_BELOW + _VALUE + _OR_LESS, _I)
_ABOVE: Final = re.compile(r"\b(?:more\s+than|greater\s+than|over|above|excess\s+of|at\s+least)\s+\d|>", _I)
# a whole number: no part of «1.234.567», «1 234 567», «12,34,567», «1.5 million», «10%»
_COUNT: Final = re.compile(
    r"(?<![\d.,])(?<!\d\s)(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?!\d|[.,]\d|\s\d{3}(?![\d,])|\s*(?:%|million\b|thousand\b))",
    _I,
)
_NONE: Final = re.compile(r"-\s*0\s*-|\bnone\b|\bzero\b", _I)
_ASIDE: Final = re.compile(r"\(\s*see\b[^()]*(?:\([^()]*\)[^()]*)*\)", _I)  # «(See Instructions)» of the label
_NOTE: Final = re.compile(
    r"[(\[]\s*\d{1,2}\s*[)\]]|[*†‡¹²³]+|\b(?:see|as\s+of|based\s+(?:up)?on|calculated|assum\w+)\b.*", _I
)
_MARKS: Final = re.compile(r"(?:\s*\(\s*\d{1,2}\s*\))+$")  # footnote marks
_EDGES: Final = " |*_-–—:;,"  # without the period, which may belong to «Inc.»
_COVER: Final = 12_000  # characters after a person's name that contain the rows of the cover page


class NoCoverPageError(Exception):
    """Raised for a text without a cover page; the message says which part is missing."""


def parse_text_statement(member: ArchiveMember, text: str, form: str | None, tally: SignalCounter) -> StakeStatement:
    """One filing from its single-line text.

    Raises NoCoverPageError if it has no cover page of a reporting person.
    """
    starts = [match.start() for match in _NAME.finditer(text)]
    pages = [text[start:end][:_COVER] for start, end in pairwise([*starts, len(text)])]
    persons = tuple(person for page in pages if (person := _parse_person(page, tally, member.name)) is not None)
    if not persons:
        raise NoCoverPageError("no cover page with a reporting person, an amount and a percentage")
    signal_differing_percentages(persons, text, tally, member.name)
    cover = text[: starts[0]]
    amendment = _AMENDMENT.search(cover)
    return StakeStatement(
        form=form or _schedule_form(cover, is_amendment=amendment is not None),
        issuer=_text_above(cover, _ISSUER, _BEFORE_ISSUER),
        class_title=_text_above(cover, _CLASS, _ISSUER),
        event_date=_event_day(cover, tally, member.name),
        persons=persons,
        cusips=tuple(_cover_cusips(cover, pages[0])),
        amendment=amendment.group(1) if amendment else None,
        is_text=True,
    )


def _schedule_form(cover: str, *, is_amendment: bool) -> str | None:
    found = _SCHEDULE.search(cover)
    if found is None:
        return None
    schedule = re.sub(r"\s", "", found.group(1) or found.group(3)).upper()
    amended = is_amendment or bool(found.group(2) or found.group(4))
    return f"SC {schedule}/A" if amended else f"SC {schedule}"


def _text_above(cover: str, label: re.Pattern[str], boundary: re.Pattern[str]) -> str | None:
    """The text before a label, from the nearest boundary on."""
    found = label.search(cover)
    if found is None:
        return None
    above = cover[: found.start()]
    begins = max((match.end() for match in boundary.finditer(above)), default=0)
    return values.clean_line(above[begins:].strip(_EDGES)) or None


def _cover_cusips(cover: str, page: str) -> Iterator[str]:
    """CUSIPs before their label, else in the heading of a cover page."""
    above = _text_above(cover, _CUSIP, _CLASS)
    found = values.parse_cusip((above or "").replace(" ", "").strip(_EDGES))
    heading = re.search(r"CUSIP\s+(?:No|Number)\.?\s*:?\s*\|?\s*([0-9A-Z][0-9A-Z -]{6,10}[0-9A-Z])\b", cover + page)
    found = found or (values.parse_cusip(heading.group(1)) if heading else None)
    if found is not None:
        yield found


def _event_day(cover: str, tally: SignalCounter, example: str) -> date | None:
    label = _EVENT.search(cover)
    above = cover[: label.start()][-120:] if label else ""
    found = values.find_days(above)
    if not found:
        tally.add("no_day", "date of event", example)
        return None
    return values.parse_day(found[-1])


def _parse_person(page: str, tally: SignalCounter, example: str) -> ReportingPerson | None:
    """One cover page; None if the label occurs in other text, such as instructions."""
    amount, percent = _AMOUNT.search(page), _PERCENT.search(page)
    if amount is None and percent is None:
        return None
    name = _holder_name(page)
    if name is None:
        tally.add("no_holder", "name of reporting person", example)
        return None
    place = _PLACE.search(page)
    shares = _parse_shares(amount.group(1)) if amount else None
    share, below = _parse_percentage(percent.group(1)) if percent else (None, None)
    if shares is None:
        tally.add("unreadable_value", "aggregate amount", example)
    if share is None and below is None:
        tally.add("unreadable_value", "percent of class", example)
    types = _TYPE.search(page)
    if types is None:
        tally.add("unreadable_value", "type of reporting person", example)
    return ReportingPerson(
        name=name,
        place=values.clean_line(place.group(1).strip(_EDGES)) if place else None,
        types=tuple(re.findall(r"\b[A-Z]{2}\b", types.group(1))) if types else (),
        shares=shares,
        percent=share,
        below=below,
    )


def _holder_name(page: str) -> str | None:
    label = _NAME.match(page)
    end = _GROUP.search(page)
    if label is None or end is None:
        return None
    text = _NUMBERED.sub(" ", _IDENTITY.sub(" ", page[label.end() : end.start()]))
    text = re.sub(r"\s*\(?\b2\b[.)]?\s*$", "", text.strip())
    return values.clean_line(_MARKS.sub("", text.strip(_EDGES + "/")))


def _without_notes(text: str) -> str:
    """The text of a row, without remarks and footnote marks."""
    return _NOTE.sub(" ", _ASIDE.sub(" ", text))


def _parse_shares(text: str) -> Decimal | None:
    bare = _without_notes(text)
    found = _COUNT.search(bare)
    if found is None:
        return Decimal(0) if _NONE.search(bare) else None
    return Decimal(0) if _NONE.match(bare.strip()) else values.parse_number(found.group())


def _parse_percentage(text: str) -> tuple[Decimal | None, Decimal | None]:
    """The percentage, or the upper limit stated instead. None if several different ones are given."""
    bare = _without_notes(text).strip(_EDGES)
    found = list(_FIGURE.finditer(bare))
    if not found and (alone := _BARE.fullmatch(bare)) is not None:
        found = [alone]
    if not found:
        return (Decimal(0), None) if _NONE.search(bare) else (None, None)
    told = {(match["below"] is not None or match["less"] is not None, match["value"]) for match in found}
    if len(told) > 1:
        return None, None
    is_limit, stated = told.pop()
    if not is_limit and _ABOVE.search(bare):
        return None, None
    value = values.parse_percent(stated)
    return (None, value) if is_limit else (value, None)

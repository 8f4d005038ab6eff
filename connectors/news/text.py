"""Cleans, bounds and parses texts of items as feeds write them.

Belongs here: titles, URLs and instants of every wire, the language of a headline. Does not belong here: the
fields of one wire, or law firms' alerts (`name_matching.law_firm_alerts`).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

from connectors.kit.visible_text import visible_text
from connectors.kit.xml.html_text import headline_text

LONGEST: Final = 1_000  # characters of a title
SUMMARY: Final = 4_000
ADDRESS: Final = 2_000
_YEARS: Final = range(1990, 2101)
_UNKNOWN_ZONE: Final = "-0000"  # RFC 5322: UTC, with the local zone unknown
_BEHIND_CLOCK: Final = re.compile(r"\d[:.]\d{2}\s+(?P<zone>[^:.]*\d[^:.]*)$")  # a zone with digits
# RFC 5322: four digits, of minutes at most 59; the others are years, of dates written as C does
_DIGIT_ZONE: Final = re.compile(
    r"[+-]\d{2}[0-5]\d(?:\s*\([^()]*\))?|[A-Za-z]{1,5} \d{4}|(?:19|20)\d{2}(?: [A-Za-z]{1,5})?"
)
_BROKEN: Final = re.compile("[\u00c2-\u00c5\u00e2]")  # UTF-8 lead bytes decoded as a single-byte encoding
_NO_WESTERN: Final = frozenset("\x81\x8d\x8f\x90\x9d")  # five byte values are undefined in Windows-1252
_NO_YEAR: Final = re.compile(r"(?<![\d+:.-])0\d{3}(?![\d:.])")  # «Mon, 01 Jan 0001»: no time, and not of 2001
_ZONES: Final = {
    **dict.fromkeys(("bst", "cet", "met"), "+0100"),
    **dict.fromkeys(("cest", "mest", "eet"), "+0200"),
    "eest": "+0300",
}
_NAMED_ZONE: Final = re.compile(rf"(?<=\d) ({'|'.join(_ZONES)})\Z", re.IGNORECASE)
# words that only one of the languages has; headlines are short
_TELLING: Final = {
    "en": {"the", "of", "and", "to", "in", "for", "has", "with", "from", "by", "report", "shares", "results"},
    "no": {
        *("av", "og", "til", "ikke", "fra", "aksjer", "egne", "tilbakekjøp", "meldepliktig", "handel"),
        *("presenterer", "kvartal", "innkalling", "utbytte", "børs"),
    },
    "sv": {"och", "av", "till", "för", "från", "inte", "aktier", "delårsrapport", "årsstämma", "bolaget"},
    "fi": {"ja", "on", "sekä", "osakkeiden", "osavuosikatsaus", "yhtiökokous", "tiedote", "oyj"},
}
_WORD: Final = re.compile(r"[^\W\d_]+")


def to_plain_text(text: object, max_length: int = LONGEST) -> str | None:
    """Text without markup, doubly encoded entities, hidden signs and repeated blanks; None where nothing is left."""
    if not isinstance(text, str):
        return None
    return visible_text(headline_text(text[: max_length * 4]))[:max_length] or None


def decode_again(text: str) -> str:
    """A text that was decoded as Windows-1252 or Latin-1 although it was UTF-8, decoded as that; others as they are."""
    if not _BROKEN.search(text):
        return text
    for encoding in ("cp1252", "latin-1"):
        try:
            single = (char.encode("latin-1" if char in _NO_WESTERN else encoding) for char in text)
            return b"".join(single).decode()
        except UnicodeError:
            continue
    return text


def web_address(text: object) -> str | None:
    """A web URL; None for others, or if too long."""
    if not isinstance(text, str) or len(text) > ADDRESS:
        return None
    found = text.strip()
    try:
        parts = urlsplit(found)
    except ValueError:
        return None
    is_web = parts.scheme in ("http", "https") and parts.hostname and not re.search(r"[\s<>\"]", found)
    return found if is_web else None


def parse_instant(text: object) -> datetime | None:
    """Parses RFC 822 with or without seconds, or ISO 8601, to UTC; None without a zone or for an invalid date.

    A zone that is not understood is none: «+02» would be taken for two minutes, «GMT -0500» for GMT.
    """
    if not isinstance(text, str):
        return None
    written = text.strip()[:64]
    for read in (datetime.fromisoformat, _parse_rfc822):
        try:
            found = read(written)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        if found.tzinfo is None and not written.endswith(_UNKNOWN_ZONE):
            return None
        return _to_utc(found)
    return None


def _parse_rfc822(written: str) -> datetime:
    """An RFC 822 time. Raises ValueError, also for a zone in digits that has not the four of the format.

    The zones of Europe are no part of the format, and written by its feeds.
    """
    if _NO_YEAR.search(written):
        raise ValueError("a year before 1000, which would be read as one of two digits")
    written = _NAMED_ZONE.sub(lambda found: f" {_ZONES[found[1].lower()]}", written)
    zone = _BEHIND_CLOCK.search(written)
    if zone is not None and not _DIGIT_ZONE.fullmatch(zone["zone"]):
        raise ValueError(f"no zone: {zone['zone']}")
    return parsedate_to_datetime(written)


def _to_utc(found: datetime) -> datetime | None:
    try:
        moved = found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (OverflowError, ValueError):
        return None
    return moved if moved.year in _YEARS else None


def headline_language(title: str) -> str | None:
    """The language of a headline by its characteristic words; None on a tie, or if there are none."""
    words = {word.casefold() for word in _WORD.findall(title)}
    counts = sorted(((len(words & telling), name) for name, telling in _TELLING.items()), reverse=True)
    (most, name), (next_most, _) = counts[0], counts[1]
    return name if most > next_most else None

"""Removes personal data from the shareholder file before it is archived.

See docs/formats/no.md 7, docs/architecture.md 14.

Removed: birth years of persons, postal places of all holders that are not registered companies, and national
identity numbers inside names. Kept: names, countries, classes and shares. Holders with the same name in one company
are distinguished by an ordinal, in file order, and over the years by a keyed mark of the birth year, if there is a
marker (`person#<mark>`; `connectors.kit.redact.person_marks`).

The output has one format for all file versions: UTF-8, nine fields per line, a header that marks the file as
redacted. Any other body is replaced by one line with the reason. Does not belong here: what a row means
(`dataset`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

from connectors.kit.formats import HEAD, BodyFormat, detect_body_format
from connectors.kit.redact.person_marks import PersonMarker
from connectors.kit.redact.streams import from_blocks
from connectors.no.aksjonaerregister.schema import COLUMNS, OLD_COLUMNS, PERSON

PASSED: Final = ("Orgnr", "Selskap", "Aksjeklasse", "Navn aksjonær", "Art/orgnr", *COLUMNS[5:])
UNREADABLE: Final = "#unreadable;"
OTHER: Final = "holder"  # of unknown kind: the source gives no number; mostly foreign holders
MARKED: Final = "#"  # before a mark
STRANGE: Final = "?"  # neither a company number nor a year
_SEPARATOR: Final = ";"
_LEFT: Final = 5  # fields before the postal place, which may contain separators
_LONGEST: Final = 1 << 20
_BIRTH: Final = re.compile(r"[0-9]{4}|[0-9]{11}")  # 11: a national identity number, which should not occur
_YEAR: Final = re.compile(r"[0-9]{4}")
_COMPANY: Final = re.compile(r"(?!0{9})[0-9]{9}")  # noughts alone are no number: many holders would be one
_IDENTITY: Final = re.compile(r"(?<![0-9])[0-9]{6}[ -]?[0-9]{5}(?![0-9])")
_FOLDED: Final = str.maketrans({"æ": "ae", "ø": "o", "å": "a", " ": None, "\ufeff": None, '"': None})


def redact(body: BinaryIO, marker: PersonMarker | None = None) -> BinaryIO:
    """Returns the file without personal data, in the common format."""
    return from_blocks(line.encode() + b"\n" for line in _redacted_lines(body, marker))


def is_redacted_header(header: bytes) -> bool:
    """True if this first line is the header of a redacted file."""
    return header.rstrip(b"\r\n").decode(errors="replace") == _SEPARATOR.join(PASSED)


def field_count_of(header: str) -> int | None:
    """Number of fields of the file version with this header; None if the version is unknown."""
    cells = [cell.casefold().translate(_FOLDED) for cell in header.rstrip("\r\n").split(_SEPARATOR)]
    for columns in (COLUMNS, OLD_COLUMNS, PASSED):
        if cells == [name.casefold().translate(_FOLDED) for name in columns]:
            return len(columns)
    return None


def _redacted_lines(body: BinaryIO, marker: PersonMarker | None) -> Iterator[str]:
    header = body.readline(_LONGEST)
    found = detect_body_format(header[:HEAD])
    width = field_count_of(_decode_line(header)) if found is BodyFormat.TEXT else None
    if width is None:
        shown = _decode_line(header)[:80].replace("\n", " ") if found is BodyFormat.TEXT else found.value
        yield f"{UNREADABLE}expected the header of a shareholder file, not {shown.strip()}"
        return
    yield _SEPARATOR.join(PASSED)
    namesakes = _NamesakeOrdinals(marker)
    for line in body:
        text = _decode_line(line).rstrip("\r\n").replace("\0", "")
        if text.strip():
            yield _SEPARATOR.join(_redact_cells(text.split(_SEPARATOR), width, namesakes))


def _decode_line(line: bytes) -> str:
    """Decodes a line; older file versions may not be UTF-8."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252", errors="replace")


def _redact_cells(cells: list[str], width: int, namesakes: _NamesakeOrdinals) -> Iterable[str]:
    """Nine redacted fields: five from the left, the joined place, the last ones from the right.

    A line that cannot be split this way keeps only its company; reading rejects it.
    """
    tail = width - _LEFT - 1
    if len(cells) < width:
        return _withheld_cells(cells, f"expected {width} fields, found {len(cells)}")
    number, company, share_class, name, holder = (cell.strip() for cell in cells[:_LEFT])
    # only the place may contain separators: one further left would move a name into the number's field
    if len(cells) > width and holder and not (_BIRTH.fullmatch(holder) or _COMPANY.fullmatch(holder)):
        return _withheld_cells(cells, "a separator outside the postal place")
    place = ", ".join(cell.strip() for cell in cells[_LEFT : len(cells) - tail])
    last = [cell.strip() for cell in cells[len(cells) - tail :]]
    if tail == len(OLD_COLUMNS) - _LEFT - 1:
        last = ["", *last]
    if not _COMPANY.fullmatch(holder):
        name = _without_birth_year(_IDENTITY.sub("", name).strip(), holder)
        holder = namesakes.kind(number, name, holder, place)
        place = ""
    return (number, company, share_class, name, holder, place, *last)


def _withheld_cells(cells: list[str], reason: str) -> Iterable[str]:
    return (cells[0][:9], reason, *[""] * (len(PASSED) - 2))


def _without_birth_year(name: str, year: str) -> str:
    """The name without the birth year of the next field or a full date of birth: «LARS F. 1964»."""
    if not _YEAR.fullmatch(year) or year not in name:
        return name
    born = rf"(?<![0-9])(?:[0-9]{{1,2}}[./-][0-9]{{1,2}}[./-])?{year}(?![0-9])"
    return " ".join(re.sub(born, "", name).replace("()", "").split())


class _NamesakeOrdinals:
    """Distinguishes holders of the same name in one company by data that must not be stored."""

    def __init__(self, marker: PersonMarker | None) -> None:
        self._marker = marker
        self._first: dict[int, int] = {}
        self._others: dict[int, dict[int, int]] = {}

    def kind(self, number: str, name: str, holder: str, place: str) -> str:
        """`person`, `?`, or empty for an unknown kind; namesakes get an ordinal from 2 (`holder 2`)."""
        # idempotent: a file that is redacted again keeps its marks
        if holder.startswith((PERSON, OTHER, STRANGE)):
            return holder
        key, who = hash((number, name.casefold())), hash((holder, place.casefold()))
        kind = PERSON if _BIRTH.fullmatch(holder) else STRANGE if holder else ""
        mark = self._marker.mark_of_year(number, holder) if self._marker is not None and kind == PERSON else None
        suffix = "" if mark is None else f"{MARKED}{mark}"
        if self._first.setdefault(key, who) == who:
            return kind + suffix
        others = self._others.setdefault(key, {})
        return f"{kind or OTHER} {others.setdefault(who, len(others) + 2)}{suffix}"

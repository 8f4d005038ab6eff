"""Taking persons' private facts out of the shareholder file before it is archived.

See docs/formats/no.md 7, docs/architecture.md 14.

What leaves: the birth year of a person, the postal place of everybody who is no registered company, and any
national identity number that somebody wrote into a name. What stays: names, countries, classes and shares. Two
holders of one name in one company are told apart by an ordinal, in the order in which the file names them.

The file comes out in one shape whatever its edition: UTF-8, nine fields on every line, a header that says it has
passed here. A body that is no such file is not kept: one line with the reason stands for it. Does not belong
here: what a row means (`aksjonaer`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, Final

from connectors.kit.formats import HEAD, Format, sniff
from connectors.kit.streams import stream
from connectors.no.aksjonaer_fields import COLUMNS, OLD_COLUMNS, PERSON

PASSED: Final = ("Orgnr", "Selskap", "Aksjeklasse", "Navn aksjonær", "Art/orgnr", *COLUMNS[5:])
UNREADABLE: Final = "#unreadable;"
OTHER: Final = "holder"  # of unknown kind: the source gives no number, which is mostly a foreign holder
STRANGE: Final = "?"  # neither a number of a company nor a year
_SEPARATOR: Final = ";"
_LEFT: Final = 5  # fields that stand in front of the postal place, which may hold separators itself
_LONGEST: Final = 1 << 20
_BIRTH: Final = re.compile(r"[0-9]{4}|[0-9]{11}")  # 11: a national identity number, which is due nowhere
_YEAR: Final = re.compile(r"[0-9]{4}")
_COMPANY: Final = re.compile(r"[0-9]{9}")
_IDENTITY: Final = re.compile(r"(?<![0-9])[0-9]{6}[ -]?[0-9]{5}(?![0-9])")
_FOLDED: Final = str.maketrans({"æ": "ae", "ø": "o", "å": "a", " ": None, "\ufeff": None, '"': None})


def redact(body: BinaryIO) -> BinaryIO:
    """The file without private facts, in one shape."""
    return stream(line.encode() + b"\n" for line in _lines(body))


def has_passed(header: bytes) -> bool:
    """Whether the file with this first line came out of here."""
    return header.rstrip(b"\r\n").decode(errors="replace") == _SEPARATOR.join(PASSED)


def width_of(header: str) -> int | None:
    """How many fields the edition with this header has; None where it is no edition known."""
    cells = [cell.casefold().translate(_FOLDED) for cell in header.rstrip("\r\n").split(_SEPARATOR)]
    for columns in (COLUMNS, OLD_COLUMNS, PASSED):
        if cells == [name.casefold().translate(_FOLDED) for name in columns]:
            return len(columns)
    return None


def _lines(body: BinaryIO) -> Iterator[str]:
    header = body.readline(_LONGEST)
    found = sniff(header[:HEAD])
    width = width_of(_text(header)) if found is Format.TEXT else None
    if width is None:
        shown = _text(header)[:80].replace("\n", " ") if found is Format.TEXT else found.value
        yield f"{UNREADABLE}the header of a shareholder file was due, not {shown.strip()}"
        return
    yield _SEPARATOR.join(PASSED)
    namesakes = _Namesakes()
    for line in body:
        text = _text(line).rstrip("\r\n").replace("\0", "")
        if text.strip():
            yield _SEPARATOR.join(_without(text.split(_SEPARATOR), width, namesakes))


def _text(line: bytes) -> str:
    """Lines of older editions may not be UTF-8."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252", errors="replace")


def _without(cells: list[str], width: int, namesakes: _Namesakes) -> Iterable[str]:
    """Nine fields: five from the left, the place joined, the last ones from the right.

    A line that does not come apart so keeps its company and nothing else: reading refuses it.
    """
    tail = width - _LEFT - 1
    if len(cells) < width:
        return _withheld(cells, f"{len(cells)} fields where {width} are due")
    number, company, share_class, name, holder = (cell.strip() for cell in cells[:_LEFT])
    # only the place may hold separators: one further left moves a name to where the number is due
    if len(cells) > width and holder and not (_BIRTH.fullmatch(holder) or _COMPANY.fullmatch(holder)):
        return _withheld(cells, "a separator outside the postal place")
    place = ", ".join(cell.strip() for cell in cells[_LEFT : len(cells) - tail])
    last = [cell.strip() for cell in cells[len(cells) - tail :]]
    if tail == len(OLD_COLUMNS) - _LEFT - 1:
        last = ["", *last]
    if not _COMPANY.fullmatch(holder):
        name = _without_birth(_IDENTITY.sub("", name).strip(), holder)
        holder = namesakes.kind(number, name, holder, place)
        place = ""
    return (number, company, share_class, name, holder, place, *last)


def _withheld(cells: list[str], reason: str) -> Iterable[str]:
    return (cells[0][:9], reason, *[""] * (len(PASSED) - 2))


def _without_birth(name: str, year: str) -> str:
    """The name without the birth year that the next field states, or a whole date of birth: «LARS F. 1964»."""
    if not _YEAR.fullmatch(year) or year not in name:
        return name
    born = rf"(?<![0-9])(?:[0-9]{{1,2}}[./-][0-9]{{1,2}}[./-])?{year}(?![0-9])"
    return " ".join(re.sub(born, "", name).replace("()", "").split())


class _Namesakes:
    """Tells holders of one name in one company apart, by what must not be kept of them."""

    def __init__(self) -> None:
        self._first: dict[int, int] = {}
        self._others: dict[int, dict[int, int]] = {}

    def kind(self, number: str, name: str, holder: str, place: str) -> str:
        """`person`, empty for a holder of unknown kind, or either with an ordinal from 2."""
        # once through: a file that comes out of here once more keeps its marks
        if holder.startswith((PERSON, OTHER, STRANGE)):
            return holder
        key, who = hash((number, name.casefold())), hash((holder, place.casefold()))
        kind = PERSON if _BIRTH.fullmatch(holder) else STRANGE if holder else ""
        if self._first.setdefault(key, who) == who:
            return kind
        others = self._others.setdefault(key, {})
        return f"{kind or OTHER} {others.setdefault(who, len(others) + 2)}"

"""Removes persons from the bulk files before they are archived: sole traders use their personal numbers.

Only records that are provably a company's pass. A zip is returned as its plain lines (the archive compresses
them again). The last line gives the number of withheld records: `#withheld<TAB>n`. A body that could not be
checked is replaced by `#unreadable<TAB>reason`, and reading rejects the file with that reason.

Does not belong here: reading the redacted file (`parse`), or API responses (`api.redact`).
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import BinaryIO, Final

from connectors.kit.archive.bounded_stream import DECODER_ERRORS
from connectors.kit.formats import BodyFormat
from connectors.kit.redact.streams import UnscannableBodyError, from_blocks, plain_bodies
from connectors.se.identity_numbers import mask_identity_numbers
from connectors.se.register import company_number

WITHHELD: Final = b"#withheld\t"
UNREADABLE: Final = b"#unreadable\t"
BLOCK_BYTES: Final = 4 << 20
_LONGEST: Final = 16 << 20  # bytes without the start of a record: not such a file
_TRIES: Final = 64  # lines from the end of a block searched for the start of a record
_MOST: Final = 16 << 30  # uncompressed; the larger file is about 1.2 GB
_plain_bodies: Final = partial(
    plain_bodies,
    accepted={BodyFormat.TEXT, BodyFormat.ZIP},
    expected="a zip with the bulk's text",
    most_bytes=_MOST,
    too_large=f"the zip unpacks to more than {_MOST} bytes",
)

# A record starts a line and extends to the next record start, line breaks included.
_BEGINNING: Final = re.compile(rb'^"?([\d -]{8,15})(?:\$([^";$\r\n]*)|\Z)', re.MULTILINE)
_PERSON_TYPE: Final = re.compile(rb"PERSON|SAMORD|GDNUM|DODSB", re.IGNORECASE)
_SOLE_TRADER: Final = b'";"E-ORGFO";"'
_STATISTICAL_PERSONS: Final = frozenset({b"10", b"91"})  # JurForm: natural persons, estates


Passes = Callable[[BinaryIO], Iterator[tuple[bytes, int]]]  # kept blocks, with the records withheld from each


def drop_sole_traders(body: BinaryIO) -> BinaryIO:
    """Redacts records of persons from Bolagsverket's bulk file."""
    return from_blocks(_redacted_blocks(body, _redacted_bolagsverket_blocks))


def drop_natural_persons(body: BinaryIO) -> BinaryIO:
    """Redacts rows that are not a legal person's from SCB's bulk file."""
    return from_blocks(_redacted_blocks(body, _redacted_scb_blocks))


def _redacted_blocks(body: BinaryIO, passes: Passes) -> Generator[bytes, None, None]:
    withheld, ended = 0, True
    try:
        for plain in _plain_bodies(body):
            for block, dropped in passes(plain):
                withheld += dropped
                ended = block.endswith(b"\n") if block else ended
                yield block
    except (UnscannableBodyError, *DECODER_ERRORS) as error:
        reason = " ".join((str(error) or type(error).__name__).split())
        yield b"\n" + UNREADABLE + reason.encode() + b"\n"
        return
    if withheld:
        yield (b"" if ended else b"\n") + WITHHELD + str(withheld).encode() + b"\n"


def _redacted_bolagsverket_blocks(plain: BinaryIO) -> Iterator[tuple[bytes, int]]:
    yield _checked_header(plain, b"organisationsidentitet"), 0
    rest = b""
    while block := plain.read(BLOCK_BYTES):
        rest += block
        last = _last_record_start(rest)
        if last:
            yield _redact_bolagsverket_records(rest[:last])
            rest = rest[last:]
        elif len(rest) > _LONGEST:
            raise UnscannableBodyError(f"no record begins within {_LONGEST} bytes")
    yield _redact_bolagsverket_records(rest)


def _checked_header(plain: BinaryIO, column: bytes) -> bytes:
    """First line, which must name the column that separates persons from companies."""
    header = plain.readline(_LONGEST)
    if column.lower() not in header.lower() and not header.startswith((WITHHELD, UNREADABLE)):
        raise UnscannableBodyError(f"no column {column.decode()} in the first line")
    return mask_identity_numbers(header)


def _last_record_start(text: bytes) -> int:
    """Offset of the last record of a text; 0 if there is none after the first."""
    place = len(text)
    for _ in range(_TRIES):
        place = text.rfind(b"\n", 0, place)
        if place < 0:
            return 0
        if _BEGINNING.match(text, place + 1):
            return place + 1
    return 0


def _redact_bolagsverket_records(text: bytes) -> tuple[bytes, int]:
    """Text of whole records without those of persons, and the number removed."""
    begins = list(_BEGINNING.finditer(text))
    ends = [found.start() for found in begins[1:]] + [len(text)]
    since = begins[0].start() if begins else len(text)
    withheld = int(bool(text[:since].strip()))  # text before the first record start: owner unknown
    kept: list[bytes] = []
    for found, end in zip(begins, ends, strict=False):
        if _is_company(found, text, end):
            continue
        kept.append(text[since : found.start()])
        since = end
        withheld += 1
    kept.append(text[since:])
    return mask_identity_numbers(b"".join(kept)), withheld


def _is_company(found: re.Match[bytes], text: bytes, end: int) -> bool:
    number, kind = found.groups()
    if kind is None or company_number(number.decode()) is None or _PERSON_TYPE.search(kind):
        return False
    return text.find(_SOLE_TRADER, found.end(), end) < 0


def _redacted_scb_blocks(plain: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yields lines with a legal person's number; a line cut in two cannot be classified and is withheld."""
    header = _checked_header(plain, b"PeOrgNr")
    yield header, 0
    names = [name.strip().lower() for name in header.removeprefix(b"\xef\xbb\xbf").split(b"\t")]
    place = names.index(b"peorgnr") if b"peorgnr" in names else len(names)
    form = names.index(b"jurform") if b"jurform" in names else len(names)
    rest = b""
    while block := plain.read(BLOCK_BYTES):
        lines, newline, rest = (rest + block).rpartition(b"\n")
        yield _redact_scb_lines(lines + newline, place, form)
        if len(rest) > _LONGEST:
            raise UnscannableBodyError(f"a line of more than {_LONGEST} bytes")
    yield _redact_scb_lines(rest, place, form)


def _redact_scb_lines(text: bytes, place: int, form: int) -> tuple[bytes, int]:
    lines = io.BytesIO(text).readlines()
    kept = [line for line in lines if _is_legal_person(line.split(b"\t"), place, form)]
    return mask_identity_numbers(b"".join(kept)), sum(1 for line in lines if line.strip()) - len(kept)


def _is_legal_person(fields: list[bytes], place: int, form: int) -> bool:
    if len(fields) <= max(place, form):
        return fields[0] == WITHHELD.strip()
    number = fields[place].strip().decode("ascii", "replace")
    if not number.startswith("16") or company_number(number) is None:
        return False
    return fields[form].strip() not in _STATISTICAL_PERSONS

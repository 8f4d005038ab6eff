"""Dataset se.foretagsregister: SCB's general register of enterprises by its API (docs/formats/se.md 7.4).

Belongs here: the declaration, recognising pages, units to rows. Does not belong here: fetching (`fetch`), what a code
means for a profile (`statements`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from connectors.contract.dataset import Cadence, Dataset, GuardLimits
from connectors.contract.pieces import NOT_A_COMPANY, ArchiveMember, Batch, NotApplicable, RecognisedFile, Scope
from connectors.kit import staging
from connectors.kit.json.body import decode_body, member_at
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.json.record import JsonRecord, RecordError
from connectors.kit.redact.streams import UNREADABLE
from connectors.se import code_lists
from connectors.se.business_register import fetch
from connectors.se.business_register import schema as f
from connectors.se.business_register.redact import drop_persons, unit_number
from connectors.se.register import STATISTICS_LICENCE

_HEAD: Final = 65_536
_UNKNOWN: Final = {"kommunSate": ("0000", "9999"), "lanSate": ("00", "99"), "anstKl": ("0",)}
_KNOWN: Final = {
    "anstKl": frozenset(map(str, range(1, 17))),
    "momsStat": frozenset(("0", "1", "3", "9")),
    "kommunSate": code_lists.MUNICIPALITIES.codes,
    "lanSate": code_lists.COUNTIES.codes,
}
_DIGITS: Final = {"kommunSate": 4, "lanSate": 2, "jurform": 2, "naringsgren": 5}
_FIRST: Final = "1"  # rank of the main industry
_SNI_DIGITS: Final = 5


def recognise_file(name: str, head: bytes) -> RecognisedFile | NotApplicable:
    """Recognises pages of legal units; errors, counts, code tables and descriptions are not."""
    del name
    try:
        body: Any = msgspec.json.decode(head)
    except MALFORMED:
        is_page = len(head) >= _HEAD and f'"{f.UNITS}"'.encode() in head
        return RecognisedFile(None, Scope.PART) if is_page else NotApplicable("no page of legal units")
    if isinstance(member_at(body, f.UNITS), list) or member_at(body, UNREADABLE) is not None:
        return RecognisedFile(None, Scope.PART)
    return NotApplicable("JSON that is no page of legal units")


def read_batches(member: ArchiveMember) -> Iterator[Batch]:
    """Yields one batch of `se_foretag`."""
    with staging.open_plain(member) as body:
        page = decode_body(member, body.read(), "expected JSON")
    units = member_at(page, f.UNITS)
    if not isinstance(units, list):
        raise member.unreadable_error(member_at(page, UNREADABLE) or "no list of legal units in it")
    found = staging.BatchBuilder(member.dataset)
    rows: dict[str, dict[str, Any]] = {}
    for unit in units:
        number = unit_number(unit)
        if number is None:
            found.reject("(withheld)", f"{NOT_A_COMPANY}: a person's number, or none")
        elif number in rows:
            found.reject(number, "number repeated in this page")
        else:
            try:
                rows[number] = _unit_row(number, unit, member, found.tally)
            except RecordError as error:
                found.reject(number, error)
    yield found.build(f.LEGAL_UNITS, rows.values())


def _unit_row(number: str, unit: Any, member: ArchiveMember, tally: staging.SignalCounter) -> dict[str, Any]:
    record = JsonRecord(unit, tally, number)
    record.ignore("peOrgNr", *f.IGNORED, *f.CONTACTS)
    codes = {
        name: _code(record.take(name), name) for name in ("kommunSate", "lanSate", "anstKl", "momsStat", "jurform")
    }
    for name, known in _KNOWN.items():
        if codes[name] is not None and codes[name] not in known:
            tally.add("unknown_code", f"{name} {codes[name]}", number)
    industry = _main_industry(record)
    if industry is not None and not (len(industry) == _SNI_DIGITS and industry.isdecimal()):
        tally.add("unreadable_value", "naringsgren", number)
        industry = None
    record.close()
    scheme = None if industry is None else code_lists.industry_scheme(industry, member.observed_at)
    if industry is not None and scheme is None:
        tally.add("unknown_industry", industry, number)
    return {f.NUMBER: number, **codes, "naringsgren": industry, f.SCHEME: scheme}


def _code(value: Any, name: str) -> str | None:
    """A code as text: the API has texts and whole numbers for the same field; blank and «unknown» are None.

    A number has lost the zeros that its code begins with.
    """
    if value is None or isinstance(value, bool) or not isinstance(value, str | int):
        if value is None:
            return None
        raise RecordError(name, "expected a code")
    text = str(value).strip() if isinstance(value, str) else str(value).zfill(_DIGITS.get(name, 1))
    return text if text and text not in _UNKNOWN.get(name, ()) else None


def _main_industry(record: JsonRecord) -> str | None:
    """The industry of rank 1, as written: of the list of all, or alone as `primarNaringsgren`; None for zeros."""
    all_of_unit = record.take("naringsgrenar")
    alone = record.take("primarNaringsgren")
    given = all_of_unit if isinstance(all_of_unit, list) else [alone]
    for one in given:
        code = _code(member_at(one, "naringsgren"), "naringsgren")
        rank = _code(member_at(one, "rangordning"), "rangordning")
        if rank == _FIRST and code is not None:
            bare = code.replace(".", "")
            return bare if bare.strip("0") else None
    return None


DATASET: Final = Dataset(
    key=f.KEY,
    title="Statistikmyndigheten SCB: register of enterprises (API)",
    licence=STATISTICS_LICENCE,
    cadence=Cadence(cron="15 5 * * *", stale_after_hours=96),  # updated each night, closed from 4 to 4:30 in Sweden
    guard_limits=GuardLimits(max_rejected=0.01),
    host=f.HOST,
    staged_tables={f.LEGAL_UNITS.name: f.LEGAL_UNITS},
    file_patterns=("foretagsregister/**", "scb_foretagsregister/**"),
    recognise_file=recognise_file,
    read_batches=read_batches,
    fetch=fetch.fetch,
    redact=drop_persons,
)

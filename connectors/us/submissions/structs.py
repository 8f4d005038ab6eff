"""Structs of a submissions body: typed, unknown keys counted, unstable columns left undecoded.

See docs/formats/us.md 4.

Belongs here: decoding bytes to structs, and plain scalar values. Does not belong here: rows
(`rows`).
"""

# ruff: noqa: N815 - the fields as EDGAR names them

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from msgspec import Raw, Struct

from connectors.contract.pieces import UnreadableFileError
from connectors.kit.json.chunks import MALFORMED
from connectors.kit.json.known_keys import KeyTree
from connectors.kit.staging import SignalCounter

Scalar = str | int | float | bool | None
Texts = list[str | None]

_NO_VALUE: Final = frozenset({"", "none", "null", "n/a"})
_LEFT: Final = Raw(b"null")  # not used: kept undecoded


class FilingsPage(Struct, forbid_unknown_fields=True):
    """Filings as parallel columns. Missing columns are empty, except the three required ones."""

    accessionNumber: Texts
    filingDate: Texts
    form: Texts
    reportDate: Texts = []
    fileNumber: Texts = []
    items: Texts = []
    primaryDocument: Texts = []
    isXBRL: list[Scalar] = []
    isXBRLNumeric: Raw = _LEFT
    isInlineXBRL: Raw = _LEFT
    acceptanceDateTime: Raw = _LEFT
    act: Raw = _LEFT
    filmNumber: Raw = _LEFT
    core_type: Raw = _LEFT
    size: Raw = _LEFT
    primaryDocDescription: Raw = _LEFT


class ContinuationFile(Struct, forbid_unknown_fields=True):
    """One continuation file."""

    name: str
    filingCount: Scalar = None
    filingFrom: str | None = None
    filingTo: str | None = None


class FilerFilings(Struct, forbid_unknown_fields=True):
    recent: FilingsPage
    files: list[ContinuationFile] | None = None


class FilerAddress(Struct, forbid_unknown_fields=True):
    street1: Scalar = None
    street2: Scalar = None
    city: Scalar = None
    stateOrCountry: Scalar = None
    zipCode: Scalar = None
    stateOrCountryDescription: Raw = _LEFT
    isForeignLocation: Raw = _LEFT
    foreignStateTerritory: Raw = _LEFT
    country: Raw = _LEFT
    countryCode: Scalar = None


class FilerAddresses(Struct, forbid_unknown_fields=True):
    mailing: FilerAddress | None = None
    business: FilerAddress | None = None


class FormerName(Struct, forbid_unknown_fields=True, rename={"since": "from"}):
    name: Scalar = None
    since: str | None = None
    to: str | None = None


class FilerProfile(Struct, forbid_unknown_fields=True):
    """One filer's profile and its newest filings."""

    cik: str | int
    filings: FilerFilings
    name: Scalar = None
    entityType: Scalar = None
    sic: Scalar = None
    sicDescription: Scalar = None
    insiderTransactionForOwnerExists: Scalar = None
    insiderTransactionForIssuerExists: Scalar = None
    tickers: Texts | None = None
    exchanges: Texts | None = None
    ein: Scalar = None
    lei: Scalar = None
    website: Scalar = None
    category: Scalar = None
    fiscalYearEnd: Scalar = None
    stateOfIncorporation: Scalar = None
    addresses: FilerAddresses | None = None
    formerNames: list[FormerName] | None = None
    ownerOrg: Raw = _LEFT
    description: Raw = _LEFT
    investorWebsite: Raw = _LEFT
    stateOfIncorporationDescription: Raw = _LEFT
    phone: Raw = _LEFT
    flags: Raw = _LEFT


_FILER: Final = msgspec.json.Decoder(FilerProfile)
_PAGE: Final = msgspec.json.Decoder(FilingsPage)
_KINDS: Final[Mapping[type, KeyTree]] = {kind: KeyTree.of(kind) for kind in (FilerProfile, FilingsPage)}
_MANDATORY: Final = ("accessionNumber", "filingDate", "form")
_READ: Final = (*_MANDATORY, "reportDate", "fileNumber", "items", "primaryDocument", "isXBRL")


def decode_submission(body: bytes, dataset: str, name: str, tally: SignalCounter) -> FilerProfile | FilingsPage:
    """Decodes a filer or a continuation file, which has the columns at the top level.

    Raises UnreadableFileError.
    """
    try:
        found = _decode_strict(body) or _decode_without_unknown(body, name, tally)
    except MALFORMED as error:
        raise UnreadableFileError(dataset, name, f"no submissions of a filer: {error}") from error
    _check_column_lengths(found if isinstance(found, FilingsPage) else found.filings.recent, dataset, name)
    return found


def scalar_text(value: Scalar) -> str | None:
    """A value as text; None for null, an empty text, and words for them (docs/formats/us.md 13, pitfall 16)."""
    if value is None:
        return None
    written = str(value).strip()
    return None if written.casefold() in _NO_VALUE else written


def scalar_flag(value: Scalar) -> bool | None:
    """Parses 0 and 1 of any type."""
    return {"1": True, "True": True, "0": False, "False": False}.get(str(value))


def _decode_strict(body: bytes) -> FilerProfile | FilingsPage | None:
    """Decodes a body with known keys only; None if it has others."""
    for decoder in (_FILER, _PAGE):
        try:
            return decoder.decode(body)
        except msgspec.ValidationError:
            continue
    return None


def _decode_without_unknown(body: bytes, name: str, tally: SignalCounter) -> FilerProfile | FilingsPage:
    """Decodes a body without its unknown keys, each of which is counted."""
    value: Any = msgspec.json.decode(body)
    if isinstance(value, dict) and isinstance(value.get("data"), dict) and "cik" not in value:
        value = value["data"]  # a copy wrapped by a cache
    kind: type[FilerProfile | FilingsPage] = FilerProfile
    if isinstance(value, dict) and "accessionNumber" in value:
        kind = FilingsPage
    _KINDS[kind].strip(value, lambda path: tally.add("unknown_key", path, name))
    return msgspec.json.decode(msgspec.json.encode(value), type=kind)


def _check_column_lengths(page: FilingsPage, dataset: str, name: str) -> None:
    """Checks that the columns of filings have equal lengths, or rows would mix several filings."""
    due = len(page.accessionNumber)
    lengths = {column: len(getattr(page, column)) for column in _READ}
    short = [
        f"{column} {length}" for column, length in lengths.items() if length != due and (length or column in _MANDATORY)
    ]
    if short:
        reason = f"columns of filings differ in length: accessionNumber {due}, {', '.join(short)}"
        raise UnreadableFileError(dataset, name, reason)

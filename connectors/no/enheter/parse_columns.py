"""Converts decoded elements to text columns, nested names joined with dots (docs/formats/no.md 2.1).

Belongs here: reading one member of all elements at a time, each in a line of its own: `getattr` with a variable
takes three times as long, and a million elements are read for forty-five members. Does not belong here: which
elements are taken (`parse_json`), or what a row means (`rows`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import polars as pl

from connectors.kit import staging
from connectors.no.enheter.schema import BUSINESS, CODE_LIST, ENTITIES, FORM, LINES, NAME, NUMBER, POSTAL, SHARE_COUNT
from connectors.no.enheter.structs import CodeWithLabel, EntityAddress, RegisteredEntity, ShareCapital
from warehouse.schema.types import ColumnKind


def scalar_text(value: object) -> str | None:
    """A value as stripped text; blank becomes null."""
    if value is None:
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # some channels deliver counts as floats (docs/formats/no.md 3.1)
    return str(value).strip() or None


def entity_frame(entities: list[RegisteredEntity], tally: staging.SignalCounter) -> pl.DataFrame:
    """The columns of `ENTITIES` as delivered; members of undocumented types are counted in `tally`."""
    found = _register_columns(entities, tally) | _address_columns(entities, tally) | _dissolution_columns(entities)
    return pl.DataFrame([_column_series(name, found[name]) for name in ENTITIES.names])


def concat_stripped(frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Concatenates frames and strips their texts; blank becomes null."""
    return pl.concat(frames).select(_STRIPPED).select(_SAID)


def _register_columns(entities: list[RegisteredEntity], tally: staging.SignalCounter) -> dict[str, list[Any]]:
    forms = [entity.organisasjonsform or _NO_CODE for entity in entities]
    industries = _null_wrong_types("naeringskode1", [entity.naeringskode1 for entity in entities], entities, tally)
    codes = [industry or _NO_CODE for industry in industries]
    shares = _null_wrong_types("kapital", [entity.kapital for entity in entities], entities, tally)
    capitals = [capital or _NO_CAPITAL for capital in shares]
    employing = [entity.harRegistrertAntallAnsatte for entity in entities]
    employees = [entity.antallAnsatte for entity in entities]
    sites = [entity.hjemmeside for entity in entities]
    years = [entity.sisteInnsendteAarsregnskap for entity in entities]
    grouped = [entity.erIKonsern for entity in entities]
    former = [entity.historiskeNavn for entity in entities]
    return {
        NUMBER: [entity.organisasjonsnummer for entity in entities],
        NAME: [entity.navn for entity in entities],
        FORM: [form.kode for form in forms],
        "organisasjonsform.beskrivelse": [form.beskrivelse for form in forms],
        "naeringskode1.kode": [code.kode for code in codes],
        "naeringskode1.beskrivelse": [code.beskrivelse for code in codes],
        # SN2025 arrived with the format version that has these two members; the record does not name its code list
        CODE_LIST: [
            "SN2007" if group is None and names is None else "SN2025"
            for group, names in zip(grouped, former, strict=True)
        ],
        "harRegistrertAntallAnsatte": _null_wrong_types("harRegistrertAntallAnsatte", employing, entities, tally),
        "antallAnsatte": _null_wrong_types("antallAnsatte", employees, entities, tally),
        "hjemmeside": _null_wrong_types("hjemmeside", sites, entities, tally),
        "sisteInnsendteAarsregnskap": _null_wrong_types("sisteInnsendteAarsregnskap", years, entities, tally),
        "registreringsdatoEnhetsregisteret": [entity.registreringsdatoEnhetsregisteret for entity in entities],
        "erIKonsern": _null_wrong_types("erIKonsern", grouped, entities, tally),
        SHARE_COUNT: [capital.antallAksjer for capital in capitals],
    }


def _address_columns(entities: list[RegisteredEntity], tally: staging.SignalCounter) -> dict[str, list[Any]]:
    business = _null_wrong_types(BUSINESS, [entity.forretningsadresse for entity in entities], entities, tally)
    postal = _null_wrong_types(POSTAL, [entity.postadresse for entity in entities], entities, tally)
    visited = [address or _NO_ADDRESS for address in business]
    written = [address or _NO_ADDRESS for address in postal]
    return {
        f"{BUSINESS}.adresse": [address.adresse for address in visited],
        f"{BUSINESS}.poststed": [address.poststed for address in visited],
        f"{BUSINESS}.postnummer": [address.postnummer for address in visited],
        f"{BUSINESS}.kommune": [address.kommune for address in visited],
        f"{BUSINESS}.kommunenummer": [address.kommunenummer for address in visited],
        f"{BUSINESS}.landkode": [address.landkode for address in visited],
        f"{POSTAL}.kommune": [address.kommune for address in written],
        f"{POSTAL}.kommunenummer": [address.kommunenummer for address in written],
        f"{POSTAL}.landkode": [address.landkode for address in written],
    }


def _dissolution_columns(entities: list[RegisteredEntity]) -> dict[str, list[Any]]:
    """Columns about an entity's end (deletion, winding-up, bankruptcy)."""
    return {
        "konkurs": [entity.konkurs for entity in entities],
        "konkursdato": [entity.konkursdato for entity in entities],
        "underAvvikling": [entity.underAvvikling for entity in entities],
        "underAvviklingDato": [entity.underAvviklingDato for entity in entities],
        "underTvangsavviklingEllerTvangsopplosning": [
            entity.underTvangsavviklingEllerTvangsopplosning for entity in entities
        ],
        "tvangsopplostPgaManglendeDagligLederDato": [
            entity.tvangsopplostPgaManglendeDagligLederDato for entity in entities
        ],
        "tvangsopplostPgaManglendeRevisorDato": [entity.tvangsopplostPgaManglendeRevisorDato for entity in entities],
        "tvangsopplostPgaManglendeRegnskapDato": [entity.tvangsopplostPgaManglendeRegnskapDato for entity in entities],
        "tvangsopplostPgaMangelfulltStyreDato": [entity.tvangsopplostPgaMangelfulltStyreDato for entity in entities],
        "tvangsavvikletPgaManglendeSlettingDato": [
            entity.tvangsavvikletPgaManglendeSlettingDato for entity in entities
        ],
        "underRekonstruksjonsforhandlingDato": [entity.underRekonstruksjonsforhandlingDato for entity in entities],
        "underUtenlandskInsolvensbehandlingDato": [
            entity.underUtenlandskInsolvensbehandlingDato for entity in entities
        ],
    }


_STRIPPED: Final = tuple(pl.col(name).str.strip_chars() for name in ENTITIES.names)
_SAID: Final = tuple(pl.when(pl.col(name) != "").then(pl.col(name)).alias(name) for name in ENTITIES.names)
_NO_CODE: Final = CodeWithLabel()
_NO_ADDRESS: Final = EntityAddress()
_NO_CAPITAL: Final = ShareCapital()
# Optional members: a value of another type becomes null and is signalled.
_SPARED: Final[dict[str, frozenset[type]]] = {
    name: frozenset({*kinds, type(None)})
    for name, kinds in {
        "naeringskode1": (CodeWithLabel,),
        "harRegistrertAntallAnsatte": (bool,),
        "antallAnsatte": (int, float),
        "hjemmeside": (str,),
        BUSINESS: (EntityAddress,),
        POSTAL: (EntityAddress,),
        "sisteInnsendteAarsregnskap": (str, int),
        "erIKonsern": (bool,),
        "kapital": (ShareCapital,),
    }.items()
}


def _null_wrong_types(
    name: str, values: list[Any], entities: list[RegisteredEntity], tally: staging.SignalCounter
) -> list[Any]:
    """Nulls values of unexpected types; types are checked per column, since deviations are rare."""
    kinds = _SPARED[name]
    if set(map(type, values)) <= kinds:
        return values
    for entity, value in zip(entities, values, strict=True):
        if type(value) not in kinds:
            tally.add("unreadable_value", name, entity.organisasjonsnummer)
    return [value if type(value) in kinds else None for value in values]


def _column_series(name: str, values: list[Any]) -> pl.Series:
    if name in _FLAGS:
        return pl.Series(name, values, dtype=pl.Boolean).cast(pl.String)
    if name in _NUMBERS and not set(map(type, values)) <= _TEXTS:  # an int, where there is no text; nought is one
        return pl.Series(name, list(map(scalar_text, values)), dtype=pl.String)
    if not any(values):  # most columns are empty in most chunks
        return pl.Series(name, [None], dtype=pl.String).new_from_index(0, len(values))
    if name == _ADDRESS_LINES:
        values = [lines[0] if lines and len(lines) == 1 else _join_address_lines(lines) for lines in values]
    return pl.Series(name, values, dtype=pl.String)


def _join_address_lines(lines: list[str | None] | None) -> str | None:
    """Joins address lines; null, empty and blank ones occur and are dropped."""
    return LINES.join([said for line in lines if line and (said := line.strip())]) if lines else None


_FLAGS: Final = frozenset(column.name for column in ENTITIES.columns if column.kind is ColumnKind.BOOLEAN)
_NUMBERS: Final = frozenset(("antallAnsatte", "sisteInnsendteAarsregnskap", SHARE_COUNT))
_TEXTS: Final[frozenset[type]] = frozenset((str, type(None)))
_ADDRESS_LINES: Final = f"{BUSINESS}.adresse"

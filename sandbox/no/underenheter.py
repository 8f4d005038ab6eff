"""Norwegian sub-units (docs/formats/no.md 2.1 and 2.2): every company has one, with a number of its own.

Belongs here: single responses and the bulk CSV. Does not belong here: their entries in a feed (`feeds`).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any, Final

from sandbox import numbers, vocabulary
from sandbox.model.company import Company
from sandbox.no.roller import API
from sandbox.world import World

_ELSEWHERE: Final = 20_000_000
_EVERY: Final = 1
_PLACE: Final = ("adresse", "poststed", "postnummer", "kommune", "kommunenummer", "land", "landkode")
_COLUMNS: Final = (
    "organisasjonsnummer",
    "navn",
    *(
        f"{field}.{part}"
        for field in ("organisasjonsform", "naeringskode1", "naeringskode2", "naeringskode3", "hjelpeenhetskode")
        for part in ("kode", "beskrivelse")
    ),
    "harRegistrertAntallAnsatte",
    "antallAnsatte",
    "hjemmeside",
    *(f"postadresse.{part}" for part in _PLACE),
    *(f"beliggenhetsadresse.{part}" for part in _PLACE),
    "registreringsdatoIEnhetsregisteret",
    "frivilligMvaRegistrertBeskrivelser",
    "registrertIMvaregisteret",
    "oppstartsdato",
    "datoEierskifte",
    "overordnetEnhet",
    "nedleggelsesdato",
)
Record = dict[str, Any]


def sub_unit_number(company: Company) -> str | None:
    """The number of a company's sub-unit; None where it has none."""
    return numbers.norwegian_number(_ELSEWHERE + company.position) if company.position % _EVERY == 0 else None


def find_sub_unit(world: World, number: str, day: int) -> Company | None:
    """The company that a sub-unit number belongs to."""
    position = numbers.norwegian_position(number)
    place = -1 if position is None else position - _ELSEWHERE
    if place < 0 or place % _EVERY or place >= world.count("NO", day):
        return None
    return world.company("NO", place, day)


def sub_unit_record(company: Company) -> Record:
    """The response of `/underenheter/{orgnr}`; for a deleted company the short body."""
    own = str(sub_unit_number(company))
    record: Record = {
        "organisasjonsnummer": own,
        "navn": f"{company.name} AVD 1",
        "organisasjonsform": {
            "kode": "BEDR",
            "beskrivelse": "Underenhet til næringsdrivende",
            "_links": {"self": {"href": f"{API}/organisasjonsformer/BEDR"}},
        },
        "_links": {
            "self": {"href": f"{API}/underenheter/{own}"},
            "overordnetEnhet": {"href": f"{API}/enheter/{company.number}"},
        },
    }
    if not company.is_in_register:
        gone = company.status_date.isoformat() if company.status_date else None
        return {**record, "slettedato": gone, "nedleggelsesdato": gone, "respons_klasse": "SlettetUnderEnhet"}
    place = company.place or vocabulary.NORWEGIAN_PLACES[0]
    industry = company.industry
    return {
        **record,
        "registreringsdatoEnhetsregisteret": company.registered.isoformat(),
        **({"naeringskode1": {"kode": industry.code, "beskrivelse": industry.label}} if industry else {}),
        "harRegistrertAntallAnsatte": False,
        "registrertIMvaregisteret": True,
        "oppstartsdato": company.registered.isoformat(),
        "overordnetEnhet": company.number,
        "beliggenhetsadresse": {
            "land": "Norge",
            "landkode": "NO",
            "postnummer": place.postcode,
            "poststed": place.town,
            "adresse": [company.street],
            "kommune": place.municipality,
            "kommunenummer": place.code,
        },
        "respons_klasse": "Underenhet",
    }


def csv_chunks(world: World, day: int) -> Iterator[bytes]:
    """The bulk CSV of living sub-units."""
    yield (",".join(f'"{column}"' for column in _COLUMNS) + "\n").encode()
    for company in world.all("NO", day):
        if sub_unit_number(company) is not None and company.is_in_register:
            record = sub_unit_record(company)
            record["registreringsdatoIEnhetsregisteret"] = record["registreringsdatoEnhetsregisteret"]
            target = io.StringIO()
            row = [_csv_cell(record, column) for column in _COLUMNS]
            csv.writer(target, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(row)
            yield target.getvalue().encode()


def _csv_cell(record: Record, column: str) -> str:
    head, _, tail = column.partition(".")
    value = record.get(head)
    if tail:
        value = value.get(tail) if value else None
    if isinstance(value, bool):
        return "true" if value else "false"
    return "/n".join(value) if isinstance(value, list) else value or ""

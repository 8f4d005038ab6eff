"""Norwegian sub-units (docs/formats/no.md 2.1 and 2.2): every company has one, with a number of its own.

Belongs here: single responses and rows of the bulk CSV. Does not belong here: files (`files`), their entries in a
feed (`feeds`).
"""

from __future__ import annotations

from typing import Any, Final

from sandbox import numbers
from sandbox.model.company import Company
from sandbox.no.enheter import HOST, norwegian_address
from sandbox.world import World

_ELSEWHERE: Final = 20_000_000
_PLACE: Final = ("adresse", "poststed", "postnummer", "kommune", "kommunenummer", "land", "landkode")
COLUMNS: Final = (
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


def sub_unit_number(company: Company) -> str:
    """The number of a company's sub-unit."""
    return numbers.norwegian_number(_ELSEWHERE + company.position)


def find_sub_unit(world: World, number: str, day: int) -> Company | None:
    """The company that a sub-unit number belongs to."""
    position = numbers.norwegian_position(number)
    place = -1 if position is None else position - _ELSEWHERE
    return world.company("NO", place, day) if 0 <= place < world.count("NO", day) else None


def sub_unit_record(company: Company) -> Record:
    """The response of `/underenheter/{orgnr}`; for a deleted company the short body."""
    own = sub_unit_number(company)
    record: Record = {
        "organisasjonsnummer": own,
        "navn": f"{company.name} AVD 1",
        "organisasjonsform": {
            "kode": "BEDR",
            "beskrivelse": "Underenhet til næringsdrivende",
            "_links": {"self": {"href": f"{HOST}/organisasjonsformer/BEDR"}},
        },
        "_links": {
            "self": {"href": f"{HOST}/underenheter/{own}"},
            "overordnetEnhet": {"href": f"{HOST}/enheter/{company.number}"},
        },
    }
    if not company.is_in_register:
        gone = company.status_date.isoformat() if company.status_date else None
        return {**record, "slettedato": gone, "nedleggelsesdato": gone, "respons_klasse": "SlettetUnderEnhet"}
    industry = company.industry
    return {
        **record,
        "registreringsdatoEnhetsregisteret": company.registered.isoformat(),
        **({"naeringskode1": {"kode": industry.code, "beskrivelse": industry.label}} if industry else {}),
        "harRegistrertAntallAnsatte": False,
        "registrertIMvaregisteret": True,
        "oppstartsdato": company.registered.isoformat(),
        "overordnetEnhet": company.number,
        "beliggenhetsadresse": norwegian_address(company, [company.street]),
        "respons_klasse": "Underenhet",
    }


def csv_record(company: Company) -> Record:
    """The record as the bulk CSV spells it."""
    record = sub_unit_record(company)
    return {**record, "registreringsdatoIEnhetsregisteret": record["registreringsdatoEnhetsregisteret"]}

"""Generates entities of Enhetsregisteret as JSON objects and bulk CSV rows (docs/formats/no.md 2.1 and 2.2).

Belongs here: one company of the world -> one record in the register's own terms, key order and edge cases.
Does not belong here: files and folders (`files`), HTTP (`http.server`).
"""

from __future__ import annotations

from datetime import date, timedelta
from functools import lru_cache
from typing import Any, Final

from sandbox import vocabulary
from sandbox.model.company import Company

HOST: Final = "https://data.brreg.no/enhetsregisteret/api"
_ADDRESS: Final = ("adresse", "poststed", "postnummer", "kommune", "kommunenummer", "land", "landkode")
_REASONS: Final = (
    "tvangsopplostPgaManglendeDagligLederDato",
    "tvangsopplostPgaManglendeRevisorDato",
    "tvangsopplostPgaManglendeRegnskapDato",
    "tvangsopplostPgaMangelfulltStyreDato",
    "tvangsavvikletPgaManglendeSlettingDato",
)
# The header of the current version; its letter case differs from the JSON's in places (docs/formats/no.md 2.2).
COLUMNS: Final = (
    "organisasjonsnummer", "navn", "organisasjonsform.kode", "organisasjonsform.beskrivelse",
    "naeringskode1.kode", "naeringskode1.beskrivelse", "naeringskode2.kode", "naeringskode2.beskrivelse",
    "naeringskode3.kode", "naeringskode3.beskrivelse",
    "hjelpeenhetskode.kode", "hjelpeenhetskode.beskrivelse",
    "harRegistrertAntallAnsatte", "antallAnsatte", "registreringsdatoAntallAnsatteEnhetsregisteret",
    "registreringsdatoantallansatteNAVAaregisteret", "hjemmeside", "epostadresse", "telefon", "mobil",
    *(f"postadresse.{part}" for part in _ADDRESS), *(f"forretningsadresse.{part}" for part in _ADDRESS),
    "institusjonellSektorkode.kode", "institusjonellSektorkode.beskrivelse", "sisteInnsendteAarsregnskap",
    "registreringsdatoenhetsregisteret", "stiftelsesdato", "registrertIMvaRegisteret",
    "registreringsdatoMerverdiavgiftsregisteret",
    "registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret",
    "frivilligMvaRegistrertBeskrivelser", "registreringsdatoFrivilligMerverdiavgiftsregisteret",
    "registrertIFrivillighetsregisteret", "registreringsdatoFrivillighetsregisteret",
    "registrertIForetaksregisteret", "registreringsdatoForetaksregisteret", "registrertIStiftelsesregisteret",
    "registrertIPartiregisteret", "registreringsdatoPartiregisteret",
    "konkurs", "konkursdato", "underAvvikling",
    "underAvviklingDato", "underTvangsavviklingEllerTvangsopplosning",
    *_REASONS, "overordnetEnhet", "maalform",
    "vedtektsdato", "vedtektsfestetFormaal",
    "aktivitet", "paategninger", "underUtenlandskInsolvensbehandlingDato",
    "underRekonstruksjonsforhandlingDato", "fravalgRevisjonDato",
    "fravalgRevisjonBeslutningsDato", "erIKonsern",
    "kapital.belop", "kapital.antallAksjer", "kapital.type", "kapital.bundet", "kapital.valuta",
    "kapital.innbetalt", "kapital.fulltInnbetalt", "kapital.innfortDato", "registreringsnummerIHjemlandet",
    "utenlandskRegisterNavn", "utenlandskRegisterAdresse.land", "utenlandskRegisterAdresse.poststed",
    "utenlandskRegisterAdresse.adresse", "underlagtLovgivningLand", "underlagtLovgivningLandKode",
    "foretaksformIHjemlandet.kode", "foretaksformIHjemlandet.beskrivelse",
    "foretaksformIHjemlandet.beskrivelseBokmaal",
)  # fmt: skip
_LATER: Final = frozenset(COLUMNS[COLUMNS.index("paategninger") :]) | {
    "registreringsdatoAntallAnsatteEnhetsregisteret", "registreringsdatoantallansatteNAVAaregisteret",
    "epostadresse", "telefon", "mobil", "registreringsdatoMerverdiavgiftsregisteret",
    "registreringsdatoMerverdiavgiftsregisteretEnhetsregisteret",
    "registreringsdatoFrivilligMerverdiavgiftsregisteret", "registreringsdatoFrivillighetsregisteret",
    "registreringsdatoForetaksregisteret", "registrertIPartiregisteret", "registreringsdatoPartiregisteret",
}  # fmt: skip
COLUMNS_2024: Final = tuple(column for column in COLUMNS if column not in _LATER)
_JSON_NAMES: Final = {  # CSV spelling -> JSON spelling, where they differ
    "registreringsdatoantallansatteNAVAaregisteret": "registreringsdatoAntallAnsatteNAVAaregisteret",
    "registreringsdatoenhetsregisteret": "registreringsdatoEnhetsregisteret",
    "registrertIMvaRegisteret": "registrertIMvaregisteret",
}
_SMALLEST_STATED: Final = 5
Record = dict[str, Any]


def entity_record(company: Company) -> Record:
    """The response of `/enheter/{orgnr}`: optional fields are left out, never null."""
    if not company.is_in_register:
        return _deleted_entity(company)
    record: Record = {
        "organisasjonsnummer": company.number,
        "navn": company.name,
        "organisasjonsform": _form_record(company),
        "historiskeNavn": _former_names(company),
    }
    if company.website:
        record["hjemmeside"] = company.website
    if company.position % 3 == 0:
        record["postadresse"] = _post_box(company)
    record["registreringsdatoEnhetsregisteret"] = company.registered.isoformat()
    record["registrertIMvaregisteret"] = company.position % 2 == 0
    if company.industry:
        record["naeringskode1"] = {"kode": company.industry.code, "beskrivelse": company.industry.label}
    record |= _employee_fields(company)
    record["forretningsadresse"] = _business_address(company)
    record |= _register_fields(company)
    record |= _insolvency_fields(company)
    record |= _article_fields(company)
    record["_links"] = {"self": {"href": f"{HOST}/enheter/{company.number}"}}
    record["respons_klasse"] = "Enhet"
    return record


def _deleted_entity(company: Company) -> Record:
    return {
        "organisasjonsnummer": company.number,
        "navn": company.name,
        "organisasjonsform": _form_record(company),
        "historiskeNavn": _former_names(company),
        "slettedato": company.status_date.isoformat() if company.status_date else "",
        "_links": {"self": {"href": f"{HOST}/enheter/{company.number}"}},
        "respons_klasse": "SlettetEnhet",
    }


def _form_record(company: Company) -> Record:
    return {
        "kode": company.form,
        "beskrivelse": vocabulary.NORWEGIAN_FORMS[company.form],
        "_links": {"self": {"href": f"{HOST}/organisasjonsformer/{company.form}"}},
    }


def _former_names(company: Company) -> list[Record]:
    """Former names, oldest first, with local timestamps without time zone."""
    found: list[Record] = []
    since = company.registered
    for changed, name in reversed(company.former_names):
        found.append({"navn": name, "fraDato": f"{since} 08:00:00", "tilDato": f"{changed} 16:22:48"})
        since = changed
    return found


def _employee_fields(company: Company) -> Record:
    """Employee members; counts from 1 to 4 are withheld: the flag is true and the number missing."""
    if company.employees is None:
        return {"harRegistrertAntallAnsatte": False}
    record: Record = {}
    if company.employees >= _SMALLEST_STATED:
        record["antallAnsatte"] = company.employees
    record["harRegistrertAntallAnsatte"] = company.employees > 0
    if company.employees and company.employees_counted:
        record["registreringsdatoAntallAnsatteEnhetsregisteret"] = company.employees_counted.isoformat()
        counted = company.employees_counted - timedelta(days=2)
        record["registreringsdatoAntallAnsatteNAVAaregisteret"] = counted.isoformat()
    return record


def _business_address(company: Company) -> Record:
    """The business address; foreign ones have neither postnummer nor kommune, and the postcode is in poststed."""
    if company.place is None:
        return {"land": "Tyskland", "landkode": "DE", "poststed": "DE-99999 Musterstadt", "adresse": [company.street]}
    care_of = [f"c/o Fiktiv Regnskap {company.position}"] if company.position % 5 == 0 else []
    return norwegian_address(company, [*care_of, company.street])


def norwegian_address(company: Company, lines: list[str]) -> Record:
    """An address at the company's place, or at the first place there is."""
    place = company.place or vocabulary.NORWEGIAN_PLACES[0]
    return {
        "land": "Norge",
        "landkode": "NO",
        "postnummer": place.postcode,
        "poststed": place.town,
        "adresse": lines,
        "kommune": place.municipality,
        "kommunenummer": place.code,
    }


def _post_box(company: Company) -> Record:
    lines = [f"Postboks {100 + company.position % 900}", *([""] if company.position % 9 == 0 else [])]
    return norwegian_address(company, lines)


def _register_fields(company: Company) -> Record:
    code, label = vocabulary.NORWEGIAN_SECTORS.get(company.form, vocabulary.DEFAULT_SECTOR)
    record: Record = {}
    if company.form not in {"ENK", "NUF"}:
        record["stiftelsesdato"] = (company.registered - timedelta(days=20)).isoformat()
    record["institusjonellSektorkode"] = {"kode": code, "beskrivelse": label}
    record["registrertIForetaksregisteret"] = company.form not in {"ENK", "FLI"}
    record["registrertIStiftelsesregisteret"] = company.form == "STI"
    record["registrertIFrivillighetsregisteret"] = company.form == "FLI"
    if company.accounts:
        record["sisteInnsendteAarsregnskap"] = str(max(accounts.end for accounts in company.accounts).year)
    return record


def _insolvency_fields(company: Company) -> Record:
    detail, since = company.status_detail, _iso_date(company.status_date)
    record: Record = {"konkurs": detail == "bankruptcy"}
    if detail == "bankruptcy":
        record["konkursdato"] = since
    record["underAvvikling"] = detail == "liquidation"
    if detail == "liquidation":
        record["underAvviklingDato"] = since
    record["underTvangsavviklingEllerTvangsopplosning"] = detail == "forced_dissolution"
    if detail == "forced_dissolution" and company.reason_field:
        record[company.reason_field] = since
    if detail == "reorganisation":
        record["underRekonstruksjonsforhandlingDato"] = since
    return record


def _iso_date(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _article_fields(company: Company) -> Record:
    """Purpose and capital; texts are arrays of lines."""
    record: Record = {"maalform": "Nynorsk" if company.position % 8 == 0 else "Bokmål"}
    if company.form in {"AS", "ASA"}:
        record["vedtektsdato"] = company.registered.isoformat()
        record["vedtektsfestetFormaal"] = ["Oppdiktet virksomhet, og det som naturlig", 'hører til, også "annet".']
    record["aktivitet"] = ["Oppdiktet virksomhet."]
    if company.form not in {"ENK", "FLI"}:
        record["registreringsdatoForetaksregisteret"] = company.registered.isoformat()
    record["registrertIPartiregisteret"] = False
    record["paategninger"] = []
    record["erIKonsern"] = any(accounts.group for accounts in company.accounts)
    if company.form in {"AS", "ASA"}:
        record["kapital"] = {
            "belop": 30000,
            "antallAksjer": 3_000_000_000 if company.position % 50 == 0 else 30,  # counts above 32 bits occur
            "type": "Aksjekapital",
            "valuta": "NOK",
            "innfortDato": company.registered.isoformat(),
        }
    return record


def bulk_element(company: Company) -> Record:
    """The record in the bulk JSON, which has `links: []` instead of `_links`."""
    record = entity_record(company)
    del record["_links"]
    form = dict(record["organisasjonsform"])
    del form["_links"]
    record["organisasjonsform"] = {**form, "links": []}
    respons = record.pop("respons_klasse")
    return {**record, "links": [], "respons_klasse": respons}


def csv_row(record: Record, columns: tuple[str, ...]) -> list[str]:
    """One row of a bulk CSV: absent values are empty, arrays are joined with the two characters `/n`."""
    return [_csv_cell(record, *path) for path in _column_paths(columns)]


@lru_cache(maxsize=4)
def _column_paths(columns: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Path of each column's value in the record: key, and the key within it or an empty string."""
    return tuple((head, tail) for head, _, tail in (_JSON_NAMES.get(name, name).partition(".") for name in columns))


def _csv_cell(record: Record, head: str, tail: str) -> str:
    value = record.get(head)
    if value is None:
        return ""
    if tail:
        value = value.get(tail)
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, list):
        joiner = "/n" if tail == "adresse" else " "
        return joiner.join(str(line) for line in value if line)
    return "" if value is None else str(value)

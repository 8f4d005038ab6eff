"""Generates the two weekly bulk files of Sweden, Bolagsverket's and SCB's, with their edge cases.

See docs/formats/se.md 2 and 3.

Belongs here: records line by line: unescaped quotes, line breaks and NUL inside values, `null` as text, several
rows of a company, sole traders between companies; tabs without quoting. Does not belong here: zips and folders
(`files`).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from sandbox.companies.se import vocabulary
from sandbox.model.company import Company
from sandbox.numbers import hyphenated_number
from sandbox.se.sole_traders import SECRET, SoleTrader, find_sole_trader
from sandbox.world import World

PROCEEDINGS: Final = "pagandeAvvecklingsEllerOmstruktureringsforfarande"
COLUMNS: Final = (
    "organisationsidentitet", "namnskyddslopnummer", "registreringsland", "organisationsnamn",
    "organisationsform", "avregistreringsdatum", "avregistreringsorsak", PROCEEDINGS, "registreringsdatum",
    "verksamhetsbeskrivning", "postadress",
)  # fmt: skip
_MARKED: Final = (
    "COAdress", "Foretagsnamn", "FtgStat", "Gatuadress", "JEStat", "JurForm", "Namn", "Ng1", "Ng2", "Ng3",
    "Ng4", "Ng5", "PostNr", "PostOrt", "RegDatKtid", "Reklamsparrtyp",
)  # fmt: skip
STATISTICAL_COLUMNS: Final = (
    "ForAndrTyp", *_MARKED[:12], "PeOrgNr", *_MARKED[12:], *(f"m{name}" for name in _MARKED),
)  # fmt: skip
_NOTHING: Final = ("", "null", "NULL")  # spellings of a missing value
_UNKNOWN: Final = "00000"
_SIDELINE: Final = f"{SECRET} Bifirma$SARS_FORNAMN-ORGNAM$1991-01-01$Bisyssla"
_SEVERAL: Final = 9  # one company in nine has two rows
_ACTIVITIES: Final = (
    "Påhittad verksamhet.",
    'Handel med "allt möjligt"; och\nmera därtill.',
    "Import\0 och export,\r\n\r\nförvaltning samt därmed förenlig verksamhet.",
    'Bolaget ska bedriva "provning"',
)
Row = dict[str, str]


def organisation_lines(world: World, day: int) -> Iterator[bytes]:
    """Yields Bolagsverket's file: header, then records; sole traders are interspersed between the companies."""
    yield (";".join(COLUMNS) + "\n").encode()
    for company in world.all("SE", day):
        for row in organisation_rows(company):
            yield _record_line(row)
        alone = find_sole_trader(company.position)
        if alone is not None:
            for row in _trader_rows(alone):
                yield _record_line(row)


def _record_line(row: Row) -> bytes:
    """A line of quoted values; quotes inside a value are not doubled."""
    return ('"' + '";"'.join(row[name] for name in COLUMNS) + '"\n').encode()


def organisation_rows(company: Company) -> list[Row]:
    """The company's row, and for some a second one for a name with expired protection."""
    position, told = company.position, company.swedish
    missing = _NOTHING[position % len(_NOTHING)]
    row = {
        "organisationsidentitet": f"{company.number}$ORGNR-IDORG",
        "namnskyddslopnummer": missing if position % 2 else "1",
        "registreringsland": "SE-LAND",
        "organisationsnamn": _name_field(company),
        "organisationsform": f"{company.form}-ORGFO",
        "avregistreringsdatum": _iso_date(told.deregistered) or missing,
        "avregistreringsorsak": f"{told.reason}-AVORG" if told.reason else missing,
        PROCEEDINGS: _proceedings_field(company) or missing,
        "registreringsdatum": _iso_date(company.registered),
        "verksamhetsbeskrivning": _ACTIVITIES[position % len(_ACTIVITIES)],
        "postadress": _address_field(company),
    }
    if position % _SEVERAL != _SEVERAL // 2:
        return [row]
    former = row | {
        "namnskyddslopnummer": "2",
        "organisationsnamn": f"Gamla Skylten {position}$FORETAGSNAMN-ORGNAM${_former_name_date(company)}",
        "avregistreringsdatum": _iso_date(told.deregistered) or "1999-05-04",
        "avregistreringsorsak": f"{told.reason or 'VERKUPP'}-AVORG",
    }
    return [former, row] if position % 2 else [row, former]


def _iso_date(day: date | None) -> str:
    return day.isoformat() if day else ""


def _former_name_date(company: Company) -> date:
    return company.registered - timedelta(days=900)


def _name_field(company: Company) -> str:
    """The registered name and any further names, in any order."""
    told, position = company.swedish, company.position
    kind = "FORETAGSNAMN" if company.form != "I" else "NAMN"
    parts = [f"{company.name}${kind}-ORGNAM${_iso_date(told.name_registered_on)}"]
    parts += [f"{name}${kind}-ORGNAM${day}" for day, name in company.former_names]
    if position % 6 == 1:
        parts.append(f"Sandbox Trading {position}$FORNAMN_FRSPRAK-ORGNAM${_iso_date(company.registered)}")
    if position % 6 == 2:  # noqa: PLR2004 - one in six
        parts.append(
            f'"Skylten" {position}$SARS_FORNAMN-ORGNAM${_iso_date(told.name_registered_on)}$Handel, "provning"\n'
            "och annat"
        )
    return "|".join(reversed(parts) if position % 4 == 1 else parts)


def _proceedings_field(company: Company) -> str:
    """Proceedings separated by strokes; a leading stroke may occur."""
    told = company.swedish.proceedings
    said = "|".join(f"{code}-AVOMFO${_iso_date(since) or 'null'}" for code, since in told)
    return f"|{said}" if said and company.position % 2 else said


def _address_field(company: Company) -> str:
    """street$c/o$city$postcode$country; empty for companies with an address at SCB only."""
    place = company.place
    if place is None:
        return f"{company.street}$$Musterstadt$11122$DE-LAND"  # looks like a Swedish postcode
    if has_no_address(company):
        return "$$$$"
    care_of = f"c/o Påhittad Byrå {company.position}" if company.position % 5 == 0 else ""
    return f"{company.street}${care_of}${place.town}${place.postcode}$SE-LAND"


def has_no_address(company: Company) -> bool:
    """True if Bolagsverket's row lacks an address."""
    return company.position % 11 == 5 and company.swedish.activity is not None  # noqa: PLR2004 - one in eleven


def _trader_rows(alone: SoleTrader) -> Iterator[Row]:
    """Rows of sole traders: the number is personal, and the text may repeat it."""
    for serial, firm in enumerate(alone.firms, 1):
        yield {
            "organisationsidentitet": f"{alone.number}$PERSON-IDORG",
            "namnskyddslopnummer": str(serial),
            "registreringsland": "SE-LAND",
            "organisationsnamn": f"{firm}$FORETAGSNAMN-ORGNAM$1990-02-09|{_SIDELINE}",
            "organisationsform": f"{alone.form}-ORGFO",
            "avregistreringsdatum": "",
            "avregistreringsorsak": "null",
            PROCEEDINGS: "",
            "registreringsdatum": "1990-02-09",
            "verksamhetsbeskrivning": f'Bedrivs av "{SECRET}"\n{alone.number}\n{hyphenated_number(alone.number[-10:])}',
            "postadress": f"{SECRET}vägen 1$c/o {SECRET}$STOCKHOLM$11122$SE-LAND",
        }


def statistical_lines(world: World, day: int) -> Iterator[bytes]:
    """Yields SCB's file: tabs, no quoting, Windows-1252; header and rows end with a tab."""
    yield ("\t".join(STATISTICAL_COLUMNS) + "\t\n").encode("cp1252")
    for company in world.all("SE", day):
        if company.swedish.activity is not None:
            yield _statistics_line(statistics_row(company, day))
        alone = find_sole_trader(company.position)
        if alone is not None and len(alone.number) == 12:  # noqa: PLR2004 - digits of a person's number
            yield _statistics_line(_person_statistics_row(alone))


def _statistics_line(row: Row) -> bytes:
    return ("\t".join(row.get(name, "") for name in STATISTICAL_COLUMNS) + "\t\n").encode("cp1252")


def statistics_row(company: Company, day: int) -> Row:
    """One row of SCB's file; the markers change for undocumented reasons."""
    told, place, position = company.swedish, company.place, company.position
    stray = '"' if position % 8 == 3 else ""  # noqa: PLR2004 - one in eight
    row = {
        "PeOrgNr": f"16{company.number}",
        "Namn": company.name.upper(),
        "Foretagsnamn": f"{stray}SKYLTEN {position}" if position % 8 == 3 else "",  # noqa: PLR2004
        "FtgStat": told.activity or "",
        "JEStat": "0" if told.in_population else "9",
        "JurForm": vocabulary.FORMS[company.form][0],
        "Ng1": company.industry.code if company.industry else _UNKNOWN,
        **{f"Ng{number}": _UNKNOWN for number in range(2, 6)},
        "RegDatKtid": f"{company.registered:%Y%m%d}",
        "Reklamsparrtyp": "2" if told.declines_advertising else "1",
        "Gatuadress": company.street,
        "mFtgStat": "J" if (position + day) % 3 == 0 else "",
        "mNg1": "J" if (position + day) % 4 == 0 else "",
    }
    if place is not None:
        row |= {"PostNr": place.postcode, "PostOrt": place.town}
    return row


def _person_statistics_row(alone: SoleTrader) -> Row:
    return {
        "PeOrgNr": alone.number,
        "Namn": alone.firms[0].upper(),
        "FtgStat": "1",
        "JEStat": "0",
        "JurForm": "10",
        "Ng1": "96210",
        "Gatuadress": f"{SECRET}vägen 1",
        "PostNr": "11122",
        "PostOrt": "STOCKHOLM",
        "RegDatKtid": "19900209",
        "Reklamsparrtyp": "2",
    }

"""Generates files of Finansinspektionen's registers: exports of the insider register, net short positions.

See docs/formats/se.md 8.

Belongs here: rows about the sandbox's traded companies, as text in UTF-16 and as a spreadsheet. The exports contain
persons, who must never be published. Does not belong here: paths and queries (`http`).
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final
from xml.sax.saxutils import escape

from sandbox import numbers
from sandbox.model.company import Company
from sandbox.se.sole_traders import insider_name
from sandbox.shared.files import archive_bytes
from sandbox.shared.gleif_http import company_lei
from sandbox.world import World

COLUMNS: Final = (
    "Publiceringsdatum", "Emittent", "LEI-kod", "Anmälningsskyldig", "Person i ledande ställning", "Befattning",
    "Närstående", "Korrigering", "Beskrivning av korrigering", "Är förstagångsrapportering",
    "Är kopplad till aktieprogram", "Karaktär", "Instrumenttyp", "Instrumentnamn", "ISIN", "Transaktionsdatum",
    "Volym", "Volymsenhet", "Pris", "Valuta", "Handelsplats", "Status",
)  # fmt: skip
VENUE: Final = "NASDAQ STOCKHOLM AB"
_NEWEST: Final = 10  # rows (and days) of the response to an invalid query
_STATUSES: Final = ("Aktuell", "Aktuell", "Aktuell", "Reviderad", "Makulerad")
_KINDS: Final = ("Förvärv", "Avyttring", "Tilldelning")
_SHEET: Final = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
    '<office:body><office:spreadsheet><table:table table:name="Blad1">{rows}</table:table>'
    "</office:spreadsheet></office:body></office:document-content>"
)
_TITLES: Final = (
    "Innehavare av positionen", "Namn på emittent", "ISIN", "Position i procent", "Datum för positionen",
    "Kommentar",
)  # fmt: skip


def listed_companies(world: World, day: int) -> list[Company]:
    """Companies with traded shares."""
    return [
        company for company in world.all("SE", day) if company.name.endswith("(publ)") and company.status != "dissolved"
    ]


def insider_export(world: World, day: int, first: date | None, last: date | None) -> bytes:
    """Reports published between two days; for an invalid query the newest ones."""
    today = world.date(day)
    end = min(last or today, today)
    start = first or end - timedelta(days=_NEWEST)
    found: list[list[str]] = []
    for company in listed_companies(world, day):
        found += _insider_reports(company, start, end)
    rows = sorted(found, reverse=True)
    kept = rows if first and last else rows[:_NEWEST]
    lines = (";".join((*map(_csv_cell, row), "")) for row in [list(COLUMNS), *kept])
    return "".join(f"{line}\r\n" for line in lines).encode("utf-16-le")


def _csv_cell(text: str) -> str:
    return f'"{text}"' if ";" in text else text


def _insider_reports(company: Company, start: date, end: date) -> Iterator[list[str]]:
    """Yields a few reports a month for an issuer."""
    for back in range((end - start).days + 1):
        day = start + timedelta(days=back)
        chance = company.position + day.toordinal()
        if chance % 5 == 0:
            yield _insider_report(company, day, chance)


def _insider_report(company: Company, day: date, chance: int) -> list[str]:
    person = insider_name(company.position)
    is_off_venue = chance % 3 == 0
    said = {
        "Publiceringsdatum": f"{day} 10:{chance % 60:02d}:00",
        "Emittent": company.name,
        "LEI-kod": "" if chance % 4 == 0 else company_lei(company),
        "Anmälningsskyldig": person,
        "Person i ledande ställning": person,
        "Befattning": "Styrelseledamot; ordförande" if chance % 2 else "Verkställande direktör (VD)",
        "Är förstagångsrapportering": "Ja",
        "Karaktär": _KINDS[chance % len(_KINDS)],
        "Instrumenttyp": "Aktie",
        "Instrumentnamn": f"{company.name.removesuffix(' (publ)')} A",
        "ISIN": numbers.swedish_isin(company.position),
        "Transaktionsdatum": f"{day - timedelta(days=1)} 00:00:00",
        "Volym": "1250,5",
        "Volymsenhet": "Antal",
        "Pris": "37,2",
        "Valuta": "SEK",
        "Handelsplats": "Utanför handelsplats" if is_off_venue else VENUE,
        "Status": _STATUSES[chance // 5 % len(_STATUSES)],
    }
    return [said.get(name, "") for name in COLUMNS]


def short_positions(world: World, day: int) -> bytes:
    """The spreadsheet of current positions; a position below the threshold is `<0,5`."""
    today = world.date(day)
    rows = [["Finansinspektionen"], [f"Sammanställd {today} kl 15.30"], [], list(_TITLES)]
    rows += [
        [
            f"Påhittad Fond {company.position} LLP\u00a0",
            f"{company.name}\u00a0",
            numbers.swedish_isin(company.position),
            "<0,5" if company.position % 2 else "0,9",
            str(today - timedelta(days=company.position % 20)),
            "",
        ]
        for company in listed_companies(world, day)
    ]
    return _ods_spreadsheet(rows, today)


def _ods_spreadsheet(rows: list[list[str]], day: date) -> bytes:
    cells = (
        "".join(
            f'<table:table-cell office:value-type="string"><text:p>{escape(text)}</text:p></table:table-cell>'
            for text in row
        )
        + '<table:table-cell table:number-columns-repeated="16370"/>'
        for row in rows
    )
    sheet = _SHEET.format(rows="".join(f"<table:table-row>{row}</table:table-row>" for row in cells))
    members = (
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("content.xml", f'<?xml version="1.0" encoding="UTF-8"?>{sheet}'.encode()),
    )
    return archive_bytes(members, day, (15, 30, 0), zipfile.ZIP_STORED)

"""Annual reports written by hand as inline XBRL, packages and weekly zips of them, and reading them."""

import hashlib
import io
import zipfile
from datetime import UTC, datetime

import polars as pl

from connectors.contract.dataset import ArchiveMember, Batch, Scope
from connectors.se import SWEDEN

REPORTS = SWEDEN.dataset("se.arsredovisningar")
INSTANT = datetime(2026, 3, 2, tzinfo=UTC)
NUMBER = "5560000001"
GROUP, COMPANY, COMMON = (f"RedovisningInformation{kind}Segment" for kind in ("Koncern", "JuridiskPerson", "Generell"))
YEAR, PRIOR, THIRD = (("2025-01-01", "2025-12-31"), ("2024-01-01", "2024-12-31"), ("2023-01-01", "2023-12-31"))


class Report:
    """One document; contexts and units get ids that say nothing, as software may call them anything."""

    def __init__(self, year: tuple[str, str] = YEAR, number: str = NUMBER, edition: str = "2021-10-31") -> None:
        self._edition = edition
        self._contexts: dict[tuple[str, str, str, str], str] = {}
        self._units: dict[str, str] = {}
        self._hidden: list[str] = []
        self._facts: list[str] = []
        self._number = number
        self._year = year
        self.schema = f"http://xbrl.taxonomier.se/se/fr/gaap/k3/risbs/{edition}/se-k3-risbs-{edition}.xsd"
        self.named = True

    def _context(self, start: str, end: str, segment: str, dimension: str = "") -> str:
        return self._contexts.setdefault((start, end, segment, dimension), f"c{len(self._contexts)}")

    def flow(self, name: str, text: str, period: tuple[str, str] | None = None, **said: str) -> "Report":
        return self._number_fact(name, text, period or self._year, said)

    def stock(self, name: str, text: str, day: str | None = None, **said: str) -> "Report":
        return self._number_fact(name, text, ("", day or self._year[1]), said)

    def _number_fact(self, name: str, text: str, period: tuple[str, str], said: dict[str, str]) -> "Report":
        unit = said.pop("unit", "iso4217:SEK")
        context = self._context(*period, said.pop("segment", ""), said.pop("dimension", ""))
        extra = "".join(
            f' {key}="{value}"' for key, value in ({"decimals": "INF", "format": "ixt:numspacecomma"} | said).items()
        )
        known = self._units.setdefault(unit, f"u{len(self._units)}")
        self._facts.append(
            f'<ix:nonFraction name="g:{name}" contextRef="{context}" unitRef="{known}"{extra}>{text}</ix:nonFraction>'
        )
        return self

    def word(self, name: str, text: str, prefix: str = "d", segment: str = "") -> "Report":
        context = self._context(*self._year, segment)
        self._hidden.append(f'<ix:nonNumeric name="{prefix}:{name}" contextRef="{context}">{text}</ix:nonNumeric>')
        return self

    def bytes(self) -> bytes:
        if self.named:
            self.word("RakenskapsarForstaDag", self._year[0]).word("RakenskapsarSistaDag", self._year[1])
            self.word("ForetagetsNamn", "Exempel AB").word(
                "Organisationsnummer", f"{self._number[:6]}-{self._number[6:]}"
            )
        contexts = "".join(self._context_element(key, identity) for key, identity in self._contexts.items())
        units = "".join(
            f'<xbrli:unit id="{identity}"><xbrli:measure>{measure}</xbrli:measure></xbrli:unit>'
            for measure, identity in self._units.items()
        )
        return (
            '<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"'
            ' xmlns:ix="http://www.xbrl.org/2013/inlineXBRL" xmlns:xbrli="http://www.xbrl.org/2003/instance"'
            ' xmlns:link="http://www.xbrl.org/2003/linkbase" xmlns:xlink="http://www.w3.org/1999/xlink"'
            ' xmlns:iso4217="http://www.xbrl.org/2003/iso4217" xmlns:xbrldi="http://xbrl.org/2006/xbrldi"'
            ' xmlns:ixt="http://www.xbrl.org/inlineXBRL/transformation/2010-04-20"'
            f' xmlns:g="http://www.taxonomier.se/se/fr/gen-base/{self._edition}"'
            f' xmlns:d="http://www.taxonomier.se/se/fr/cd-base/{self._edition}"'
            f' xmlns:b="http://www.bolagsverket.se/se/fr/comp-base/{self._edition}"'
            f' xmlns:a="http://www.far.se/se/fr/ar/base/{self._edition}">'
            f"<body><div><ix:header><ix:hidden>{''.join(self._hidden)}</ix:hidden>"
            f'<ix:references><link:schemaRef xlink:type="simple" xlink:href="{self.schema}"/></ix:references>'
            f"<ix:resources>{contexts}{units}</ix:resources></ix:header></div>"
            f"<p>{''.join(self._facts)}</p></body></html>"
        ).encode()

    def _context_element(self, key: tuple[str, str, str, str], identity: str) -> str:
        start, end, segment, dimension = key
        inside = f"<g:{segment}/>" if segment else ""
        if dimension:
            inside += f'<xbrldi:explicitMember dimension="g:{dimension}">g:M</xbrldi:explicitMember>'
        cut = f"<xbrli:segment>{inside}</xbrli:segment>" if inside else ""
        period = (
            f"<xbrli:startDate>{start}</xbrli:startDate><xbrli:endDate>{end}</xbrli:endDate>"
            if start
            else f"<xbrli:instant>{end}</xbrli:instant>"
        )
        return (
            f'<xbrli:context id="{identity}"><xbrli:entity><xbrli:identifier scheme="http://www.bolagsverket.se">'
            f"{self._number[:6]}-{self._number[6:]}</xbrli:identifier>{cut}</xbrli:entity>"
            f"<xbrli:period>{period}</xbrli:period></xbrli:context>"
        )


def full(year: tuple[str, str] = YEAR, number: str = NUMBER, revenue: str = "1 000 000") -> Report:
    """A small report with all of a statement's lines."""
    return (
        Report(year, number)
        .flow("Nettoomsattning", revenue)
        .flow("Rorelseresultat", "200 000")
        .flow("AretsResultat", "150 000")
        .stock("Tillgangar", "900 000")
        .stock("EgetKapital", "400 000")
        .flow("MedelantaletAnstallda", "3", unit="AntalAnstallda")
    )


def audit() -> Report:
    """An audit report by itself: the company's words, no figures."""
    return Report().word("UttalandeText", "Vi har granskat", "a").word("Organisationsnummer", "556000-0001", "a")


def certificate() -> Report:
    return Report().word("Arsstamma", "2026-03-01", "b")


def zipped(**members: bytes) -> bytes:
    """A zip of members by name."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return packed.getvalue()


def package(*reports: Report) -> bytes:
    return zipped(**{f"{place:08}-aaaa.xhtml": report.bytes() for place, report in enumerate(reports)})


def piece(body: bytes, name: str = "report.xhtml", at: datetime = INSTANT) -> ArchiveMember:
    sha256 = hashlib.sha256(body).hexdigest()
    return ArchiveMember(REPORTS.key, name, sha256, at, Scope.PART, "batch", lambda: io.BytesIO(body))


def batches(body: bytes, name: str = "report.xhtml", at: datetime = INSTANT) -> list[Batch]:
    return [batch for part in REPORTS.split_members(piece(body, name, at)) for batch in REPORTS.read_batches(part)]


def rows(found: list[Batch]) -> pl.DataFrame:
    return pl.concat([batch.rows for batch in found])


def rejects(found: list[Batch]) -> list[tuple[str, str, str]]:
    return pl.concat([batch.rejects for batch in found]).rows()


def signals(found: list[Batch]) -> dict[tuple[str, str], int]:
    return {(signal.code, signal.subject): signal.count for batch in found for signal in batch.signals}


def own(found: list[Batch], is_group: bool = False) -> dict[str, object]:
    """The one row of the document's own year."""
    row = rows(found).filter(~pl.col("is_comparative") & (pl.col("is_consolidated") == is_group))
    assert row.height == 1
    return row.to_dicts()[0]

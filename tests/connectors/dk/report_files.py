"""Annual reports and publications written by hand: XBRL instances and inline XBRL in the Danish taxonomy."""

import json
from typing import Any

from tests.connectors.dk.records import NUMBER

YEAR, PRIOR = ("2025-01-01", "2025-12-31"), ("2024-01-01", "2024-12-31")
GROUP = (("cmn:ConsolidatedSoloDimension", "cmn:ConsolidatedMember"),)
LEI = "http://standards.iso.org/iso/17442"
_NAMES = {
    "fsa": "http://xbrl.dcca.dk/fsa",
    "gsd": "http://xbrl.dcca.dk/gsd",
    "cmn": "http://xbrl.dcca.dk/cmn",
    "ifrs": "http://xbrl.ifrs.org/taxonomy/2023-03-23/ifrs-full",
}


class Report:
    """One report; `names`: prefix -> namespace, where they differ."""

    def __init__(
        self, number: str = NUMBER, scheme: str = "http://www.dcca.dk/cvr", names: dict[str, str] | None = None
    ) -> None:
        self._names = _NAMES | (names or {})
        self._number, self._scheme = number, scheme
        self._contexts: dict[tuple[Any, ...], str] = {}
        self._units: dict[str, str] = {}
        self._facts: list[tuple[str, str, str, str, bool]] = []

    def flow(self, name: str, value: object, period: tuple[str, str] = YEAR, **said: Any) -> "Report":
        return self._number_of(name, value, period, **said)

    def stock(self, name: str, value: object, day: str = YEAR[1], **said: Any) -> "Report":
        return self._number_of(name, value, ("", day), **said)

    def _number_of(
        self, name: str, value: object, period: tuple[str, str], parts: Any = (), unit: str = "iso4217:DKK"
    ) -> "Report":
        known = self._units.setdefault(unit, f"u{len(self._units)}")
        self._facts.append((_qualified(name), self._context(period, parts), known, str(value), True))
        return self

    def text(self, name: str, value: str, prefix: str = "gsd") -> "Report":
        self._facts.append((f"{prefix}:{name}", self._context(YEAR, ()), "", value, False))
        return self

    def year(self, start: str = YEAR[0], end: str = YEAR[1]) -> "Report":
        """States the company and its reporting period."""
        self.text("ReportingPeriodStartDate", start).text("ReportingPeriodEndDate", end)
        return self.text("IdentificationNumberCvrOfReportingEntity", self._number).text(
            "NameOfReportingEntity", "Eksempel A/S"
        )

    def _context(self, period: tuple[str, str], parts: Any) -> str:
        return self._contexts.setdefault((period, tuple(parts)), f"c{len(self._contexts)}")

    def instance(self) -> bytes:
        """The report as an XBRL instance."""
        facts = "".join(
            f'<{name} contextRef="{context}"'
            + (f' unitRef="{unit}" decimals="0"' if is_number else "")
            + f">{value}</{name}>"
            for name, context, unit, value, is_number in self._facts
        )
        return f'<?xml version="1.0" encoding="UTF-8"?><xbrli:xbrl {self._namespaces()}>{self._declared()}{facts}</xbrli:xbrl>'.encode()

    def inline(self) -> bytes:
        """The report as inline XBRL."""
        facts = "".join(
            f'<ix:nonFraction name="{name}" contextRef="{context}" unitRef="{unit}" decimals="0">{value}</ix:nonFraction>'
            if is_number
            else f'<ix:nonNumeric name="{name}" contextRef="{context}">{value}</ix:nonNumeric>'
            for name, context, unit, value, is_number in self._facts
        )
        return (
            f'<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml" {self._namespaces()}'
            ' xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"><body><ix:header><ix:resources>'
            f"{self._declared()}</ix:resources></ix:header>{facts}</body></html>"
        ).encode()

    def _namespaces(self) -> str:
        more = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in self._names.items())
        return (
            'xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:iso4217="http://www.xbrl.org/2003/iso4217"'
            f' xmlns:xbrldi="http://xbrl.org/2006/xbrldi" {more}'
        )

    def _declared(self) -> str:
        return "".join(
            [self._context_element(period, parts, identity) for (period, parts), identity in self._contexts.items()]
            + [
                f'<xbrli:unit id="{identity}"><xbrli:measure>{measure}</xbrli:measure></xbrli:unit>'
                for measure, identity in self._units.items()
            ]
        )

    def _context_element(self, period: tuple[str, str], parts: Any, identity: str) -> str:
        begun, end = period
        days = (
            f"<xbrli:startDate>{begun}</xbrli:startDate><xbrli:endDate>{end}</xbrli:endDate>"
            if begun
            else f"<xbrli:instant>{end}</xbrli:instant>"
        )
        members = "".join(
            f'<xbrldi:explicitMember dimension="{axis}"> {member} </xbrldi:explicitMember>' for axis, member in parts
        )
        scenario = f"<xbrli:scenario>{members}</xbrli:scenario>" if members else ""
        return (
            f'<xbrli:context id="{identity}"><xbrli:entity><xbrli:identifier scheme="{self._scheme}">{self._number}'
            f"</xbrli:identifier></xbrli:entity><xbrli:period>{days}</xbrli:period>{scenario}</xbrli:context>"
        )


def _qualified(name: str) -> str:
    return name if ":" in name else f"fsa:{name}"


def full(number: str = NUMBER) -> Report:
    """A report of class B with gross profit instead of revenue, of two years."""
    report = Report(number).year().text("ClassOfReportingEntity", "Regnskabsklasse B", "fsa")
    for period, factor in ((YEAR, 1), (PRIOR, 2)):
        report.flow("GrossProfitLoss", 900 * factor, period).flow("ProfitLoss", 100 * factor, period)
        report.flow("ProfitLossFromOrdinaryOperatingActivities", 150 * factor, period)
        report.stock("Equity", 500 * factor, period[1]).stock("Assets", 800 * factor, period[1])
        report.stock("LiabilitiesAndEquity", 800 * factor, period[1])
        report.flow("AverageNumberOfEmployees", 5 * factor, period, unit="xbrli:pure")
    return report


def publication(
    identity: int = 9366144, number: str = NUMBER, day: str = "2026-05-20", **changes: Any
) -> dict[str, Any]:
    """A hit of the index of publications."""
    documents = [
        {"dokumentType": "AARSRAPPORT", "dokumentMimeType": "application/pdf", "dokumentUrl": url(identity, "pdf")},
        {"dokumentType": "AARSRAPPORT", "dokumentMimeType": "application/xml", "dokumentUrl": url(identity, "xml")},
    ]
    source = {
        "cvrNummer": int(number),
        "offentliggoerelsestype": "regnskab",
        "offentliggoerelsesTidspunkt": f"{day}T08:15:00.000+02:00",
        "omgoerelse": False,
        "sagsNummer": "26-1.234",
        "regnskab": {"regnskabsperiode": {"startDato": YEAR[0], "slutDato": YEAR[1]}},
        "dokumenter": documents,
    }
    return {"_id": f"urn:ofk:oid:{identity}", "_source": source | changes}


def url(identity: int, suffix: str) -> str:
    return f"http://regnskaber.virk.dk/{identity}/eG1s.{suffix}"


def listed(*hits: dict[str, Any]) -> bytes:
    """An answer of the index of publications."""
    return json.dumps(
        {"took": 1, "timed_out": False, "_shards": {"failed": 0}, "hits": {"total": len(hits), "hits": hits}}
    ).encode()


def named(identity: int = 9366144, place: int = 1) -> str:
    """The name of a fetched document."""
    return f"urn%3Aofk%3Aoid%3A{identity}~{place}.xml"

"""Answers of NewsWeb, Euronext, groups and the shareholder file written by hand, and reading them."""

import io
import json
from datetime import UTC, datetime
from typing import Any

from connectors.contract.dataset import ArchiveMember, Batch, Scope
from connectors.no import NORWAY
from connectors.no.aksjonaerregister.redact import redact

MONDAY = datetime(2026, 11, 16, 4, tzinfo=UTC)
TUESDAY = datetime(2026, 11, 17, 4, tzinfo=UTC)
HEADER = (
    "Orgnr;Selskap;Aksjeklasse;Navn aksjonær;Fødselsår/orgnr;Postnr/sted;Landkode;Antall aksjer;Antall aksjer selskap"
)
EURONEXT = (
    'Name;ISIN;Symbol;Market;Currency;"Open Price";"High Price";"low Price";"last Price";"last Trade MIC Time";'
    '"Time Zone";Volume;Turnover;"Closing Price";"Closing Price DateTime"'
)


def read(dataset: str, body: bytes, name: str, seen: datetime = MONDAY) -> list[Batch]:
    declared = NORWAY.dataset(dataset)
    piece = ArchiveMember(dataset, name, "0" * 64, seen, Scope.PART, "b", lambda: io.BytesIO(body))
    return [batch for part in declared.split_members(piece) for batch in declared.read_batches(part)]


def rows(batches: list[Batch], table: str) -> list[dict[str, Any]]:
    return [row for batch in batches if batch.table == table for row in batch.rows.to_dicts()]


def signals(batches: list[Batch]) -> dict[tuple[str, str], int]:
    return {(signal.code, signal.subject): signal.count for batch in batches for signal in batch.signals}


def rejects(batches: list[Batch]) -> list[str]:
    return [reason for batch in batches for reason in batch.rejects["reason"]]


def shareholders(*lines: str, header: str = HEADER) -> bytes:
    return ("\ufeff" + "\n".join((header, *lines)) + "\n").encode()


def envelope(data: dict[str, Any], **header: Any) -> bytes:
    head = {"OB_REQUEST_ID": "x", "result.val": 0, "http.code": 200, "result.text": "OK"} | header
    return json.dumps({"header": head, "data": data}, ensure_ascii=False).encode()


def message(number: int = 1, category: int = 1001, **values: Any) -> dict[str, Any]:
    plain = {
        "id": number,
        "messageId": number,
        "newsId": number,
        "title": "Eksempel ASA: Årsrapport 2025",
        "category": [{"id": category, "category_no": "X", "category_en": "X"}],
        "markets": ["XOSL"],
        "issuerId": 1309,
        "correctionForMessageId": 0,
        "correctedByMessageId": 0,
        "issuerSign": "EKS",
        "issuerName": "Eksempel ASA",
        "publishedTime": "2026-03-21T07:45:05.522Z",
        "test": False,
        "numbAttachments": 1,
        "clientAnnouncementId": "x",
        "infoRequired": 1,
        "oamMandatory": 1,
    }
    return plain | values


def listed(*messages: dict[str, Any], overflow: bool = False) -> bytes:
    return envelope({"messages": list(messages), "overflow": overflow})


def whole(**values: Any) -> bytes:
    return envelope({"message": message(**values)})


def form(holder: str = "Eier Invest AS, org.nr. 999 999 999", **values: str) -> str:
    """A notice in ESMA's standard form as text taken from its pages."""
    said = {
        "issuer": "Eksempel ASA",
        "place": "Oslo, Norway",
        "day": "9 June 2026",
        "now": "7,46 0,00 7,46 1000000",
        "before": "4,11 0,00 4,11",
    } | values
    return (
        "Standard form for notification of major holdings\nNOTIFICATION OF MAJOR HOLDINGS\n"
        f"1. Identity of the issuer or the underlying issuer of existing shares to which voting rights are at-\n"
        f"tached\nii\n: {said['issuer']}\n2. Reason for the notification\n[X] An acquisition\n"
        f"3. Details of person subject to the notification obligation\niv\n:\nName:\n{holder}\n"
        f"City and country of registered office (if applicable):\n{said['place']}\n"
        "4. Full name of shareholder(s) (if different from 3.)\nv\n:\n"
        f"5. Date on which the threshold was crossed or reache d\nvi\n:\n{said['day']}\n"
        "6. Total positions of person(s) subject to the notification obligation:\n% of voting rights\n"
        "Resulting situation\non the date on which\nthreshold was\ncrossed or reached\n"
        f"{said['now']}\nPosition of previous\nnotification (if appli-\ncable)\n{said['before']}\n"
        "7. Notified details\n"
    )


def node(number: str, grunnlag: str | None = "100%", kind: str = "KDAT", **values: Any) -> dict[str, Any]:
    plain = {
        "organisasjonsnummer": number,
        "navn": f"SELSKAP {number}",
        "organisasjonsform": {"kode": "AS", "beskrivelse": "Aksjeselskap"},
        "nivaa": 1,
        "knytningsform": {"kode": kind, "beskrivelse": kind},
        "grunnlag": grunnlag,
        "dato": "2022-08-09",
    }
    return {name: value for name, value in (plain | values).items() if value is not None}


def group(root: str, *children: dict[str, Any], **values: Any) -> bytes:
    top = node(root, None, children=list(children), **values)
    for name in ("nivaa", "knytningsform", "dato"):
        top.pop(name)
    return json.dumps(top).encode()


def euronext(*lines: str) -> bytes:
    preamble = ('"European Equities"', '"20 Nov 2026"', '"All datapoints provided as of end of last active day."')
    return ("\ufeff" + "\n".join((EURONEXT, *preamble, *lines)) + "\n").encode()


def share(name: str, isin: str, market: str = '"Oslo Børs"') -> str:
    return f'"{name}";{isin};EKS;{market};NOK;1;1;1;1;"20/11/2026";CET;1;1;1;x'


def through_the_door(body: bytes) -> bytes:
    """The shareholder file as the archive gets it."""
    with redact(io.BytesIO(body)) as kept:
        return kept.read()

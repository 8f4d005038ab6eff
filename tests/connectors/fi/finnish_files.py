"""Records of the Finnish register and exchange written by hand in their own formats, and reading them."""

import io
import json
import zipfile
from datetime import UTC, date, datetime
from typing import Any

import polars as pl

from connectors.contract.dataset import ArchiveMember, Batch, Dataset, Scope, Signal
from connectors.fi import FINLAND

YTJ, XBRL, NOTICES, RELEASES, FLAGGING = (
    FINLAND.dataset(f"fi.{name}") for name in ("ytj", "xbrl", "notices", "nasdaq", "flagging")
)
INSTANT = datetime(2026, 11, 16, 12, tzinfo=UTC)
ONE, TWO, THREE = "0112038-9", "2919415-2", "0100379-9"
Record = dict[str, Any]


def piece(dataset: Dataset, body: bytes, name: str = "file", at: datetime = INSTANT) -> ArchiveMember:
    return ArchiveMember(dataset.key, name, "0" * 64, at, Scope.PART, "b", lambda: io.BytesIO(body))


def read(dataset: Dataset, body: bytes | object, name: str = "file") -> list[Batch]:
    text = body if isinstance(body, bytes) else json.dumps(body).encode()
    return [batch for part in dataset.split_members(piece(dataset, text, name)) for batch in dataset.read_batches(part)]


def rows(batches: list[Batch]) -> list[Record]:
    return [row for batch in batches for row in batch.rows.to_dicts()]


def reasons(batches: list[Batch]) -> list[str]:
    return [reason for batch in batches for reason in batch.rejects["reason"]]


def signals(batches: list[Batch]) -> dict[tuple[str, str], Signal]:
    return {(signal.code, signal.subject): signal for batch in batches for signal in batch.signals}


def present(*batches: list[Batch], at: datetime = INSTANT) -> dict[str, pl.LazyFrame]:
    """Batches as the present rows that `normalise` gets, companies linked where a row says whose it is."""
    found: dict[str, list[pl.DataFrame]] = {}
    for batch in (batch for some in batches for batch in some):
        meta = [
            FINLAND.company_ids_of_rows(batch.table, batch.rows).alias("_company_id"),
            pl.lit(at, pl.Datetime("us", "UTC")).alias("_observed_at"),
            pl.lit("raw").alias("_raw"),
            pl.lit(None, pl.Datetime("us", "UTC")).alias("_retired_at"),
        ]
        found.setdefault(batch.table, []).append(batch.rows.with_columns(meta))
    return {table: pl.concat(frames).lazy() for table, frames in found.items()}


def shared(*batches: list[Batch]) -> dict[str, list[Record]]:
    made = FINLAND.to_shared_tables(present(*batches), INSTANT.date())
    return {name: frame.to_dicts() for name, frame in made.items()}


def company(number: str = ONE, **values: Any) -> Record:
    """A living limited company; a value of None leaves its key out."""
    record: Record = {
        "businessId": {"value": number, "registrationDate": "1999-05-01", "source": "3"},
        "names": [{"name": "Esimerkki Oy", "type": "1", "registrationDate": "1999-05-01", "version": 1}],
        "companyForms": [
            {"type": "16", "descriptions": [{"languageCode": "3", "description": "Limited company"}], "version": 1}
        ],
        "registeredEntries": [trade("1", "1999-05-01")],
        "tradeRegisterStatus": "1",
        "status": "2",
        "registrationDate": "1999-05-01",
        "lastModified": "2026-08-19T10:04:06",
    } | values
    return {key: value for key, value in record.items() if value is not None}


def trade(kind: str, since: str, ended: str | None = None, register: str = "1") -> Record:
    entry = {"type": kind, "registrationDate": since, "register": register, "authority": "2"}
    return entry | ({"endDate": ended} if ended else {})


def profile(**values: Any) -> Record:
    (found,) = shared(read(YTJ, [company(**values)]))["companies"]
    return found


def zipped(name: str, body: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, body)
    return made.getvalue()


MET, DIM = "http://www.suomi.fi/xbrl/crr/dict/met", "http://www.suomi.fi/xbrl/crr/dict/dim"
Fact = tuple[str, str, str, str, str | None]  # element, line, instant, amount, reference


def statement(
    *facts: Fact,
    number: str = TWO,
    start: str | None = "2024-01-01",
    end: str | None = "2024-12-31",
    prefix: str = "",
    more: str = "",
) -> bytes:
    """An instance as the service gives it: all contexts are instants, the line is a member."""
    contexts = [("c0", end or "2024-12-31", "")]
    body = [f'<m:si168 contextRef="c0">Esimerkki Oy</m:si168><m:si289 contextRef="c0">{number}</m:si289>']
    body += [f'<m:di120 contextRef="c0">{start}</m:di120>'] if start else []
    body += [f'<m:di121 contextRef="c0">{end}</m:di121>'] if end else []
    for place, (element, line, instant, amount, reference) in enumerate(facts, start=1):
        members = f'<d:explicitMember dimension="fi_dim:MCY">fi_MC:{line}</d:explicitMember>'
        members += f'<d:explicitMember dimension="fi_dim:REF">fi_RF:{reference}</d:explicitMember>' if reference else ""
        contexts.append((f"c{place}", instant, members))
        body.append(f'<m:{element} contextRef="c{place}" unitRef="u" decimals="2">{amount}</m:{element}>')
    made = "".join(_context(*one, number, prefix) for one in contexts)
    space = f'xmlns{":" + prefix[:-1] if prefix else ""}="http://www.xbrl.org/2003/instance"'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><{prefix}xbrl {space} xmlns:m="{MET}" xmlns:fi_dim="{DIM}" '
        'xmlns:d="http://xbrl.org/2006/xbrldi" xmlns:link="http://www.xbrl.org/2003/linkbase" '
        'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:iso4217="http://www.xbrl.org/2003/iso4217" '
        'xmlns:fi_MC="http://www.suomi.fi/xbrl/crr/dict/dom/MC" xmlns:fi_RF="http://www.suomi.fi/xbrl/crr/dict/dom/RF">'
        '<link:schemaRef xlink:href="http://www.valtiokonttori.fi/x/oytp_gaap_ind.xsd" xlink:type="simple"/>'
        f'{made}<{prefix}unit id="u"><{prefix}measure>iso4217:EUR</{prefix}measure></{prefix}unit>'
        f"{''.join(body)}{more}</{prefix}xbrl>"
    ).encode()


def _context(identity: str, instant: str, members: str, number: str, prefix: str) -> str:
    scenario = f"<{prefix}scenario>{members}</{prefix}scenario>" if members else ""
    return (
        f'<{prefix}context id="{identity}"><{prefix}entity><{prefix}identifier scheme="http://ytj.fi">{number}'
        f"</{prefix}identifier></{prefix}entity><{prefix}period><{prefix}instant>{instant}</{prefix}instant>"
        f"</{prefix}period>{scenario}</{prefix}context>"
    )


def notice(day: str, kind: str = "TA", number: str = "2026/1", codes: tuple[str, ...] = ("TILTAR",)) -> Record:
    return {"registrationDate": day, "recordNumber": number, "typeOfRegistration": kind, "entryCodes": list(codes)}


def noticed(*notices: Record, number: str = ONE) -> Record:
    return company(number, mainBusinessLine=None, website=None, publicNotices=list(notices))


def listed(*items: tuple[str, str, str]) -> Record:
    keys = ("businessId", "financialDate", "registrationDate")
    return {"totalResults": len(items), "financials": [dict(zip(keys, item, strict=True)) for item in items]}


def release(number: int | str, headline: str, category: int = 153, **values: Any) -> Record:
    return {
        "disclosureId": number,
        "categoryId": category,
        "headline": headline,
        "language": "en",
        "languages": ["en"],
        "cnsCategory": "Interim report (Q1 and Q3)",
        "messageUrl": f"https://view.news.eu.nasdaq.com/view?id=b{number}&lang=en&src=listed",
        "releaseTime": "2026-10-28 06:00:00",
        "published": "2026-10-28 06:00:00",
        "market": "Main Market, Helsinki",
        "attachment": [],
        "company": "Esimerkki Oyj",
        "cnsTypeId": "6",
    } | values


def day(text: str) -> date:
    return date.fromisoformat(text)

"""Finansinspektionen's registers: issuers by name, LEI and ISIN; exports of three editions; spreadsheets."""

import io
import zipfile
from datetime import UTC, date, datetime
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import (
    ArchiveMember,
    Batch,
    Cursor,
    Dataset,
    NotApplicable,
    RecognisedFile,
    Scope,
    UnreadableFileError,
)
from connectors.kit.http.client import HttpClient
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.se import SWEDEN
from tests.connectors.se.bulk_files import signals
from tests.connectors.se.conftest import Asked, Registry
from tests.tables import check_cases

INSIDER, SHORTS = SWEDEN.dataset("se.insyn"), SWEDEN.dataset("se.blankning")
AT = datetime(2026, 11, 16, tzinfo=UTC)
OLD = "Publicerings datum;Utgivare;LEI-kod;Anmälningsskyldig;Person i ledande ställning;Befattning;Närstående;ISIN;Handelsplats;Status;"
NEW = "Publiceringsdatum;Emittent;LEI-kod;Anmälningsskyldig;Person i ledande ställning;Befattning;Närstående;ISIN;Handelsplats;Status;"
ENGLISH = "Publication date;Issuer;LEI-code;Notifier;Person discharging managerial responsibilities;Position;Closely associated;ISIN;Trading venue;Status;"
LEI, ISIN = "549300ABCDEFGHIJKL12", "SE0010769182"
SECRET = "Hemlige Person"


def line(
    day: str = "2026-11-10 12:00:00",
    issuer: str = "Exempel AB",
    status: str = "Aktuell",
    venue: str = "NASDAQ STOCKHOLM AB",
    isin: str = ISIN,
) -> str:
    return f'{day};{issuer};{LEI};"{SECRET}; junior";{SECRET};VD;;{isin};{venue};{status};'


def export(*lines: str, header: str = NEW) -> bytes:
    return "".join(f"{text}\r\n" for text in (header, *lines)).encode("utf-16-le")


def batches(dataset: Dataset, body: bytes) -> list[Batch]:
    return list(
        dataset.read_batches(ArchiveMember(dataset.key, "x", "0" * 64, AT, Scope.PART, "b", lambda: io.BytesIO(body)))
    )


def kept(body: bytes) -> bytes:
    assert INSIDER.redact is not None
    return INSIDER.redact(io.BytesIO(body)).read()


@pytest.mark.parametrize("header", [OLD, NEW, ENGLISH])
def test_pitfall_7_exports_of_each_edition_and_language(header: str) -> None:
    status = "Current" if header == ENGLISH else "Aktuell"
    (found,) = batches(INSIDER, export(line("2026-11-12 08:00:00", status=status), line(status=status), header=header))
    assert found.rows.rows() == [
        ("Exempel AB", LEI, ISIN, "NASDAQ STOCKHOLM AB", date(2026, 11, 10), date(2026, 11, 12))
    ]
    assert found.signals == ()


@pytest.mark.parametrize("header", [OLD, NEW, ENGLISH])
def test_persons_and_unknown_columns_leave_at_the_door(header: str) -> None:
    body = export(line() + SECRET + ";", header=header + "Nytt;")
    left = kept(body)
    assert SECRET.encode() not in left
    assert kept(left) == left
    (found,) = batches(INSIDER, left)
    assert found.rows["isin"].to_list() == [ISIN]
    assert signals([found]) == {("unknown_column", "Nytt"): 1}


def test_revised_and_cancelled_reports_do_not_count() -> None:
    said = [line(status=status, issuer=status or "Tom AB") for status in ("Aktuell", "Reviderad", "Makulerad", "")]
    (found,) = batches(INSIDER, export(*said))
    assert found.rows["emittent"].to_list() == ["Aktuell"]
    assert signals([found]) == {("unknown_code", "Status "): 1}


def test_a_trade_outside_a_venue_tells_no_venue() -> None:
    (found,) = batches(INSIDER, export(line(), line("2026-11-11 01:00:00", venue="Utanför handelsplats")))
    assert found.rows["handelsplats"].to_list() == ["NASDAQ STOCKHOLM AB"]


def test_rows_that_say_nothing_are_listed_and_codes_checked() -> None:
    (found,) = batches(INSIDER, export(line(day="x"), "a;b", line(isin="KAPITALFÖRSÄKRING")))
    assert found.rows["isin"].to_list() == [""]
    assert [record for record, _, _ in found.rejects.rows()] == ["row 2", "row 3"]
    assert signals([found]) == {("unreadable_value", "ISIN"): 1}


@pytest.mark.parametrize("body", [b"", b"<html>" + SECRET.encode(), export(header="Namn;Person;") + SECRET.encode()])
def test_what_is_no_export_is_not_ours_and_not_kept(body: bytes) -> None:
    assert isinstance(INSIDER.recognise_file("x", body), NotApplicable)
    assert SECRET.encode() not in kept(body)
    with pytest.raises(UnreadableFileError):
        batches(INSIDER, kept(body))
    with pytest.raises(UnreadableFileError):
        batches(INSIDER, body)


@settings(max_examples=60)
@given(st.binary(max_size=200))
def test_no_bytes_break_the_door_or_the_readers(tail: bytes) -> None:
    for body in (tail, export(line()) + tail):
        kept(body)
        for dataset in (INSIDER, SHORTS):
            dataset.recognise_file("x", body)
            try:
                batches(dataset, body)
            except UnreadableFileError:
                continue


PATH = "/Publiceringsklient/sv-SE/Search/Search"


def exports(registry: Registry, *days: str) -> list[tuple[str, str]]:
    """The register answers each window with its days; gives the windows that were asked."""
    asked: list[tuple[str, str]] = []

    def answer(question: Asked) -> tuple[int, bytes, dict[str, str]]:
        query = parse_qs(urlsplit(question.path).query)
        start, end = query["Publiceringsdatum.From"][0], query["Publiceringsdatum.To"][0]
        asked.append((start, end))
        return 200, export(*(line(f"{day} 10:00:00") for day in days if start <= day <= end)), {}

    class Any(dict[str, object]):
        def get(self, key: object, default: object = None) -> object:
            return answer if str(key).startswith(PATH) else default

    registry.answers = Any()  # type: ignore[assignment]
    return asked


def test_pitfall_7_windows_of_days_from_the_cursor_on(registry: Registry, http: HttpClient) -> None:
    asked = exports(registry, "2026-11-10", "2026-11-16")
    arrivals = list(INSIDER.fetch(http, Cursor("2026-11-08"), ()))
    assert asked == [("2026-11-08", "2026-11-14"), ("2026-11-15", "2026-11-21")]
    assert [arrival.cursor.value for arrival in arrivals if arrival.cursor] == ["2026-11-15", "2026-11-16"]


def test_at_first_the_last_weeks_come(registry: Registry, http: HttpClient) -> None:
    asked = exports(registry)
    list(INSIDER.fetch(http, None, ()))
    assert asked[1][0] == "2026-10-19"
    assert asked[-1][1] >= "2026-11-16"
    assert len(asked) == 6


def test_pitfall_7_parameters_ignored_in_silence_are_noticed(registry: Registry, http: HttpClient) -> None:
    registry.answers = type("Any", (dict,), {"get": lambda *_: (200, export(line("2026-11-16 09:00:00")), {})})()
    with pytest.raises(UnexpectedBodyError, match="ignored"):
        list(INSIDER.fetch(http, Cursor("2026-10-01"), ()))


def sheet(*rows: tuple[str, ...], name: str = "content.xml") -> bytes:
    cells = "".join(
        "<table:table-row>"
        + "".join(f"<table:table-cell><text:p>{cell}</text:p></table:table-cell>" for cell in row)
        + '<table:table-cell table:number-columns-repeated="16378"/></table:table-row>'
        for row in rows
    )
    text = (
        '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
        ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
        ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
        f"<office:body><table:table>{cells}</table:table></office:body></office:document-content>"
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(name, text)
    return packed.getvalue()


HEADER = (
    "Innehavare av positionen",
    "Namn på emittent",
    "ISIN",
    "Position i procent",
    "Datum för positionen",
    "Kommentar",
)


def test_short_positions_tell_issuers() -> None:
    body = sheet(
        ("Historiska positioner",),
        tuple(f"{name} (English name)" for name in HEADER),
        ("Fond", "Exempel AB\u00a0", ISIN, "0,9", "2025-12-20", ""),
        ("Fond", "Exempel AB", ISIN, "&lt;0,5", "43000", ""),
        ("Fond", "", ISIN, "0,9", "2025-12-20", ""),
        ("Fond", "Exempel AB", "SE0010769183", "0,9", "2025-12-20", ""),  # served as an identifier it must be one
    )
    (found,) = batches(SHORTS, body)
    assert found.rows.rows() == [("Exempel AB", ISIN, date(2017, 9, 22), date(2025, 12, 20))]
    assert found.rejects.height == 2


@check_cases("body", [b"", b"<html/>", sheet(("x",)), sheet(HEADER, name="other.xml"), sheet(HEADER)[:-50]])
def test_other_spreadsheets_are_unreadable(body: bytes) -> None:
    with pytest.raises(UnreadableFileError):
        batches(SHORTS, body)


def test_links_of_issuers_concern_no_company_yet() -> None:
    (found,) = batches(INSIDER, export(line()))
    assert SWEDEN.company_ids_of_rows("se_insyn_emittent", found.rows).to_list() == [None]


@pytest.mark.sources
@pytest.mark.slow
def test_the_registers_genuine_files(sources: Path) -> None:
    insider = (sources / "se" / "fi_insynsregistret" / "insyn_export_2018-03_part1_utf16le.csv").read_bytes()
    (found,) = batches(INSIDER, kept(insider))
    assert found.rejects.is_empty()
    assert found.signals == ()
    assert found.rows["emittent"].n_unique() == 111
    assert (found.rows["lei"] != "").sum() == 101
    empty = (sources / "se" / "fi_insynsregistret" / "insyn_export_header_only_utf16le.csv").read_bytes()
    assert INSIDER.recognise_file("x", empty) == NotApplicable("an export without rows")
    name = "HistoriskaPositioner_2025-12-20.ods"
    shorts = (sources / "se" / "fi_blankningsregistret" / name).read_bytes()
    assert SHORTS.recognise_file(name, shorts[:65536]) == RecognisedFile(datetime(2025, 12, 20, tzinfo=UTC), Scope.PART)
    (found,) = batches(SHORTS, shorts)
    assert found.rejects.is_empty()
    assert (found.rows.height, found.rows["isin"].n_unique()) == (550, 397)

"""ESMA's registers: sanctions of Solr, suspensions of a CSV, and what answers instead of either."""

import gzip
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.contract.dataset import NOT_A_COMPANY, NotApplicable, RecognisedFile, UnreadableFileError
from connectors.kit.formats import BodyFormat
from connectors.kit.http.client import FetchClock, HttpClient, HttpSettings
from connectors.kit.http.errors import UnexpectedBodyError
from connectors.kit.http.retry import RetryPolicy
from connectors.regulators import act_types
from connectors.regulators import fetch as regulators_fetch
from connectors.regulators.esma import dataset as esma_dataset
from tests.answering import Quiet, answering
from tests.connectors.regulators.feeding import LEI, OTHER_LEI, Reading, piece_of, sanction, solr
from tests.tables import check_cases

DATASET = esma_dataset.esma_dataset("FI")
HEADER = (
    "id,instrumentIdentifier,instrumentFullName,issuer,issuerName,actionType,reasonsForTheAction,effectiveFrom,"
    "effectiveTo,onGoing,memberStateOfNotifyingCA,notifyingCA,markets,comments,historicalStatus,timestamp"
)


def csv(*rows: str) -> bytes:
    return "\n".join((HEADER, *rows, "")).encode()


def suspension(**more: str) -> str:
    cells = dict.fromkeys(HEADER.split(","), "")
    cells |= {"id": "77", "instrumentIdentifier": "FI0009000001", "instrumentFullName": "Esimerkki share",
              "issuer": LEI, "issuerName": "Esimerkki Oyj", "actionType": "Suspension",
              "reasonsForTheAction": "01. Inside Info", "effectiveFrom": "2026-02-03T09:00:00Z",
              "memberStateOfNotifyingCA": "FINLAND", "notifyingCA": "Finanssivalvonta"}  # fmt: skip
    return ",".join((cells | more).values())


def test_a_sanction(read: Reading) -> None:
    [row] = read(DATASET, solr(sanction())).rows.to_dicts()
    assert row["published_at"] == datetime(2026, 2, 3, tzinfo=UTC)
    assert {name: row[name] for name in row if name not in ("published_at", "url")} == {
        "authority_code": "FI-FIVA",
        "native_id": "SAN1",
        "place": 1,
        "register": "fi.esma",
        "authority": "Finanssivalvonta (FIN-FSA)",
        "authority_country": "FI",
        "kind": act_types.SANCTION_FINE,
        "name": "Esimerkki Oyj",
        "mark": "form",
        "is_whole": True,
        "lei": LEI,
        "title": "MAR: Administrative pecuniary sanction",
        "amount": 200_000,
        "currency": "EUR",
    }


def test_both_companies_of_a_sanction_have_rows(read: Reading) -> None:
    both = sanction(sn_otherEntityName="Toinen Oy", sn_otherEntityLEI=OTHER_LEI)
    rows = read(DATASET, solr(both)).rows
    assert rows.select("place", "lei").rows() == [(1, LEI), (2, OTHER_LEI)]


@check_cases(
    ("nature", "kind"),
    [
        ("Administrative fine", act_types.SANCTION_FINE),
        ("Withdrawal of authorisation", act_types.LICENCE_WITHDRAWAL),
        ("Temporary ban", act_types.PROHIBITION),
        ("Public warning", act_types.SANCTION_WARNING),
        ("Order to cease and desist", act_types.ORDER),
        ("Something new", act_types.OTHER),
        ("Public warning to the bank", "sanction_warning"),  # «ban» is no beginning of it
        ("Administrative measure as defined in Article 30", "other"),
        ("Non-pecuniary sanction", "other"),
        ("Temporary bans", "prohibition"),
    ],
)
def test_natures(nature: str, kind: str, read: Reading) -> None:
    batch = read(DATASET, solr(sanction(sn_natureFullName=nature)))
    assert batch.rows["kind"].to_list() == [kind]
    assert ("unknown_kind" in [signal.code for signal in batch.signals]) == (nature == "Something new")


def test_a_sanction_of_persons_is_none_and_keeps_nothing_of_them(read: Reading) -> None:
    alone = sanction(sn_entityName=None, sn_entityLEI=None)
    batch = read(DATASET, solr(alone, sanction(sn_entityName="Ann Example", sn_entityLEI="")))
    assert batch.rows.is_empty()
    assert all(reason.startswith(NOT_A_COMPANY) for reason in batch.rejects["reason"])
    assert "Example" not in str(batch.rejects.to_dicts())


def test_an_lei_that_is_none_is_not_used(read: Reading) -> None:
    batch = read(DATASET, solr(sanction(sn_entityLEI=LEI[:18] + "00")))
    assert batch.rows["lei"].to_list() == [None]
    assert [signal.code for signal in batch.signals] == ["bad_lei"]


def test_other_countries_rows_are_taken_by_lei_alone(read: Reading) -> None:
    abroad = {"sn_countryName": "SWEDEN", "sn_ncaCodeFullName": "Finansinspektionen"}
    named = sanction(sn_sanctionEsmaID="SAN2", sn_entityLEI=None, **abroad)
    batch = read(DATASET, solr(sanction(**abroad), named))
    assert batch.rows.select("native_id", "authority_code").rows() == [("SAN1", "SE-FI")]
    assert batch.rejects["reason"][0].startswith(NOT_A_COMPANY)


def test_a_sanction_without_day_or_id_is_rejected_alone(read: Reading) -> None:
    lost = sanction()
    del lost["sn_sanctionEsmaID"]
    batch = read(DATASET, solr(sanction(sn_date="soon"), lost, sanction(sn_sanctionEsmaID="SAN9")))
    assert batch.rows["native_id"].to_list() == ["SAN9"]
    assert sorted(batch.rejects["reason"]) == ["no day: 'soon'", "no sn_sanctionEsmaID"]


def test_a_sanction_of_next_year_is_refused_and_the_authority_has_the_name_of_its_own_feed(read: Reading) -> None:
    swedish = {"sn_countryName": "SWEDEN", "sn_ncaCodeFullName": "Finansinspektionen (FI)"}
    later = sanction(sn_sanctionEsmaID="SAN2", sn_date="2027-02-03T00:00:00Z", **swedish)
    batch = read(esma_dataset.esma_dataset("SE"), solr(sanction(**swedish), later))
    assert batch.rows.select("native_id", "authority").rows() == [("SAN1", "Finansinspektionen")]
    assert batch.rejects["reason"].to_list() == ["published after it was read: 2027-02-03"]


def test_fields_of_several_values_give_the_first(read: Reading) -> None:
    assert read(DATASET, solr(sanction(sn_entityName=["Esimerkki Oyj", "X"]))).rows["name"].to_list() == [
        "Esimerkki Oyj"
    ]


@check_cases(
    ("names", "leis", "due"),
    [
        (["Esimerkki Oyj", "Toinen Oy"], [LEI, OTHER_LEI], [("Esimerkki Oyj", LEI), ("Toinen Oy", OTHER_LEI)]),
        (["Ann Example", "Toinen Oy"], [OTHER_LEI], [("Toinen Oy", OTHER_LEI)]),
        (["Esimerkki Oyj", "Toinen Oy"], None, [("Esimerkki Oyj", None), ("Toinen Oy", None)]),
        (None, [LEI, OTHER_LEI], [(None, LEI), (None, OTHER_LEI)]),
        # nothing says which of them has the LEI
        (["Esimerkki Oyj", "Toinen Oy"], [LEI], [("Esimerkki Oyj", None), ("Toinen Oy", None), (None, LEI)]),
    ],
)
def test_each_company_of_a_list_is_a_respondent(
    names: Any, leis: Any, due: list[Any], read: Reading, archived: Reading
) -> None:
    body = solr(sanction(sn_entityName=names, sn_entityLEI=leis))
    rows = read(DATASET, body).rows
    assert rows.select("name", "lei").rows() == due
    assert archived(DATASET, body).rows.equals(rows)
    assert DATASET.redact is not None
    assert b"Ann" not in DATASET.redact(io.BytesIO(body)).read()


def test_fine_is_found_whatever_its_place_in_a_list(read: Reading) -> None:
    nature = ["Public statement", "Administrative pecuniary sanction"]
    [row] = read(
        DATASET, solr(sanction(sn_natureFullName=nature, sn_sanctionLegalFrameworkName=["MAR"]))
    ).rows.to_dicts()
    assert (row["kind"], row["amount"], row["currency"]) == (act_types.SANCTION_FINE, 200_000, "EUR")
    assert row["title"] == "MAR: Public statement; Administrative pecuniary sanction"


def test_field_that_can_have_one_value_has_none_where_a_list_differs(read: Reading) -> None:
    days = ["2026-02-03T00:00:00Z", "2026-03-04T00:00:00Z"]
    batch = read(DATASET, solr(sanction(sn_date=days), sanction(sn_sanctionEsmaID=["SAN8", "SAN9"])))
    assert batch.rows.is_empty()
    assert sorted(batch.rejects["reason"]) == [f"no day: '{'; '.join(days)}'", "no sn_sanctionEsmaID"]


def test_the_archive_keeps_no_text_and_no_person(read: Reading, archived: Reading) -> None:
    body = solr(sanction(), sanction(sn_sanctionEsmaID="SAN2", sn_entityName="Ann Example", sn_entityLEI=None))
    assert DATASET.redact is not None
    assert b"Example" not in DATASET.redact(io.BytesIO(body)).read()
    assert archived(DATASET, body).rows.equals(read(DATASET, body).rows)


def test_packing_hides_no_person_from_the_archive(archived: Reading, read: Reading) -> None:
    body = solr(sanction(sn_text="Ann Example of the company"))
    packed = gzip.compress(body)
    assert DATASET.redact is not None
    assert b"Example" not in DATASET.redact(io.BytesIO(packed)).read()
    assert archived(DATASET, packed).rows.equals(read(DATASET, body).rows)
    with pytest.raises(UnreadableFileError, match="truncated or damaged"):
        archived(DATASET, packed[:-20])


@pytest.mark.parametrize("before", [b" " * 70_000, b"\xef\xbb\xbf" + b"\n" * 2_000, b"# answer\n", b"<!-- -->"])
def test_what_stands_before_an_answer_hides_no_person_from_the_archive(before: bytes, archived: Reading) -> None:
    body = before + solr(sanction(sn_text="Ann Example of the company"))
    assert DATASET.redact is not None
    assert b"Example" not in DATASET.redact(io.BytesIO(body)).read()
    with pytest.raises(UnreadableFileError):
        archived(DATASET, body)


@check_cases(
    ("body", "reason"),
    [
        (b"<!doctype html><html>Please search first</html>", "without the session of a search"),
        (b'{"response":{"docs":[{"file_name":"FULINS"}]}}', "another register"),
        (b'{"response":{}}', "no documents in it"),
        (b"[1]", "no documents in it"),
        (b'{"response":', "does not parse"),
        (b"id,name\n1,a\n", "instrumentIdentifier"),
    ],
)
def test_what_is_neither_register(body: bytes, reason: str, read: Reading, archived: Reading) -> None:
    with pytest.raises(UnreadableFileError, match=reason):
        read(DATASET, body)
    with pytest.raises(UnreadableFileError):
        archived(DATASET, body)


@check_cases(
    ("body", "is_ours"),
    [
        (solr(sanction()), True),
        (csv(), True),
        (b"<html>", True),
        (b'{"response":{"docs":[{"file_name":"FULINS_E"}]}}', False),
        (b"LEI,ISIN\n", False),
        (b"PK\x03\x04", False),
    ],
)
def test_what_files_are_taken(body: bytes, is_ours: bool) -> None:
    assert isinstance(DATASET.recognise_file("esma/x", body), RecognisedFile if is_ours else NotApplicable)


def test_a_suspension(read: Reading) -> None:
    [row] = read(DATASET, csv(suspension())).rows.to_dicts()
    assert (row["kind"], row["native_id"], row["lei"], row["authority_code"]) == (
        act_types.TRADING_SUSPENSION, "77", LEI, "EU-ESMA",
    )  # fmt: skip
    assert row["title"] == "Suspension of trading: Esimerkki share (FI0009000001)"
    assert row["published_at"] == datetime(2026, 2, 3, 9, tzinfo=UTC)


@check_cases(
    ("action", "reason", "kind", "signals"),
    [
        ("Removal", "Removal", act_types.DELISTING, []),
        ("Suspension", "Trading ban - EU sanctions", act_types.TRADING_SUSPENSION, []),
        ("Restoration", "", act_types.TRADING_RESUMED, []),
        ("Suspension", "99. New reason", act_types.TRADING_SUSPENSION, ["unknown_code"]),
        ("Novelty", "", act_types.OTHER, ["unknown_kind"]),
    ],
)
def test_actions(action: str, reason: str, kind: str, signals: list[str], read: Reading) -> None:
    batch = read(DATASET, csv(suspension(actionType=action, reasonsForTheAction=reason)))
    assert batch.rows["kind"].to_list() == [kind]
    assert [signal.code for signal in batch.signals] == signals


def test_other_markets_instruments_are_no_rows_of_ours(read: Reading) -> None:
    foreign = suspension(id="78", instrumentIdentifier="DE0001", memberStateOfNotifyingCA="GERMANY")
    listed_there = suspension(id="79", memberStateOfNotifyingCA="DE")
    assert read(DATASET, csv(foreign, listed_there)).rows["native_id"].to_list() == ["79"]


@pytest.mark.parametrize("written", ["03/02/2026", "03/02/2026 00:00", "2026-02-03"])
def test_days_of_suspensions(written: str, read: Reading) -> None:
    rows = read(DATASET, csv(suspension(effectiveFrom=written))).rows
    assert rows["published_at"].to_list() == [datetime(2026, 2, 3, tzinfo=UTC)]


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(noise: bytes) -> None:
    for body in (noise, b'{"response":{"docs":[' + noise + b"]}}", csv().rstrip() + b"\n" + noise):
        try:
            batches = list(DATASET.read_batches(piece_of(DATASET, body)))
        except UnreadableFileError:
            continue
        assert batches


VALUES = st.none() | st.integers() | st.text(max_size=20) | st.lists(st.text(max_size=5), max_size=2)


@given(st.dictionaries(st.sampled_from(sorted(sanction())), VALUES))
def test_any_document_is_an_act_or_a_reject(noise: dict[str, Any]) -> None:
    body = solr(sanction(sn_sanctionEsmaID="SAN0"), sanction(**noise))
    batches = list(DATASET.read_batches(piece_of(DATASET, body)))
    assert sum(batch.rows["native_id"].n_unique() + batch.rejects.height for batch in batches) >= 1


@pytest.fixture
def register(tmp_path: Path) -> Iterator[tuple[HttpClient, list[str]]]:
    """ESMA: the export answers HTML to whoever has not searched in the same session."""
    asked: list[str] = []

    class Handler(Quiet, BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_whole(200, b"{}", {"Set-Cookie": "JSESSIONID=abc; Path=/; HttpOnly"})

        def do_GET(self) -> None:
            asked.append(self.path)
            if "Saris" in self.path:
                is_known = self.headers.get("Cookie") == "JSESSIONID=abc"
                body = csv(suspension()) if is_known else b"<!doctype html><html>search</html>"
                self.send_whole(200, body, {"Content-Type": "text/csv" if is_known else "text/html"})
            else:
                self.send_whole(200, _page(self.path))

    with answering(Handler) as url:
        settings = HttpSettings("t (t@example.com)", tmp_path, base_urls={DATASET.host: url}, default_rate=10_000.0,
                                retry_policy=RetryPolicy(attempts=1, first=0.0, longest=0.0))  # fmt: skip
        with HttpClient(settings, FetchClock(sleep=lambda _: None)) as http:
            yield http, asked


def _page(path: str) -> bytes:
    return _page_of(path, 5)


def _page_of(path: str, given: int) -> bytes:
    start = int(path.split("start=")[1].split("&", maxsplit=1)[0])
    documents = [sanction(sn_sanctionEsmaID=f"SAN{number}") for number in range(start, min(start + 2, given))]
    return json.dumps({"response": {"numFound": 5, "start": start, "docs": documents}}).encode()


def test_both_registers_are_asked_for_in_full(register: tuple[HttpClient, list[str]]) -> None:
    http, asked = register
    found = [(one.name.partition("_")[0], one.body.read()) for one in regulators_fetch.fetch_registers(http, None, ())]
    assert [name for name, _ in found] == ["sanctions"] * 3 + ["saris"]
    pages = [json.loads(body)["response"]["docs"] for _, body in found[:3]]  # two on each
    assert [one["sn_sanctionEsmaID"] for page in pages for one in page] == [f"SAN{n}" for n in range(5)]
    assert [path.partition("?")[0].rpartition("/")[2] for path in asked] == [
        "select", "select", "select", "doMainSearch", "doExportSarisCsv",
    ]  # fmt: skip


@pytest.mark.parametrize(("pages", "reason"), [(4, "4 of 5 documents"), (2, "more than 2 pages")])
def test_register_that_is_not_listed_to_its_end_is_an_error(
    pages: int, reason: str, register: tuple[HttpClient, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    http, _ = register
    monkeypatch.setattr(regulators_fetch, "MOST_PAGES", pages)
    monkeypatch.setitem(globals(), "_page", lambda path: _page_of(path, 4))
    found: list[str] = []
    with pytest.raises(UnexpectedBodyError, match=reason):
        found.extend(one.name.partition("_")[0] for one in regulators_fetch.fetch_registers(http, None, ()))
    assert found[-1] == "saris", "the other register is fetched all the same"


def test_the_export_without_its_session_is_an_error(register: tuple[HttpClient, list[str]]) -> None:
    http, _ = register
    with pytest.raises(UnexpectedBodyError):
        http.get(regulators_fetch.EXPORT_URL, expect={BodyFormat.TEXT})


@check_cases(
    ("day", "reason"),
    [
        ("9999-12-31T00:00:00Z", "published after it was read: 9999-12-31"),
        ("0001-01-01T00:00:00Z", "published before there was an authority"),
        ("1970-01-01T00:00:00Z", "published on 1970-01-01 at midnight"),
    ],
)
def test_a_day_that_no_act_is_of_is_refused_in_both_registers(day: str, reason: str, read: Reading) -> None:
    for body in (solr(sanction(sn_date=day)), csv(suspension(effectiveFrom=day))):
        batch = read(DATASET, body)
        assert batch.rows.is_empty()
        assert [why.startswith(reason) for why in batch.rejects["reason"]] == [True]

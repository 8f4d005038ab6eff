"""`firm erase` as an operator types it, on registries' own formats; and what Norway's 410 and Britain's records need.

`tests/pipelines/erasure/test_market.py` looks at each place and each kill; here are the command, the control plane, formats.
"""

import importlib
import json
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
import pytest

from api.database.migrate import prepare_database
from api.database.models.webhooks import MatchedEvent
from firm import definitions
from pipelines.defs.jobs import PUBLISH_JOB
from pipelines.defs.resources import MARKETS_TAG
from pipelines.erasure.command import erase
from pipelines.settings import IngestSettings
from tests.api.fixtures import delivery_log
from tests.connectors.no import entity_files
from tests.connectors.no.entity_files import DNB, EQUINOR
from tests.firm.inside import Inside
from tests.searched import found
from warehouse.ledger import read_index
from warehouse.ledger.ledger import Ledger, read_index_rows
from warehouse.ledger.read_index import LedgerEvent
from warehouse.raw.archive import RawArchive
from warehouse.reader.reader import ReleaseReader
from warehouse.schema.ids import holder_id
from warehouse.staged.store import StagedStore
from warehouse.storage.parquet import replace_parquet

pytestmark = pytest.mark.slow
PARTNERSHIP = "810005912"
TRADER, TRADER_NAME = "810059672", "KARI VÆRSTEN MALERI"
PERSON = "Ådne Ærlig-Jones"
BRITISH = "firm:UK:01234567"
HOLDER = holder_id(BRITISH, "uk.psc", "secret-1")


def _write(path: Path, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body)


def _norway(root: Path, *rows: dict[str, str]) -> None:
    _write(root / "no/enheter_bulk_csv/enheter.csv", entity_files.sheet(*rows))


def _row(number: str, name: str, **more: str) -> dict[str, str]:
    return entity_files.ROW | {"organisasjonsnummer": number, "navn": name} | more


def _feed_page(number: str, kind: str) -> dict[str, object]:
    entry = {"oppdateringsid": 1, "dato": "2026-11-13T04:00:00.000Z", "organisasjonsnummer": number}
    return {
        "_embedded": {"oppdaterteEnheter": [entry | {"endringstype": kind}]},
        "page": {"size": 100, "totalElements": 1, "totalPages": 1, "number": 0},
    }


TRADER_ROW = _row(TRADER, f"{TRADER_NAME}\nNR 2", **{"organisasjonsform.kode": "ENK"})


def _psc(number: str, identity: str, name: str) -> dict[str, object]:
    link = f"/company/{number}/persons-with-significant-control/individual/{identity}"
    return {
        "company_number": number,
        "data": {
            "kind": "individual-person-with-significant-control",
            "etag": identity.rjust(40, "0"),
            "links": {"self": link},
            "name": name,
            "country_of_residence": "England",
            "natures_of_control": ["ownership-of-shares-75-to-100-percent"],
            "notified_on": "2020-01-02",
        },
    }


def _britain(root: Path) -> None:
    totals = {
        "kind": "totals#persons-of-significant-control-snapshot",
        "persons_of_significant_control_count": 2,
        "statements_count": 0,
        "exemptions_count": 0,
        "generated_at": "2026-11-01T04:00:00Z",
    }
    lines = [_psc("01234567", "secret-1", PERSON), _psc("07654321", "open-1", "Mary Other"), {"data": totals}]
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    _write(root / "uk/psc_snapshot/psc-snapshot-2026-11-01_1of1.txt", body)
    csv = "CompanyName, CompanyNumber,CompanyCategory,CompanyStatus,CountryOfOrigin,IncorporationDate,URI\n"
    for name, number in (("EXAMPLE LIMITED", "01234567"), ("OTHER LIMITED", "07654321")):
        csv += f'"{name}","{number}","Private Limited Company","Active","United Kingdom","06/04/2001",'
        csv += f'"http://business.data.gov.uk/id/company/{number}"\n'
    _write(root / "uk/basic_company_data/BasicCompanyDataAsOneFile-2026-11-01.csv", csv.encode())


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("days")
    _norway(root / "1", _row(EQUINOR, "EKSEMPEL ASA"), TRADER_ROW, _row(DNB, "ANDRE AS"))
    _britain(root / "1")
    bankrupt = TRADER_ROW | {"konkurs": "true", "konkursdato": "2026-11-05"}
    _norway(root / "2", _row(EQUINOR, "EKSEMPEL ASA"), bankrupt, _row(DNB, "ANDRE AS", konkurs="true"))
    gone = {"status": 410, "error": "Gone", "path": f"/enhetsregisteret/api/enheter/{TRADER}"}
    _write(root / f"3/no/enheter/enhet-{TRADER}-410.json", json.dumps(gone).encode())
    _write(root / "4/no/oppdateringer/enheter-1.json", json.dumps(_feed_page(TRADER, "Fjernet")).encode())
    _norway(root / "5", _row(EQUINOR, "EKSEMPEL ASA"), TRADER_ROW, _row(DNB, "ANDRE AS", konkurs="true"))
    _norway(root / "6", _row(EQUINOR, "EKSEMPEL ASA"), TRADER_ROW, _row(DNB, "ANDRE TO AS", konkurs="true"))
    for day in "123456":
        complete = ["no.enheter"] if day in "12" else []
        (root / day / "day.json").write_text(json.dumps({"date": f"2026-11-1{day}", "complete": complete}))
    return root


def deliver(log: delivery_log.Log, subscription: str, event: LedgerEvent, answer: str) -> None:
    """Stores an event with its delivery, to which the receiver gave an answer."""
    log.add(
        MatchedEvent,
        sequence=event.sequence,
        event_id=event.event_id,
        event_type=event.event_type,
        company_id=event.company_id,
        data=event.data,
        matched_at=log.at,
    )
    log.attempt(log.deliver(subscription, event.sequence, "succeeded"), response_body=answer)


@pytest.fixture(scope="module")
def loaded(days: Path, tmp_path_factory: pytest.TempPathFactory) -> Inside:
    """Two days, an event of each company that went bankrupt, and deliveries of them."""
    firm = Inside(tmp_path_factory.mktemp("erase") / "data")
    firm.ingest(days / "1", "no", "uk")
    firm.ingest(days / "2", "no")
    database = prepare_database(f"sqlite:///{firm.data / 'control.sqlite'}")
    log = delivery_log.Log(database)
    subscription = log.subscription(log.account())
    for event in Ledger(firm.layout).after(0, 10):
        deliver(log, subscription, event, TRADER_NAME if event.company_id.endswith(TRADER) else "thank you")
    database.close()
    return firm


@pytest.fixture
def firm(loaded: Inside, tmp_path: Path) -> Inside:
    return loaded.copy(tmp_path / "data")


def served(firm: Inside, company: str) -> dict[str, object] | None:
    reader = ReleaseReader(firm.layout)
    try:
        with reader.pin_release() as snapshot:
            document = snapshot.profile(company)
    finally:
        reader.close()
    return None if document is None else json.loads(document.body)


def rewritten(firm: Inside, dataset: str) -> list[bool]:
    """Of each erased body, whether something is left of it."""
    return ["became" in line for line in RawArchive(firm.layout).manifest_lines(dataset) if "erased" in line]


def test_a_sole_trader_goes_from_everything_and_stays_away(firm: Inside, days: Path) -> None:
    words = [TRADER_NAME, "NR 2"]
    rooms = {path.partition("/")[0] for path, _ in found(firm.data, words)}
    assert rooms >= {"archive", "staged", "history", "ledger", "releases", "control.sqlite"}
    said = firm.run("erase", f"firm:NO:{TRADER}", "--reason", "art. 17", "--json", FIRM_DATABASE_URL=_control(firm))
    assert (said.exit_code, said.err) == (0, ""), said.out + said.err
    (entry,) = said.report["erased"]
    assert (entry["subject"], entry["reason"], entry["left"]) == (f"firm:NO:{TRADER}", "art. 17", [])
    assert found(firm.data, words) == set()
    assert rewritten(firm, "no.enheter") == [True, True]  # a name over two lines of a table is one record
    assert served(firm, f"firm:NO:{TRADER}") is None
    assert served(firm, f"firm:NO:{EQUINOR}") is not None
    firm.ingest(days / "2", "no")
    assert found(firm.data, words) == set()
    assert "all done" in firm.run("erase", "--list").out


def test_dagster_run_finishes_an_erasure_in_the_control_plane(firm: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a company that a register withdrew, or that `firm erase` was killed at: no command may follow for days."""
    monkeypatch.setenv("FIRM_DATA", str(firm.data))
    monkeypatch.setenv("FIRM_DATABASE_URL", _control(firm))
    erase(IngestSettings(data=firm.data, workers=1), [f"firm:NO:{TRADER}"], "art. 17")
    assert {path.partition("/")[0] for path, _ in found(firm.data, [TRADER_NAME])} == {"control.sqlite"}
    job = importlib.reload(definitions).defs.resolve_job_def(PUBLISH_JOB)
    with dg.DagsterInstance.ephemeral() as instance:
        assert job.execute_in_process(instance=instance, tags={MARKETS_TAG: "NO"}).success
    assert found(firm.data, [TRADER_NAME, "NR 2"]) == set()
    assert "all done" in firm.run("erase", "--list").out


def test_ingest_one_410_erases_nothing_and_the_feeds_word_everything(firm: Inside, days: Path) -> None:
    said = firm.run("ingest", "no", "--from", days / "3", "--json", FIRM_DATABASE_URL=_control(firm))
    assert (said.exit_code, said.report["events"]) == (0, {"status.changed": 1}), said.out + said.err
    assert firm.run("erase", "--list", "--json").report == {"erased": []}
    assert rewritten(firm, "no.enheter") == []
    profile = served(firm, f"firm:NO:{TRADER}")
    assert profile is not None
    assert (profile["name"], profile["status"]) == (TRADER, "dissolved")  # withheld, and still stored
    said = firm.run("ingest", "no", "--from", days / "4", "--json", FIRM_DATABASE_URL=_control(firm))
    assert (said.exit_code, said.report["events"]) == (0, {}), said.out + said.err
    assert found(firm.data, [TRADER_NAME, "NR 2"]) == set()
    profile = served(firm, f"firm:NO:{TRADER}")
    assert profile is not None
    assert (profile["name"], profile["status"], profile["sni_code"]) == (TRADER, "dissolved", None)
    listed = firm.run("erase", "--list", "--json").report["erased"]
    assert [(entry["by_register"], entry["left"]) for entry in listed] == [(True, [])]


def test_ingest_company_back_after_one_410_is_as_before(firm: Inside, days: Path) -> None:
    firm.ingest(days / "3", "no")
    said = firm.ingest(days / "5", "no")
    assert said.report["events"] == {"status.changed": 1}
    profile = served(firm, f"firm:NO:{TRADER}")
    assert profile is not None
    assert (profile["name"], profile["status"]) == (f"{TRADER_NAME} NR 2", "active")
    assert firm.run("erase", "--list", "--json").report == {"erased": []}


def test_erase_lift_company_that_the_register_has_again_is_served_again(firm: Inside, days: Path) -> None:
    subject = f"firm:NO:{TRADER}"
    refused = firm.run("erase", "--lift", subject)
    assert (refused.exit_code, "is not erased" in refused.err) == (1, True)
    for day in "34":
        firm.run("ingest", "no", "--from", days / day, FIRM_DATABASE_URL=_control(firm))
    firm.ingest(days / "5", "no")
    store = StagedStore(firm.layout)
    signals = store.signals("no.enheter", store.batches("no.enheter")[-1])
    told = [(one["subject"], one["examples"]) for one in signals if one["code"] == "erased_company_returned"]
    assert told == [("no_enheter", [subject])]
    assert found(firm.data, [TRADER_NAME]) == set()
    lifted = firm.run("erase", "--lift", subject, "--reason", "the register's error", "--json")
    (entry,) = lifted.report["erased"]
    assert (entry["subject"], entry["lifted_at"] is None) == (subject, False)
    firm.ingest(days / "6", "no")
    profile = served(firm, subject)
    assert profile is not None
    assert (profile["name"], profile["status"]) == (f"{TRADER_NAME} NR 2", "active")
    assert "lifted 20" in firm.run("erase", "--list").out


def test_a_holder_goes_and_the_snapshot_still_counts_its_records(firm: Inside) -> None:
    assert found(firm.data, [PERSON])
    said = firm.run("erase", HOLDER, FIRM_DATABASE_URL=_control(firm))
    assert said.exit_code == 0, said.out + said.err
    assert found(firm.data, [PERSON, "secret-1"]) == set()
    assert rewritten(firm, "uk.psc") == [True]
    (piece,) = RawArchive(firm.layout).bodies("uk.psc")
    with piece.open() as body:
        lines = [json.loads(line) for line in body]
    assert lines[0] == {"withheld": "uk_psc"}
    assert [line.get("company_number") for line in lines] == [None, "07654321", None]
    assert served(firm, BRITISH) is not None


def _partners(root: Path, share: str) -> None:
    _norway(root, _row(PARTNERSHIP, "EKSEMPEL ANS", **{"organisasjonsform.kode": "ANS"}))
    roles = [
        {
            "type": {"kode": "DTPR", "beskrivelse": "Deltaker"},
            "avregistrert": False,
            "rekkefolge": 0,
            "ansvarsandel": f"{part}%",
            "person": {
                "fodselsdato": "1961-02-03",
                "navn": {"fornavn": first, "etternavn": "Værsten"},
                "erDoed": False,
            },
        }
        for first, part in (("Ådne", share), ("Kari", "30"))
    ]
    href = f"https://data.brreg.no/enhetsregisteret/api/enheter/{PARTNERSHIP}/roller"
    groups = [{"type": {"kode": "DELT"}, "sistEndret": "2026-10-01", "roller": roles}]
    body = {"rollegrupper": groups, "_links": {"self": {"href": href}}}
    _write(root / f"no/roller/{PARTNERSHIP}.json", json.dumps(body).encode())


def test_erase_holder_whose_key_in_the_register_is_the_name_leaves_no_name_in_events(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    for day, share in (("2026-11-11", "10"), ("2026-11-12", "60")):
        _partners(tmp_path / day, share)
        (tmp_path / day / "day.json").write_text(json.dumps({"date": day, "complete": []}))
        firm.ingest(tmp_path / day, "no")
    (event,) = (json.loads(event.data) for event in Ledger(firm.layout).after(0, 10))
    assert event["source"]["native_id"] == "DTPR:ådne værsten"
    said = firm.run("erase", event["change"]["holder_id"], FIRM_DATABASE_URL=_control(firm))
    assert said.exit_code == 0, said.out + said.err
    (after,) = (json.loads(event.data) for event in Ledger(firm.layout).after(0, 10))
    assert after == event | {
        "source": event["source"] | {"native_id": None, "url": None},
        "change": event["change"] | {"holder_name": None, "holder_company_id": None},
    }
    assert found(firm.data, ["Ådne", "ådne"]) == set()


def _as_a_former_version_left_it(firm: Inside, event_id: str, data: dict[str, Any]) -> None:
    """An event, in the ledger and as it was matched, with what an erasure by former rules left of it."""
    folder, text = firm.layout.ledger_folder, json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for segment in read_index.read_segments(folder):
        path = read_index.segment_path(folder, segment.release)
        rows = pl.read_parquet(path)
        spelled = pl.when(pl.col("event_id") == event_id).then(pl.lit(text)).otherwise("data")
        rows = rows.with_columns(data=spelled)
        replace_parquet(path, rows)
        read_index.write_lookup(read_index.lookup_path(folder, segment.release), read_index_rows(rows))
    database = prepare_database(_control(firm))
    log = delivery_log.Log(database)
    event = next(one for one in Ledger(firm.layout).after(0, 10) if one.event_id == event_id)
    deliver(log, log.subscription(log.account()), event, "thank you")
    database.close()
    erased = json.loads(firm.layout.tombstones_file.read_bytes())
    for entry in erased["erased"]:
        del entry["rules"]
    firm.layout.tombstones_file.write_text(json.dumps(erased))


def test_ingest_after_an_upgrade_redacts_by_todays_rules_what_was_erased_before(tmp_path: Path) -> None:
    firm = Inside(tmp_path / "data")
    for day, share in (("2026-11-11", "10"), ("2026-11-12", "60")):
        _partners(tmp_path / day, share)
        (tmp_path / day / "day.json").write_text(json.dumps({"date": day, "complete": []}))
        firm.ingest(tmp_path / day, "no")
    (event,) = Ledger(firm.layout).after(0, 10)
    data = json.loads(event.data)
    assert firm.run("erase", data["change"]["holder_id"], FIRM_DATABASE_URL=_control(firm)).exit_code == 0
    (erased,) = Ledger(firm.layout).after(0, 10)
    former = data | {"change": data["change"] | {"holder_name": None}}  # `source.native_id` was kept
    _as_a_former_version_left_it(firm, event.event_id, former)
    assert {path.partition("/")[0] for path, _ in found(firm.data, ["ådne"])} == {"ledger", "control.sqlite"}
    release = firm.release()
    said = firm.run("ingest", "no", "--from", tmp_path / "2026-11-12", FIRM_DATABASE_URL=_control(firm))
    assert said.exit_code == 0, said.out + said.err
    assert "1 erased subject is erased again" in said.out + said.err
    (after,) = Ledger(firm.layout).after(0, 10)
    assert after == erased  # its id, its number and its instants too
    assert found(firm.data, ["ådne"]) == set()
    assert firm.release() == release + 1  # the pages of a release hold events
    firm.ingest(tmp_path / "2026-11-12", "no")
    assert firm.release() == release + 1


def test_erase_and_ingest_leave_no_name_in_any_file_or_table(tmp_path: Path) -> None:
    """In rows and events, and in what people and runs have written: names of files, rejects, reasons, reports."""
    firm = Inside(tmp_path / "data")
    words = ["Ådne", "ådne_værsten"]
    environment = {"FIRM_DATABASE_URL": _control(firm)}
    for day, share in (("2026-11-11", "10"), ("2026-11-12", "60")):
        _partners_in_named_files(tmp_path / day, share)
        said = firm.run("ingest", "no", "--from", tmp_path / day, "--json", **environment)
        assert said.exit_code == 0, said.out + said.err
    (event,) = (json.loads(event.data) for event in Ledger(firm.layout).after(0, 10))
    company, holder = event["company_id"], event["change"]["holder_id"]
    other = holder_id(company, "no.roller", "DTPR:kari værsten")
    judged = ("owners", "judge", company, other, holder, "--different", "--by", "anna", "--reason")
    assert firm.run(*judged, "Kari is not Ådne Værsten").exit_code == 0
    rooms = {path.partition("/")[0] for path, _ in found(firm.data, words)}
    assert rooms >= {"archive", "staged", "history", "ledger", "releases", "runs", "judgements.jsonl"}
    said = firm.run("erase", holder, **environment)
    assert said.exit_code == 0, said.out + said.err
    assert found(firm.data, words) == set()
    (decision,) = firm.run("owners", "list", "--json").report["judgements"]
    assert (decision["other"], decision["by"], decision["reason"]) == (holder, "anna", "[erased]")
    for _ in range(2):  # the same files, and others under their names
        said = firm.run("ingest", "no", "--from", tmp_path / "2026-11-12", "--json", **environment)
        assert said.exit_code == 0, said.out + said.err
        assert found(firm.data, words) == set()
        roles = next((tmp_path / "2026-11-12/no/roller").glob(f"{PARTNERSHIP}*"))
        roles.write_bytes(roles.read_bytes().replace(b"60%", b"20%"))
        _norway_reject(tmp_path / "2026-11-12", "Ådne Værsten again")
        (tmp_path / "2026-11-12/day.json").write_text(json.dumps({"date": "2026-11-13", "complete": []}))
    assert found(firm.data, ["Kari", "EKSEMPEL"])


def _partners_in_named_files(root: Path, share: str) -> None:
    _partners(root, share)
    roles = root / "no/roller"
    (roles / f"{PARTNERSHIP}.json").rename(roles / f"{PARTNERSHIP}-Ådne_Værsten.json")
    _write(roles / "copy of Ådne Værsten.json", b"<html>")
    _norway_reject(root, "Ådne Værsten")
    (root / "day.json").write_text(json.dumps({"date": root.name, "complete": []}))


def _norway_reject(root: Path, words: str) -> None:
    """A line of the register that is no record, and says something."""
    path = root / "no/enheter_bulk_csv/enheter.csv"
    path.write_bytes(entity_files.sheet(_row(PARTNERSHIP, "EKSEMPEL ANS", **{"organisasjonsform.kode": "ANS"})))
    path.write_bytes(path.read_bytes() + f'"{words}","and nothing else"\n'.encode())


def test_what_is_wrong_is_said_before_anything_is_done(firm: Inside) -> None:
    said = firm.run("erase", f"firm:NO:{TRADER}", "firm:NO:999999999")
    assert said.exit_code == 1
    assert "firm:NO:999999999 is unknown" in said.err
    assert "own_" in said.err
    assert found(firm.data, [TRADER_NAME])
    assert firm.run("erase", "--list", "--json").report == {"erased": []}


def _control(firm: Inside) -> str:
    return f"sqlite:///{firm.data / 'control.sqlite'}"


@pytest.mark.parametrize("more", [["firm:NO:923609016"], ["--lift"]])
def test_a_list_of_erased_subjects_takes_nothing_else(tmp_path: Path, more: list[str]) -> None:
    said = Inside(tmp_path / "data").run("erase", "--list", *more)
    assert (said.exit_code, said.out) == (2, "")
    assert "--list shows all erased subjects: give it alone" in said.err

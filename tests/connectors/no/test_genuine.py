"""Genuine registry files beside the project: every row accounted for, every figure equal to an independent reading."""

import csv
import hashlib
import json
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from stdnum.no import orgnr

from connectors.contract.dataset import ArchiveMember, Batch, Dataset, NotApplicable, Signal
from connectors.no import NORWAY

pytestmark = pytest.mark.sources

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
FIGURES = ("revenue", "operating_result", "net_result", "equity", "total_assets")


@pytest.fixture
def files(sources: Path) -> Path:
    return sources / "no"


def ours(dataset: Dataset, files: Path) -> Iterator[tuple[Path, ArchiveMember]]:
    """Files of a dataset that it takes for its own."""
    for path in sorted({path for glob in dataset.file_patterns for path in files.glob(glob.replace("**", "*"))}):
        body = path.read_bytes()
        found = dataset.recognise_file(path.relative_to(files).as_posix(), body[:65536])
        if not isinstance(found, NotApplicable):
            sha = hashlib.sha256(body).hexdigest()
            seen = found.observed_at or NOW
            yield (
                path,
                ArchiveMember(dataset.key, path.name, sha, seen, found.scope, "b", lambda path=path: path.open("rb")),
            )


def batches(dataset: Dataset, piece: ArchiveMember) -> list[Batch]:
    return [batch for part in dataset.split_members(piece) for batch in dataset.read_batches(part)]


def present(rows: pl.DataFrame, piece: ArchiveMember) -> pl.DataFrame:
    instant = pl.Datetime("us", "UTC")
    return rows.with_columns(
        pl.lit(None, pl.String).alias("_company_id"),
        pl.lit(piece.observed_at, instant).alias("_observed_at"),
        pl.lit(piece.sha256).alias("_raw"),
        pl.lit(None, instant).alias("_retired_at"),
    )


def shared(read: list[Batch], piece: ArchiveMember) -> dict[str, list[dict[str, Any]]]:
    names = {batch.table for batch in read}
    tables = {
        name: present(pl.concat([batch.rows for batch in read if batch.table == name]), piece).lazy() for name in names
    }
    return {name: frame.to_dicts() for name, frame in NORWAY.to_shared_tables(tables, NOW.date()).items()}


def told(read: list[Batch]) -> list[Signal]:
    return [signal for batch in read for signal in batch.signals]


def test_every_bulk_row_is_a_company_or_a_listed_reject(files: Path) -> None:
    dataset = NORWAY.dataset("no.enheter")
    found = [(path, piece) for path, piece in ours(dataset, files) if path.suffix == ".csv"]
    assert found
    for path, piece in found:
        with path.open(encoding="utf-8", newline="") as file:
            source = {row["organisasjonsnummer"]: row for row in csv.DictReader(file)}
        read = batches(dataset, piece)
        companies = {row["org_number"]: row for row in shared(read, piece)["companies"]}
        rejects = {row["record"]: row["reason"] for batch in read for row in batch.rejects.to_dicts()}
        assert companies.keys() | rejects.keys() == source.keys()
        assert not companies.keys() & rejects.keys()
        for number, row in source.items():
            if number in companies:
                _same_company(companies[number], row)
            else:
                assert row["organisasjonsform.kode"] in rejects[number]
        assert not [signal for signal in told(read) if signal.code != "missing_columns"]


def _same_company(company: dict[str, Any], row: dict[str, str]) -> None:
    """Field by field, read from the source with nothing but the csv module."""
    norwegian = row["forretningsadresse.landkode"] == "NO"
    postal = not any(row[f"forretningsadresse.{part}"] for part in ("landkode", "adresse", "poststed"))
    kind = "forretningsadresse" if norwegian else "postadresse"
    placed = norwegian or (postal and row["postadresse.landkode"] == "NO")
    code = row["naeringskode1.kode"]
    assert company["name"] == " ".join(row["navn"].split())
    assert company["industry_code"] == (None if code in ("", "00.000") else code.replace(".", ""))
    assert company["municipality"] == (row[f"{kind}.kommune"] if placed else None)
    assert (company["county"] is None) == (not placed)
    assert company["registered_date"] == date.fromisoformat(row["registreringsdatoenhetsregisteret"])
    flags = ("konkurs", "underTvangsavviklingEllerTvangsopplosning", "underAvvikling")
    assert company["status"] == ("dormant" if any(row[flag] == "true" for flag in flags) else "active")
    assert company["legal_form_label"] == row["organisasjonsform.beskrivelse"]
    count = 0 if row["harRegistrertAntallAnsatte"] == "false" else None
    assert company["employees"] == (int(row["antallAnsatte"]) if row["antallAnsatte"] else count)
    lines = row["forretningsadresse.adresse"]
    assert company["address_lines"] == (lines.split("/n") if lines else None)


def test_every_json_entity_is_read(files: Path) -> None:
    dataset = NORWAY.dataset("no.enheter")
    for path, piece in ours(dataset, files):
        if path.suffix == ".json":
            body = json.loads(path.read_text(encoding="utf-8"))
            elements = body["_embedded"]["enheter"] if "_embedded" in body else [body]
            read = batches(dataset, piece)
            assert not [reject for batch in read for reject in batch.rejects.to_dicts()]
            companies = {row["org_number"]: row for row in shared(read, piece)["companies"]}
            assert companies.keys() == {element["organisasjonsnummer"] for element in elements}
            for element in elements:
                company = companies[element["organisasjonsnummer"]]
                assert company["name"] == element["navn"]
                assert (company["status"] == "dissolved") == ("slettedato" in element)
            codes = {signal.code for signal in told(read)}
            assert codes <= {"wrong_check_digit"}
            assert ("wrong_check_digit" in codes) == (not all(orgnr.is_valid(number) for number in companies))


def _number(node: object, *path: str) -> int | None:
    for step in path:
        node = node.get(step) if isinstance(node, dict) else None
    return round(node) if isinstance(node, int | float) else None


def _plain(record: dict[str, Any]) -> dict[str, int | None]:
    """The figures of one record, walked by hand."""
    result, debt = record["resultatregnskapResultat"], record["egenkapitalGjeld"]
    operating = result.get("driftsresultat", {})
    return {
        "revenue": _number(operating, "driftsinntekter", "sumDriftsinntekter"),
        "operating_result": _number(operating, "driftsresultat"),
        "net_result": _number(result, "aarsresultat"),
        "equity": _number(debt, "egenkapital", "sumEgenkapital"),
        "total_assets": _number(record, "eiendeler", "sumEiendeler"),
    }


def test_every_figure_of_the_json_accounts(files: Path) -> None:
    dataset = NORWAY.dataset("no.regnskap")
    compared = 0
    for path, piece in ours(dataset, files):
        if path.suffix != ".json":
            continue
        body = json.loads(path.read_text(encoding="utf-8"))
        records = body if isinstance(body, list) else [body]
        read = batches(dataset, piece)
        rows = shared(read, piece)["financials_reported"]
        found = {(row["company_id"], row["period_end"], row["is_consolidated"]): row for row in rows}
        assert len(found) == len(records)
        for record in records:
            key = (
                f"firm:NO:{record['virksomhet']['organisasjonsnummer']}",
                date.fromisoformat(record["regnskapsperiode"]["tilDato"]),
                record["regnskapstype"] == "KONSERN",
            )
            assert {name: found[key][name] for name in FIGURES} == _plain(record)
            assert found[key]["derived"] == []
            _sums_hold_or_are_told(record, {signal.code for signal in told(read)})
            compared += 1
    assert compared >= 10


def _sums_hold_or_are_told(record: dict[str, Any], codes: set[str]) -> None:
    debt = record["egenkapitalGjeld"]
    assets, total = _number(record, "eiendeler", "sumEiendeler"), _number(debt, "sumEgenkapitalGjeld")
    parts = (_number(debt, "egenkapital", "sumEgenkapital"), _number(debt, "gjeldOversikt", "sumGjeld"))
    holds = assets == total and (None in parts or sum(part or 0 for part in parts) == total)
    assert holds or codes & {"arithmetic_difference", "arithmetic_mismatch"}


def test_the_xml_form_equals_the_json_form(files: Path) -> None:
    dataset = NORWAY.dataset("no.regnskap")
    rows = {
        path.suffix: batches(dataset, piece)[0].rows
        for path, piece in ours(dataset, files)
        if "OrgnrResponse" in path.name
    }
    assert rows[".xml"].equals(rows[".json"])


def test_the_500_body_and_turtle_are_not_ours(files: Path) -> None:
    dataset = NORWAY.dataset("no.regnskap")
    skipped = {path.name for glob in dataset.file_patterns for path in files.glob(glob.replace("**", "*"))} - {
        path.name for path, _ in ours(dataset, files)
    }
    assert skipped == {
        "regnskap-984851006-http500.json",
        "regnskap-OrgnrResponseDefault.ttl",
        "kopi-923609016-aar.json",
    }


CODES = {"72": "revenue", "146": "operating_result", "172": "net_result", "250": "equity", "219": "total_assets"}


def test_every_figure_of_the_mass_file(files: Path) -> None:
    dataset = NORWAY.dataset("no.regnskap_masse")
    for path, piece in ours(dataset, files):
        wanted = _walked(path)
        read = batches(dataset, piece)
        rows = shared(read, piece)["financials_reported"]
        found = {
            (row["company_id"], row["is_consolidated"], row["period_end"], row["is_comparative"]): row for row in rows
        }
        assert found.keys() == wanted.keys()
        assert len(rows) == len(found)
        for key, figures in wanted.items():
            for name in FIGURES:
                if name not in found[key]["derived"] and (name != "revenue" or name in figures):
                    assert found[key][name] == figures.get(name), (key, name)
        assert Counter(row["currency"] for row in rows).keys() == {"NOK"}


def _walked(path: Path) -> dict[tuple[str, bool, date, bool], dict[str, int]]:
    """Figures of each submission, with nothing but ElementTree: no own accounts of the years before are there."""
    wanted: dict[tuple[str, bool, date, bool], dict[str, int]] = {}
    for element in ET.parse(path).getroot().iter("del"):
        text = {field.tag: field.text or "" for field in element.iterfind("hode/*")}
        end = datetime.strptime(text["avslutningsdato"], "%Y%m%d").replace(tzinfo=UTC).date()
        figures = {
            CODES[code]: round(float(info.findtext("sum") or "nan"))
            for info in element.iterfind("info")
            if (code := info.findtext("feltkode") or "") in CODES and info.find("post/tall") is not None
        }
        key = (f"firm:NO:{text['orgnr']}", text["regnskapstype"] == "K", end, False)
        wanted.setdefault(key, {}).update(figures)
    return wanted

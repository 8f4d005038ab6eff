"""Genuine Finnish files beside the project: every file read or told why not, every statement balanced to the cent."""

import hashlib
import re
import xml.etree.ElementTree as ET
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest

from connectors.contract.dataset import ArchiveMember, Batch, Dataset, Scope
from connectors.fi import FINLAND
from pipelines.sources.folder import list_day_folders, plan_files
from tests.connectors.fi.finnish_files import FLAGGING, RELEASES, XBRL, YTJ, day, shared, signals

pytestmark = pytest.mark.sources

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
READ = ("xbrl_v3", "ytj_v3", "nasdaq_cns", "flagging_text", "oam_fi", "bis_v1_legacy", "reference")


@pytest.fixture
def files(sources: Path) -> Path:
    return sources / "fi"


def read(dataset: Dataset, path: Path) -> list[Batch]:
    sha = hashlib.sha256(path.read_bytes()).hexdigest()
    piece = ArchiveMember(dataset.key, path.name, sha, NOW, Scope.PART, "b", partial(path.open, "rb"))
    return [batch for part in dataset.split_members(piece) for batch in dataset.read_batches(part)]


def test_every_file_is_read_or_told_why_not(sources: Path) -> None:
    entries = plan_files(list_day_folders(sources)[0], FINLAND, NOW).entries
    found = {entry.name.removeprefix("fi/"): entry for entry in entries}
    assert len(found) == sum(path.is_file() for path in (sources / "fi").rglob("*"))
    for name, entry in found.items():
        if name.startswith(READ):
            assert (entry.dataset is None) == (entry.reason is not None)
            assert entry.reason != "no dataset reads files of this name", name
    taken = {name for name, entry in found.items() if entry.dataset is not None and name.startswith(READ)}
    assert {name.split("/")[0] for name in taken} == {"xbrl_v3", "ytj_v3", "nasdaq_cns", "flagging_text", "oam_fi"}


def facts(path: Path) -> dict[tuple[str, str], Decimal]:
    """(line, last day) -> amount, by an independent reading: comparatives have an earlier instant."""
    root = ET.parse(path).getroot()
    contexts: dict[str, tuple[str | None, str]] = {}
    for context in root.iter("{http://www.xbrl.org/2003/instance}context"):
        text = ET.tostring(context, encoding="unicode")
        line = re.search(r"fi_MC:(x\d+)", text)
        instant = re.search(r"instant>(\d{4}-\d{2}-\d{2})<", text)
        contexts[context.attrib["id"]] = (line and line.group(1), instant.group(1) if instant else "")
    found: dict[tuple[str, str], Decimal] = {}
    for element in root:
        line, instant = contexts.get(element.attrib.get("contextRef", ""), (None, ""))
        if line is not None:
            found[line, instant] = Decimal(element.text or "")
    return found


def test_every_statement_balances_and_equity_is_x376(files: Path) -> None:
    paths = sorted((files / "xbrl_v3").glob("*.xml"))
    assert paths
    for path in paths:
        said = facts(path)
        found = read(XBRL, path)
        assert not signals(found), path.name
        for row in shared(found)["financials_reported"]:
            last = row["period_end"].isoformat()
            total = said["x360", last]
            assert total == said["x481", last] == said.get(("x513", last), Decimal(0)) + said["x435", last]
            assert total == said["x376", last] + said["x424", last], path.name
            assert (
                said["x740", last] == said["x2895", last] == said["x738", last] + said.get(("x541", last), Decimal(0))
            )
            for name, line in (("equity", "x376"), ("total_assets", "x360"), ("net_result", "x740")):
                assert row[name] == round(said[line, last]), (path.name, name)
            assert row["revenue"] == (round(said["x673", last]) if ("x673", last) in said else None)
            assert row["operating_result"] == round(said["x689", last])


def test_a_year_and_its_repetition_in_the_next_statement_agree(files: Path) -> None:
    both = [read(XBRL, files / "xbrl_v3" / f"prh_xbrl_0176460-0_{year}-09-30.xml") for year in (2023, 2024)]
    rows = {
        (row["period_start"], row["is_comparative"]): row
        for row in shared(*both)["financials_reported"]
        if row["period_end"] == day("2023-09-30")
    }
    own, repeated = rows[date(2022, 10, 1), False], rows[date(2022, 10, 1), True]
    assert [own[key] for key in ("net_result", "equity", "total_assets")] == [
        repeated[key] for key in ("net_result", "equity", "total_assets")
    ]
    assert own["equity"] < 0


def test_the_live_record_and_the_shape_of_the_bulk(files: Path) -> None:
    batches = [read(YTJ, path) for path in sorted((files / "ytj_v3").glob("*.json"))]
    assert not any(signals(found) for found in batches)
    known = {row["org_number"]: row for row in shared(*batches)["companies"]}
    nokia = known["0112038-9"]
    assert (nokia["name"], nokia["previous_names"], nokia["status"]) == ("Nokia Oyj", ["Oy Nokia Ab"], "active")
    assert (nokia["industry_code"], nokia["industry_scheme"]) == ("70100", "TOL2025")
    assert (nokia["municipality"], nokia["county"], nokia["registered_date"]) == (
        "Espoo",
        "Uusimaa",
        date(1896, 12, 19),
    )
    assert (known["2283132-3"]["status"], known["2283132-3"]["municipality"]) == ("active", "Espoo")
    assert (known["0100002-9"]["status"], known["0100002-9"]["dissolved_date"]) == ("dissolved", date(2005, 12, 19))


def test_the_releases_of_the_helsinki_markets(files: Path) -> None:
    (path,) = (files / "nasdaq_cns").glob("*items*")
    found = read(RELEASES, path)
    assert [row for batch in found for row in batch.rows["issuerKey"]] == [
        "framery group", "betolar", "betolar", "verkkokauppa com", "orion", "marimekko", "savox communications oy"]  # fmt: skip
    assert {code for code, _ in signals(found)} == {"other_market"}


def test_the_texts_of_notifications(files: Path) -> None:
    (path,) = (files / "flagging_text").glob("*.jsonl")
    found = read(FLAGGING, path)
    assert [batch.rejects.height for batch in found] == [0]
    rows = [row for batch in found for row in batch.rows.to_dicts()]
    said = [
        (row["holderKey"], row["day"], row["shares"], row["sharesBelow"], row["votes"], row["votesBelow"])
        for row in rows
    ]
    assert said == [
        ("blackrock inc", date(2020, 7, 31), Decimal("5.04"), None, Decimal("5.04"), None),
        ("blackrock inc", date(2023, 2, 22), Decimal("5.02"), None, Decimal("5.02"), None),
        ("blackrock inc", date(2019, 5, 31), None, Decimal(5), None, Decimal(5)),
        ("blackrock inc", date(2021, 5, 11), Decimal("4.99"), None, None, Decimal(5)),
        ("peter aho", date(2024, 4, 19), Decimal("47.59"), None, None, None),
        ("keskinainen vakuutusyhtio ilmarinen", date(2024, 4, 19), Decimal("8.71"), None, None, None),
        ("rolf backlund", date(2024, 4, 19), Decimal("8.6"), None, None, None),
    ]
    assert rows[3]["businessId"] == "0142213-3"
    assert [row["previousShares"] for row in rows[:4]] == [Decimal("4.95"), Decimal("4.88"), Decimal("4.97"), None]


def test_the_lists_of_places_are_those_of_the_post(files: Path) -> None:
    from connectors.fi.register import MUNICIPALITIES, POST_CODES

    text = (files / "reference" / "posti_postcodes_2026-05-26.json").read_text(encoding="utf-8")
    pairs = set(re.findall(r'"postcode": "(\d{5})".*?"municipal_code": "(\d{3})"', text))
    assert len(pairs) > 3000
    assert all(POST_CODES.get(code, "municipality") == place for code, place in pairs)
    assert {place for _, place in pairs} == MUNICIPALITIES.codes

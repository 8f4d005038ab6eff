"""Genuine files of GLEIF and of the Norwegian register become exactly the relations that they state."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from connectors.contract.pieces import ArchiveMember, RecognisedFile, Scope
from connectors.gleif.level2.dataset import parents_dataset
from connectors.gleif.level2.holdings import map_holdings
from connectors.no import NORWAY
from pipelines.transforms.ownership.owners import SourcePrecedence, holder_records
from pipelines.transforms.ownership.relations import build_relations
from tests.connectors.no.entity_rows import MONDAY, present
from tests.connectors.no.market_files import read
from tests.pipelines.frames import frame
from warehouse import schema_render
from warehouse.schema.tables import HOLDINGS, OWNERS, RELATIONS

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
LEVEL_2 = parents_dataset("NO")
CONSOLIDATED = ("IS_DIRECTLY_CONSOLIDATED_BY", "IS_ULTIMATELY_CONSOLIDATED_BY")
Pairs = set[tuple[str, str]]


def relations(holdings: pl.DataFrame) -> pl.DataFrame:
    records = holder_records(holdings, frame(OWNERS))
    return build_relations(records, frame(RELATIONS), NOON, SourcePrecedence(), NORWAY.stake_codes)


def of_xml(path: Path) -> Pairs:
    """Children and parents by an independent reading of the XML."""
    found: Pairs = set()
    for record in ET.parse(path).getroot().iterfind(".//{*}RelationshipRecord"):

        def text(where: str, record: ET.Element = record) -> str | None:
            return record.findtext("/".join(f"{{*}}{part}" for part in where.split("/")))

        is_live = text("Relationship/RelationshipStatus") == "ACTIVE" and text("Extension/Deletion/DeletedAt") is None
        stands = text("Registration/RegistrationStatus") in ("PUBLISHED", "LAPSED")
        if text("Relationship/RelationshipType") in CONSOLIDATED and is_live and stands:
            found.add((text("Relationship/StartNode/NodeID") or "", text("Relationship/EndNode/NodeID") or ""))
    return found


def of_api(path: Path) -> Pairs:
    data = json.loads(path.read_text())["data"]
    return {
        (edge["startNode"]["id"], edge["endNode"]["id"])
        for one in (data if isinstance(data, list) else [data])
        for said in [one["attributes"]]
        for edge in [said["relationship"]]
        if edge["type"] in CONSOLIDATED and edge["status"] == "ACTIVE" and not said["extension"]["deletedAt"]
        and said["registration"]["status"] in ("PUBLISHED", "LAPSED")
    }  # fmt: skip


def read_level_2(path: Path) -> Pairs:
    """Children and parents of the relations, of a file in which every child is a company of the market."""
    piece = ArchiveMember(LEVEL_2.key, path.name, "sha", NOON, Scope.PART, "b", lambda: io.BytesIO(path.read_bytes()))
    if not isinstance(LEVEL_2.recognise_file(path.name, path.read_bytes()[:65_536]), RecognisedFile):
        return set()  # an answer without data
    rows = [batch.rows for batch in LEVEL_2.read_batches(piece) if batch.table == "no_lei_parent"]
    if not rows:
        return set()
    staged = pl.concat(rows).lazy().with_columns(
        _company_id=pl.lit("firm:NO:") + pl.col("child"),
        _observed_at=pl.lit(NOON).cast(schema_render.INSTANT),
        _raw=pl.lit("raw"),
        _retired_at=pl.lit(None, schema_render.INSTANT),
    )  # fmt: skip
    found = relations(map_holdings("NO", {"no_lei_parent": staged})).filter(pl.col("ended_on").is_null())
    assert set(found["relation"]) <= {"accounting_consolidation"}
    assert found["pct"].null_count() == found.height
    return {(held.removeprefix("firm:NO:"), lei) for held, lei in found.select("company_id", "holder_lei").iter_rows()}


def _files(sources: Path, pattern: str, read_independently: Callable[[Path], Pairs]) -> Iterator[tuple[Path, Pairs]]:
    for path in sorted(sources.glob(pattern)):
        yield path, read_independently(path)


def test_level_2_gives_the_relations_that_stand_and_no_other(sources: Path) -> None:
    seen: Pairs = set()
    for path, stated in (
        *_files(sources, "news/gleif_golden_copy/oo__rr*.xml", of_xml),
        *_files(sources, "news/gleif_api/relationships__*.json", of_api),
    ):
        assert read_level_2(path) == stated, path.name
        seen |= stated
    assert len(seen) > 20


def test_a_reporting_exception_is_no_relation(sources: Path) -> None:
    paths = [*sources.glob("news/gleif_api/reporting_exceptions__*.json")]
    assert paths
    assert [read_level_2(path) for path in paths] == [set() for _ in paths]


@pytest.fixture(scope="module")
def telenor(sources: Path) -> tuple[bytes, str]:
    [path] = sources.glob("no/konsernstruktur/*.json")
    return path.read_bytes(), path.name


def _edges(node: dict[str, Any]) -> Iterator[tuple[str, str, str, str | None]]:
    for below in node.get("children") or ():
        parent = below.get("parentOrganisasjonsnummer") or node["organisasjonsnummer"]
        yield below["organisasjonsnummer"], parent, below["knytningsform"]["kode"], below.get("grunnlag")
        yield from _edges(below)


def test_a_norwegian_group_gives_its_control_and_its_shares(telenor: tuple[bytes, str]) -> None:
    body, name = telenor
    stated = {(f"firm:NO:{held}", f"firm:NO:{holder}"): (kind, basis)
              for held, holder, kind, basis in _edges(json.loads(body)) if held != holder}  # fmt: skip
    control = {pair for pair, (kind, _) in stated.items() if kind in ("KDAT", "KMOR")}
    percent = re.compile(r"([0-9]+(?:[.,][0-9]+)?) *%")
    shares = {pair: float(found[1].replace(",", ".")) for pair, (_, basis) in stated.items()
              if (found := percent.fullmatch(basis or ""))}  # fmt: skip
    stakes = {pair for pair, (kind, _) in stated.items() if kind == "KGRL"}
    batches = [batch for batch in read("no.konsern", body, name) if batch.table == "no_konsern"]
    table = NORWAY.dataset("no.konsern").staged_tables["no_konsern"]
    rows = [row for batch in batches for row in batch.rows.to_dicts()]
    frames = pl.concat([present(table, row, MONDAY).collect() for row in rows]).lazy()
    made = NORWAY.to_shared_tables({table.name: frames}, date(2026, 11, 20))[HOLDINGS.name]
    found = relations(made)
    by_kind = {kind: {(row["company_id"], row["holder_company_id"]): row["pct"] for row in found.to_dicts()
                      if row["relation"] == kind} for kind in ("control", "shareholding")}  # fmt: skip
    assert by_kind["control"].keys() == control
    assert {pair: float(pct) for pair, pct in by_kind["shareholding"].items() if pct is not None} == shares
    assert by_kind["shareholding"].keys() == shares.keys() | stakes
    assert control
    assert stakes

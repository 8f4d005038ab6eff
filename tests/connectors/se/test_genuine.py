"""The registries' genuine files: every one is read or is not ours for a reason; figures equal the oracle's."""

import hashlib
import io
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pytest

from connectors.contract.dataset import ArchiveMember, NotApplicable, RecognisedFile, Scope
from connectors.kit.xbrl.facts import Fact
from connectors.kit.xbrl.instance import read_report
from connectors.se import SWEDEN
from connectors.se.annual_reports.fetch import page_url, parse_listing_page
from tests.connectors.se.report_files import REPORTS

pytestmark = pytest.mark.sources
EXAMPLES = (
    "faststalld-arsredovisning-exempel-1",
    "faststalld-arsredovisning-revision-exempel-2",
    "faststalld-arsredovisning-utokad-exempel-3",
)


def _said(facts: list[Fact]) -> Counter[tuple[object, ...]]:
    """Numeric facts without what the syntax chooses: names, periods, units, precision, values."""
    return Counter(
        (fact.namespace, fact.name, fact.context and fact.context[1:], fact.unit, fact.decimals, fact.number)
        for fact in facts
        if fact.is_numeric
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_numeric_fact_equals_the_registrys_own_extraction(sources: Path, name: str) -> None:
    folder = sources / "se" / "arsredovisning_ixbrl"
    ours = _said(read_report((folder / f"{name}.xhtml").read_bytes()).facts)
    theirs = _said(read_report((folder / f"{name}.xbrl.xml").read_bytes()).facts)
    assert ours == theirs
    assert sum(ours.values()) >= 220


@pytest.mark.parametrize("name", EXAMPLES)
def test_figures_of_the_examples(sources: Path, name: str) -> None:
    body = (sources / "se" / "arsredovisning_ixbrl" / f"{name}.xhtml").read_bytes()
    sha256 = hashlib.sha256(body).hexdigest()
    at = datetime(2026, 1, 1, tzinfo=UTC)
    piece = ArchiveMember(REPORTS.key, name, sha256, at, Scope.PART, "b", lambda: io.BytesIO(body))
    (batch,) = REPORTS.read_batches(piece)
    assert batch.rejects.is_empty()
    assert batch.signals == ()
    columns = ("period_end", "revenue", "operating_result", "net_result", "equity", "total_assets", "is_overview")
    assert batch.rows.sort("period_end").select(columns).rows() == [
        (date(2013, 12, 31), 0, None, None, None, None, True),
        (date(2014, 12, 31), 1_100_000, None, None, None, None, True),
        (date(2015, 12, 31), 2_250_000, 264_000, 1_099_000, 2_215_000, 6_007_000, False),
        (date(2016, 12, 31), 2_650_000, 205_000, 1_274_000, 2_390_000, 7_773_000, False),
    ]
    assert batch.rows["is_audited"].to_list() == ["revision" in name] * 4
    assert batch.rows["employees"].drop_nulls().to_list() == [2, 2]


def test_pitfall_6_the_listing_and_its_marker(sources: Path) -> None:
    body = (sources / "se" / "arsredovisningar_bulk_listing" / "listing_page_1.xml").read_bytes()
    page = parse_listing_page("https://x/", body)
    assert len(page.files) == 1000
    assert page.marker == "arsredovisningar/2025/26_2.zip[minio_list:v2,return:]"
    assert page_url(page.marker).endswith("&marker=arsredovisningar%2F2025%2F26_2.zip%5Bminio_list%3Av2%2Creturn%3A%5D")


def test_every_genuine_file_is_read_or_is_not_ours_for_a_reason(sources: Path) -> None:
    folder = sources / "se"
    judged: dict[str, RecognisedFile | NotApplicable] = {}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder).as_posix()
        for dataset in SWEDEN.datasets:
            if path.is_file() and any(
                inside.startswith(pattern.removesuffix("**")) for pattern in dataset.file_patterns
            ):
                judged[inside] = dataset.recognise_file(inside, path.read_bytes()[:65536])
    assert all(isinstance(found, RecognisedFile) or found.reason for found in judged.values())
    assert {inside for inside, found in judged.items() if isinstance(found, RecognisedFile)} >= {
        f"arsredovisning_ixbrl/{name}.xhtml" for name in EXAMPLES
    }


def test_the_code_lists_are_those_of_the_offices(sources: Path) -> None:
    folder = sources / "se" / "reference_codes"
    counties = pl.read_csv(folder / "scb_lkf2026.csv", infer_schema=False)
    from connectors.se import code_lists

    theirs = {code for code in counties["vardekod"] if len(code) == 4}
    assert code_lists.MUNICIPALITIES.codes == theirs | {"1762"}  # Munkfors is missing in the office's own list
    assert code_lists.COUNTIES.codes == {code for code in counties["vardekod"] if len(code) == 2}
    sni = pl.read_csv(folder / "scb_sni2007.csv", infer_schema=False)
    assert code_lists.SNI2007.codes == {code for code in sni["vardekod"] if len(code) == 5}

"""Denmark is announced: nothing is read, and whoever asks for it is told so. FIRM_PREVIEW_MARKETS serves it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from connectors import JURISDICTIONS
from connectors.dk import DENMARK
from pipelines.ingest.run import IngestOverrides, MarketNotServedError, ingest
from pipelines.settings import IngestSettings
from pipelines.sources.source import FolderSource
from tests.tables import check_cases
from warehouse.release.manifest import InvalidReleaseError, served_position, write_pointer
from warehouse.schema import codes, identifiers, nace
from warehouse.schema.markets import MARKETS, preview_codes, read_markets
from warehouse.settings.errors import SettingError
from warehouse.storage.layout import Layout

ASKED = """
import json
from connectors import JURISDICTIONS
from pipelines.settings import IngestSettings
from warehouse.schema import codes
print(json.dumps({
    "served": list(codes.SERVED),
    "schemes": list(codes.INDUSTRY_SCHEMES),
    "datasets": {made.code: len(made.datasets) for made in JURISDICTIONS},
}))
"""


class Asked:
    """An origin that asks registries: nobody may get so far."""

    supports_lookups = True

    def sub_sources(self) -> list[object]:
        raise AssertionError

    def open(self, at: object) -> object:
        raise AssertionError


def test_announced_it_is_declared_and_nothing_of_it_is_read() -> None:
    (made,) = [one for one in JURISDICTIONS if one.code == "DK"]
    assert (made.state, made.datasets) == ("announced", ())
    assert len(DENMARK.datasets) > 10  # what the preview reads
    assert "DK" not in codes.SERVED
    assert not {"DB07", "DB25"} & set(codes.INDUSTRY_SCHEMES)


def test_a_danish_number_is_known_by_its_full_id_alone() -> None:
    found = identifiers.parse_company_number("firm:DK:24256790")
    assert found is not None
    assert (found.company_id, found.has_valid_check_digit) == ("firm:DK:24256790", True)
    bare = identifiers.parse_company_number("24256790")
    assert bare is not None
    assert bare.market == "UK"


def test_every_genuine_file_is_listed_with_the_reason(sources: Path, tmp_path: Path) -> None:
    report = ingest(IngestSettings(data=tmp_path), ["dk"], FolderSource(sources), overrides=IngestOverrides())
    assert (report.exit_code, report.release, report.datasets, report.errors) == (0, None, (), ())
    files = [path for path in (sources / "dk").rglob("*") if path.is_file()]
    assert len(report.files) == len(files) > 5
    assert {file.reason for file in report.files} == {"the market is announced, not served yet: its files are not read"}


def test_its_register_is_not_asked(tmp_path: Path) -> None:
    origin: object = Asked()
    with pytest.raises(MarketNotServedError, match="DK is announced, not served yet"):
        ingest(IngestSettings(data=tmp_path), ["dk"], origin)  # type: ignore[arg-type]


def test_the_setting_serves_it_and_changes_no_other_market() -> None:
    environment = {**os.environ, "FIRM_PREVIEW_MARKETS": " Dk "}
    told = subprocess.run(
        [sys.executable, "-c", ASKED], env=environment, capture_output=True, check=True, cwd=Path.cwd()
    )
    found = json.loads(told.stdout)
    assert found["served"] == [*codes.SERVED, "DK"]
    assert found["schemes"] == [*codes.INDUSTRY_SCHEMES, "DB07", "DB25"]
    before = {made.code: len(made.datasets) for made in JURISDICTIONS}
    assert found["datasets"] == before | {"DK": len(DENMARK.datasets)}


@check_cases(("given", "found"), [({}, "dk"), ({"FIRM_PREVIEW_MARKETS": "xr"}, "xr")])
def test_commands_take_the_setting_of_a_file_and_the_environment_wins(
    given: dict[str, str], found: str, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("FIRM_PREVIEW_MARKETS=dk\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FIRM_")}
    asked = "import os; from firm import cli; cli.app = lambda: print(os.environ['FIRM_PREVIEW_MARKETS']); cli.main()"
    environment = {**kept, "PYTHONPATH": str(Path.cwd()), **given}
    told = subprocess.run([sys.executable, "-c", asked], env=environment, capture_output=True, check=True, cwd=tmp_path)
    assert told.stdout.decode().strip() == found


@check_cases(
    ("text", "said"),
    [
        ("no", "must list markets in preview (dk), not 'no'"),
        ("dk xx", "must list markets in preview (dk), not 'dk xx'"),
        ("dk", "must be set when the program starts, in its environment or `.env`, not 'dk'"),
    ],
)
def test_a_setting_that_serves_nothing_is_told(text: str, said: str) -> None:
    with pytest.raises(SettingError) as told:
        IngestSettings.read({"FIRM_PREVIEW_MARKETS": text})
    assert str(told.value) == f"FIRM_PREVIEW_MARKETS {said}"


def test_a_folder_with_its_companies_is_refused_without_the_setting(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    folder = layout.release_folder(1)
    folder.mkdir(parents=True)
    at = "2026-11-20T00:00:00+00:00"
    content = {
        "release": 1,
        "kind": "full",
        "built_at": at,
        "full_at": at,
        "previous": None,
        "rollback_of": None,
        "schema_fingerprint": "",
        "content_fingerprint": "",
        "sequence": {"first": 1, "last": 0},
        "counts": {},
        "segments": [],
        "sizes": {},
        "markets": {},
    }

    def publish(**history: object) -> None:
        (folder / "manifest.json").write_text(json.dumps({**content, "history": history}))
        write_pointer(layout, 1)

    publish(NO={"id": "a", "revision": 1})
    assert served_position(layout) == (1, 0)
    publish(NO={"id": "a", "revision": 1}, DK={"id": "b", "revision": 1})
    with pytest.raises(InvalidReleaseError, match=r"has companies of Denmark: set FIRM_PREVIEW_MARKETS=dk as when"):
        served_position(layout)


def test_codes_are_read_in_any_case_and_with_any_separator() -> None:
    assert preview_codes(" dk,XR\tno ") == {"DK", "XR", "NO"}
    assert preview_codes("") == set()


def test_only_a_market_in_preview_changes_its_state() -> None:
    folder = Path("connectors")
    served = {market.code: market.state for market in read_markets(folder, {"DK", "NO"})}
    assert served == dict.fromkeys(MARKETS, "served")
    assert {code for code, market in MARKETS.items() if market.has_preview} == {"DK"}


def test_its_editions_of_industry_codes_follow_nace() -> None:
    revisions = {scheme: nace.revision_of_scheme(scheme) for scheme in ("DB07", "DB25")}
    assert revisions == {"DB07": nace.REVISION_2, "DB25": nace.REVISION_2_1}

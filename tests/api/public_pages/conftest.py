"""A small world whose runs have told of themselves, and a service over it that only reads."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from lxml import html

from api.public_pages.reference import FILES
from tests.api.conftest import Service
from tests.once import made_once
from warehouse.release import freshness, run_log
from warehouse.release.freshness import DatasetCheck, Freshness
from warehouse.release.manifest import served_manifest, write_manifest, write_pointer
from warehouse.release.run_log import ErrorNote, QuarantineNote, RunNote
from warehouse.schema.market_state import DatasetState, MarketState

pytest.register_assert_rewrite("tests.api.public_pages.page_visits")  # so that a failure shows its figures

ROOT = Path(__file__).resolve().parents[3]
DOCS_PYTHON = ROOT / ".venv" / "docs" / "bin" / "python"
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"
NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
"""What the service's clock says in tests."""
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
PAGE = '<!doctype html><title>Guide</title><p>ö</p><link rel="stylesheet" href="a.css">'
INDEX = {
    "docs": [
        {"location": "guide/", "title": "Guide", "text": "Guide ¶ Everything of webhooks"},
        {"location": "guide/#guide", "title": "Guide", "text": "Everything of webhooks"},
        {"location": "guide/#signing", "title": "Signing &amp; keys", "text": "A webhook\n is signed " * 40},
        {"location": "guide/#keys", "title": "Keys", "text": "<script>alert(1)</script> webhook"},
    ]
}
LISTED = "firm:NO:999999999"


def note(days_ago: float, *markets: str, **more: Any) -> RunNote:
    began = NOW - days_ago * DAY
    return RunNote(f"{began:%Y%m%dT%H%M%S000Z}", markets, began, **{"ended_at": began + HOUR} | more)


RUNS = (
    note(40, "NO", "SE"),
    note(20, "NO", errors=(ErrorNote("NO", "torn </td> of /srv/secret"),)),
    note(19, "NO"),
    note(3, "NO", held=(QuarantineNote("no.roller", "max_shrink", 0.5, 0.02),)),
    note(1, "SE"),
    note(0.25, "NO", held=(QuarantineNote("no.roller", "max_shrink", 0.5, 0.02),)),
)


def publish_norway(maker: Any) -> Any:
    """Two companies, of which one is listed; three datasets: fresh, quarantined, never checked."""
    companies = [
        maker.company(
            LISTED,
            "EKSEMPEL <ASA>",
            is_listed=True,
            industry_code="70100",
            industry_label="Hovedkontortjenester",
            industry_scheme="SN2007",
        ),
        maker.company("firm:NO:800000001", "EN AS"),
    ]
    periods = [maker.period(LISTED, year, revenue=year * 1000) for year in range(2019, 2026)]
    maker.publish(companies, periods=periods, events=[maker.event(LISTED, number) for number in range(6)])
    layout = maker.world.layout
    manifest = served_manifest(layout)
    datasets = {
        "no.enheter": DatasetState(NOW - DAY, rows=5, checked_at=NOW - 30 * HOUR),
        "no.roller": DatasetState(NOW - 9 * DAY, rows=5, held_since=NOW - 3 * DAY),
        "no.later": DatasetState(None),
    }
    norway = MarketState("fresh", NOW - DAY, manifest.markets["NO"].companies, datasets)
    write_manifest(layout, replace(manifest, markets={**manifest.markets, "NO": norway}))
    write_pointer(layout, manifest.release)
    checks = {
        "no.enheter": DatasetCheck(NOW - 5 * HOUR, None, 48),
        "no.roller": DatasetCheck(NOW - 3 * DAY, NOW - 3 * DAY, 72),
    }
    freshness.write_freshness(layout, Freshness({"NO": NOW - 3 * HOUR}, checks))
    for one in RUNS:
        run_log.write_run_note(layout, one)
    return maker.world


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small site as `make docs` would build it, beside a file that is none of it."""
    folder = tmp_path_factory.mktemp("site") / "site"
    for name, text in {
        "index.html": PAGE,
        "404.html": PAGE,
        "guide/index.html": PAGE,
        "guide/a.css": "p {}",
        "guide/a.js": "alert(1)",
        "search/search_index.json": json.dumps(INDEX),
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder.parent / "secret.html").write_text("of another folder")
    return folder


def build_site(into: Path) -> None:
    command = [str(DOCS_PYTHON), "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(into / "site")]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
    assert built.returncode == 0, built.stderr


@pytest.fixture(scope="session")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation as `make docs` builds it."""
    if not DOCS_PYTHON.exists():
        pytest.skip("what builds the documentation is not installed (make docs)")
    return made_once(tmp_path_factory, "site", build_site) / "site"


@pytest.fixture(scope="module")
def norway(new_world: Callable[[], Any]) -> Any:
    return publish_norway(new_world())


@pytest.fixture(scope="module")
def renderer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `make reference` would fill it."""
    folder = tmp_path_factory.mktemp("renderer")
    for name in FILES:
        (folder / name).write_text(f"/* {name} */")
    (folder / "secret.js").write_text("secret")
    return folder


@pytest.fixture(scope="module")
def service(shared_serve: Any, norway: Any, site: Path, renderer: Path) -> Service:
    made: Service = shared_serve(norway, docs_site=site)
    made.parts.public_pages.reference.folder = renderer
    return made


def open_page(service: Service, path: str, **headers: str) -> tuple[httpx.Response, html.HtmlElement]:
    """A page as a browser asks for it, without a key, and its elements."""
    answer = service.client.get(path, headers={"accept": BROWSER} | headers)
    return answer, html.fromstring(answer.text)


def texts(tree: html.HtmlElement, path: str) -> list[str]:
    """The text of the elements at that XPath, with single blanks."""
    return [" ".join(one.text_content().split()) for one in tree.xpath(path)]

"""Exports to a REST catalogue with what hosted ones want: a warehouse, and tokens for credentials."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyiceberg.exceptions import OAuthError

from tests.answering import Quiet, answering
from tests.conftest import ROOT
from tests.firm.inside import Inside
from tests.warehouse.lakehouse import assert_same, iceberg_frames, members, release_frames
from tests.warehouse.rest_catalog import CREDENTIAL, TOKEN, WAREHOUSE, RestCatalogServer, rest_catalog
from tests.warehouse.world import learn, publish
from warehouse.exports.iceberg.catalogs import NAME, IcebergTarget
from warehouse.exports.iceberg.writer import IcebergWriter
from warehouse.exports.merged.results import MergeResult
from warehouse.storage.layout import Layout

pytestmark = pytest.mark.slow


@pytest.fixture
def served(tmp_path: Path) -> Iterator[RestCatalogServer]:
    with rest_catalog(tmp_path / "catalogue") as made:
        yield made


@pytest.fixture
def stored(layout: Layout) -> Layout:
    learn(layout, "NO", 0, companies=members(1, 2, 3, 4))
    publish(layout, "NO")
    return layout


def hosted(served: RestCatalogServer, credential: str = CREDENTIAL) -> dict[str, str]:
    """pyiceberg's settings of the catalogue."""
    address = f"{served.url}/v1/oauth/tokens"
    return {"warehouse": WAREHOUSE, "credential": credential, "oauth2-server-uri": address}


def write(layout: Layout, served: RestCatalogServer, lake: Path, credential: str = CREDENTIAL) -> MergeResult:
    target = replace(IcebergTarget.parse(str(lake), layout, {}, served.url), store=hosted(served, credential))
    return IcebergWriter(layout, target, 30).write()


def test_rest_catalogue_holds_each_release_and_costs_what_has_changed(
    served: RestCatalogServer, stored: Layout, tmp_path: Path
) -> None:
    lake = tmp_path / "lake"
    write(stored, served, lake)
    assert_same(iceberg_frames(served.tables), release_frames(stored))
    learn(stored, "NO", 1, companies=[*members(1, 2, 3), *members(4, name="Ny")])
    publish(stored, "NO", at=1)
    written = {one.table: one.written for one in write(stored, served, lake).tables}
    assert_same(iceberg_frames(served.tables), release_frames(stored))
    assert written["companies"] == 1
    companies = served.tables.load_table((NAME, "companies"))
    assert companies.snapshot_by_name("release-1") is not None
    assert companies.location() == (lake / "companies").as_uri()
    assert not list(lake.glob("*.sqlite")), "the service is the catalogue"
    commits = served.asked.count(f"POST /v1/{WAREHOUSE}/namespaces/{NAME}/tables/companies")
    assert not write(stored, served, lake).is_new
    assert served.asked.count(f"POST /v1/{WAREHOUSE}/namespaces/{NAME}/tables/companies") == commits > 1


def test_rest_catalogue_is_configured_as_pyiceberg_documents_it(
    served: RestCatalogServer, stored: Layout, tmp_path: Path
) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FIRM_", "PYICEBERG_"))}
    asked = {
        f"PYICEBERG_CATALOG__FIRMDATA__{name.upper().replace('-', '_')}": value
        for name, value in hosted(served).items()
    }
    environment = kept | {"FIRM_DATA": str(stored.root), "FIRM_ICEBERG_CATALOG": served.url} | asked
    command = [sys.executable, "-m", "firm", "export", "--iceberg", str(tmp_path / "lake"), "--json"]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert_same(iceberg_frames(served.tables), release_frames(stored))


def test_rest_catalogue_that_refuses_is_told_in_one_line(
    served: RestCatalogServer, stored: Layout, tmp_path: Path
) -> None:
    def told(**given: str) -> str:
        said = Inside(stored.root).run(
            "export", "--iceberg", tmp_path / "lake", "--json", **{"FIRM_ICEBERG_CATALOG": served.url} | given
        )
        assert (said.exit_code, said.out) == (1, ""), said.out
        [line] = said.err.splitlines()
        before, _, rest = line.partition("firm: cannot use the Iceberg catalogue: ")
        assert before == ""
        reason, _, advice = rest.rpartition("; check ")
        assert advice.startswith("FIRM_ICEBERG_CATALOG, FIRM_ICEBERG_TOKEN and PYICEBERG_CATALOG__FIRMDATA__… (")
        return reason

    assert told(FIRM_ICEBERG_TOKEN="old") == "NotAuthorizedException: no valid token"
    assert told(FIRM_ICEBERG_TOKEN=TOKEN) == "BadRequestException: please name a warehouse"
    assert "Connection refused" in told(FIRM_ICEBERG_CATALOG="http://127.0.0.1:9/x")
    with pytest.raises(OAuthError, match=r"^invalid_client: unknown client$"):
        write(stored, served, tmp_path / "lake", "firmdata:wrong")
    served.is_down = True
    assert "try later" in told(FIRM_ICEBERG_TOKEN=TOKEN)


def test_address_that_is_no_catalogue_is_told_as_such(stored: Layout, tmp_path: Path) -> None:
    """As a page of a proxy, or the catalogue's own for people."""
    with answering(_Page) as url:
        said = Inside(stored.root).run("export", "--iceberg", tmp_path / "lake", FIRM_ICEBERG_CATALOG=url)
    assert said.exit_code == 1
    assert said.err.splitlines()[-1] == (
        "firm: cannot use the Iceberg catalogue: its answer is no ConfigResponse of the REST protocol; check that "
        "FIRM_ICEBERG_CATALOG is the address of a catalogue"
    )


class _Page(Quiet):
    def do_GET(self) -> None:  # noqa: N802 -- the library's
        self.send_whole(200, b"<html>Sign in</html>", {"Content-Type": "text/html"})

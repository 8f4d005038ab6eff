"""`firm doctor` says which keys of registries are missing, and with `--live` which of them are refused."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from connectors.kit.http.client import HttpClient
from firm.demo.sandbox_origin import sandbox_source
from firm.doctor.source_credentials import source_key_findings
from pipelines.settings import IngestSettings
from sandbox import CREDENTIALS, SandboxServer, World, serve
from tests.firm.inside import Inside

STREAM = "stream.companieshouse.gov.uk"
REST = "api.company-information.service.gov.uk"
REGISTER = "apiafr.scb.se"


@pytest.fixture(scope="module")
def registry() -> Iterator[SandboxServer]:
    with serve(World(seed=9, companies=60, days=1, markets=("UK",))) as running:
        yield running


@pytest.fixture
def http(registry: SandboxServer, tmp_path: Path) -> Iterator[HttpClient]:
    """A client of the registry; what a test changes there is undone."""
    streams, rest = registry.desk.streams, registry.desk.rest
    keys = streams.key, rest.key
    with sandbox_source(registry.url, IngestSettings(data=tmp_path)) as origin:
        yield origin.http
    streams.key, rest.key = keys
    registry.troubles.by_path.clear()


def test_keys_that_are_missing_are_named_with_what_hangs_on_them(tmp_path: Path) -> None:
    said = Inside(tmp_path / "data").run("doctor", FIRM_CREDENTIALS=f"{REST}=hush:")
    (line,) = [line for line in said.out.splitlines() if STREAM in line]
    assert line.startswith(f"warn\tno streaming key for {STREAM}\tadd it to FIRM_CREDENTIALS: until then uk.")
    assert f"ok\tkey of the REST API for {REST} is set" in said.out
    assert (
        "no client id and secret for portal.api.bolagsverket.se\tadd it to FIRM_CREDENTIALS: until then se." in said.out
    )
    assert "hush" not in said.out
    assert said.exit_code == 0


def test_keys_that_are_taken(http: HttpClient) -> None:
    found = [what for state, what, _ in source_key_findings(CREDENTIALS, http) if state == "ok"]
    assert f"streaming key for {STREAM} is accepted" in found
    assert f"key of the REST API for {REST} is accepted" in found


def test_a_refused_key_is_bad_and_names_the_setting(http: HttpClient, registry: SandboxServer) -> None:
    registry.desk.streams.key, registry.desk.rest.key = registry.desk.rest.key, registry.desk.streams.key
    bad = {what: advice for state, what, advice in source_key_findings(CREDENTIALS, http) if state == "bad"}
    assert set(bad) == {f"streaming key for {STREAM} is rejected", f"key of the REST API for {REST} is rejected"}
    assert all(advice.startswith("check FIRM_CREDENTIALS for ") for advice in bad.values())


def test_who_does_not_answer_is_no_reason_to_change_a_key(http: HttpClient, registry: SandboxServer) -> None:
    registry.troubles.by_path["/companies"] = "unavailable"
    warned = [what for state, what, _ in source_key_findings({*CREDENTIALS, REGISTER}, http) if state == "warn"]
    assert warned == [f"streaming key for {STREAM} could not be checked"]

"""The same world over HTTP: `firm ingest --sandbox` day by day, with registries that fail in every way."""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sandbox import SandboxServer, World, serve
from sandbox import expected as sandbox_expected
from sandbox.write import api_document_key
from tests.firm.inside import Inside, Said, Told, planned, profiles_on

pytestmark = pytest.mark.slow
MARKETS = ("NO", "UK")  # Sweden over HTTP: test_sweden
WORLD = World(seed=9, companies=120, days=3, markets=MARKETS)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    path = tmp_path_factory.mktemp("told") / "truth.json"
    sandbox_expected.write_truth(WORLD, path, api_document_key)
    return json.loads(path.read_text())


@contextmanager
def registries(day: int, **settings: Any) -> Iterator[SandboxServer]:
    with serve(WORLD, **settings) as registry:
        for _ in range(day):
            registry.advance()
        yield registry


def ingest(firm: Inside, registry: SandboxServer, exit_code: int = 0) -> Said:
    said = firm.run("ingest", *MARKETS, "--sandbox", "--json", FIRM_SANDBOX_URL=registry.url)
    assert said.exit_code == exit_code, said.out + said.err
    assert "Traceback" not in said.err
    return said


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Inside:
    firm = Inside(tmp_path_factory.mktemp("live") / "data", has_dagster=True)
    with registries(0) as registry:
        assert ingest(firm, registry).report["events"] == {}
    return Inside(firm.data)


@pytest.fixture
def firm(loaded: Inside, tmp_path: Path) -> Inside:
    return loaded.copy(tmp_path / "data")


def signalled(told: Told, *days: int) -> dict[str, Any]:
    """Planned events that registers give a sign of to those who ask them daily."""
    return {key: event for key, event in planned(told, *days).items() if event["signalled"]}


def is_the_truth(firm: Inside, told: Told, *days: int) -> bool:
    due = signalled(told, *days)
    found = firm.events()
    assert ([due[key] for key in due.keys() - found], found - due.keys()) == ([], set())
    unseen = {event["company_id"] for event in planned(told, *days).values() if not event["signalled"]}
    served = firm.profiles(told)
    expected = profiles_on(told, days[-1])
    assert served.keys() == expected.keys()
    for company in expected.keys() - unseen:
        assert served[company] == expected[company]
    return True


def test_day_by_day_the_events_are_the_truth(firm: Inside, told: Told) -> None:
    with registries(0) as registry:
        assert ingest(firm, registry).report["release"] is None  # nothing is new on the day that is known
        for day in (1, 2):
            registry.advance()
            ingest(firm, registry)
            assert is_the_truth(firm, told, *range(1, day + 1))


def test_patience_wins_over_passing_troubles(firm: Inside, told: Told) -> None:
    faults = {
        "/enheter/lastned/csv": "rate_limited",
        "/en_output.html": "unavailable",
        "/persons-with-significant-control": "slow_drip",
    }
    with registries(1, faults=faults) as registry:
        registry.troubles.retry_after = 0
        assert ingest(firm, registry).report["held"] == []
        assert registry.requests.count("GET /enheter/lastned/csv") == 0
        for path in ("/enhetsregisteret/api/enheter/lastned/csv", "/en_output.html"):
            assert registry.requests.count(f"GET {path}") == 3
    assert is_the_truth(firm, told, 1)


@pytest.mark.parametrize(
    ("path", "fault", "dataset", "why"),
    [
        ("/enheter/lastned/csv", "html", "no.enheter", "fetch: found .*/lastned/csv.*html"),
        ("/enheter/lastned/csv", "half_rows", "no.enheter", "max_shrink: found 0.5, allowed 0.02"),
        ("/Accounts_Bulk_Data", "cut_off", "uk.accounts", "fetch: found .*Accounts_Bulk_Data.*broke off"),
        ("/BasicCompanyData", "truncated", "uk.companies", "unreadable: found 1, allowed 0"),
        ("/en_pscdata.html", "empty", "uk.psc", "fetch: found .*/en_pscdata.html.*empty"),
    ],
)
def test_what_fails_is_held_and_comes_when_it_is_asked_again(
    path: str, fault: str, dataset: str, why: str, firm: Inside, told: Told
) -> None:
    with registries(1, faults={path: fault}) as registry:
        said = ingest(firm, registry, exit_code=3)
        assert [held["dataset"] for held in said.report["held"]] == [dataset]
        assert said.err.startswith(f"QUARANTINED {dataset}: ")
        assert _matches(why, said.err), said.err
        assert firm.events() <= signalled(told, 1).keys()  # the feeds tell of what a bulk cannot
        registry.troubles.by_path.clear()
        assert ingest(firm, registry).report["held"] == []
    assert is_the_truth(firm, told, 1)


def _matches(pattern: str, text: str) -> bool:
    import re

    return re.search(pattern, text, re.IGNORECASE) is not None


def test_the_next_day_heals_what_was_not_to_be_had(firm: Inside, told: Told) -> None:
    with registries(1, faults={"/enheter/lastned/csv": "html"}) as registry:
        ingest(firm, registry, exit_code=3)
        registry.troubles.by_path.clear()
        registry.advance()
        assert ingest(firm, registry).report["held"] == []
    missing = [event for key, event in signalled(told, 1, 2).items() if key not in firm.events()]
    assert missing == []  # the feed names whom the bulk could not tell of, and they are asked one by one
    unseen = {event["company_id"] for event in planned(told, 1, 2).values() if not event["signalled"]}
    served = firm.profiles(told)
    for company in profiles_on(told, 2).keys() - unseen:
        assert served[company] == profiles_on(told, 2)[company]


def test_without_a_sandbox_it_says_so(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    said = Inside(tmp_path / "data").run("ingest", "--sandbox", FIRM_SANDBOX_URL=url)
    assert (said.exit_code, said.out) == (1, "")
    assert said.err == f"firm: no sandbox responds at {url}: start one with `firm sandbox serve`\n"

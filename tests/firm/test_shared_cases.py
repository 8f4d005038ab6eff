"""Traps of registers' data with one right answer each, through the command (`../shared/cases`; skipped without them).

What each case is, and why, is in its `EXPECT.md`; the checks of `expect.json` are described in the README there. All
cases that the folder holds are run. Belongs here: running them. Does not belong here: tests of the same rules with inputs
of the project's own, which stand with each connector.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
from litestar.testing import TestClient

from api.app import create_app
from api.common.clock import Clock
from api.settings.service import ApiSettings
from firm.bootstrap import Installation
from tests.conftest import ROOT
from tests.firm.inside import Inside
from warehouse.ledger.ledger import Ledger
from warehouse.publish.release_tables import open_release_tables
from warehouse.reader.reader import ReleaseReader

pytestmark = [pytest.mark.sources, pytest.mark.slow]
CASES = ROOT.parent / "shared" / "cases"
SLUGS = sorted(path.parent.name for path in CASES.glob("*/expect.json")) or [""]
ROUNDING = 0.006


@dataclass(frozen=True)
class Outcome:
    """What the installation has after an ingest. signals: of that run. opened: closes the API, where a check asks it."""

    firm: Inside
    signals: int
    opened: ExitStack

    @cached_property
    def client(self) -> TestClient[Any]:
        return self.opened.enter_context(serving(self.firm))

    def satisfies(self, check: dict[str, Any]) -> bool:
        if "either" in check:
            return any(all(map(self.satisfies, way)) for way in check["either"])
        if "signals" in check:
            return self.signals >= check["signals"]
        if "events" in check:
            return sorted(map(str, self.found(check))) == sorted(map(str, check["events"]))
        wanted = check["any"] if "any" in check else [check["want"]]
        return any(is_equal(self.found(check), want) for want in wanted)

    def found(self, check: dict[str, Any]) -> Any:
        if "sql" in check:
            with open_release_tables(self.firm.layout, self.firm.release()) as warehouse:
                return plain([list(row) for row in warehouse.execute(check["sql"]).fetchall()])
        if "get" in check:
            return value_at(self.client.get(check["get"]).json(), check.get("path", ""))
        if "events" in check:
            events = Ledger(self.firm.layout).after(0, 1000)
            return [[event.event_type, json.loads(event.data).get("company_id")] for event in events]
        return self.signals


def plain(value: Any) -> Any:
    """Values of DuckDB as JSON has them."""
    return json.loads(json.dumps(value, default=lambda one: float(one) if hasattr(one, "as_tuple") else str(one)))


def value_at(value: Any, path: str) -> Any:
    head, _, rest = path.partition(".")
    if not path:
        return value
    if head == "*":
        return [value_at(one, rest) for one in value]
    return value_at(value.get(head) if isinstance(value, dict) else None, rest)


def is_equal(found: Any, want: Any) -> bool:
    if isinstance(found, bool) or isinstance(want, bool):
        return found is want
    if isinstance(found, int | float) and isinstance(want, int | float):
        return abs(found - want) < ROUNDING
    if isinstance(found, list) and isinstance(want, list):
        return len(found) == len(want) and all(map(is_equal, found, want))
    return found == want


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with an account, and its key in a file: for each case to copy."""
    data = tmp_path_factory.mktemp("installed") / "data"
    with Installation({}, ApiSettings(data=data)).accounts() as accounts:
        accounts.create_account("owner@example.com", "business")
        (data / "key").write_text(accounts.create_key("owner@example.com", "live").key)
    return data


@contextmanager
def serving(firm: Inside) -> Iterator[TestClient[Any]]:
    """The API over what is published now, with a key."""
    installation = Installation({}, ApiSettings(data=firm.data))
    with installation.database() as database, closing(ReleaseReader(firm.layout)) as reader:
        app = create_app(installation.settings, reader, database, installation.secrets(), Clock(), lambda _: None)
        with TestClient(app) as client:
            client.headers["Authorization"] = f"Bearer {(firm.data / 'key').read_text()}"
            yield client


@pytest.mark.parametrize("slug", SLUGS)
def test_shared_case_gives_its_one_right_answer(slug: str, installed: Path, tmp_path: Path) -> None:
    if not slug:
        pytest.skip("no cases beside the project (../shared/cases)")
    expected = json.loads((CASES / slug / "expect.json").read_text())
    firm = Inside(installed).copy(tmp_path / "data")
    steps = sorted(path for path in (CASES / slug).iterdir() if path.is_dir())
    for number, folder in enumerate(steps, 1):
        at = ("--at", f"{expected['at'][number - 1]}T12:00:00") if "at" in expected else ()
        said = firm.ingest(folder, *expected["markets"], *at)
        with ExitStack() as opened:
            outcome = Outcome(firm, said.report["signals"], opened)
            wrong = [
                (check, outcome.found(check) if "either" not in check else None)
                for check in expected["checks"]
                if check.get("after", len(steps)) == number and not outcome.satisfies(check)
            ]
        assert wrong == []

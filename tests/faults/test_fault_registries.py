"""A registry that fails in one of seven ways while its day is asked for over HTTP: held, told, asked again, healed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from connectors.kit.http.client import HttpSettings
from connectors.kit.http.retry import RetryPolicy
from firm.demo import sandbox_origin
from sandbox import SandboxServer, serve
from tests.faults import of_registries
from tests.faults.declared import Cell, Fault, played_by
from tests.faults.world import MARKET, WORLD, Prepared, State, is_healed
from tests.firm.inside import Inside, Said
from tests.once import made_once

pytestmark = pytest.mark.slow
HOST: Final = "avoindata.prh.fi"
REGISTER: Final = "/all_companies"
FOR_EVER: Final = 1_000_000
AT_ONCE: Final = RetryPolicy(first=0.01, longest=0.02, max_total_seconds=5.0, outage_share=0.0)
SANDBOX: Final = {
    Fault.RATE_LIMITED: "rate_limited",
    Fault.UNAVAILABLE: "unavailable",
    Fault.PAGE: "html",
    Fault.CUT_OFF: "cut_off",
    Fault.SLOW: "slow_drip",
    Fault.HANG: "hang",
}
PATIENCE: Final[Mapping[Fault, Mapping[str, Any]]] = {
    Fault.SLOW: {"max_wait_seconds": 0.1, "min_bytes_per_second": 1 << 30},
    Fault.HANG: {"read_seconds": 0.2},
}


ALWAYS: Final = (Fault.HANG,)
"""Played by every run of the tests; the others where FIRM_TESTS is `full`, for each costs two ingests over HTTP."""

CELLS: Final = [
    cell
    for cell in played_by(of_registries.TEST, of_registries.CELLS)
    if os.environ.get("FIRM_TESTS") == "full" or cell.fault in ALWAYS
]


@contextmanager
def registries(day: int) -> Iterator[SandboxServer]:
    with serve(WORLD) as registry:
        registry.troubles.repeat_count = FOR_EVER
        for _ in range(day):
            registry.advance()
        yield registry


def ask(firm: Inside, registry: SandboxServer) -> Said:
    said = firm.run("ingest", MARKET, "--sandbox", FIRM_SANDBOX_URL=registry.url)
    assert "Traceback" not in said.err
    return said


def prepare(folder: Path) -> None:
    """The world as `world.prepare` makes it, asked for over HTTP."""
    prepared = Prepared(folder)
    with registries(0) as registry:
        assert ask(prepared.loaded, registry).exit_code == 0
        prepared.keep("before", State.of(prepared.loaded.data))
        sound = prepared.loaded.copy(folder / "sound")
        registry.advance()
        assert ask(sound, registry).exit_code == 0
        prepared.keep("after", State.of(sound.data))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return Prepared(made_once(tmp_path_factory, "faults-asked", prepare))


def impatient(fault: Fault) -> Callable[..., HttpSettings]:
    """The settings of the command, but for how long it waits; and one host whose name nobody knows."""

    def made(**given: Any) -> HttpSettings:
        base_urls = given.pop("base_urls")
        if fault is Fault.NAMELESS:
            base_urls = {**base_urls, HOST: "http://registry.invalid"}
        return HttpSettings(**{**given, "retry_policy": AT_ONCE, **PATIENCE.get(fault, {})}, base_urls=base_urls)

    return made


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.fault.name.lower())
def test_a_registry_that_fails(cell: Cell, prepared: Prepared, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    firm = prepared.loaded.copy(tmp_path / "data")
    with registries(1) as registry:
        if cell.fault in SANDBOX:
            registry.troubles.by_path[REGISTER] = SANDBOX[cell.fault]
        with monkeypatch.context() as patch:
            patch.setattr(sandbox_origin, "HttpSettings", impatient(cell.fault))
            met = ask(firm, registry)
        assert met.exit_code == cell.exit_code, met.err
        assert cell.is_said_in(met.err), met.err
        registry.troubles.by_path.clear()
        assert ask(firm, registry).exit_code == 0
    assert is_healed(prepared, firm.data)

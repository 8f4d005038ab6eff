"""Ingests on a disk of their own that fails at one of their steps: run by `test_fault_disks` in a mount namespace.

`on_a_disk.py PREPARED OUT STRIKES`: STRIKES is JSON, `[[fault, step], …]`; what each run said and left is written
to OUT. The disk is a small tmpfs. Full: all that is left of it is taken. Read-only: it is mounted so over
itself, and what is open for writing stays so, as where a file system is remounted after an error.
"""

from __future__ import annotations

import errno
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.faults.declared import Fault
from tests.faults.of_disks import COMMANDS, PLACES
from tests.faults.service_on_a_disk import delivering, serving
from tests.faults.world import Prepared, State, at, is_unharmed, vars_of, watched
from tests.firm.inside import Said

SIZE: Final = "96m"
_CHUNKS: Final = (1 << 20, 1 << 12)
Service = Callable[[Prepared, Path, Callable[[], None], Callable[[], None]], dict[str, Any]]
Disk = tuple[Callable[[Path], None], Callable[[Path], None]]
"""How a disk fails, and how it is well again."""


def main(folder: str, out: str, strikes: str) -> None:
    prepared = Prepared(Path(folder))
    played = [_played(prepared, Fault(fault), step) for fault, step in json.loads(strikes)]
    told = {
        "played": played,
        "delivering": {fault: _service(prepared, delivering, fault) for fault in _DISKS},
        "serving": {Fault.FULL: _service(prepared, serving, Fault.FULL)},
    }
    Path(out).write_text(json.dumps(told))


def _service(prepared: Prepared, plays: Service, fault: Fault) -> dict[str, Any]:
    fails, is_well = _DISKS[fault]
    with _disk() as disk:
        return plays(prepared, disk, partial(fails, disk), partial(is_well, disk))


def _played(prepared: Prepared, fault: Fault, step: str) -> dict[str, Any]:
    fails, is_well = _DISKS[fault]
    place, nth = PLACES[step]
    struck: list[Path] = []

    def strike() -> None:
        struck.append(disk)
        fails(disk)

    with _disk() as disk:
        firm = prepared.loaded.copy(disk / "data")
        ingest = ("ingest", "--from", str(prepared.days[1]))
        command, next_one = COMMANDS.get(step, (ingest, ingest))
        if not place:
            strike()
        with watched(at(place, strike, nth)):
            met = _said(firm.run(*command))
        is_well(disk)
        return {
            "met": met,
            "has_struck": bool(struck),
            "is_unharmed": is_unharmed(prepared, firm.data),
            "again": _said(firm.run(*next_one)),
            "healed": vars_of(State.of(firm.data)),
        }


def _said(said: Said) -> dict[str, Any]:
    return {"exit_code": said.exit_code, "out": said.out, "err": said.err}


@contextmanager
def _disk() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="firm-disk-") as folder:
        _mount("-t", "tmpfs", "-o", f"size={SIZE}", "none", folder)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)


def _fill(disk: Path) -> None:
    """Takes every block that is left."""
    with (disk / "filler").open("ab", buffering=0) as filler:
        for chunk in _CHUNKS:
            try:
                while True:
                    filler.write(bytes(chunk))
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise


def _empty(disk: Path) -> None:
    (disk / "filler").unlink()


def _freeze(disk: Path) -> None:
    _mount("--bind", str(disk), str(disk))
    _mount("-o", "remount,bind,ro", str(disk))


def _thaw(disk: Path) -> None:
    subprocess.run(["umount", "--lazy", str(disk)], check=True)


_DISKS: Final[dict[Fault, Disk]] = {Fault.FULL: (_fill, _empty), Fault.READ_ONLY: (_freeze, _thaw)}


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Every cell of the table of faults."""

from __future__ import annotations

from typing import Final

from tests.faults import of_clocks, of_databases, of_disks, of_processes, of_registries, of_stored
from tests.faults.declared import Cell, Untouched

_DECLARED: Final = (of_registries, of_disks, of_clocks, of_processes, of_databases, of_stored)
CELLS: Final[tuple[Cell, ...]] = tuple(cell for declared in _DECLARED for cell in declared.CELLS)
UNTOUCHED: Final[tuple[Untouched, ...]] = tuple(untouched for declared in _DECLARED for untouched in declared.UNTOUCHED)

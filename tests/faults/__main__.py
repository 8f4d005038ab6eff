"""`python -m tests.faults`: writes docs/faults.md anew."""

from __future__ import annotations

from tests.faults.document import document
from tests.faults.matrix import CELLS, UNTOUCHED
from tests.faults.steps import every_step
from tests.firm.conftest import ROOT

if __name__ == "__main__":
    path = ROOT / "docs" / "faults.md"
    path.write_text(document(every_step(), CELLS, UNTOUCHED), encoding="utf-8")

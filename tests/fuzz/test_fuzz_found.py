"""Every case that ever broke a promise is judged again: a dataset answers it, or says Unreadable.

Folders that begin with `memory` or `death` are judged in a process with limits, the others here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz import found
from tests.fuzz.case import Case, Finding
from tests.fuzz.held import judged
from tests.fuzz.running import Hunt
from tests.fuzz.targets import targets

CASES = list(found.cases())
COSTLY = ("memory", "death")


@pytest.mark.parametrize(("target", "what", "case"), [pytest.param(*one, id=f"{one[0]}/{one[1]}") for one in CASES])
def test_what_was_found_stays_mended(target: str, what: str, case: Case, tmp_path: Path) -> None:
    if what.startswith(COSTLY):
        answer = Hunt(tmp_path).judged(Finding(target, what, "", "", case))
    else:
        answer = judged(targets()[target].judge, target, case)
    assert not isinstance(answer, Finding), f"{answer.kind} at {answer.place}: {answer.told}"


def test_targets_of_what_was_found_are_still_there() -> None:
    assert {target for target, _, _ in CASES} <= targets().keys()

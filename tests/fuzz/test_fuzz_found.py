"""Every case that ever broke a promise is judged again: a dataset answers it, or says Unreadable."""

from __future__ import annotations

import pytest

from tests.fuzz import found
from tests.fuzz.case import Case, Finding
from tests.fuzz.child import judged
from tests.fuzz.targets import targets

CASES = list(found.cases())


@pytest.mark.parametrize(
    ("target", "case"), [pytest.param(key, case, id=f"{key}/{what}") for key, what, case in CASES]
)
def test_what_was_found_stays_mended(target: str, case: Case) -> None:
    answer = judged(targets()[target], case)
    assert not isinstance(answer, Finding), f"{answer.kind} at {answer.place}: {answer.told}"

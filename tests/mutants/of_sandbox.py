"""Breaks of the sandbox world: what it states as its truth is what the product is compared with."""

from typing import Final

from tests.mutants.mutant import Mutant

SANDBOX: Final = (
    Mutant(
        "sandbox: a Norwegian number has a check digit that no register gives",
        "sandbox/numbers.py",
        "return 0 if rest == 0 else 11 - rest",
        "return rest",
        "tests/sandbox/test_sandbox_world.py::test_numbers_are_valid_and_lead_back_to_their_position",
    ),
    Mutant(
        "sandbox: a page of the Danish register begins with the last hit of the one before",
        "sandbox/dk/elasticsearch.py",
        "left = hits if search.after is None else [entry for entry in hits if entry.sort > search.after]",
        "left = hits if search.after is None else [entry for entry in hits if entry.sort >= search.after]",
        "tests/sandbox/dk/test_dk_http.py::test_pages_follow_each_other_without_loss",
    ),
)

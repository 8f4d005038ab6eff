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
)

"""Thousands of small worlds whose history is in plain objects: replay, rebuild, and what was known hold in all."""

import pytest
from hypothesis.stateful import run_state_machine_as_test

from tests.model.worlds import SmallWorlds, number_of_worlds, world_settings


@pytest.mark.slow
def test_plain_worlds_hold() -> None:
    run_state_machine_as_test(SmallWorlds, settings=world_settings(number_of_worlds()))

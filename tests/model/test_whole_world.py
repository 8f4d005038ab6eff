"""Small worlds with everything on disk: the same must hold as in the many whose history is in plain objects."""

import pytest
from hypothesis.stateful import run_state_machine_as_test

from tests.model.worlds import PLAIN_PER_WHOLE, WholeWorlds, number_of_worlds, world_settings


@pytest.mark.slow
def test_whole_worlds_hold() -> None:
    run_state_machine_as_test(WholeWorlds, settings=world_settings(max(1, number_of_worlds() // PLAIN_PER_WHOLE)))

"""Every attack for a moment: a second client is answered, the attacker gets no 5xx, and memory stays."""

from collections import Counter
from pathlib import Path

import pytest

from tests.api.fixtures.release_data import whole_world
from tests.attacks.__main__ import MOST_BYTES
from tests.attacks.attacks import ATTACKS
from tests.attacks.bystander import measure
from tests.attacks.service import serving

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="reads memory from /proc"),
]
BEGUN_SECONDS = 0.5


def test_no_attack_stops_the_service_for_others(tmp_path: Path) -> None:
    world = whole_world(tmp_path / "world")
    with serving(world.layout.root, tmp_path / "served.log") as target:
        noticed = list(measure(target, BEGUN_SECONDS))
    assert [one.attack for one in noticed] == [attack.name for attack in ATTACKS]
    assert sum((one.answers for one in noticed), Counter()).keys() == {200}
    assert [(one.attack, one.outcomes) for one in noticed if any(status[0] == "5" for status in one.outcomes)] == []
    assert [(one.attack, one.added_bytes) for one in noticed if one.added_bytes > MOST_BYTES] == []
    assert "Traceback" not in (tmp_path / "served.log").read_text()

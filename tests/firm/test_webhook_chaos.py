"""Nothing is lost, whatever dies: every event is acknowledged, or held or failed with its log.

See docs/contract/contract.md 4.7.

By default a twentieth of the whole; FIRM_CHAOS=full runs 20,000 deliveries to 200 endpoints, and compares how long
healthy endpoints wait with and without the sick ones beside them.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.firm.chaos import Chaos, Ended, Shape, percentile
from tests.stoppable import Stoppable, stoppable

pytestmark = pytest.mark.slow

IS_FULL = os.environ.get("FIRM_CHAOS") == "full"
SHAPE = Shape(endpoints=200, events=100, workers=3, kills=8, restarts=2) if IS_FULL else Shape(40, 25, 2, 3, 1)
SINGLE = Shape(40, 10, workers=1, kills=2, restarts=0)
IN_FLIGHT = 256  # the default: what one worker may have under way when it is killed


@pytest.fixture
def server() -> Iterator[Stoppable]:
    """It may lose what it has not committed and nothing else."""
    with stoppable() as running:
        yield running


def test_chaos_loses_nothing(tmp_path: Path, server: Stoppable) -> None:
    """Several workers on PostgreSQL."""
    ended = _run(tmp_path / "sick", server, SHAPE.behaviours)
    _judge(ended, SHAPE)
    _report("chaos", ended)
    if IS_FULL:
        well = _run(tmp_path / "well", server, ["healthy"] * SHAPE.behaviours.count("healthy"))
        _report("the same without the sick", well)
        slower = percentile(ended.latencies(), 0.99) / percentile(well.latencies(), 0.99)
        sys.stdout.write(f"p99 of healthy endpoints beside sick ones: {slower:.2f} times that without them\n")
        assert slower <= 3


def _run(folder: Path, server: Stoppable, behaviours: list[str]) -> Ended:
    folder.mkdir()

    def crash() -> None:
        server.stop()
        server.start()

    ended = Chaos(folder, server.new_database(), SHAPE, crash).run(behaviours)
    assert (ended.kills, ended.restarts) == (SHAPE.kills, SHAPE.restarts)
    return ended


def test_chaos_with_one_worker_on_sqlite_loses_nothing(tmp_path: Path) -> None:
    ended = Chaos(tmp_path, "", SINGLE, None).run(SINGLE.behaviours)
    assert ended.kills == SINGLE.kills
    _judge(ended, SINGLE)
    _report("chaos on SQLite", ended)


def _judge(ended: Ended, shape: Shape) -> None:
    for promise in (_is_complete, _is_logged, _is_true_to_receivers, _repeats_no_more_than_it_must, _tells_owners):
        promise(ended, shape)
    assert ended.seen["forged"] == 0, "every post carries its endpoint's signature"
    assert ended.exit_codes == [0] * shape.workers, "the last workers ended as they were asked to"


def _is_complete(ended: Ended, shape: Shape) -> None:
    """Every event for every endpoint, once, and settled."""
    found = Counter((ended.addresses[row.subscription_id], row.event_id) for row in ended.rows)
    assert len(ended.event_ids) == shape.events
    assert found == {(address, one): 1 for address in ended.behaviours for one in ended.event_ids}
    assert {row.status for row in ended.rows} <= {"succeeded", "failed", "held"}
    assert ended.queued == 0


def _is_logged(ended: Ended, shape: Shape) -> None:
    """Whatever became of a delivery, its log says so."""
    for row in ended.rows:
        assert row.logged == row.attempt_count, row
        if row.status == "succeeded":
            assert row.successes >= 1, row
        else:
            assert row.subscription_status == "paused", row
            assert row.status_reason == "retries_exhausted", row
            assert row.tries == 6 or row.status == "held", row
            assert row.logged >= row.tries, row
    failed = {row.subscription_id for row in ended.rows if row.status == "failed"}
    held = {row.subscription_id for row in ended.rows if row.status == "held"}
    assert held <= failed, "what is held is held because another one failed for good"


def _is_true_to_receivers(ended: Ended, shape: Shape) -> None:
    """What the log calls delivered was acknowledged; endpoints that can be reached got everything."""
    for row in ended.rows:
        address = ended.addresses[row.subscription_id]
        _, acknowledged, _ = ended.seen["events"][address].get(row.event_id, (0, 0, None))
        if row.status == "succeeded":
            assert acknowledged >= 1, row
        if ended.behaviours[address] in ("healthy", "drip_body"):
            assert row.status == "succeeded", row
        if ended.behaviours[address] in ("hang", "reset", "drip_head"):
            assert row.status in ("failed", "held"), row


def _repeats_no_more_than_it_must(ended: Ended, shape: Shape) -> None:
    """A post without its log is one that a kill, or a restart, kept from being written: few, and known."""
    unlogged = 0
    for row in ended.rows:
        address = ended.addresses[row.subscription_id]
        posts, _, _ = ended.seen["events"][address].get(row.event_id, (0, 0, None))
        assert posts - row.logged <= ended.kills + ended.restarts, row
        assert row.logged - posts <= row.logged, row
        unlogged += max(0, posts - row.logged)
    assert unlogged <= ended.kills * IN_FLIGHT


def _tells_owners(ended: Ended, shape: Shape) -> None:
    """One pause mail for each paused subscription, and at the mail server once but for kills."""
    paused = {row.subscription_id for row in ended.rows if row.subscription_status == "paused"}
    written = [mail for mail in ended.mails if mail.occasion.startswith("paused:")]
    assert {mail.occasion.split(":")[1] for mail in written} == paused
    assert len(written) == len(paused)
    assert all(mail.sent_at is not None for mail in ended.mails)
    came = Counter(message_id for message_id, _ in ended.seen["mails"])
    assert len(came) == len(ended.mails)
    assert sum(came.values()) - len(came) <= ended.kills


def _report(name: str, ended: Ended) -> None:
    statuses = Counter(row.status for row in ended.rows)
    waits = ended.latencies()
    sys.stdout.write(
        f"\n{name}: {len(ended.rows)} deliveries in {ended.seconds:.1f} s, {dict(statuses)}, "
        f"{ended.seen['posts']} posts, {sum(row.logged for row in ended.rows)} logged, {ended.kills} kills, "
        f"{ended.restarts} restarts; healthy p50 {percentile(waits, 0.5):.2f} s, p99 {percentile(waits, 0.99):.2f} s\n"
    )

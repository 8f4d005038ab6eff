"""The webhook benchmarks run, at a size that proves nothing, and notice what was not delivered."""

import pytest

from api.database.models.webhooks import Delivery


@pytest.mark.slow
def test_matching_is_measured_beside_the_barest_statement() -> None:
    bench = pytest.importorskip("benchmarks.bench_webhook_matching")
    (told,) = bench.run(events=20, rows=2_000, subscriptions=150)
    assert told["name"].startswith("20 events against 2,000 (subscription, company) rows: 2,0")
    assert told["unit"] == "s"
    assert told["ours_s"] > 0
    assert told["peer_s"] >= 0


def test_receivers_count_what_a_peer_posts() -> None:
    peers = pytest.importorskip("benchmarks.webhook_peers")
    receivers = pytest.importorskip("benchmarks.webhook_receivers")
    events = pytest.importorskip("benchmarks.webhook_events")
    with receivers.receiving(2) as receiving:
        told = peers.posting("aiohttp", receiving.urls, events.bodies(3), 128)
        assert told.posts == 128
        # every connection posts once before the clock runs; nothing of it says which event it is
        assert receiving.ask("count") == {"count": 128 + peers.CONNECTIONS, "distinct": 0}
        assert receiving.ask("forget") == {"count": 0, "distinct": 0}


@pytest.mark.slow
def test_a_backlog_is_drained_and_what_is_missing_is_noticed(tmp_path) -> None:
    bench = pytest.importorskip("benchmarks.bench_webhooks")
    service = pytest.importorskip("benchmarks.webhook_service")
    worlds = pytest.importorskip("benchmarks.webhook_world")
    receivers = pytest.importorskip("benchmarks.webhook_receivers")
    with receivers.receiving(2) as receiving:
        world = worlds.World(tmp_path / "data")
        try:
            world.subscribe(worlds.Target(url) for url in receiving.urls)
            world.publish(range(5))
            assert bench.match(world) == 5
            assert world.count(Delivery) == 10
            with pytest.raises(service.NotDelivered, match="0 of 10 succeeded"):
                service.check(world, 10)
            with service.delivering(world, tmp_path / "deliver.log"):
                service.arrived(receiving, 10)
                service.logged(world)
            assert service.check(world, 10) >= 0
        finally:
            world.close()

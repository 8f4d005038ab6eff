"""Real, retry and replay sends go through one guard; test sends do too: `deliveries/test_test_delivery.py`.

See docs/contract/delivery.md 5.
"""

import asyncio
from datetime import timedelta

import pytest

from api.database.models.webhooks import Attempt, Delivery
from api.settings.webhooks import WebhookSettings
from api.webhooks.deliveries.service import DeliveryScope, ReplayRequest, retry_delivery, start_replay
from api.webhooks.egress.http_client import WebhookClient
from tests.api.fixtures.delivery_engine import ACCOUNT, controlled, exhaust, through

OPEN = WebhookSettings(allow_http=True)
"""http and any port for the trap's sake; no address that is not public."""
HOSTS = ["127.0.0.1", "localhost", "hooks.example.com"]


async def rebound(host):
    """The name was public when the subscription was made."""
    return ["127.0.0.1"]


@pytest.mark.parametrize("host", HOSTS)
def test_real_retry_and_replay_sends_are_blocked_alike(egress, control_url, host):
    async def scenario():
        async with controlled(control_url) as control, egress.Receiver() as trap:
            sender = WebhookClient(OPEN, control.hands.clock, rebound)
            worker = control.worker(sender)
            subscription_id = control.subscribe(trap.url(host) + "?token=secret")
            (delivery_id,) = control.deliver(subscription_id)
            began = control.hands.clock.now()
            await through(control, worker)  # all of the schedule: it fails for good, and pauses
            place = DeliveryScope(ACCOUNT, subscription_id, began - timedelta(days=30), 30)
            now = control.hands.clock.now()
            with control.writing() as connection:
                retry_delivery(connection, place, delivery_id, control.ulids.make("att"), now)
            await exhaust(worker)
            control.hands.move(1)
            control.change(subscription_id, status="active", status_reason=None)
            with control.writing() as connection:
                asked = ReplayRequest(began - timedelta(seconds=1), now, ["failed"], None)
                start_replay(connection, place, asked, control.ulids.make("rpl"), control.hands.clock.now())
            await through(control, worker, until=0)
            attempts = control.rows(Attempt, Attempt.delivery_id == delivery_id)
            await sender.close()
            return attempts, control.rows(Delivery)[0], trap

    attempts, delivery, trap = egress.run(scenario())
    assert [one.trigger for one in attempts] == ["schedule"] * 6 + ["manual", "replay"]
    for one in attempts:
        assert (one.outcome, one.error) == ("failed", "blocked_address")
        assert one.remote_ip is one.response_status is one.response_headers is one.response_body is None
        assert one.request_url == trap.url(host)
    assert (delivery.status, delivery.last_error) == ("retrying", "blocked_address")
    assert trap.connections == 0


def test_a_name_that_becomes_public_again_is_reached(egress, control_url):
    """What was blocked is tried anew, with a new look-up: nothing is remembered of it."""
    answers = egress.lookup(hooks_example_com=[["10.0.0.1"], ["127.0.0.1"]])

    async def scenario():
        async with controlled(control_url) as control, egress.Receiver() as receiver:
            sender = WebhookClient(
                WebhookSettings(allow_http=True, allow_networks=egress.LOOPBACK), control.hands.clock, answers
            )
            subscription_id = control.subscribe(receiver.url("hooks.example.com"))
            (delivery_id,) = control.deliver(subscription_id)
            await through(control, control.worker(sender))
            await sender.close()
            return [(one.error, one.remote_ip) for one in control.attempts(delivery_id)]

    assert asyncio.run(scenario()) == [("blocked_address", None), (None, "127.0.0.1")]

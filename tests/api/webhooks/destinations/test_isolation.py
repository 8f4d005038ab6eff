"""Queues and buckets beside other subscriptions: none waits for one that hangs, and a killed worker loses nothing."""

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from api.database.models.webhooks import Attempt, QueuedAttempt
from api.webhooks.destinations.opening import destination_columns
from tests.api.fixtures.amazon import Amazon
from tests.api.fixtures.delivery_engine import (
    LOCAL,
    SEALER,
    Control,
    Running,
    controlled,
    receiver,
    running,
    sender,
    until,
)
from tests.api.webhooks.destinations.conftest import KEY

pytestmark = pytest.mark.anyio
ROOT = Path(__file__).parents[4]


def subscribed(control: Control, place: dict[str, str]) -> str:
    columns = destination_columns(place | KEY, SEALER)
    return control.subscribe(columns.pop("endpoint_url"), **columns)


async def test_a_bucket_that_hangs_does_not_hold_other_subscriptions(tmp_path: Path, aws: Amazon) -> None:
    answered = 0

    async def take(_: web.Request) -> web.Response:
        nonlocal answered
        answered += 1
        return web.Response(status=204)

    aws.hung.add("hangs")
    database = f"sqlite:///{tmp_path / 'control.sqlite'}"
    async with controlled(database, Running()) as control, receiver(take) as url:
        hanging = [subscribed(control, aws.bucket(f"hangs-{one}")) for one in range(3)]
        control.deliver(*hanging, count=30)
        well = [subscribed(control, aws.bucket("well")), subscribed(control, aws.queue("well")), control.subscribe(url)]
        control.deliver(*well, count=10)
        settings: dict[str, Any] = {"allow_networks": LOCAL, "allow_http": True}
        worker = control.worker(sender(ack_seconds=30), ack_seconds=30, lease_seconds=60, **settings)
        async with running(worker):
            await until(lambda: answered == 10 and len(aws.messages("well")) == 10 and len(aws.objects("well")) == 1)
            await until(lambda: control.count(Attempt) == 30)
            assert aws.waiting >= 1, "they hang still"
            assert not any(aws.objects(f"hangs-{one}") for one in range(3))
            aws.gate.set()
            await until(lambda: control.statuses() == {"succeeded": 120})
    aws.hung.clear()


@pytest.mark.slow
async def test_kill_9_between_send_and_commit_repeats_ids_and_keys(tmp_path: Path, aws: Amazon) -> None:
    """A process is killed after an answer and before its commit: a message comes again with its id, an object once."""
    control_url = f"sqlite:///{tmp_path / 'control.sqlite'}"
    async with controlled(control_url, Running()) as control:
        queue, bucket = subscribed(control, aws.queue("killed")), subscribed(control, aws.bucket("killed"))
        control.deliver(queue, count=6)
        control.deliver(bucket, count=20)
        for kill_after in (2, 0):
            command = [
                sys.executable,
                "-m",
                "tests.api.webhooks.delivery.killed_worker",
                control_url,
                f"k{kill_after}",
                "1",
            ]
            environment = os.environ | {"KILL_AFTER": str(kill_after)}
            process = subprocess.Popen(command, cwd=ROOT, env=environment)  # noqa: ASYNC220 -- it starts at once
            try:
                if kill_after:
                    await until(lambda process=process: process.poll() is not None)
                    assert process.returncode == -signal.SIGKILL
                    assert control.count(QueuedAttempt) > 0
                else:
                    await until(lambda: control.statuses() == {"succeeded": 26})
            finally:
                process.kill()
                process.wait()
    sent = Counter(one.message_attributes["webhook-id"]["StringValue"] for one in aws.messages("killed"))
    assert len(sent) == 6, "none lost"
    puts = [one for one in aws.asked if one.startswith("PUT /killed/firm/")]
    assert len(set(puts)) == len(aws.objects("killed")) == 1
    assert sum(sent.values()) + len(puts) > 7, "what was answered and not written is repeated"

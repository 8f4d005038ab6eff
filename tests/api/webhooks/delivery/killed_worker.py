"""A worker as a process of its own; with KILL_AFTER it is killed between an answer and the commit of its log.

Called by tests: `python -m tests.api.webhooks.delivery.killed_worker <database url> <name> <lease seconds>`.
"""

import asyncio
import os
import signal
import sys

from api.common.clock import Clock
from api.common.ids import UlidGenerator
from api.database.engine import Database
from api.settings.webhooks import WebhookSettings
from api.webhooks.delivery.worker import DeliveryWorker
from api.webhooks.egress.attempt_result import AttemptResult
from api.webhooks.egress.http_client import WebhookClient
from api.webhooks.egress.payload import OutgoingRequest
from tests.api.fixtures.delivery_engine import LOCAL, SEALER


class Killing(WebhookClient):
    """The genuine egress; after so many answers the process is gone before anything of the last is written."""

    left = int(os.environ.get("KILL_AFTER", "0"))

    async def send(self, post: OutgoingRequest) -> AttemptResult:
        outcome = await super().send(post)
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return outcome


async def main(url: str, name: str, lease: float) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    settings = WebhookSettings(lease_seconds=lease, ack_seconds=0.5, allow_networks=LOCAL, allow_http=True)
    clock, database = Clock(), Database(url)
    sender = Killing(settings, clock)
    await DeliveryWorker(database, SEALER, sender, settings, clock, UlidGenerator(clock.wall), name).run(stop)
    await sender.close()
    database.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))

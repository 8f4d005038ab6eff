"""A worker as a process of its own; with KILL_AFTER it is killed between an answer and the commit of its log.

Called by tests: `python -m tests.api.killed_worker <database url> <name> <lease seconds>`.
"""

import asyncio
import os
import signal
import sys

from api.clock import Clock
from api.db.engine import Database
from api.ulids import Ulids
from api.webhooks.outcomes import Outcome
from api.webhooks.posts import Post
from api.webhooks.sending import Sender
from api.webhooks.settings import WebhookSettings
from api.webhooks.worker import Worker
from tests.api.engine_world import LOCAL, SEALER


class Killing(Sender):
    """The genuine egress; after so many answers the process is gone before anything of the last is written."""

    left = int(os.environ.get("KILL_AFTER", "0"))

    async def send(self, post: Post) -> Outcome:
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
    await Worker(database, SEALER, sender, settings, clock, Ulids(clock.wall), name).run(stop)
    await sender.close()
    database.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3])))

"""Sends links to sign in: at once, beside the requests, and again for as long as they would be of use.

They do not lie in the outbox of notices: a link that is stored can be used by whoever reads the database. A
process that ends before a server took its mails forgets them, and whoever waits asks for another. Does not belong
here: SMTP (`api.webhooks.smtp`), or the words (`api.dashboard.letters`).
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from api.webhooks.settings import MailSettings
from api.webhooks.smtp import Letter, MailServer, Refused, Unreachable

_LOGGER: Final = logging.getLogger("firm.mail")
_WAITS: Final = (0.0, 10.0, 60.0, 120.0, 240.0)
"""Seconds before each attempt: servers that greylist take the second or third. A link lasts longer than all."""
_MOST: Final = 500
_CONNECTIONS: Final = 4

Sleep = Callable[[float], Awaitable[None]]


class Postman:
    """The mails of one process that are on their way."""

    def __init__(self, settings: MailSettings, sleep: Sleep = asyncio.sleep) -> None:
        self._settings = settings
        self._sleep = sleep
        self._connections = asyncio.Semaphore(_CONNECTIONS)
        self._under_way: set[asyncio.Task[None]] = set()

    def post(self, letter: Letter) -> None:
        """Takes a mail and returns; what becomes of it stands in the log, without the address."""
        if not self._settings.host:
            _LOGGER.warning(
                "somebody asked for a link to sign in, and no mail server is set (FIRM_SMTP_HOST): "
                "make one with `firm accounts link`"
            )
            return
        if len(self._under_way) >= _MOST:
            _LOGGER.error("%d links to sign in wait to be mailed: %s is dropped", _MOST, letter.mail_id)
            return
        task = asyncio.get_running_loop().create_task(self._deliver(letter))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def close(self) -> None:
        """Breaks off what is under way."""
        for task in self._under_way:
            task.cancel()
        if self._under_way:
            await asyncio.wait(self._under_way)

    async def _deliver(self, letter: Letter) -> None:
        for wait in _WAITS:
            await self._sleep(wait)
            try:
                await self._send(letter)
            except Unreachable as error:
                _LOGGER.warning("mail %s was not sent: %s", letter.mail_id, error)
            except Refused as error:
                _LOGGER.warning("mail %s was refused: %s", letter.mail_id, error)
                if error.is_final:
                    return
            else:
                return
        _LOGGER.error("mail %s is given up: whoever waits for it asks for another link", letter.mail_id)

    async def _send(self, letter: Letter) -> None:
        async with self._connections:
            server = MailServer(self._settings)
            try:
                await server.send(letter)
            finally:
                await server.close()

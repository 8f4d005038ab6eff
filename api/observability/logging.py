"""Standard logging as JSON lines: errors, warnings, start and stop, with the request id if there is one.

Does not belong here: the line per request (`api.observability.access_log`).
"""

import logging
import sys
from datetime import UTC, datetime
from typing import Final, TextIO

import msgspec

from api.common.redaction import redact
from api.http.context import current_request_id

LOGGER: Final = logging.getLogger("firm.api")


class JsonFormatter(logging.Formatter):
    """One JSON object per record; keys are redacted in messages and stack traces alike."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.name,
            "message": redact(record.getMessage()),
        }
        request_id = current_request_id()
        if request_id is not None:
            line["request_id"] = request_id
        if record.exc_info:
            line["exception"] = redact(self.formatException(record.exc_info))
        return msgspec.json.encode(line).decode()


def configure_logging(stream: TextIO = sys.stderr) -> None:
    """Sends all logs of this process to `stream` as JSON lines; called once, by the serving process."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)

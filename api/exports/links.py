"""Links to bulk files: an encrypted text with the file and the end of its validity, which needs no key.

Does not belong here: HTTP (`api.exports.routes`).
"""

import base64
import binascii
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from api.auth.encryption import SealingError, SecretBox
from api.common.clock import Clock
from api.problems.problem import ProblemError, new_problem
from api.settings.service import ApiSettings
from warehouse.reader.export_files import ExportFile
from warehouse.storage.layout import Layout

LIFETIME: Final = timedelta(minutes=15)
PREFIX: Final = "firm_link_"  # so that logs redact links as they redact keys
LONGEST: Final = 1_000
PATTERN: Final = f"^{PREFIX}[0-9a-f]{{2,900}}$"
_PURPOSE: Final = "export file"


class LinkedFile(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """What a link is to: a path below the folder of all exports, its digest and size; expires: in Unix time."""

    purpose: str
    path: str
    sha256: str
    size: int
    expires: int


@dataclass(frozen=True, slots=True)
class ExportLinks:
    """Issues links and reads them. The key is that of other stored secrets, so that links work on every machine."""

    secret_box: SecretBox
    clock: Clock

    def expiry(self) -> datetime:
        """When links that are issued now expire."""
        return self.clock.now().replace(microsecond=0) + LIFETIME

    def issue(self, file: ExportFile, expires: datetime) -> str:
        """The last segment of a link's path."""
        content = LinkedFile(_PURPOSE, file.path, file.sha256, file.bytes, int(expires.timestamp()))
        sealed = self.secret_box.seal(msgspec.json.encode(content).decode())
        return PREFIX + base64.urlsafe_b64decode(sealed).hex()

    def read(self, text: str) -> LinkedFile:
        """The file that a link is to; 404 if it was not issued here, or has expired."""
        linked = self._opened(text)
        if linked is None or linked.purpose != _PURPOSE:
            raise not_available_problem("This is no link to an export.")
        if self.clock.now().timestamp() >= linked.expires:
            raise not_available_problem("The link has expired: links are valid for 15 minutes.")
        return linked

    def _opened(self, text: str) -> LinkedFile | None:
        if not text.startswith(PREFIX) or len(text) > LONGEST:
            return None
        try:
            sealed = base64.urlsafe_b64encode(bytes.fromhex(text.removeprefix(PREFIX)))
            return msgspec.json.decode(self.secret_box.open(sealed), type=LinkedFile)
        except (ValueError, binascii.Error, SealingError, msgspec.MsgspecError):
            return None


def not_available_problem(detail: str) -> ProblemError:
    """404 for a link that leads to no file."""
    return new_problem("export_not_available", f"{detail} List the exports again for a new link.")


def exports_folder(settings: ApiSettings) -> Path:
    """The folder of all exports."""
    return Layout(settings.data).exports_folder

"""The two cookies of the dashboard: the session after sign-in, the visitor before it.

Over https their names begin with `__Host-`, which no other host of the domain can set. Does not belong here:
the meaning of their values (`api.dashboard.sessions`).
"""

from typing import Final

from api.auth.session_tokens import TokenKind, is_token
from api.http.responses import Header

_NAMES: Final = {"session": "firm_session", "visitor": "firm_visitor"}
_ATTRIBUTES: Final = "Path=/; HttpOnly; SameSite=Lax"


class DashboardCookies:
    """Reads and writes the cookies; `is_secure` if the service is reached over https."""

    __slots__ = ("_attributes", "_prefix")

    def __init__(self, is_secure: bool) -> None:
        self._prefix = "__Host-" if is_secure else ""
        self._attributes = f"{_ATTRIBUTES}; Secure" if is_secure else _ATTRIBUTES

    def read(self, header: bytes | None, kind: TokenKind) -> str | None:
        """The token of that kind; None if there is none, or several: one of them was set by another site."""
        name = self._cookie_name(kind)
        found = [
            value.strip()
            for given, equals, value in (one.partition("=") for one in (header or b"").decode("latin-1").split(";"))
            if equals and given.strip() == name
        ]
        return found[0] if len(found) == 1 and is_token(kind, found[0]) else None

    def write(self, kind: TokenKind, token: str, seconds: int | None = None) -> Header:
        """Sets a cookie; without `seconds` it lasts until the browser is closed."""
        lasting = "" if seconds is None else f"; Max-Age={seconds}"
        return b"set-cookie", f"{self._cookie_name(kind)}={token}; {self._attributes}{lasting}".encode()

    def forget(self, kind: TokenKind) -> Header:
        return self.write(kind, "", 0)

    def _cookie_name(self, kind: TokenKind) -> str:
        return self._prefix + _NAMES[kind]

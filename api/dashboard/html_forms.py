"""Parses HTML forms within limits, and accepts them only from the dashboard's own pages (CSRF protection); error pages.

Two independent checks against other sites: the browser reports that the page is of this host, and the form
carries the token that only this browser's pages have. Does not belong here: the meaning of the fields, or problems of
the API (`api.problems.problem`), which pages show with their title and detail.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from litestar.types import Receive
from sqlalchemy.exc import SQLAlchemyError

from api.http.form_body import FORM_TYPE, MalformedFormError, form_fields
from api.http.json_body import read_full_body
from api.problems.problem import service_unavailable_problem


@dataclass(eq=False, slots=True)
class PageError(Exception):
    """An error page. `advice` explains what the user can do."""

    status: int
    title: str
    advice: str


@contextmanager
def unavailable_without_database(message: str) -> Iterator[None]:
    """503 with this message if the database fails within the block."""
    try:
        yield
    except SQLAlchemyError as error:
        raise service_unavailable_problem(message, retry_after=2) from error


Form = Mapping[str, str]
TOKEN_FIELD: Final = "form_token"  # noqa: S105 -- a name
FORM_LIMIT: Final = 16_384
"""Default limit of a form in bytes."""
_OURS: Final = (b"same-origin", b"none")


def check_form_origin(incoming: Mapping[bytes, bytes], public_url: str) -> None:
    """Rejects forms that the browser reports as cross-origin; old browsers report nothing."""
    site = incoming.get(b"sec-fetch-site")
    if site is not None and site not in _OURS:
        raise cross_origin_form_error()
    origin = incoming.get(b"origin")
    if origin is None:
        return
    hosts = {incoming.get(b"host", b"").decode("latin-1").lower(), urlsplit(public_url).netloc.lower()}
    scheme, separator, host = origin.decode("latin-1").lower().partition("://")
    if not separator or scheme not in ("http", "https") or host not in hosts:
        raise cross_origin_form_error()


async def read_form(incoming: Mapping[bytes, bytes], receive: Receive, limit: int) -> Form:
    """The form's fields, each once; 413 if it exceeds the limit."""
    media_type = incoming.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if media_type != FORM_TYPE:
        raise PageError(415, "The form could not be read", "Send the form as application/x-www-form-urlencoded.")
    received = await read_full_body(receive, limit)
    if received is None:
        raise _unreadable_form_error()
    try:
        return form_fields(received)
    except MalformedFormError:
        raise _unreadable_form_error() from None


def cross_origin_form_error() -> PageError:
    """Error for a form that was not sent from our pages in this browser."""
    return PageError(
        403,
        "This form has expired",
        "The page is too old, or the form was sent from another site. Go back, reload the page and "
        "send the form again.",
    )


def _unreadable_form_error() -> PageError:
    return PageError(400, "The form could not be read", "Go back, reload the page and send the form again.")

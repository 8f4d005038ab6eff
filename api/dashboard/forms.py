"""What a form sends: read within bounds, and only where it comes from a page of ours.

Two things must hold, each enough against other sites: the browser says that the page is of this host, and the form
carries the token that only pages for this browser have. Does not belong here: what the fields mean.
"""

from collections.abc import Mapping
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from litestar.types import Receive

from api.bodies import read_whole
from api.dashboard.refusals import Refused

Form = Mapping[str, str]
TOKEN_FIELD: Final = "form_token"  # noqa: S105 -- a name
FORM_LIMIT: Final = 16_384
"""Bytes of a form that says nothing else."""
_FIELDS: Final = 50
_FORM: Final = b"application/x-www-form-urlencoded"
_OURS: Final = (b"same-origin", b"none")


def check_origin(incoming: Mapping[bytes, bytes], public_url: str) -> None:
    """Refuses what a browser says was sent by a page of another origin; old browsers say nothing."""
    site = incoming.get(b"sec-fetch-site")
    if site is not None and site not in _OURS:
        raise foreign()
    origin = incoming.get(b"origin")
    if origin is None:
        return
    hosts = {incoming.get(b"host", b"").decode("latin-1").lower(), urlsplit(public_url).netloc.lower()}
    scheme, separator, host = origin.decode("latin-1").lower().partition("://")
    if not separator or scheme not in ("http", "https") or host not in hosts:
        raise foreign()


async def read_form(incoming: Mapping[bytes, bytes], receive: Receive, limit: int) -> Form:
    """The fields, each once; 413 where there is more than the form can have."""
    media_type = incoming.get(b"content-type", b"").partition(b";")[0].strip().lower()
    if media_type != _FORM:
        raise Refused(415, "The form could not be read", "Send it as application/x-www-form-urlencoded.")
    received = await read_whole(receive, limit)
    if received is None:
        raise _unreadable()
    try:
        fields = parse_qsl(
            received.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_FIELDS
        )
    except ValueError:  # no UTF-8, or too many
        raise _unreadable() from None
    form = dict(fields)
    if len(form) != len(fields):
        raise _unreadable()
    return form


def foreign() -> Refused:
    """A form that is no page's of ours for this browser."""
    return Refused(
        403,
        "This form is not valid any more",
        "It was sent from another page than ours, or the page is too old. Go back, reload it and send it again.",
    )


def _unreadable() -> Refused:
    return Refused(400, "The form could not be read", "Go back, reload the page and send it again.")

"""Host names in one spelling: lower-case ASCII, by IDNA 2008.

IDNA 2003 maps `straße` to `strasse`, which is another name today and may belong to somebody else. Does not belong here:
which hosts are allowed (`api.auth.allowed_origins`, `api.webhooks.egress.url_policy`).
"""

import re
from functools import cache
from typing import Final

import idna
from publicsuffixlist import PublicSuffixList

LONGEST_HOST: Final = 253
_LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")


def ascii_host(host: str) -> str:
    """A host as browsers and resolvers spell it, without the root's trailing dot. ValueError if it is no valid name.

    International names are checked by IDNA 2008, ASCII names by length and letters alone: old ones hold underscores.
    """
    written = host.lower().removesuffix(".")
    if not written.isascii():
        return idna.encode(written, uts46=True, transitional=False).decode().lower()
    if len(written) > LONGEST_HOST or not all(map(_LABEL.fullmatch, written.split("."))):
        raise ValueError(f"{host[:LONGEST_HOST]!r} is not a host name")
    return written


def is_public_suffix(host: str) -> bool:
    """Whether anybody may have names directly below an ASCII host: a registry (co.uk) or another owner gives them."""
    return _suffixes().is_public(host)


@cache
def _suffixes() -> PublicSuffixList:
    """The list of the package, https://publicsuffix.org: it is as new as the locked package."""
    return PublicSuffixList(accept_unknown=False)

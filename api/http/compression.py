"""Compression of company data and public documents by gzip (RFC 9110 12.5.3).

Only responses with weak tags are compressed: their tag is the same in every encoding, so a 304 works with either.
Responses with account data, secrets or forms never are, as the length of a compressed response tells of its content.
Does not belong here: which response is compressed (`api.http.responses`).
"""

import zlib
from functools import lru_cache
from typing import Final

GZIP: Final = (b"content-encoding", b"gzip")
LEAST_COMPRESSED: Final = 1024
"""Bytes; a shorter body fits into one packet anyway."""
MOST_COMPRESSED: Final = 512 * 1024
"""Bytes; compressing more would keep other requests waiting for more than 5 ms."""
_LEVEL: Final = 1  # 250 KB of a list take 1.3 ms and become a sixth; level 4 takes 3 ms for a seventh
_GZIP_FORMAT: Final = 31
_NAMES: Final = ("gzip", "x-gzip")
_CACHED: Final = 256
DOCUMENTS: Final = 128
"""Public documents whose compressed bytes and digests are kept: the OpenAPI document, and pages of problems."""
_ZERO: Final = ("0", "0.", "0.0", "0.00", "0.000")


@lru_cache(_CACHED)
def accepts_gzip(accept_encoding: bytes) -> bool:
    """Whether an Accept-Encoding accepts gzip: by name, else by `*`; `q=0` refuses."""
    accepted: dict[str, bool] = {}
    for choice in accept_encoding.decode("latin-1").lower().split(","):
        name, _, weight = choice.partition(";")
        accepted[name.strip()] = weight.replace(" ", "").removeprefix("q=") not in _ZERO
    named = [accepted[name] for name in _NAMES if name in accepted]
    return any(named) if named else accepted.get("*", False)


def gzip_body(body: bytes) -> bytes:
    """The body as one gzip member; the same bytes for the same body."""
    return zlib.compress(body, _LEVEL, _GZIP_FORMAT)


gzip_document = lru_cache(DOCUMENTS)(gzip_body)
"""The same for documents that are served unchanged for as long as the service runs."""

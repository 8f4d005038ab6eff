"""Entity tags and conditional requests (docs/contract/contract.md «Conditional requests»).

Tags of company data depend on content only, so they are the same for every key and process; the tag of a webhook
resource is its revision. Does not belong here: the definition of a revision (`api.database.models.webhooks`).
"""

import hashlib

_TAG_LENGTH = 16


def content_digest(*parts: bytes) -> bytes:
    """16 hex characters of SHA-256 over the concatenated parts."""
    return hashlib.sha256(b"".join(parts)).hexdigest()[:_TAG_LENGTH].encode()


def weak_etag(tag: bytes) -> bytes:
    return b'W/"' + tag + b'"'


def weakly_matches(if_none_match: bytes, tag: bytes) -> bool:
    """Weak comparison of one header value (`*`, one tag or a list) with a bare tag."""
    if if_none_match == weak_etag(tag):
        return True
    asked = [entry.strip() for entry in if_none_match.split(b",")]
    return b"*" in asked or any(entry.removeprefix(b"W/") == b'"' + tag + b'"' for entry in asked)


def strongly_matches(if_match: bytes, tag: bytes) -> bool:
    """Strong comparison of an If-Match (`*`, one tag or a list) with a bare tag: weak tags match nothing."""
    asked = [entry.strip() for entry in if_match.split(b",")]
    return b"*" in asked or b'"' + tag + b'"' in asked

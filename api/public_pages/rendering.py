"""Templates, documents and headers of pages for everyone.

Every page is the same for all callers: it may be cached by browsers and proxies, is compressed, and has an entity tag.
Does not belong here: the content of a page (`api.public_pages.home` and its neighbours).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urlsplit

from jinja2 import Environment

from api.common.releases import read_release
from api.dashboard.routing import SAFETY
from api.dashboard.templating import StaticAsset, load_assets, static_assets, template_environment
from api.http.compression import GZIP, LEAST_COMPRESSED, accepts_gzip, gzip_body
from api.http.context import CorsPolicy, RequestContext, RoutePolicy
from api.http.response_headers import content_digest, weak_etag, weakly_matches
from api.http.responses import Header, HttpResponse

_HERE: Final = Path(__file__).parent
HTML: Final = b"text/html; charset=utf-8"
PUBLIC_PAGE: Final = RoutePolicy(CorsPolicy.NO_ORIGIN, requires_key=False, media_type=b"text/html")
CACHED_SECONDS: Final = 60
"""For how long browsers and proxies may keep a page with live figures."""

_CACHE: Final = (b"cache-control", b"public, max-age=%d" % CACHED_SECONDS)
_POLICY: Final = b"content-security-policy"
_VARY: Final = b"vary"
PAGE_SAFETY: Final = tuple(one for one in SAFETY if one[0] != _VARY)
"""The dashboard's headers: no scripts, no inline styles, nothing from other hosts, no framing."""


@dataclass(frozen=True, slots=True)
class PublicDocument:
    """A document that is the same for everyone, ready to be sent. `compressed`: by gzip, or None if it is too small."""

    media_type: bytes
    body: bytes
    tag: bytes
    compressed: bytes | None

    @classmethod
    def of(cls, media_type: bytes, body: bytes) -> Self:
        compressed = gzip_body(body) if len(body) >= LEAST_COMPRESSED else None
        return cls(media_type, body, content_digest(body), compressed)


@lru_cache(1)
def public_assets() -> Mapping[str, StaticAsset]:
    """The static files of these pages by name."""
    return load_assets(_HERE / "assets")


def render_page(context: RequestContext, template: str, **values: Any) -> PublicDocument:
    """Renders a page that is the same for everyone."""
    return PublicDocument.of(HTML, render_text(context, template, **values))


def render_text(context: RequestContext, template: str, **values: Any) -> bytes:
    """Renders a template with the service's addresses: `root` is its path prefix, `base_url` the whole."""
    public_url = context.services.settings.public_url
    root = urlsplit(public_url).path
    return _environment().get_template(template).render(root=root, base_url=public_url, **values).encode()


def document_response(
    context: RequestContext,
    document: PublicDocument,
    *,
    status: int = 200,
    headers: Sequence[Header] = (_CACHE,),
    safety: Sequence[Header] = PAGE_SAFETY,
    vary: bytes = b"Accept-Encoding",
) -> HttpResponse:
    """The document, or 304 if the caller's copy is current."""
    told = [*headers, *safety, (_VARY, vary)]
    if status == 200:  # noqa: PLR2004
        told.append((b"etag", weak_etag(document.tag)))
        if weakly_matches(context.request_headers.get(b"if-none-match", b""), document.tag):
            return HttpResponse(304, told, b"")
    body = document.body
    if document.compressed is not None and accepts_gzip(context.request_headers.get(b"accept-encoding", b"")):
        body = document.compressed
        told.append(GZIP)
    told += [(b"content-type", document.media_type), (b"content-length", b"%d" % len(body))]
    return HttpResponse(status, told, body)


def safety_with_policy(policy: bytes) -> tuple[Header, ...]:
    """The same headers with another content security policy, for the pages that have scripts."""
    return (_POLICY, policy), *(one for one in PAGE_SAFETY if one[0] != _POLICY)


def release_number(context: RequestContext) -> int | None:
    """Number of the release that is served; None before the first."""
    return read_release(context.services.release_reader, lambda snapshot: snapshot.release_number)


@lru_cache(1)
def _environment() -> Environment:
    environment = template_environment(_HERE / "templates")
    environment.globals |= {
        "versions": {name: one.version for name, one in {**static_assets(), **public_assets()}.items()}
    }
    return environment

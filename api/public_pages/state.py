"""What the pages for everyone keep while the service runs."""

from dataclasses import dataclass
from typing import Final, Self

from api.common.clock import Clock
from api.public_pages.page_cache import PageCache
from api.public_pages.rendering import PublicDocument
from api.public_pages.sample_company import SampleCompany

LIVE_SECONDS: Final = 30.0
"""For how long a page with live figures is served before it is rendered anew."""


@dataclass(frozen=True, slots=True)
class PublicPages:
    """What these pages keep.

    live: pages with live figures. samples: the company of a release. documents: what stays the same.
    """

    live: PageCache[PublicDocument]
    samples: PageCache[SampleCompany | None]
    documents: PageCache[PublicDocument]

    @classmethod
    def new(cls, clock: Clock) -> Self:
        return cls(PageCache(clock, LIVE_SECONDS), PageCache(clock), PageCache(clock))

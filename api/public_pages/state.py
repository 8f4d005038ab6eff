"""What the pages for everyone keep while the service runs."""

from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import urlsplit

from api.common.clock import Clock
from api.public_pages.docs_files import DocsSite
from api.public_pages.docs_search import DocsSearch
from api.public_pages.page_cache import PageCache
from api.public_pages.reference import ReferenceFiles
from api.public_pages.rendering import PublicDocument
from api.public_pages.sample_company import SampleCompany
from api.settings.service import ApiSettings

LIVE_SECONDS: Final = 30.0
"""For how long a page with live figures is served before it is rendered anew."""


@dataclass(frozen=True, slots=True)
class PublicPages:
    """What these pages keep.

    path_prefix: of the service, if it is reached below a path. live: pages with live figures. samples: the company of a
    release. documents: what stays the same.
    """

    path_prefix: str
    docs: DocsSite
    docs_search: DocsSearch
    reference: ReferenceFiles
    live: PageCache[PublicDocument]
    samples: PageCache[SampleCompany | None]
    documents: PageCache[PublicDocument]

    @classmethod
    def new(cls, settings: ApiSettings, clock: Clock) -> Self:
        docs = DocsSite(settings.docs_site)
        return cls(
            urlsplit(settings.public_url).path,
            docs,
            DocsSearch(docs),
            ReferenceFiles(),
            live=PageCache(clock, LIVE_SECONDS),
            samples=PageCache(clock),
            documents=PageCache(clock),
        )

"""The documentation as it is built and served: every link of every page leads to a page, a file or a heading."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
from lxml import html

from api.problems.problem import KINDS
from tests.api.conftest import Service
from tests.api.public_pages.conftest import open_page
from tests.api.public_pages.page_visits import BUDGET_BYTES

pytestmark = pytest.mark.slow

ELEMENTS = frozenset(
    re.findall(
        r"\w+",
        "html head meta title link body a header nav ul ol li div form label input button details summary main h1 h2 h3 "
        "h4 h5 h6 p code pre span table thead tbody tr th td em strong img footer hr br blockquote",
    )
)


@pytest.fixture(scope="module")
def service(shared_serve: Any, world: Any, built_site: Path) -> Service:
    return shared_serve(world, docs_site=built_site)


def test_every_link_resolves(service: Service) -> None:
    trees: dict[str, html.HtmlElement | None] = {}

    def open_once(path: str) -> html.HtmlElement | None:
        """The elements of a page, or None of a file; each must be served at that address."""
        if path not in trees:
            answer = service.client.get(path, headers={"accept": "text/html"}, follow_redirects=False)
            assert answer.status_code == 200, path
            is_page = answer.headers["content-type"].startswith("text/html")
            trees[path] = html.fromstring(answer.text) if is_page else None
        return trees[path]

    links = re.findall(r"\]\(https://api\.example\.com(/docs/[^)]*)\)", service.client.get("/llms.txt").text)
    links += [f"/problems/{next(iter(KINDS.values())).slug}", "/", "/docs/search?q=webhook"]
    waiting, met = [(link, "llms.txt") for link in links], set[str]()
    while waiting:
        link, source = waiting.pop()
        path, _, anchor = link.partition("#")
        if path == "/docs/api":
            continue  # its renderer is npm's
        tree = open_once(path)
        assert not anchor or (tree is not None and tree.xpath("//*[@id=$id]", id=anchor)), (source, link)
        if tree is None or path in met or path.startswith("/dashboard"):
            continue
        met.add(path)
        found = {urljoin(path, one) for one in tree.xpath("//a/@href | //link/@href | //script/@src | //img/@src")}
        waiting += [
            (one, path)
            for one in found
            if not urlsplit(one).scheme and not one.startswith(("/dashboard", "/docs/api#"))
        ]
    assert len([path for path in met if path.startswith("/docs/")]) > 35


def test_the_search_finds_sections_of_pages(service: Service) -> None:
    _, page = open_page(service, "/docs/search?q=signing+secret")
    found = page.xpath("//ol[@class='results']/li/a/@href")
    assert found
    for link in found:
        path, _, anchor = link.partition("#")
        _, target = open_page(service, path)
        assert target.xpath("//*[@id=$id]", id=anchor), link


def test_no_text_is_lost_as_markup(built_site: Path) -> None:
    """What a document writes in angle brackets outside of code would be an element that no browser knows."""
    found = {
        (path.parent.name, element.tag)
        for path in built_site.rglob("index.html")
        for element in html.parse(path).iter()
        if isinstance(element.tag, str) and element.tag not in ELEMENTS
    }
    assert found == set()


def test_pages_have_nothing_that_their_policy_forbids_and_cells_have_names(built_site: Path) -> None:
    for path in built_site.rglob("index.html"):
        page = html.parse(path)
        assert page.xpath("//script | //style | //@style | //@onclick") == [], path
        assert page.xpath("//th[not(node())] | //pre[not(@tabindex)] | //tbody//td[not(@data-name)]") == [], path
    settings = html.parse(built_site / "settings" / "index.html")
    assert settings.xpath("//tr[td/code='FIRM_KEEP_RUNS']/td/@data-name") == ["setting", "default", "takes", "meaning"]


def test_every_page_is_small_with_all_that_it_loads(service: Service, built_site: Path) -> None:
    """Bytes as they are transferred: texts are compressed by the service."""

    def transferred(path: str) -> int:
        return int(service.client.get(path, headers={"accept-encoding": "gzip"}).headers["content-length"])

    for file in built_site.rglob("index.html"):
        page = f"/docs/{file.parent.relative_to(built_site).as_posix()}/".replace("/./", "/")
        loaded = {urljoin(page, one) for one in html.parse(file).xpath("//link/@href | //img/@src")}
        assert len(loaded) >= 4, page
        assert sum(map(transferred, {page} | loaded)) < BUDGET_BYTES, page

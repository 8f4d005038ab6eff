"""The documentation under /docs: what is served of a built site, what its pages may run, searching without scripts."""

import json
from pathlib import Path
from typing import Any

import pytest

from api.public_pages.docs_files import DocsSite
from api.public_pages.docs_search import LONGEST_QUERY, DocsSearch
from tests.api.conftest import Service
from tests.api.public_pages.conftest import PAGE, open_page, texts


def test_pages_end_in_a_slash_and_files_do_not(service: Service) -> None:
    client = service.client
    for path in ("/docs", "/docs/guide"):
        answer = client.get(f"{path}?a=1", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (308, f"{path}/")
    for path, kind in (
        ("/docs/", "text/html; charset=utf-8"),
        ("/docs/guide/", "text/html; charset=utf-8"),
        ("/docs/guide/a.css", "text/css; charset=utf-8"),
        ("/docs/search/search_index.json", "application/json"),
    ):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (200, kind), path
        assert "content-location" not in answer.headers
        assert client.get(path, headers={"if-none-match": answer.headers["etag"]}).status_code == 304
        assert "set-cookie" not in answer.headers


OUTSIDE = (
    "/docs/nothing",
    "/docs/404.html",
    "/docs/guide/a.js",
    "/docs/../secret.html",
    "/docs/%2e%2e/secret.html",
    "/docs/..%2fsecret.html",
    "/docs//etc/passwd",
    "/docs/%00",
    "/docs/guide/index.html/x",
)


@pytest.mark.parametrize("path", OUTSIDE)
def test_what_the_site_does_not_have_is_a_page_that_searches(service: Service, path: str) -> None:
    answer = service.client.get(path, follow_redirects=False)
    assert answer.status_code == 404
    assert "of another folder" not in answer.text
    assert 'action="/docs/search"' in answer.text or answer.headers["content-type"] == "application/problem+json"


def test_pages_run_no_script_and_have_no_inline_style(service: Service) -> None:
    policy = service.client.get("/docs/guide/").headers["content-security-policy"]
    said = dict(one.strip().split(" ", 1) for one in policy.split(";"))
    assert (said["default-src"], said["style-src"], said["frame-ancestors"]) == ("'none'", "'self'", "'none'")
    assert [name for name in said if name.startswith(("script-src", "style-src-", "connect-src", "worker-src"))] == []
    assert "unsafe" not in policy


def test_without_a_site_the_page_says_how_to_build_it_until_it_is_there(serve: Any, world: Any, tmp_path: Path) -> None:
    service = serve(world, docs_site=tmp_path / "site")
    for path in ("/docs", "/docs/", "/docs/guide/", "/docs/search?q=a"):
        answer, page = open_page(service, path)
        assert (answer.status_code, answer.headers["cache-control"]) == (503, "no-store"), path
        assert texts(page, "//pre") == ["make docs"]
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text(PAGE)
    assert service.client.get("/docs/").text == PAGE


def test_searching_needs_no_script(service: Service) -> None:
    answer, page = open_page(service, "/docs/search?q=%20SIGNED%20webhook&q=other")
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "public, max-age=300")
    assert page.xpath("//ol/li/a/@href") == ["/docs/guide/#signing"]
    assert texts(page, "//ol/li/a") == ["Signing & keys"]
    assert page.xpath("//input/@value") == [" SIGNED webhook"]
    _, hostile = open_page(service, "/docs/search?q=alert(1)%22%3E%3Cscript%3E")
    assert hostile.xpath("//script") == []
    _, escaped = open_page(service, "/docs/search?q=alert")
    assert "<script>alert(1)</script>" in texts(escaped, "//ol/li/p")[0]
    _, none = open_page(service, "/docs/search?q=nowhere")
    assert texts(none, "//*[@role='status']") == ["No section has all of these words."]


def test_titles_come_first_and_a_query_has_an_end(site: Path) -> None:
    search = DocsSearch(DocsSite(site))
    assert [one.location for one in search.find("webhook")] == ["guide/#signing", "guide/#guide", "guide/#keys"]
    assert [one.location for one in search.find("keys")] == ["guide/#signing", "guide/#keys"]
    assert search.find("  ") == []
    long = "webhook " * 8 + "nowhere"
    assert len(search.find(long)) == 3, "further words do not count"
    assert search.find("x" * LONGEST_QUERY) == []
    excerpt = search.find("webhook")[0].excerpt
    assert excerpt.startswith("A webhook is signed")
    assert len(excerpt) < 200


def test_an_excerpt_has_whole_words_around_the_first_that_is_found(tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(60))
    entries = [{"location": "a/", "title": "A", "text": ""}, {"location": "a/#a", "title": "A", "text": text}]
    (tmp_path / "search").mkdir()
    (tmp_path / "index.html").write_text(PAGE)
    (tmp_path / "search" / "search_index.json").write_text(json.dumps({"docs": entries}))
    search = DocsSearch(DocsSite(tmp_path))
    middle, begin, end = (search.find(word)[0].excerpt for word in ("word30", "word1 ", "word59"))
    assert (middle[:2], middle[-2:]) == ("… ", " …")
    assert set(middle[2:-2].split()) <= set(text.split())
    assert "word30" in middle
    assert begin.startswith("word0 word1")
    assert end.endswith("word58 word59")

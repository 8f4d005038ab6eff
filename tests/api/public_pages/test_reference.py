"""The API reference: which files it loads, what they may do, and what is said where they are not built."""

import json
from pathlib import Path
from typing import Any

from api.public_pages.reference import FILES
from tests.api.conftest import Service
from tests.api.public_pages.conftest import open_page, texts

REFERENCE = Path(__file__).resolve().parents[3] / "api" / "public_pages" / "renderer"


def test_the_page_loads_the_renderer_and_allows_scripts_of_this_service_alone(service: Service) -> None:
    answer, page = open_page(service, "/docs/api")
    loaded = page.xpath("//script/@src | //link/@href")
    assert len(loaded) == 2 + 5
    for one in loaded:
        file = service.client.get(one)
        assert (file.status_code, "immutable" in file.headers["cache-control"]) == (200, True), one
    assert page.xpath("//script[not(@src)] | //style | //@style") == []
    policy = dict(one.strip().split(" ", 1) for one in answer.headers["content-security-policy"].split(";"))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }
    assert page.xpath("//*[@id='reference']/@data-document") == ["/api/openapi.json"]
    assert "needs JavaScript" in texts(page, "//noscript")[0]


def test_only_named_files_of_the_renderer_are_served(service: Service) -> None:
    for name in ("secret.js", "package.json", "..%2fdist", "swagger-ui.css.map"):
        assert service.client.get(f"/assets/reference/{name}").status_code == 404, name
    plain = service.client.get("/assets/reference/swagger-ui.css")
    assert (plain.text, plain.headers["cache-control"]) == ("/* swagger-ui.css */", "public, max-age=300")


def test_without_the_renderer_the_page_says_how_to_get_it_until_it_is_there(
    serve: Any, world: Any, tmp_path: Path
) -> None:
    service = serve(world)
    service.parts.public_pages.reference.folder = tmp_path
    answer, page = open_page(service, "/docs/api")
    assert (answer.status_code, answer.headers["cache-control"]) == (503, "no-store")
    assert texts(page, "//pre") == ["make reference"]
    for name in FILES:
        (tmp_path / name).write_text("x")
    assert open_page(service, "/docs/api")[0].status_code == 200


def test_the_renderer_is_pinned_and_its_lock_names_no_host() -> None:
    wanted = json.loads((REFERENCE / "package.json").read_text())["dependencies"]
    locked = json.loads((REFERENCE / "package-lock.json").read_text())["packages"]
    assert {name: locked[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert [name for name, one in locked.items() if name and ("resolved" in one or "integrity" not in one)] == []

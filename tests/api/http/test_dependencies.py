"""What a request has anyway is no dependency: each costs a request as much as its access control (`ApiRequest`)."""

from litestar.routes import HTTPRoute

from api.app import new_litestar
from api.dashboard.pages import PAGES


def test_no_handler_but_dashboard_pages_has_dependencies() -> None:
    handlers = [one for route in new_litestar().routes if isinstance(route, HTTPRoute) for one in route.route_handlers]
    pages = {page.fn for page in PAGES}
    taken = {
        one.handler_name: one.resolve_dependencies().keys() & one.parsed_fn_signature.parameters.keys()
        for one in handlers
        if one.fn not in pages
    }
    assert len(taken) > 30
    assert {name: found for name, found in taken.items() if found} == {}

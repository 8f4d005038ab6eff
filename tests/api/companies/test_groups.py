"""Groups and holdings over HTTP: lines, levels, pages of children, circles, and what is refused."""

import pytest

from api.companies.schemas.groups import CompanyGroup, GroupLine, Holding
from tests.api.fixtures.release_data import FI, LEI, NO, SE, UK
from tests.tables import check_cases
from warehouse.reader.reader import FormerReleaseError, PinnedRelease

GROUP = "/api/v1/companies/{}/group"
HOLDINGS = "/api/v1/companies/{}/holdings"


@pytest.fixture(scope="module")
def service(shared_service):
    return shared_service


def group(service, company, query=""):
    return service.get(f"{GROUP.format(company)}?{query}").json()


def edges(lines):
    return [(line["level"], line["via"], line["company_id"], line["relation"], line["pct"]) for line in lines]


def test_a_group_has_its_members_in_their_order(service):
    found = group(service, NO)
    assert [*found, "as_of", "known_at"] == list(CompanyGroup.model_fields)
    assert list(found["children"]) == ["data", "next_cursor", "has_more"]
    assert (found["company_id"], found["org_number"], found["name"]) == (NO, "999999999", "EKSEMPEL ASA")
    for line in (*found["parents"], *found["children"]["data"]):
        assert list(line) == list(GroupLine.model_fields)


def test_children_are_the_inverse_of_parents(service):
    assert edges(group(service, NO)["children"]["data"]) == [
        (1, NO, SE, "shareholding", 60),
        (1, NO, FI, "shareholding", 30),
    ]
    assert edges(group(service, FI)["parents"]) == [(1, FI, UK, "control", None), (1, FI, NO, "shareholding", 30)]
    assert edges(group(service, FI)["ultimate_parents"]) == [(1, FI, UK, "control", None)]
    assert group(service, FI)["parents"][0]["country"] == "UK"


def test_a_circle_is_cut_and_named(service):
    found = group(service, NO, "depth=10")
    assert edges(found["children"]["data"])[2:] == [(2, SE, NO, "shareholding", 5)]
    assert found["circles"] == [[NO, SE]]
    assert [line["in_circle"] for line in found["children"]["data"]] == [True, False, True]
    assert found["is_complete"]
    assert group(service, SE)["circles"] == [[NO, SE]]  # at depth 1 too, where a parent is held


def test_a_parent_known_by_its_lei_alone_is_a_line_without_a_name(service):
    parent, other = group(service, SE)["parents"]
    assert (parent["company_id"], parent["name"], parent["holder_lei"]) == (None, None, LEI)
    assert (other["company_id"], other["name"]) == (NO, "EKSEMPEL ASA")


@pytest.mark.parametrize("depth", [1, 2])
def test_pages_of_children(service, depth):
    whole = group(service, NO, f"depth={depth}")["children"]["data"]
    rows, query = [], f"depth={depth}&limit=1"
    while True:
        answer = service.get(f"{GROUP.format(NO)}?{query}")
        page = answer.json()["children"]
        rows += page["data"]
        assert ('rel="next"' in answer.headers.get("link", "")) is page["has_more"]
        if not page["has_more"]:
            break
        query = f"depth={depth}&limit=1&cursor={page['next_cursor']}"
    assert rows == whole


def test_a_cursor_is_of_its_depth(service):
    cursor = group(service, NO, "limit=1")["children"]["next_cursor"]
    assert service.get(f"{GROUP.format(NO)}?depth=2&cursor={cursor}").json()["code"] == "cursor_mismatch"
    assert service.get(f"{GROUP.format(SE)}?cursor={cursor}").json()["code"] == "cursor_mismatch"


@check_cases(
    ("path", "status"),
    [
        (GROUP.format("firm:NO:999999999"), 200),
        (GROUP.format("firm:DK:99999999"), 404),
        (GROUP.format("1"), 400),
        (GROUP.format("5599999991") + "?depth=0", 400),
        (GROUP.format("5599999991") + "?depth=11", 400),
        (GROUP.format("5599999991") + "?as_of=2026-02-30", 400),
        (GROUP.format("5599999983"), 404),
        (HOLDINGS.format("firm:NO:999999999"), 200),
        (HOLDINGS.format("5599999991") + "?min_pct=101", 400),
        (HOLDINGS.format("5599999983"), 404),
    ],
)
def test_paths_and_parameters(service, path, status):
    assert service.get(path).status_code == status


def test_a_group_is_confirmed_by_its_tag(service):
    answer = service.get(GROUP.format(NO))
    again = service.get(GROUP.format(NO), **{"If-None-Match": answer.headers["etag"]})
    assert (answer.status_code, again.status_code) == (200, 304)


def test_holdings_of_a_day_to_come_are_refused_as_owners_are(service):
    for below in ("holdings", "ownership"):
        path = f"/api/v1/companies/{NO}/{below}?as_of="
        assert service.get(f"{path}2026-11-21").json()["as_of"] == "2026-11-21"
        refused = service.get(f"{path}2026-11-22").json()
        assert [(one["parameter"], one["code"]) for one in refused["errors"]] == [("as_of", "out_of_range")]


def test_holdings_are_lines_of_ownership_with_what_is_owned(service):
    found = service.get(HOLDINGS.format(NO)).json()
    [row] = found["data"]
    assert sorted(row) == sorted(Holding.model_fields)
    [own] = service.get(f"/api/v1/companies/{FI}/ownership").json()["data"]
    assert row == {"company_id": FI, "name": "Esimerkki Oyj", "country": "FI", **own}
    assert own["holder_company_id"] == NO
    assert found["as_of"] == own["as_of"] or found["as_of"] > own["as_of"]
    assert service.get(HOLDINGS.format(NO) + "?as_of=2020-01-01").json()["data"] == []
    assert service.get(HOLDINGS.format(NO) + "?min_pct=31").json()["data"] == []


def test_a_release_of_an_earlier_version_is_not_answered_as_empty(service, monkeypatch):
    def former(*_):
        raise FormerReleaseError("none")

    monkeypatch.setattr(PinnedRelease, "company_group", former)
    answer = service.get(GROUP.format(NO))
    assert (answer.status_code, answer.json()["code"]) == (503, "service_unavailable")
    assert "has not been published yet" in answer.json()["detail"]
    assert "retry-after" in answer.headers

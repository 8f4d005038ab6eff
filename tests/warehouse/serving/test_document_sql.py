from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import pytest

from name_matching.folding import fold_text
from tests.tables import check_cases
from tests.warehouse.world import learn, member, period, publish
from warehouse.reader.reader import ProfileDocument, ReleaseReader
from warehouse.serving.name_terms import is_one_typo_apart
from warehouse.storage.layout import Layout

ONE = "firm:NO:900000001"
FIELDS = [
    "id",
    "org_number",
    "name",
    "country",
    "sni_code",
    "sni_label",
    "municipality",
    "county",
    "registered_date",
    "status",
    "is_listed",
    "latest_revenue",
    "latest_currency",
    "latest_year",
]


def _document(layout: Layout, **tables: Any) -> ProfileDocument:
    return _document_and_parts(layout, **tables)[0]


def _document_and_parts(layout: Layout, **tables: Any) -> tuple[ProfileDocument, Mapping[str, bytes]]:
    learn(layout, "NO", 0, **tables)
    publish(layout, "NO")
    reader = ReleaseReader(layout)
    with reader.pin_release() as snapshot:
        found, parts = snapshot.profile(ONE), snapshot.profile_parts(ONE)
        assert snapshot.company_header(ONE)
        assert snapshot.company_header("firm:NO:1") is None
        assert snapshot.profile("firm:NO:1") is None
        assert snapshot.profile_parts("firm:NO:1") == {}
    reader.close()
    assert found is not None
    return found, parts


def test_the_fourteen_fields_in_order_and_nothing_else(layout: Layout) -> None:
    document = _document(layout, companies=[member("NO", 1)])
    body = json.loads(document.body)
    assert list(body) == FIELDS
    assert [name for name in FIELDS if body[name] is None] == [*FIELDS[4:9], *FIELDS[11:]]
    assert document.etag == hashlib.sha256(document.body).hexdigest()[:16]


@pytest.mark.parametrize("name", ['"A" \\ B / C', "line\nbreak\ttab\x01", "Ærø Å ß 株式会社 🙂", "\u2028 </script>"])
def test_any_text_survives_and_is_compact(layout: Layout, name: str) -> None:
    document = _document(layout, companies=[member("NO", 1, name=name, registered_date=dt.date(1915, 5, 5))])
    body = json.loads(document.body)
    assert body["name"] == name
    assert body["registered_date"] == "1915-05-05"
    assert document.body.decode() == json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def test_the_parts_are_objects_to_merge(layout: Layout) -> None:
    source = '[{"register":"no.x","native_id":"1","url":null}]'
    company = member("NO", 1, sources=source, previous_names=["Før AS"], address_lines=["Gate 1"], employees=0)
    others = [
        {"company_id": ONE, "scheme": "lei", "value": "L"},
        {"company_id": ONE, "scheme": "isin", "value": "NO2"},
        {"company_id": ONE, "scheme": "isin", "value": "NO1"},
    ]
    _, found = _document_and_parts(layout, companies=[company], identifiers=others)
    parts = {name: json.loads(part) for name, part in found.items()}
    assert list(parts) == ["detail", "identifiers", "address", "sources"]
    assert parts["detail"]["previous_names"] == ["Før AS"]
    assert parts["detail"]["employees"] == 0
    assert parts["identifiers"]["isin"] == ["NO1", "NO2"]
    assert parts["identifiers"]["lei"] == "L"
    assert parts["identifiers"]["cik"] is None
    assert parts["address"]["address"]["lines"] == ["Gate 1"]
    assert parts["sources"]["sources"] == [{"register": "no.x", "native_id": "1", "url": None}]


def _latest(layout: Layout, *given: dict[str, Any]) -> tuple[Any, ...]:
    body = json.loads(_document(layout, companies=[member("NO", 1)], financials=list(given)).body)
    return body["latest_revenue"], body["latest_currency"], body["latest_year"]


def test_latest_is_the_newest_annual_period_with_a_revenue(layout: Layout) -> None:
    found = _latest(
        layout,
        period(ONE, 2023, revenue=0),
        period(ONE, 2024, revenue=None),
        period(ONE, 2026, revenue=7, period_type=None),
        period(ONE, 2025, revenue=7, currency=None),
    )
    assert found == (0, "NOK", 2023)


def test_latest_is_null_altogether_without_one(layout: Layout) -> None:
    assert _latest(layout, period(ONE, 2023, revenue=None)) == (None, None, None)


def test_latest_is_null_where_annual_accounts_follow_for_more_than_24_months(layout: Layout) -> None:
    assert _latest(layout, period(ONE, 2022, revenue=5), period(ONE, 2025, revenue=None)) == (None, None, None)


def test_group_figures_win_while_they_are_no_older_than_24_months(layout: Layout) -> None:
    group = period(ONE, 2023, revenue=50, is_consolidated=True, filing_id="fil_g")
    assert _latest(layout, group, period(ONE, 2025, revenue=5)) == (50, "NOK", 2023)


def test_older_group_figures_give_way(layout: Layout) -> None:
    group = period(ONE, 2022, revenue=50, is_consolidated=True, filing_id="fil_g")
    assert _latest(layout, group, period(ONE, 2025, revenue=5)) == (5, "NOK", 2025)


def test_superseded_versions_do_not_count(layout: Layout) -> None:
    first = period(ONE, 2025, revenue=5, is_current=False)
    assert _latest(layout, first, period(ONE, 2025, revenue=6, version=2)) == (6, "NOK", 2025)


@check_cases(
    ("name", "words"),
    [
        ("Ørsted A/S", "orsted as"),
        ("ÅÄÖ Æble Straße", "aao aeble strasse"),
        ("J.P. Morgan & Co.", "jp morgan co"),
        ("L'Oréal", "loreal"),
        ("A.B.C. d.o.o. 24/7", "abc doo 24 7"),
        ("Łódź–Þór", "lodz thor"),
        ("  ", ""),
        ("FOO_BAR-baz", "foo bar baz"),
    ],
)
def test_folding(name: str, words: str) -> None:
    assert fold_text(name) == words
    assert fold_text(words) == words


@check_cases(
    ("left", "right", "near"),
    [
        ("orsted", "orstd", True),
        ("orsted", "orstted", True),
        ("orsted", "orsded", True),
        ("orsted", "orsetd", True),
        ("orsted", "rosted", True),
        ("orsted", "orsted", False),
        ("orsted", "orst", False),
        ("orsted", "rosetd", False),
        ("abcd", "badc", False),
    ],
)
def test_one_slip(left: str, right: str, near: bool) -> None:
    assert is_one_typo_apart(left, right) is near
    assert is_one_typo_apart(right, left) is near

"""Which relations a company's holders have to it, of which records, and which holders are members of no group."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl

from pipelines.transforms.ownership.owners import SourcePrecedence, holder_records, owner_lines
from pipelines.transforms.ownership.relations import build_relations
from tests.pipelines.frames import COMPANY, DAY_2, DAY_3, frame, holding
from tests.tables import check_cases
from warehouse.schema.tables import HOLDINGS, OWNERS, RELATIONS

SOURCES = SourcePrecedence(("xx.notices", "xx.group"), ("xx.notices",))
PARENT = "firm:FI:0000002-7"
LEI = "549300YX4S1LLSMK2627"
STAKE = "STAKE"


def parent(native: str = "p1", **values: Any) -> dict[str, Any]:
    return holding(native, holder_name="Emo Oy", holder_type="company", holder_company_id=PARENT, **values)


def consolidated(lei: str = LEI, word: str = "IS_DIRECTLY_CONSOLIDATED_BY", **values: Any) -> dict[str, Any]:
    plain = {"register": "xx.lei_parents", "holder_name": None, "holder_type": "unknown"}
    is_direct = word.startswith("IS_DIRECTLY")
    return holding(lei, controls=["consolidated_parent", word], is_direct=is_direct) | plain | values


def related(*holdings: dict[str, Any], former: pl.DataFrame | None = None, instant: Any = DAY_2) -> pl.DataFrame:
    records = holder_records(frame(HOLDINGS, *holdings), frame(OWNERS))
    return build_relations(records, frame(RELATIONS) if former is None else former, instant, SOURCES, (STAKE,))


def kinds(*holdings: dict[str, Any]) -> list[str]:
    return sorted(related(*holdings)["relation"])


@check_cases(
    ("record", "relations"),
    [
        ({"low": 25, "high": 50}, ["shareholding"]),
        ({"votes_min": 25, "votes_max": 50}, ["shareholding"]),
        ({}, ["shareholding"]),
        ({"controls": ["KDAT"]}, ["control"]),
        ({"controls": ["KDAT"], "low": 50, "high": 75}, ["control", "shareholding"]),
        ({"controls": [STAKE]}, ["shareholding"]),
        ({"controls": [STAKE, "KDAT"]}, ["control"]),
    ],
)
def test_relations_of_a_record_follow_its_shares_and_codes(record: dict[str, Any], relations: list[str]) -> None:
    assert kinds(parent(**record)) == relations


def test_control_has_no_percentage_of_its_own() -> None:
    rows = related(parent(pct=60, pct_min=60, pct_max=60, basis="exact", votes_pct=70, controls=["KDAT"])).to_dicts()
    by_relation = {row["relation"]: row for row in rows}
    control, share = by_relation["control"], by_relation["shareholding"]
    assert [control[name] for name in ("pct", "pct_min", "pct_max", "votes_pct", "basis")] == [None] * 5
    assert (share["pct"], share["votes_pct"]) == (60, 70)
    assert [json.loads(row["sources"])[0]["pct"] for row in (control, share)] == [None, 60]


@check_cases(
    ("record", "is_member"),
    [
        ({"holder_type": "company"}, True),
        ({"holder_type": "state"}, True),
        ({"holder_type": "fund"}, True),
        ({"holder_type": "person"}, False),
        ({"holder_type": "nominee", "holder_company_id": PARENT}, False),
        ({"holder_type": "unknown", "holder_name": None}, False),
        ({"holder_type": "unknown", "holder_company_id": PARENT}, True),
        ({"holder_type": "group"}, False),
        ({"holder_type": "company", "holder_company_id": COMPANY}, False),
    ],
)
def test_only_companies_are_members(record: dict[str, Any], is_member: bool) -> None:
    assert bool(related(holding(low=25, high=50) | record).height) is is_member


def test_a_holder_that_one_register_calls_a_person_is_no_member() -> None:
    rows = (
        holding("1", 25, 50, holder_name="Ola Berg", holder_company_id=PARENT),
        holding("2", 25, 50, holder_name="Ola Berg", holder_type="unknown", holder_company_id=PARENT,
                register="xx.group"),
    )  # fmt: skip
    assert related(*rows).is_empty()


def test_a_consolidating_parent_is_known_by_its_lei() -> None:
    [row] = related(consolidated()).to_dicts()
    assert (row["relation"], row["holder_lei"], row["holder_company_id"]) == ("accounting_consolidation", LEI, None)
    assert (row["is_direct"], row["skips_parent"], row["pct"]) == (True, False, None)


@check_cases(("direct", "skips"), [(None, False), ({}, True), ({"ended_on": date(2025, 1, 1)}, False)])
def test_an_ultimate_parent_skips_a_direct_one_that_is_named(direct: dict[str, Any] | None, skips: bool) -> None:
    ultimate = consolidated("969500FI000000001068", "IS_ULTIMATELY_CONSOLIDATED_BY")
    rows = related(ultimate, *([] if direct is None else [consolidated(**direct)]))
    found = dict(rows.select("holder_lei", "skips_parent").iter_rows())
    assert found["969500FI000000001068"] is skips
    assert not any(flag for lei, flag in found.items() if lei == LEI)


def test_two_sources_that_differ_give_one_line_by_precedence_and_say_so() -> None:
    group = parent("1", register="xx.group", pct=60, pct_min=60, pct_max=60, basis="exact")
    notice = parent("2", register="xx.notices", pct=55, pct_min=55, pct_max=55, basis="exact",
                    valid_from=date(2025, 1, 1))  # fmt: skip
    [row] = related(group, notice).to_dicts()
    assert (row["pct"], row["reconciliation"]) == (Decimal(55), "latest_wins")
    assert [source["pct"] for source in json.loads(row["sources"])] == [55, 60]


def test_the_end_of_one_relation_ends_no_other() -> None:
    rows = related(parent("1", low=50, high=75, register="xx.notices", ended_on=date(2025, 6, 1)),
                   parent("2", register="xx.group", controls=["KDAT"]))  # fmt: skip
    ends = dict(rows.select("relation", "ended_on").iter_rows())
    assert ends == {"shareholding": date(2025, 6, 1), "control": None}


def test_a_line_keeps_its_days_and_its_holder_is_that_of_ownership() -> None:
    record = parent(low=25, high=50, valid_from=None)
    first = related(record)
    later = related(record, former=first, instant=DAY_3)
    assert later["as_of"].to_list() == first["as_of"].to_list()
    records = holder_records(frame(HOLDINGS, record), frame(OWNERS))
    owners = owner_lines(records, frame(OWNERS), DAY_2, SOURCES)
    assert first["holder_id"].to_list() == owners["holder_id"].to_list()


def test_no_records_give_no_relations() -> None:
    assert related().is_empty()
    assert related(holding(low=25, high=50)).columns == list(RELATIONS.names)

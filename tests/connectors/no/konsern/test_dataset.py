"""Group structure: trees to members and edges, and edges to holdings (docs/formats/no.md 5)."""

import json
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from connectors.no import NORWAY
from connectors.no.enheter.schema import DELETED, ENTITIES
from connectors.no.konsern.schema import ANSWERS, GROUPS, MEMBERS
from tests.connectors.no.entity_rows import ENTITY, MONDAY, TODAY, TUESDAY, present
from tests.connectors.no.market_files import group, node, read, rejects, rows, signals
from tests.tables import check_cases

TOP, CHILD, GRAND = "982463718", "983939724", "976967631"
DATASET = NORWAY.dataset("no.konsern")


def edges(tree: bytes, name: str = "982463718.json") -> dict[str, list[dict[str, str]]]:
    found = rows(read("no.konsern", tree, name), "no_konsern")
    return {row["organisasjonsnummer"]: json.loads(row["kanter"]) for row in found}


def holdings(*tables: tuple[str, pl.LazyFrame]) -> list[dict[str, object]]:
    return NORWAY.to_shared_tables(dict(tables), TODAY)["holdings"].to_dicts()


def member(seen=MONDAY, root: str = TOP, **values: Any) -> tuple[str, pl.LazyFrame]:
    tree = group(root, node(CHILD, **values))
    found = rows(read("no.konsern", tree, f"{root}.json"), "no_konsern")
    row = next(r for r in found if r["organisasjonsnummer"] == CHILD)
    return MEMBERS.name, present(MEMBERS, row, seen)


@check_cases(
    ("basis", "percent"),
    [
        ("100%", "100"),
        ("100 %", "100"),
        ("99,99%", "99.99"),
        ("95,0%", "95.0"),
        ("33.33%", "33.33"),
        ("4,99999%", "4.9999"),  # below five percent, a threshold
        (" 100% ", "100"),
        ("1/3", "33.3333"),
        ("Indirekte mor", None),
        ("", None),
        (None, None),
    ],
)
def test_percentages_are_read_and_words_are_none(basis: str | None, percent: str | None) -> None:
    tree = group(TOP, node(CHILD, basis))
    assert edges(tree)[CHILD][0]["prosent"] == percent
    assert signals(read("no.konsern", tree, "x.json")) == {}


@check_cases(
    "basis", ["150%", "50% direkte, 20% indirekte", "33 1/3 %", "50-66%", ">50%", "ca. 50%", "50", "3/2", "٥٠%"]
)
def test_a_text_that_is_more_or_other_than_one_percentage_is_none_and_told(basis: str) -> None:
    tree = group(TOP, node(CHILD, basis))
    assert edges(tree)[CHILD][0]["prosent"] is None
    assert signals(read("no.konsern", tree, "x.json")) == {("unreadable_value", f"grunnlag {basis}"): 1}


@pytest.mark.parametrize("bases", [("Indirekte mor", "60%"), ("60%", "Indirekte mor")])
def test_a_repeated_subtree_is_one_edge_and_the_one_with_a_percentage_wins(bases: tuple[str, str]) -> None:
    twice = [node(GRAND, basis) for basis in bases]
    tree = group(TOP, node(CHILD, children=twice), node(GRAND, "40%"))
    assert [(e["overordnet"], e["prosent"]) for e in edges(tree)[GRAND]] == [(TOP, "40"), (CHILD, "60")]


def test_duplicates_of_an_edge_that_contradict_each_other_have_no_percentage_unless_one_is_newer() -> None:
    for bases, due in ((("100%", "50%", "100%"), None), (("100%", "100,0 %"), "100")):
        tree = group(TOP, *(node(CHILD, basis) for basis in bases))
        assert [edge["prosent"] for edge in edges(tree)[CHILD]] == [due]
        told = signals(read("no.konsern", tree, "x.json"))
        assert told == ({("contradicting_edges", "grunnlag"): 1} if due is None else {})
    newer = group(TOP, node(CHILD, "50%", dato="2024-01-01"), node(CHILD, "100%"))
    assert [edge["prosent"] for edge in edges(newer)[CHILD]] == ["50"]


def test_children_that_are_no_list_are_a_reject() -> None:
    batches = read("no.konsern", group(TOP, node(CHILD, children=node(GRAND))), "x.json")
    assert rejects(batches) == ["children that are no list"]


def test_the_same_group_is_the_same_rows_whoever_was_asked_and_in_whatever_order() -> None:
    one = group(TOP, node(CHILD), node(GRAND))
    other = group(TOP, node(GRAND), node(CHILD))
    assert rows(read("no.konsern", one, "1.json"), "no_konsern") == rows(
        read("no.konsern", other, "2.json"), "no_konsern"
    )


def test_a_deep_tree_is_read_without_recursion() -> None:
    deep = node("900000000")
    for place in range(300):
        deep = node(f"9{place:08}", children=[deep])
    assert len(edges(group(TOP, deep))) == 301


def test_a_stated_parent_that_is_not_the_one_above_is_taken_and_told() -> None:
    tree = group(TOP, node(CHILD, children=[node(GRAND, parentOrganisasjonsnummer=TOP)]))
    assert [edge["overordnet"] for edge in edges(tree)[GRAND]] == [TOP]
    assert ("parent_mismatch", "parentOrganisasjonsnummer") in signals(read("no.konsern", tree, "x.json"))


@pytest.mark.parametrize("stated", [CHILD, "12"])
def test_stated_parent_that_cannot_be_one_gives_way_to_the_company_above(stated: str) -> None:
    tree = group(TOP, node(CHILD, parentOrganisasjonsnummer=stated, parentNavn="NO PARENT"))
    [edge] = edges(tree)[CHILD]
    assert (edge["overordnet"], edge["navn"], edge["form"]) == (TOP, json.loads(tree)["navn"], "AS")
    assert ("parent_mismatch", "parentOrganisasjonsnummer") in signals(read("no.konsern", tree, "x.json"))


def test_company_below_itself_is_not_its_own_parent() -> None:
    tree = group(TOP, node(CHILD, children=[node(CHILD)]))
    assert [edge["overordnet"] for edge in edges(tree)[CHILD]] == [TOP]
    assert ("parent_mismatch", "a company below itself") in signals(read("no.konsern", tree, "x.json"))


def test_unknown_kinds_keys_and_nodes_without_a_number_are_told() -> None:
    tree = group(TOP, node(CHILD, kind="KNYT", stemmer="50%"), {"navn": "UTEN NUMMER"})
    batches = read("no.konsern", tree, "x.json")
    assert signals(batches) == {("unknown_code", "knytningsform KNYT"): 1, ("unknown_key", "stemmer"): 1}
    assert rejects(batches) == ["a node without an organisation number"]
    assert set(edges(tree)) == {TOP, CHILD}


def test_what_is_no_group() -> None:
    assert isinstance(DATASET.recognise_file("konsernstruktur/982463718-404.json", b""), RecognisedFile)
    assert isinstance(DATASET.recognise_file("konsernstruktur/x.json", b""), NotApplicable)
    assert isinstance(DATASET.recognise_file("konsernstruktur/982463718.csv", b"a;b\n"), NotApplicable)
    error = b'{"timestamp":"x","status":400,"error":"Bad Request","path":"/p"}'
    assert DATASET.recognise_file("konsernstruktur/982463718.json", error) == NotApplicable(
        "error answer of the registry (status 400)"
    )
    for body in (b"[]", b'{"navn":"X"}', b"{"):
        with pytest.raises(UnreadableFileError):
            read("no.konsern", body, "982463718.json")


def test_an_empty_answer_says_that_a_company_is_in_no_group() -> None:
    (row,) = rows(read("no.konsern", b"", "982463718.json"), "no_konsern_svar")
    assert row == {"organisasjonsnummer": TOP, "rot": None}


def test_an_edge_is_a_holding_of_the_parent() -> None:
    (found,) = holdings(member(grunnlag="99,99%"))
    assert (found["company_id"], found["native_id"]) == (f"firm:NO:{CHILD}", TOP)
    assert (found["holder_company_id"], found["holder_country"]) == (f"firm:NO:{TOP}", "NO")
    assert (found["pct"], found["basis"]) == (Decimal("99.9900"), "exact")
    assert (found["valid_from"], found["ended_on"]) == (date(2022, 8, 9), None)
    assert (found["holder_type"], found["controls"]) == ("company", ["KDAT"])


def test_words_are_control_without_a_share() -> None:
    (found,) = holdings(member(grunnlag="Indirekte mor", kind="KMOR"))
    assert (found["pct"], found["basis"], found["controls"], found["is_direct"]) == (None, None, ["KMOR"], False)


@check_cases(
    ("grunnlag", "kind", "parent", "is_direct"),
    [
        ("100%", "KDAT", TOP, True),
        ("60%", "KGRL", TOP, True),
        (None, "KDAT", TOP, True),  # without a percentage the tree still says whose subsidiary it is
        ("Indirekte eierskap 60%", "KDAT", TOP, False),
        ("100%", "KDAT", "999999999", None),  # another parent than the node above: how far up it is, nothing says
    ],
)
def test_map_holdings_of_the_immediate_parent_are_direct(
    grunnlag: str | None, kind: str, parent: str, is_direct: bool | None
) -> None:
    (found,) = holdings(member(grunnlag=grunnlag, kind=kind, parentOrganisasjonsnummer=parent))
    assert found["is_direct"] is is_direct


def test_a_later_answer_of_its_own_ends_the_edge_and_an_earlier_one_does_not() -> None:
    for seen, ended in ((TUESDAY, TUESDAY.date()), (MONDAY, None)):
        answer = ANSWERS.name, present(ANSWERS, {"organisasjonsnummer": CHILD, "rot": None}, seen)
        (found,) = holdings(member(), answer)
        assert found["ended_on"] == ended


def test_a_company_that_says_later_that_it_is_in_no_group_is_in_none() -> None:
    for in_group, ended in ((False, TUESDAY.date()), (True, None), (None, None)):
        row = ENTITY | {"organisasjonsnummer": CHILD, "erIKonsern": in_group}
        (found,) = holdings(member(), (ENTITIES.name, present(ENTITIES, row, TUESDAY)))
        assert found["ended_on"] == ended


def test_map_holdings_company_that_is_back_after_a_410_has_its_holders() -> None:
    gone = DELETED.name, present(DELETED, {"organisasjonsnummer": CHILD, "respons_klasse": "Fjernet"}, TUESDAY)
    entity = ENTITY | {"organisasjonsnummer": CHILD}
    before = ENTITIES.name, present(ENTITIES, entity, MONDAY)
    again = ENTITIES.name, present(ENTITIES, entity, TUESDAY + timedelta(days=1))
    assert [len(holdings(member(), *more)) for more in ((gone,), (gone, before), (gone, again))] == [0, 0, 1]


def read_group(*children: Any) -> dict[str, Any]:
    """The row of a group as a whole."""
    (row,) = rows(read("no.konsern", group(TOP, *children), f"{TOP}.json"), "no_konsern_gruppe")
    return row


def test_member_that_its_groups_later_answer_lacks_has_left_it() -> None:
    """It was listed by its new group before its own turn to be requested came: it had two parents for good."""
    without = read_group(node(GRAND))
    assert without == {"rot": TOP, "medlemmer": [GRAND, TOP]}
    for seen, ended in ((TUESDAY, TUESDAY.date()), (MONDAY, None)):
        (found,) = holdings(member(), (GROUPS.name, present(GROUPS, without, seen)))
        assert found["ended_on"] == ended


def test_group_of_which_a_part_was_rejected_ends_no_membership() -> None:
    broken = read("no.konsern", group(TOP, node(GRAND), {"navn": "UTEN NUMMER AS"}), f"{TOP}.json")
    assert [batch.table for batch in broken] == ["no_konsern", "no_konsern_svar"]
    (nowhere,) = rows(read("no.konsern", b"", f"{TOP}.json"), "no_konsern_gruppe")
    assert nowhere == {"rot": TOP, "medlemmer": []}

"""Names of holders: spellings, transliterations, legal forms, cores; and ids of whole columns."""

from __future__ import annotations

import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.transforms.holders import name_features
from pipelines.transforms.holders.resolve import holder_ids
from tests.tables import check_cases
from warehouse.schema.ids import holder_id


@check_cases(
    ("name", "core", "forms"),
    [
        ("Nokia Oyj Abp", "nokia", {"oyj"}),
        ("AB Volvo", "volvo", {"ab"}),
        ("Aktiebolaget Industrivärden (publ)", "industrivarden", {"ab"}),
        ("A/S Storebæltsforbindelsen", "storebaeltsforbindelsen", {"as"}),
        ("Oy Karl Fazer Ab", "karl fazer", {"oy", "ab"}),
        ("The Vanguard Group, Inc.", "vanguard group", {"inc"}),
        ("Johnson & Johnson Co", "johnson johnson", {"co"}),
        ("Berkshire Partners L.L.C.", "berkshire partners", {"llc"}),
        ("Example Public Limited Company", "example", {"plc"}),
        ("Sampo-konserni Julkinen osakeyhtiö", "sampo konserni", {"oyj"}),
    ],
)
def test_cores_and_legal_forms(name: str, core: str, forms: set[str]) -> None:
    assert core in name_features.holder_core_names(name)
    assert name_features.legal_forms_of(name) == forms


@check_cases("name", ["Ferd AS", "Nordic Capital AB", "Holding Group", "AS", "", "Bank Invest"])
def test_what_is_nobodys_own_has_no_core(name: str) -> None:
    assert name_features.holder_core_names(name) == frozenset()


@check_cases(
    ("one", "other", "shared"),
    [
        ("Bjørn Kjær", "Bjoern Kjaer", True),
        ("Bjørn Kjær", "Bjorn Kjaer", True),
        ("Åse Sønn", "AASE SOENN", True),
        ("Väinö Äyräs", "Vaino Ayras", True),
        ("Møller", "Müller", False),
        ("Bauer", "Baur", False),
        ("Samuel", "Samul", False),
    ],
)
def test_transliterations(one: str, other: str, shared: bool) -> None:
    assert bool(name_features.transliterated_names(one) & name_features.transliterated_names(other)) is shared


@check_cases(
    ("one", "other", "close"),
    [
        ("Folketrygdfondet Forvaltning", "Folketrygdfondett Forvaltning", True),
        ("Herkules Private Equity Fund III", "Herkules Private Equity Fund II", False),
        ("Herkules Private Equity Fund 3", "Herkules Private Equity Fund 4", False),
        ("Storebrand Global Indeks Klasse A", "Storebrand Global Indeks Klasse B", False),
        (
            "Northern Seas Shipping Investment Company of Bergen",
            "Southern Seas Shipping Investment Company of Bergen",
            False,
        ),
        ("Alfa Verdier", "Alfa Verdier Invest", False),
        (
            "Northern Lights Infrastructure Investeringsselskap",
            "Southern Lights Infrastructure Investeringsselskap",
            False,
        ),
        ("Western Lights Infrastructure Partnership", "Eastern Lights Infrastructure Partnership", False),
        ("Fjordkraft Investeringsselskap Vest", "Fjordkraft Investeringsselskap Øst", False),
        ("Vanguard Growth Portfolio One", "Vanguard Growth Portfolio Ones", False),
        ("Folketrygdfondet Forvaltning", "Folketrygfdondet Forvaltning", True),
    ],
)
def test_closeness(one: str, other: str, close: bool) -> None:
    assert (name_features.name_similarity(one, other) >= name_features.CLOSE) is close


@check_cases(
    ("name", "may_be"),
    [
        ("Petter Anker Storvik", True),
        ("MUSK ELON", True),
        ("Storvik", False),
        ("Storvik Invest", False),
        ("Storvik & Sønner", False),
        ("Storvik og Sønner", False),
        ("Storvik 2 Anker", False),
        ("Petter Anker Storvik AS", False),
        ("", False),
    ],
)
def test_what_may_be_a_persons_name(name: str, may_be: bool) -> None:
    assert name_features.is_possible_person(name) is may_be


@settings(max_examples=40)
@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_names_are_compared_the_same_way_round(one: str, other: str) -> None:
    assert name_features.name_similarity(one, other) == name_features.name_similarity(other, one)
    for keys in (
        name_features.casefolded_names,
        name_features.ascii_folded_names,
        name_features.token_sorted_names,
        name_features.blocking_keys,
    ):
        assert "" not in keys(one)


texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)


@settings(max_examples=40)
@given(st.lists(st.tuples(texts, texts, texts), max_size=20))
def test_ids_of_columns_are_those_of_the_rule(rows: list[tuple[str, str, str]]) -> None:
    schema = dict.fromkeys(("company_id", "register", "native_id"), pl.String)
    found = holder_ids(pl.DataFrame(rows, schema=schema, orient="row"))
    assert found.to_list() == [holder_id(*row) for row in rows]

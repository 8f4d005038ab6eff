"""Spellings of a name elsewhere: one key for those that may be one name, and what to look for in an index."""

from hypothesis import given
from hypothesis import strategies as st

from name_matching.core_name import core_name
from name_matching.decide import Candidate, CandidateMatcher, CandidateSet
from name_matching.folding import fold_text
from name_matching.spelling_variants import (
    consists_of_forms,
    core_spellings,
    form_prefixes,
    loose_key,
    other_core_spellings,
)
from tests.tables import check_cases


@check_cases(
    ("one", "other", "country", "is_same"),
    [
        ("Håkon & Sønner Int'l AS", "Haakon og Soenner International", "NO", True),
        ("Vääräjoki Oy", "Vaeaeraejoki", "FI", True),
        ("Vääräjoki Oy", "VAARAJOKI OY", "FI", True),
        ("Nord-Bygg AB", "Nordbygg Aktiebolag", "SE", True),
        ("Smith Bros. Mfg. Inc.", "Smith Brothers Manufacturing", "US", True),
        ("Morgan & Stanley LLC", "Morgan Stanley", "US", False),  # «&» is a word
        ("Nordlund Bygg AB", "Nordlind Bygg AB", "SE", False),
        ("Fond 1 AB", "Fond 2 AB", "SE", False),
    ],
)
def test_names_with_one_key_may_be_one_name(one, other, country, is_same):
    keys = {loose_key(core_name(name, country) or "", country) for name in (one, other)}
    assert (len(keys) == 1) == is_same, keys
    found = CandidateMatcher(country, [Candidate("x", one)]).decide(other, CandidateSet.OPEN)
    assert (found.company_id == "x") == is_same, found


@check_cases(
    ("registered", "asked", "country"),
    [
        ("AB Håkon & Söner (publ)", "Haakon och Soener", "SE"),
        ("Oy Vääräjoki Ab", "vaeaeraejoki", "FI"),
        ("Haakon AS", "Håkon", "NO"),
        ("Intl. Widgets Limited", "International Widgets", "UK"),
        ("Widget Bros Ltd", "Widget Brothers", "UK"),
    ],
)
def test_an_index_of_folded_names_has_one_of_the_spellings(registered, asked, country):
    core = core_name(asked, country) or ""
    folded = fold_text(registered)
    spelled = [
        prefix + one
        for one in (*core_spellings(core, country), *other_core_spellings(core, country))
        for prefix in form_prefixes(country)
    ]
    assert any(folded.startswith(one) and consists_of_forms(folded[len(one) :], country) for one in spelled), spelled


@check_cases(
    ("text", "due"),
    [("", True), (" ltd", True), (" co ltd", True), (" publ", True), (" bygg ltd", False), ("ltd", False)],
)
def test_what_follows_a_core(text, due):
    assert consists_of_forms(text, "US") == due


@given(st.text(max_size=60), st.sampled_from(["SE", "NO", "FI", "UK", "US"]))
def test_spellings_have_the_key_of_their_core(text, country):
    core = core_name(text, country)
    if core is not None:
        assert all(fold_text(one) == one for one in core_spellings(core, country))
        assert not {*core_spellings(core, country)} & {*other_core_spellings(core, country)}

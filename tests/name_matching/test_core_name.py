"""Names as they are compared: cores, forms, keys."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.kit.name_keys import core_key, formless_core_key, full_name_key
from name_matching.core_name import core_name, full_name, is_weak_core, split_core_and_forms, strong_core
from name_matching.folding import fold_nordic_letters
from name_matching.legal_forms import FORMS
from tests.tables import check_cases

CORES = [
    ("AB Volvo (publ)", "SE", "volvo", "ab"),
    ("Volvo Aktiebolag", "SE", "volvo", "ab"),
    ("Aktiebolaget SKF", "SE", "skf", "ab"),
    ("SKF, Aktiebolaget", "SE", "skf", "ab"),
    ("Larsson & Partners", "SE", "larsson and partners", ""),
    ("Larsson och Partners AB", "SE", "larsson and partners", "ab"),
    ("Åkers Mekaniska ekonomisk förening", "SE", "åkers mekaniska", "ekför"),
    ("DNB BANK ASA", "NO", "dnb bank", "asa"),
    ("A/S Eksempel", "NO", "eksempel", "as"),
    ("Eksempel A.S.", "NO", "eksempel", "as"),
    ("SpareBank 1 Østlandet", "NO", "sparebank 1 østlandet", ""),
    ("Nokia Oyj", "FI", "nokia", "oyj"),
    ("Nokia Oyj Abp", "FI", "nokia", "oyj"),
    ("Oy Karl Fazer Ab", "FI", "karl fazer", "oy"),
    ("Sampo julkinen osakeyhtiö", "FI", "sampo", "oyj"),
    ("Tuku ja Taku Oy", "FI", "tuku and taku", "oy"),
    ("A/S Storebæltsforbindelsen", "DK", "storebæltsforbindelsen", "as"),
    ("Barclays Bank Public Limited Company", "UK", "barclays bank", "plc"),
    ("Acme (UK) Limited", "UK", "acme", "uk ltd"),
    ("The Wine Society Ltd.", "UK", "wine society", "ltd"),
    ("JAG Capital Advisors, L.L.C.", "US", "jag capital advisors", "llc"),
    ("BorrowMoney.com, Inc.", "US", "borrowmoney com", "inc"),
    ("Merck & Co., Inc.", "US", "merck", "co inc"),
    ("First Bank, N.A.", "US", "first bank", "na"),
    ("Crédit Agricole S.A.", "US", "credit agricole", "sa"),
    ("Moody's Corporation", "US", "moodys", "corp"),
    ("Ｎｏｋｉａ ﬁ Oyj", "FI", "nokia fi", "oyj"),
    ("Kommanditbolaget Exempel", "SE", "exempel", "kb"),
    ("Osuuskunta Esimerkki", "FI", "esimerkki", "osk"),
    # in front these are words of the name
    ("KB Components AB (publ)", "SE", "kb components", "ab"),
    ("Da Vinci AS", "NO", "da vinci", "as"),
    ("A.G. Barr plc", "UK", "ag barr", "plc"),
    ("NV Energy, Inc.", "US", "nv energy", "inc"),
    ("Corporation Service Company", "US", "corporation service", "co"),
    ("Trust Company of America", "US", "trust company of america", ""),
    ("Ltd", "UK", "", "ltd"),
    ("", "US", "", ""),
    ("(publ)", "SE", "", ""),
]


@check_cases(("name", "country", "core", "forms"), CORES)
def test_core_and_forms(name: str, country: str, core: str, forms: str) -> None:
    assert split_core_and_forms(name, country) == (core, forms)
    assert core_name(name, country) == (core or None)
    assert full_name(name, country) == ((f"{core} | {forms}" if forms else core) if core else None)


def test_a_form_of_one_country_is_a_word_of_another() -> None:
    assert core_name("Nova AB", "SE") == "nova"
    assert core_name("Nova AB", "UK") == "nova ab"


def test_nordic_letters_differ_first_and_agree_second() -> None:
    first, other = core_name("Østlandet AS", "NO"), core_name("Ostlandet AS", "NO")
    assert first != other
    assert fold_nordic_letters(first or "") == fold_nordic_letters(other or "")


@check_cases("core", ["abb", "if", "nordic", "capital", "a b c d"])
def test_short_and_common_cores_are_weak(core: str) -> None:
    assert is_weak_core(core)
    assert strong_core(core, "US") is None


def test_a_longer_core_is_not_weak() -> None:
    assert strong_core("Nordic Capital AB", "SE") == "nordic capital"


def test_a_country_without_forms_is_an_error() -> None:
    with pytest.raises(ValueError, match="no legal forms"):
        core_name("Acme", "FR")


@given(st.text(max_size=400), st.sampled_from(sorted(FORMS)))
def test_any_text_has_a_core_that_is_its_own_core(text: str, country: str) -> None:
    core = core_name(text, country)
    assert core is None or (core == " ".join(core.split()) and core != "")
    if core is not None and not core.isascii():
        return  # letters of other alphabets may fold further
    assert core is None or split_core_and_forms(core, country).core in ("", core)


@given(st.text(max_size=80), st.sampled_from(sorted(FORMS)))
def test_case_and_blanks_do_not_count(text: str, country: str) -> None:
    plain = text.encode("ascii", "ignore").decode()
    assert core_name(plain.upper(), country) == core_name(f"  {plain.lower()} ", country)


def test_keys_of_rows() -> None:
    rows = pl.DataFrame({"name": ["Nordea Bank Abp", "Nordea Bank", "Nordic Oy", None, ""]})
    names = lambda frame: frame["name"]  # noqa: E731 - a column as the market says it
    assert full_name_key("FI", names).of(rows).to_list() == [
        "nordea bank | oyj", "nordea bank", "nordic | oy", None, None,
    ]  # fmt: skip
    assert core_key("FI", names).of(rows).to_list() == ["nordea bank", "nordea bank", None, None, None]
    assert formless_core_key("FI", names).of(rows).to_list() == [None, "nordea bank", None, None, None]
    assert full_name_key("FI", names).of(rows.clear()).dtype == pl.String

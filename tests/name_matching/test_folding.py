"""One rule for names: what each is folded to, and that everything that compares names agrees with it."""

import unicodedata
from collections.abc import Callable

import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from connectors.nasdaq.mapping import HOLDER_KEY
from connectors.nasdaq.names import issuer_key
from connectors.nasdaq.schema import HOLDER
from connectors.no.issuer_links import issuer_cores
from connectors.se.issuer_links import core_names as swedish_cores
from connectors.se.major_holdings.holder_names import comparable_words
from connectors.uk.nsm.schema import issuer_words, normalise_holder_name
from name_matching.core_name import core_name
from name_matching.folding import fold_except_nordic, fold_nordic_letters, fold_text, spelling_key
from name_matching.name_columns import core_names, fold_texts, fold_texts_except_nordic
from pipelines.transforms.holders import name_features
from tests.tables import check_cases
from warehouse.reader.queries.names import parse_name_query

NAMES = [  # name, market, folded, and the core that remains without legal forms
    ("Håkon Invest AB (publ)", "SE", "hakon invest ab publ", "hakon invest"),
    ("HÅKON INVEST AKTIEBOLAG", "SE", "hakon invest aktiebolag", "hakon invest"),
    ("AB Volvo", "SE", "ab volvo", "volvo"),
    ("Aktiebolaget SKF", "SE", "aktiebolaget skf", "skf"),
    ("Länsförsäkringar AB", "SE", "lansforsakringar ab", "lansforsakringar"),
    ("La\u0308nsfo\u0308rsa\u0308kringar AB", "SE", "lansforsakringar ab", "lansforsakringar"),
    ("Svenska Handelsbanken AB", "SE", "svenska handelsbanken ab", "svenska handelsbanken"),
    ("H & M Hennes & Mauritz AB", "SE", "h m hennes mauritz ab", "h and m hennes and mauritz"),
    ("Åkers Mekaniska ekonomisk förening", "SE", "akers mekaniska ekonomisk forening", "akers mekaniska"),
    ("Sjö-Berg_Holding AB", "SE", "sjo berg holding ab", "sjo berg holding"),
    ("DNB BANK ASA", "NO", "dnb bank asa", "dnb bank"),
    ("A/S Øst & Vest", "NO", "as ost vest", "ost and vest"),
    ("Måsøval AS", "NO", "masoval as", "masoval"),
    ("SpareBank 1 Østlandet", "NO", "sparebank 1 ostlandet", "sparebank 1 ostlandet"),
    ("Bjørn Kjær", "NO", "bjorn kjaer", "bjorn kjaer"),
    ("BJØRN  KJÆR", "NO", "bjorn kjaer", "bjorn kjaer"),
    ("Eksempel A.S.", "NO", "eksempel as", "eksempel"),
    ("Nokia Oyj", "FI", "nokia oyj", "nokia"),
    ("Oyj Nokia Abp", "FI", "oyj nokia abp", "nokia"),
    ("Keskinäinen Eläkevakuutusyhtiö Ilmarinen", "FI", "keskinainen elakevakuutusyhtio ilmarinen",
     "keskinainen elakevakuutusyhtio ilmarinen"),
    ("Verkkokauppa.com Oyj", "FI", "verkkokauppa com oyj", "verkkokauppa com"),
    ("Oy Karl Fazer Ab", "FI", "oy karl fazer ab", "karl fazer"),
    ("Ålandsbanken Abp", "FI", "alandsbanken abp", "alandsbanken"),
    ("Ｎｏｋｉａ ﬁ Oyj", "FI", "nokia fi oyj", "nokia fi"),
    # signs that nobody sees: a soft hyphen, a blank without width, a byte order mark, a mark of direction
    ("Foto\u00adgraf\u200bene AS", "NO", "fotografene as", "fotografene"),
    ("\ufeffNo\u202ekia\u2060 Oyj", "FI", "nokia oyj", "nokia"),
    ("BARCLAYS PLC", "UK", "barclays plc", "barclays"),
    ("Sample p.l.c.", "UK", "sample plc", "sample"),
    ("The Wine Society Ltd.", "UK", "the wine society ltd", "wine society"),
    ("Acme (UK) Limited", "UK", "acme uk limited", "acme"),
    ("Marks & Spencer Group P.L.C.", "UK", "marks spencer group plc", "marks and spencer group"),
    ("O’Neil's Ltd", "UK", "oneils ltd", "oneils"),
    ("O`Neil´s Ltd", "UK", "oneils ltd", "oneils"),
    ("J.P. Morgan & Co.", "US", "jp morgan co", "jp morgan"),
    ("JAG Capital Advisors, L.L.C.", "US", "jag capital advisors llc", "jag capital advisors"),
    ("BlackRock,  Inc.", "US", "blackrock inc", "blackrock"),
    ("First Bank, N.A.", "US", "first bank na", "first bank"),
    ("Société Générale S.A.", "US", "societe generale sa", "societe generale"),
    ("Œuvre & Cœur Inc", "US", "oeuvre coeur inc", "oeuvre and coeur"),
    ("Groß Straßenbau GmbH", "US", "gross strassenbau gmbh", "gross strassenbau"),
    ("TÜRKİYE İŞ BANKASI A.Ş.", "US", "turkiye is bankasi as", "turkiye is bankasi as"),
    ("Isık Işık", "US", "isik isik", "isik isik"),
    ("Łódź Đorđe Þór", "US", "lodz dorde thor", "lodz dorde thor"),
    ("Газпром ПАО", "US", "газпром пао", "газпром пао"),
    ("Acme™ №1", "US", "acmetm no1", "acmetm no1"),
    ("Berkshire Partners+", "US", "berkshire partners", "berkshire partners and"),
    ("(publ)", "SE", "publ", None),
]  # fmt: skip
Keys = Callable[[pl.Series], list[object]]


def each(of: Callable[[str], object]) -> Keys:
    return lambda names: [of(name) for name in names]


def nordic(of: Callable[[str], str | None]) -> Keys:
    """Keys that keep Nordic letters, with these folded."""
    return lambda names: [fold_nordic_letters(of(name) or "") for name in names]


# Everything that compares names: it must give the same for a name as for what the name is folded to.
CONSUMERS: dict[str, Keys] = {
    "search query": each(parse_name_query),
    "search index": lambda names: fold_texts(names).to_list(),
    "holder ids of notices in Sweden and Finland": lambda names: (
        pl.DataFrame({"holder": names}).select(HOLDER_KEY).to_series().to_list()
    ),
    "holder ids of notices in the United Kingdom": each(normalise_holder_name),
    "issuers of notices in the United Kingdom": each(issuer_words),
    "holders of one company": each(name_features.ascii_folded_names),
    "legal forms of holders": each(name_features.legal_forms_of),
    "blocking keys of holders": each(name_features.consonant_key),
    "names in the text of notices": each(comparable_words),
    "issuers of exchange releases": nordic(issuer_key),
    "issuers in Swedish registers": lambda names: fold_texts(swedish_cores(names)).to_list(),
}


@check_cases(("name", "market", "folded", "core"), NAMES)
def test_name_is_folded_to_one_form(name: str, market: str, folded: str, core: str | None) -> None:
    assert fold_text(name) == folded
    assert fold_text(folded) == folded
    assert fold_nordic_letters(fold_except_nordic(name)) == folded
    assert core_name(name, market) in (core, fold_except_nordic(core_name(name, market) or ""))
    assert fold_texts(core_names(pl.Series([name]), market)).to_list() == [core]


@check_cases("consumer", CONSUMERS)
def test_what_compares_names_agrees_with_the_fold(consumer: str) -> None:
    names, folded = pl.Series([case[0] for case in NAMES]), pl.Series([case[2] for case in NAMES])
    keys = CONSUMERS[consumer]
    assert keys(names) == keys(folded)


def test_holder_id_of_a_notice_does_not_depend_on_its_staged_key() -> None:
    rows = pl.DataFrame({"holder": ["Länsförsäkringar AB"] * 2, HOLDER: ["länsförsäkringar ab", "lansforsakringar ab"]})
    assert rows.select(HOLDER_KEY).to_series().to_list() == ["lansforsakringar ab"] * 2


def test_norwegian_issuers_link_by_the_core() -> None:
    cases = [case for case in NAMES if case[1] == "NO"]
    assert issuer_cores(pl.Series([case[0] for case in cases])).to_list() == [case[3] for case in cases]


def test_nordic_letters_stay_where_a_register_tells_them_apart() -> None:
    assert fold_except_nordic("BÅT & Möbler Café AB") == "båt möbler cafe ab"
    assert fold_except_nordic(unicodedata.normalize("NFD", "Båt")) == "båt"


def test_spelling_key_keeps_all_but_case_and_blanks() -> None:
    assert spelling_key("  Øyvind   B. Bø ") == "øyvind b. bø"


_SIGNS = st.sampled_from("aZ09 .'`/_-&(),+\n\0åØæßÿ×ªıİﬁ™株\u0308")


@example(["Ørsted A/S", "J.P. Morgan & Co.", "BYGG AS", "BYGG AS\n", "AB (publ)", " a", "İş", "", None])
@given(st.lists(st.none() | st.text(_SIGNS, max_size=12) | st.text(max_size=6), max_size=8))
def test_columns_are_folded_as_single_names(names: list[str | None]) -> None:
    column = pl.Series(names, dtype=pl.String)
    for fold, fold_one in ((fold_texts, fold_text), (fold_texts_except_nordic, fold_except_nordic)):
        assert fold(column).to_list() == [None if name is None else fold_one(name) for name in names]
    assert column.to_list() == names

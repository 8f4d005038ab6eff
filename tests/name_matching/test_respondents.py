"""Respondents of titles: companies kept whole, persons counted, nobody's name but a company's handed on."""

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from name_matching.company_markers import CompanyMarker, detect_company_marker
from name_matching.law_firm_alerts import is_law_firm_alert
from name_matching.respondents import LONGEST, parse_parties
from tests.tables import check_cases

TITLES = [
    ("Consensys Software Inc.", ["Consensys Software Inc."], 0),
    ("BorrowMoney.com, Inc. and Aldo Example", ["BorrowMoney.com, Inc."], 1),
    ("Lufkin Advisors, LLC and Chauncey Example Lufkin, III", ["Lufkin Advisors, LLC"], 1),
    ("Western Sierra Resource Corporation, Roger Example, and Dennis Example",
     ["Western Sierra Resource Corporation"], 2),
    ("Matthew Example and  Matthew Example Companies, LLC ", ["Matthew Example Companies, LLC"], 1),
    ("PixarBio Corp. et al.", ["PixarBio Corp."], 0),
    ("Bhardwaj et al.", [], 1),
    ("Ann Example", [], 1),
    ("Ann Example, CPA; Bo Example, Jr., and Cy Example, Esq.", [], 3),
    ("Barnes and Noble, Inc. and John Example", ["Barnes and Noble, Inc."], 1),
    ("Acme LLC d/b/a Foo, John Example a/k/a J. Ex, and Beta Fund, L.P.", ["Acme LLC", "Beta Fund, L.P."], 1),
    ("John Example d/b/a Example Trading Co.", [], 1),
    ("In the Matter of Foo Bank, N.A.", ["Foo Bank, N.A."], 0),
    ("SEC v. Acme Holdings, Inc., et al.", ["Acme Holdings, Inc."], 0),
    ("Securities and Exchange Commission v. Acme, Inc. and Bo Example", ["Acme, Inc."], 1),
    ("Acme Corp. (ACME)", ["Acme Corp."], 0),
    ("Acme Corp. (NASDAQ: ACME); Beta plc", ["Acme Corp.", "Beta plc"], 0),
    ("Acme, Inc., n/k/a Beta Corp.", ["Acme, Inc."], 0),
    ("Morgan Stanley", [], 1),  # named like a person: nothing says it is a company
    ("Foo Inc. and Foo Inc.", ["Foo Inc."], 0),
    ("NewCo, Inc. (f/k/a OldCo, Inc.) and Ann Example", ["NewCo, Inc."], 1),
    ("NewCo, Inc. f/k/a OldCo, Inc., and Ann Example", ["NewCo, Inc."], 1),
    ("Labs PTE, Ltd. and Do Example", ["Labs PTE, Ltd."], 1),
    ("Coin, Inc. and Coin Global, Inc.", ["Coin, Inc.", "Coin Global, Inc."], 0),
    ("Fund II, L.P.; Fund III, L.P.; and Trading Co., Ltd.", ["Fund II, L.P.", "Fund III, L.P.", "Trading Co., Ltd."], 0),
    ("Drive Planning, LLC, and Russell T. Example", ["Drive Planning, LLC"], 1),
    ("Mina Example and Example Capital LLC", ["Example Capital LLC"], 1),
    ("Smith Law, P.A.", ["Smith Law, P.A."], 0),
    ("Ponzi Capital Advisors; Ann Example", ["Ponzi Capital Advisors"], 1),
    ("", [], 0),
]  # fmt: skip


@check_cases(("title", "companies", "others"), TITLES)
def test_titles(title: str, companies: list[str], others: int) -> None:
    found = parse_parties(title, "US")
    assert [one.name for one in found.companies] == companies
    assert found.others == others


@check_cases("title", [title for title, *_ in TITLES])
def test_a_title_without_persons_says_the_same(title: str) -> None:
    found = parse_parties(title, "US")
    again = parse_parties(found.title, "US")
    assert again.companies == found.companies
    assert not re.search(r"Example(?! Companies| Capital)", found.title)


@check_cases(
    ("title", "whole"),
    [
        ("Ann Example and Power Corp.", [False]),  # «Ann Example and Power Corp.» may be one name
        ("Ann Example, Power Corp.", [True]),
        ("Power Corp. and Ann Example", [True]),
        ("Acme, Inc. and Power Corp.", [True, True]),
        ("Black Hills Energy and Power Corp.", [True, False]),
        ("Smith, Jones and Co., Inc.", [False]),
    ],
)
def test_what_and_may_have_cut(title: str, whole: list[bool]) -> None:
    assert [one.is_whole for one in parse_parties(title, "US").companies] == whole


def test_more_respondents_than_named() -> None:
    assert parse_parties("Acme Corp., et al.", "US").is_open
    assert not parse_parties("Acme Corp.", "US").is_open


@check_cases(
    ("name", "country", "due"),
    [
        ("Acme, Inc.", "US", CompanyMarker.FORM),
        ("Acme", "US", CompanyMarker.NONE),
        ("Acme Trust", "US", CompanyMarker.WORD),
        ("Ann Example", "US", CompanyMarker.NONE),
        ("Larsson & Partners", "SE", CompanyMarker.WORD),
        ("Askim & Spydeberg Sparebank", "NO", CompanyMarker.WORD),
        ("Sparebanken Eksempel", "NO", CompanyMarker.WORD),
        ("Example Oyj", "FI", CompanyMarker.FORM),
        ("Capital", "US", CompanyMarker.NONE),
        ("Inc.", "US", CompanyMarker.NONE),
    ],
)
def test_marks(name: str, country: str, due: CompanyMarker) -> None:
    assert detect_company_marker(name, country) is due


COMPANIES = ["Acme, Inc.", "Beta Fund II, L.P.", "Gamma LLC", "Delta Trading Co., Ltd.", "Epsilon Capital Advisors"]
PERSONS = ["Ann Example", "Bo B. Example, Jr.", "Cy Example, CPA", "Di Example a/k/a Di Ex"]
SIGNS = [", ", "; ", " and ", ", and ", ",  and ", " and  "]


@given(st.lists(st.tuples(st.sampled_from(COMPANIES + PERSONS), st.sampled_from(SIGNS)), min_size=1, max_size=6))
def test_any_list_of_respondents_is_told_apart(listed: list[tuple[str, str]]) -> None:
    title = "".join(name + sign for name, sign in listed[:-1]) + listed[-1][0]
    found = parse_parties(title, "US")
    named = list(dict.fromkeys(name for name, _ in listed if name in COMPANIES))
    assert [one.name for one in found.companies] == named
    assert found.others == sum(name in PERSONS for name, _ in listed)
    assert not named or parse_parties(found.title, "US").companies == found.companies


@given(st.text(alphabet=st.sampled_from("AabIncLLCe .,;&/()…and\n"), max_size=200))
def test_any_title_is_read(title: str) -> None:
    for one in parse_parties(title, "US").companies:
        assert one.name == " ".join(one.name.split())
        assert one.name in " ".join(parse_parties(title, "US").title.split())


@check_cases("title", ["and " * 5_000, "(" * 20_000, ", Inc." * 4_000, "a/k/a " * 4_000, "et al" * 5_000])
def test_a_hostile_title_takes_no_time(title: str) -> None:
    assert len(parse_parties(title, "US").companies) <= LONGEST


def test_the_genuine_releases(sources: Path) -> None:
    text = (sources / "news" / "sec_rss" / "litigation_releases_20240701.part.xml").read_text()
    titles = re.findall(r"<item>\s*<title>([^<]*)</title>", text)
    companies = [one.name for title in titles for one in parse_parties(title, "US").companies]
    assert len(titles) == 16
    assert companies == [
        "Consensys Software Inc.",
        "BorrowMoney.com, Inc.",
        "Lufkin Advisors, LLC",
        "Western Sierra Resource Corporation",
        "Matthew Brown Companies, LLC",
        "PixarBio Corp.",
        "JAG Capital Advisors, LLC",
    ]


@check_cases(
    ("title", "publisher"),
    [
        ("INVESTOR ALERT: Law firm of Example & Example investigates Acme Inc.", None),
        ("SHAREHOLDER ALERT: Example LLP reminds investors of Acme Corp. of the deadline", None),
        ("Example Law Offices encourages Acme Inc. investors to contact the firm", None),
        ("ACME CLASS ACTION NOTICE: stockholders with losses of $100,000", None),
        ("Acme, Inc. Sued for Securities Fraud; Lead Plaintiff Deadline Nears", None),
        ("Acme Inc. update", "Pomerantz LLP"),
        ("Rosen Law Firm on Acme Inc.", None),
        ("Acme Investors Have Opportunity to Lead Acme Corp. Securities Fraud Lawsuit", None),
        ("Lawsuit for Investors in shares of Acme, Inc. announced", None),
        ("Acme Inc. Sued in a Securities Class Action", None),
        ("Class Action Lawsuit Filed Against Acme Inc.", None),
        ("Example Administration Announces Proposed Settlement of the Acme Securities Class Action", None),
        ("Acme Inc. Securities Class Action: Rosen Law Firm Announces Settlement", None),
        ("Acme Inc. update", "Example & Example LLP"),
        ("Acme Inc. update", "The Example Law Group"),
        ("Acme, Inc. is Being Investigated on Behalf of Acme, Inc. Investors", None),
        ("Lost Money on Acme, Inc.(ACM)? Join Class Action Suit Seeking Recovery", None),
        ("Acme, Inc. Shareholders Have the Chance to Lead the Class Action", None),
        ("Example Reminds of Opportunity to Lead in Acme Corp. Securities Litigation", None),
        ("Securities Litigation Partner of Example Updates Acme, Inc. Claims", None),
    ],
)
def test_law_firms_are_told(title: str, publisher: str | None) -> None:
    assert is_law_firm_alert(title, publisher)


@check_cases(
    "title",
    [
        "Acme Inc. reports results of the third quarter",
        "Acme Inc. settles a lawsuit over patents",
        "Acme Inc. Announces Settlement of Securities Class Action Lawsuit",
        "Acme Inc. settles a securities class action",
        "Acme Inc. Wins Dismissal of Shareholder Class Action Lawsuit",
        "Court Dismisses Securities Lawsuit Against Acme Inc.",
        "Acme Inc. Announces Dismissal of Securities Litigation",
        "Acme Inc. Reaches Settlement of Securities Litigation",
        "Acme Inc. Names New CEO and Sees Opportunity to Lead in Storage",
        "Acme plc acquires Beta, with the chance to lead its market",
        "Acme ASA: Notice of annual general meeting",
        "Acme Inc. invites to investor day",
        "Acme plc appoints new general counsel",
        "Acme ASA reminds shareholders to vote at the general meeting",
        "Major shareholder notice",
        "Acme Oyj notifies shareholders of the dividend",
        "Acme plc notifies shareholders of its rights issue",
        "Acme Inc. encourages stockholders to contact its proxy solicitor",
        "Investor contact of Acme ASA changes",
        "Acme survey: one adult in ten lost money in scams",
        "The Law Debenture Corporation p.l.c.: half-year report",
    ],
)
def test_a_company_of_its_own_suit_is_no_alert(title: str) -> None:
    assert not is_law_firm_alert(title)


def test_a_company_whose_name_begins_with_law_is_no_firm_of_lawyers() -> None:
    assert not is_law_firm_alert("Half-year report", "The Law Debenture Corporation p.l.c.")

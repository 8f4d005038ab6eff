"""Registered notices: accounts that were filed on paper are filings too, digital ones are told once."""

import json

import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, Scope, UnreadableFileError
from tests.connectors.fi.finnish_files import (
    NOTICES,
    ONE,
    TWO,
    XBRL,
    YTJ,
    company,
    day,
    listed,
    notice,
    noticed,
    read,
    reasons,
    rows,
    shared,
    signals,
    statement,
)


@pytest.mark.parametrize("shape", ["one", "page"])
def test_notices_of_one_company_or_of_a_search_page(shape: str) -> None:
    one = noticed(notice("2026-05-02", "M", "2026/2", ("NIMP",)), notice("2026-04-01"))
    found = read(NOTICES, one if shape == "one" else {"totalResults": 1, "companies": [one]})
    assert [(row["registrationDate"], row["typeOfRegistration"], row["entryCodes"]) for row in rows(found)] == [
        (day("2026-05-02"), "M", ["NIMP"]),
        (day("2026-04-01"), "TA", ["TILTAR"]),
    ]
    assert not signals(found)


def test_accounts_on_paper_are_a_filing_of_an_unknown_period() -> None:
    found = read(
        NOTICES, noticed(notice("2026-04-01"), notice("2026-04-01", number="2026/9"), notice("2026-05-02", "M"))
    )
    filings = shared(read(YTJ, [company()]), found)["filings"]
    assert [(row["filing_type"], row["period_start"], row["period_end"], row["filed_at"]) for row in filings] == [
        ("annual_report", None, None, day("2026-04-01"))
    ] * 2
    assert len({row["filing_id"] for row in filings}) == 2
    assert filings[0]["native_id"] == f"{ONE}:2026-04-01:2026/1"


def test_accounts_filed_digitally_are_told_by_their_own_document_alone() -> None:
    facts = ("mi53", "x360", "2024-12-31", "5.00", None)
    paper = read(NOTICES, noticed(notice("2025-06-02"), notice("2024-06-03"), number=TWO))
    digital = read(XBRL, statement(facts))
    lists = read(XBRL, listed((TWO, "2024-12-31", "2025-06-02")))
    filings = shared(digital, lists, paper)["filings"]
    assert sorted((row["register"], str(row["filed_at"])) for row in filings) == [
        ("fi.notices", "2024-06-03"),
        ("fi.xbrl", "2025-06-02"),
    ]


def test_listed_and_not_fetched_yet_is_not_told_twice_either() -> None:
    paper = read(NOTICES, noticed(notice("2025-06-02"), number=TWO))
    assert shared(paper, read(XBRL, listed((TWO, "2024-12-31", "2025-06-02"))))["filings"] == []


def test_the_list_that_comes_with_the_notices_tells_what_is_digital() -> None:
    """Asked for together: statements that cannot be fetched today make no paper of their notices."""
    paper = read(NOTICES, noticed(notice("2025-06-02"), notice("2025-06-03"), number=TWO))
    body = json.dumps(listed((TWO, "2024-12-31", "2025-06-02"), (TWO, "2023-12-31", "2025-06-02"))).encode()
    assert NOTICES.recognise_file("x", body) == RecognisedFile(None, Scope.PART)
    (filing,) = shared(paper, read(NOTICES, body))["filings"]
    assert filing["filed_at"] == day("2025-06-03")


def test_the_companys_own_fields_are_left_to_ytj() -> None:
    """They lack industry and website: taken over, they would wipe them."""
    whole = read(YTJ, [company(website={"url": "x.fi"})])
    after = shared(whole, read(NOTICES, noticed(notice("2026-04-01"))))["companies"]
    assert after == shared(whole)["companies"]


def test_an_unknown_kind_is_kept_and_told() -> None:
    found = read(NOTICES, noticed(notice("2026-04-01", "XX")))
    assert rows(found)[0]["typeOfRegistration"] == "XX"
    assert signals(found)["unknown_code", "typeOfRegistration XX"].examples == (ONE,)
    assert shared(found)["filings"] == []


def test_what_does_not_read_costs_itself_only() -> None:
    body = {"companies": [noticed(notice("someday"), notice("2026-04-01")), {"names": []}, "x"]}
    found = read(NOTICES, body)
    assert len(rows(found)) == 1
    assert len(reasons(found)) == 3


def test_a_notice_of_a_day_to_come_costs_itself_only() -> None:
    found = read(NOTICES, noticed(notice("2026-12-24"), notice("2062-04-01", number="2"), notice("2026-04-01")))
    assert [row["registrationDate"] for row in rows(found)] == [day("2026-04-01")]
    assert [reason.rpartition(" ")[2] for reason in reasons(found)] == ["2026-12-24", "2062-04-01"]


def test_what_is_not_ours() -> None:
    for body in (
        {"companies": []},
        {"companies": [company()]},
        company(),
        {"errorcode": 1006, "message": "wrong shape"},
        {"a": 1},
        [],
    ):
        assert isinstance(NOTICES.recognise_file("x", json.dumps(body).encode()), NotApplicable), body
    assert isinstance(NOTICES.recognise_file("x", b"Language must be EN/FI/SV"), NotApplicable)
    assert NOTICES.recognise_file("x", json.dumps(noticed(notice("2026-04-01"))).encode()) == RecognisedFile(
        None, Scope.PART
    )
    for text in (b"{", b'{"publicNotices":1}', b"7"):
        with pytest.raises(UnreadableFileError):
            read(NOTICES, text)

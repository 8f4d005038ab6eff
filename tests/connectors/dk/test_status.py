"""The status of a company: life spans, the register's words, restoration, records by mistake."""

from datetime import date
from typing import Any

from connectors.dk.code_lists import STATUSES
from tests.connectors.dk.records import COMPANIES, INSTANT, answer, batches, company, element, profile, shared, signals
from tests.tables import check_cases

STATE = ("status", "status_detail", "status_date", "registry_status", "dissolved_date")
SINCE = date(2024, 5, 6)


def state(**changes: Any) -> tuple[Any, ...]:
    found = profile(**changes)
    return tuple(found[name] for name in STATE)


def word(text: str) -> dict[str, Any]:
    return {
        "virksomhedsstatus": [element("2001-02-03", "2024-05-05", status="NORMAL"), element("2024-05-06", status=text)],
        "virksomhedMetadata": {"sammensatStatus": text},
    }


@check_cases(
    ("text", "status", "detail"),
    [
        ("NORMAL", "active", None),
        ("UNDER KONKURS", "dormant", "bankruptcy"),
        ("UNDER TVANGSOPLØSNING", "dormant", "forced_dissolution"),
        ("UNDER FRIVILLIG LIKVIDATION", "dormant", "liquidation"),
        ("UNDER LIKVIDATION", "dormant", "liquidation"),
        ("UNDER REKONSTRUKTION", "active", "reorganisation"),
        ("UNDER REASSUMERING", "active", "reorganisation"),
    ],
)
def test_words_of_companies_that_exist(text: str, status: str, detail: str | None) -> None:
    assert state(**word(text)) == (status, detail, SINCE, text, None)


@check_cases(
    ("text", "detail"),
    [
        ("OPLØST EFTER KONKURS", "bankruptcy"),
        ("OPLØST EFTER FUSION", "merged"),
        ("OPLØST EFTER FRIVILLIG LIKVIDATION", "liquidation"),
        ("TVANGSOPLØST", "forced_dissolution"),
        ("SLETTET", "deregistered"),
        ("Ophørt", None),
        ("NORMAL", None),  # the life span decides, the word gives no reason
        ("NOGET NYT", None),
    ],
)
def test_a_closed_life_span_is_the_end_and_the_word_its_reason(text: str, detail: str | None) -> None:
    ended = {"livsforloeb": [element("2001-02-03", "2025-06-30")]}
    assert state(**word(text), **ended) == ("dissolved", detail, date(2025, 6, 30), text, date(2025, 6, 30))


def test_an_end_to_come_is_no_end_yet() -> None:
    assert state(livsforloeb=[element("2001-02-03", "2026-12-31")])[0] == "active"


def test_a_restored_company_has_an_open_life_span_again() -> None:
    spans = [element("2001-02-03", "2020-01-01"), element("2021-03-04")]
    statuses = [element("2019-12-01", "2021-03-03", status="TVANGSOPLØST"), element("2021-03-04", status="NORMAL")]
    found = state(livsforloeb=spans, virksomhedsstatus=statuses)
    assert found == ("active", None, date(2021, 3, 4), "NORMAL", None)


def test_a_word_of_an_end_counts_where_the_life_span_is_still_open() -> None:
    assert state(**word("OPLØST EFTER KONKURS"))[:3] == ("dissolved", "bankruptcy", SINCE)


@check_cases(
    ("ready", "listed", "ended", "is_told"),
    [
        ("NORMAL", "UNDER KONKURS", None, True),
        ("Under konkurs", "UNDER KONKURS", None, False),
        ("AKTIV", "NORMAL", None, False),
        ("NORMAL", "UNDER KONKURS", "2024-06-01", False),  # it is over
        ("OPHØRT", "OPHØRT", None, True),  # beside an open life span
        ("SPRUNGET", "UNDER KONKURS", None, False),
    ],
)
def test_words_of_other_states_are_counted_and_the_ready_made_one_counts(
    ready: str, listed: str, ended: str | None, is_told: bool
) -> None:
    status = [element("2024-05-06", ended, status=listed)]
    record = company(virksomhedsstatus=status, virksomhedMetadata={"sammensatStatus": ready})
    found = signals(batches(COMPANIES, answer(record)))
    assert (("contradicting_status", "sammensatStatus") in found) == is_told
    assert state(virksomhedsstatus=status, virksomhedMetadata={"sammensatStatus": ready})[3] == ready


def test_an_unknown_word_is_kept_and_counted_and_the_life_span_decides() -> None:
    found = batches(COMPANIES, answer(company(**word("NOGET NYT"))))
    assert signals(found) == {("unknown_status", "noget nyt"): 1}
    assert state(**word("NOGET NYT")) == ("active", None, None, "NOGET NYT", None)


@check_cases(
    ("ready", "listed", "status", "detail"),
    [
        ("UNDERKONKURS", "UNDER KONKURS", "dormant", "bankruptcy"),
        ("UNDERFRIVILLIGLIKVIDATION", "UNDER FRIVILLIG LIKVIDATION", "dormant", "liquidation"),
        ("UNDERTVANGSOPLØSNING", "UNDER TVANGSOPLØSNING", "dormant", "forced_dissolution"),
        ("UNDERREKONSTRUKTION", "UNDER REKONSTRUKTION", "active", "reorganisation"),
        ("OPLØSTEFTERKONKURS", "OPLØST EFTER KONKURS", "dissolved", "bankruptcy"),
    ],
)
def test_ready_made_word_without_blanks_is_the_lists_word(
    ready: str, listed: str, status: str, detail: str | None
) -> None:
    """A bankrupt company was served as active, with the signal `unknown_status`."""
    changes: dict[str, Any] = {**word(listed), "virksomhedMetadata": {"sammensatStatus": ready}}
    ended = SINCE if status == "dissolved" else None
    assert state(**changes) == (status, detail, SINCE, ready, ended)
    expected = {("contradicting_status", "sammensatStatus"): 1} if ended else {}  # an end beside an open life span
    assert signals(batches(COMPANIES, answer(company(**changes)))) == expected


def test_sole_traders_and_foundations_have_a_word_and_no_status_of_a_court() -> None:
    found = state(virksomhedsstatus=[], virksomhedMetadata={"sammensatStatus": "Aktiv"})
    assert found == ("active", None, None, "Aktiv", None)


def test_a_company_that_was_registered_by_mistake_is_not_one() -> None:
    assert state(fejlRegistreret=True)[:2] == ("dissolved", "deregistered")


def test_a_company_that_a_complete_file_lacks_has_left_the_register() -> None:
    found = shared(batches(COMPANIES, answer(company())), retired_at=INSTANT)["companies"].row(0, named=True)
    assert (found["status"], found["dissolved_date"], found["registry_status"]) == ("dissolved", INSTANT.date(), None)


def test_every_listed_word_has_a_meaning_of_the_contract() -> None:
    assert {STATUSES.get(word, "status") for word in STATUSES.codes} == {"active", "dormant", "dissolved"}


def test_a_life_span_to_come_is_not_open_yet() -> None:
    found = profile(livsforloeb=[element("2001-01-01", "2010-01-01"), element("2099-01-01")])
    assert (found["status"], found["dissolved_date"]) == ("dissolved", date(2010, 1, 1))


def test_an_end_before_the_beginning_is_an_end_of_no_known_day() -> None:
    found = profile(livsforloeb=[element("2010-01-01", "2001-01-01")])
    assert (found["status"], found["status_date"], found["dissolved_date"]) == ("dissolved", None, None)

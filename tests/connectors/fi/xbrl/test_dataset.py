"""Statements of the XBRL service: line items by member and date, in either element; sums; lists of statements."""

import codecs
import gzip
import hashlib
import json
from decimal import Decimal

import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, Scope, UnreadableFileError
from tests.connectors.fi.finnish_files import (
    ONE,
    TWO,
    XBRL,
    Fact,
    day,
    listed,
    read,
    reasons,
    rows,
    shared,
    signals,
    statement,
)
from tests.tables import check_cases

NOW, THEN = "2024-12-31", "2023-12-31"
BALANCE: tuple[Fact, ...] = (
    ("mi53", "x513", NOW, "10.00", None),
    ("mi53", "x435", NOW, "90.50", None),
    ("mi53", "x360", NOW, "100.50", None),
    ("mi53", "x376", NOW, "60.25", None),
    ("mi53", "x424", NOW, "40.25", None),
    ("mi53", "x481", NOW, "100.50", None),
)
RESULT: tuple[Fact, ...] = (
    ("md103", "x673", NOW, "250.00", None),
    ("md103", "x689", NOW, "30.00", None),
    ("md103", "x738", NOW, "30.00", None),
    ("md103", "x541", NOW, "-6.00", None),
    ("md103", "x740", NOW, "24.00", None),
    ("mi53", "x2895", NOW, "24.00", None),
)
PRIOR: tuple[Fact, ...] = (
    ("mi53", "x360", THEN, "80.00", "x4"),
    ("mi53", "x376", THEN, "36.00", "x4"),
    ("md103", "x673", THEN, "200.00", "x53"),
)


def figures(body: bytes, *more: object) -> list[dict]:
    found = [read(XBRL, body), *(read(XBRL, json.dumps(one).encode()) for one in more)]
    return shared(*found)["financials_reported"]


def figures_with_year_before(body: bytes, start: str = "2023-01-01") -> list[dict]:
    """Figures of a statement, beside the company's own statement of the year before, which has none."""
    return shared(read(XBRL, body), read(XBRL, statement(start=start, end=THEN)))["financials_reported"]


def test_a_statement_and_its_comparatives() -> None:
    body = statement(*BALANCE, *RESULT, *PRIOR)
    own, before = figures_with_year_before(body)
    assert (own["period_start"], own["period_end"], own["is_comparative"]) == (day("2024-01-01"), day(NOW), False)
    assert [own[key] for key in ("revenue", "operating_result", "net_result", "equity", "total_assets")] == [
        250, 30, 24, 60, 100]  # fmt: skip
    assert (own["currency"], own["accounting_standard"], own["is_consolidated"]) == ("EUR", "FAS", False)
    assert (before["period_start"], before["period_end"]) == (day("2023-01-01"), day(THEN))
    assert (before["revenue"], before["equity"], before["total_assets"]) == (200, 36, 80)
    assert (before["is_comparative"], before["net_result"]) == (True, None)
    assert not signals(read(XBRL, body))


@check_cases(("balance", "result"), [(NOW, THEN), (NOW, NOW), ("2024-01-01", THEN), ("2024-01-01", NOW), (THEN, NOW)])
def test_what_refers_to_the_year_before_is_of_it_whatever_its_instant(balance: str, result: str) -> None:
    moved = [(e, line, result if ref == "x53" else balance, a, ref) for e, line, _, a, ref in PRIOR]
    body = statement(*BALANCE, *RESULT, *moved)
    own, before = figures_with_year_before(body)
    assert (own["revenue"], own["equity"], own["total_assets"]) == (250, 60, 100)
    assert (before["period_start"], before["period_end"]) == (day("2023-01-01"), day(THEN))
    assert (before["revenue"], before["equity"], before["total_assets"]) == (200, 36, 80)
    assert not signals(read(XBRL, body))


def test_a_packed_statement_and_a_list_with_a_byte_order_mark_read_alike() -> None:
    lines = json.dumps(listed((TWO, NOW, "2025-06-02"))).encode()
    for packed in (gzip.compress(statement(*BALANCE)), codecs.BOM_UTF8 + lines, gzip.compress(lines)):
        assert XBRL.recognise_file("x", packed) == RecognisedFile(None, Scope.PART)
        assert len(rows(read(XBRL, packed))) == 1


def test_the_filing_is_known_by_company_and_last_day_and_its_bytes_are_kept() -> None:
    body = statement(*BALANCE)
    (filing,) = shared(read(XBRL, body), read(XBRL, listed((TWO, NOW, "2025-06-02"))))["filings"]
    assert (filing["native_id"], filing["filed_at"]) == (f"{TWO}:{NOW}", day("2025-06-02"))
    assert filing["document_sha256"] == hashlib.sha256(body).hexdigest()
    assert filing["document_url"].endswith(f"/financial?businessId={TWO}&financialDate={NOW}")


def test_registered_again_is_filed_again_and_both_days_are_known() -> None:
    lists = read(XBRL, listed((TWO, NOW, "2025-06-02"), (TWO, NOW, "2025-09-01")))
    assert len(rows(lists)) == 2
    (filing,) = shared(read(XBRL, statement(*BALANCE)), lists)["filings"]
    assert filing["filed_at"] == day("2025-09-01")


def test_pitfall_09_equity_is_x376_and_not_current_assets() -> None:
    """x435 with x513 balances as well (docs/formats/fi.md 3.3, TRAP)."""
    (own,) = figures(statement(*BALANCE))
    assert own["equity"] == round(Decimal("60.25"))


def test_pitfall_09_the_profit_and_loss_comes_as_a_balance_and_comparatives_lack_their_reference() -> None:
    as_balances = [("mi53", line, at, amount, ref) for _, line, at, amount, ref in (*BALANCE, *RESULT)]
    before = [("mi53", line, at, amount, None) for _, line, at, amount, _ in PRIOR]
    assert figures(statement(*as_balances, *before))[0]["revenue"] == 250
    plain = figures_with_year_before(statement(*BALANCE, *RESULT, *PRIOR))
    variant = figures_with_year_before(statement(*as_balances, *before))
    keys = ("revenue", "operating_result", "net_result", "equity", "total_assets", "period_start", "is_comparative")
    assert [[row[key] for key in keys] for row in plain] == [[row[key] for key in keys] for row in variant]


@pytest.mark.parametrize("prefix", ["", "xbrli:", "x:"])
def test_pitfall_09_the_root_has_any_prefix(prefix: str) -> None:
    assert figures(statement(*BALANCE, prefix=prefix))[0]["total_assets"] == 100


def test_a_gross_result_is_no_revenue() -> None:
    (own,) = figures(statement(*BALANCE, ("md103", "x520", NOW, "77.00", None)))
    assert own["revenue"] is None


def test_the_second_line_of_the_net_result_and_of_the_balance_stand_in() -> None:
    facts = [fact for fact in (*BALANCE, *RESULT) if fact[1] not in ("x740", "x360")]
    (own,) = figures(statement(*facts))
    assert (own["net_result"], own["total_assets"]) == (24, 100)


@check_cases(("amount", "due"), [("0.50", 0), ("1.50", 2), ("2.50", 2), ("-0.51", -1), ("0.00", 0)])
def test_whole_euros_halves_to_even_and_zero_is_not_null(amount: str, due: int) -> None:
    assert figures(statement(("mi53", "x376", NOW, amount, None)))[0]["equity"] == due


@check_cases(
    ("line", "what"),
    [("x360", "x360 = x481"), ("x513", "x360 = x513 + x435"), ("x424", "x481 = x376 + x424 (+ appropriations, provisions)"),
     ("x2895", "x740 = x2895"), ("x541", "x740 = x738 + x541 (+ appropriations)")],
)  # fmt: skip
def test_what_does_not_add_up_is_told_to_the_cent(line: str, what: str) -> None:
    changed = [
        (e, m, at, f"{Decimal(a) + Decimal('0.01')}" if m == line else a, r) for e, m, at, a, r in (*BALANCE, *RESULT)
    ]
    found = signals(read(XBRL, statement(*changed)))
    assert ("does_not_add_up", what) in found
    assert found["does_not_add_up", what].examples == (TWO,)


@check_cases("start", ["2022-10-01", "2023-09-15", "2023-01-01", "2022-07-01"])
def test_comparatives_have_the_period_of_the_own_statement_whatever_its_length(start: str) -> None:
    own, before = figures_with_year_before(statement(*BALANCE, *PRIOR), start)
    assert (own["period_start"], own["is_comparative"]) == (day("2024-01-01"), False)
    assert (before["period_start"], before["period_end"], before["is_comparative"]) == (day(start), day(THEN), True)


def test_comparatives_without_an_own_statement_have_no_first_day_and_are_left_out() -> None:
    (own,) = figures(statement(*BALANCE, *RESULT, *PRIOR))
    assert (own["period_start"], own["is_comparative"]) == (day("2024-01-01"), False)


def test_comparatives_after_a_year_of_another_length_have_the_own_statements_period() -> None:
    facts = (*BALANCE, ("mi53", "x376", "2023-06-30", "1.00", "x4"))
    after, first = statement(*facts, start="2023-07-01"), statement(start="2023-01-01", end="2023-06-30")
    own, before = shared(read(XBRL, after), read(XBRL, first))["financials_reported"]
    assert (own["period_start"], own["is_comparative"]) == (day("2023-07-01"), False)  # eighteen months
    assert (before["period_start"], before["period_end"]) == (day("2023-01-01"), day("2023-06-30"))


def test_comparatives_of_another_day_than_before_the_year_are_left_out_and_told() -> None:
    body = statement(*BALANCE, ("mi53", "x376", "2023-11-30", "1.00", None))
    assert len(figures(body)) == 1
    assert any(code == "other_comparatives" for code, _ in signals(read(XBRL, body)))


@pytest.mark.parametrize(
    ("fact", "code"),
    [
        (("mi53", "x376", NOW, "1.00", "x99"), "unknown_code"),
        (("mi53", "x376", "2025-12-31", "1.00", None), "other_instant"),
    ],
)
def test_a_fact_of_another_time_or_reference_is_left_out_and_told(fact: Fact, code: str) -> None:
    found = read(XBRL, statement(("mi53", "x360", NOW, "5.00", None), fact))
    assert rows(found)[0]["x376"] is None
    assert code in {code for code, _ in signals(found)}


def test_a_consolidated_member_is_not_mixed_in() -> None:
    more = (
        '<context xmlns="http://www.xbrl.org/2003/instance" id="g"><entity><identifier scheme="http://ytj.fi">'
        f"{TWO}</identifier></entity><period><instant>{NOW}</instant></period><scenario>"
        '<d:explicitMember dimension="fi_dim:MCY">fi_MC:x376</d:explicitMember>'
        '<d:explicitMember dimension="fi_dim:CON">fi_SC:x7</d:explicitMember></scenario></context>'
        '<m:mi53 contextRef="g" unitRef="u" decimals="2">999.00</m:mi53>'
    )
    found = read(XBRL, statement(*BALANCE, more=more))
    assert rows(found)[0]["x376"] == 60
    assert ("unknown_dimension", "CON x7") in signals(found)


def test_facts_that_contradict_each_other_are_null_and_told() -> None:
    found = read(XBRL, statement(*BALANCE, ("mi53", "x376", NOW, "61.00", None)))
    assert rows(found)[0]["x376"] is None
    assert ("conflicting_facts", "x376") in signals(found)


@check_cases(
    ("line", "other", "repeated", "due"),
    [("x740", "x2895", "300.00", None), ("x740", "x2895", "20.00", 20), ("x360", "x481", "300.00", None)],
)
def test_a_contradicted_line_is_not_taken_from_its_counterpart_unless_that_repeats_it(
    line: str, other: str, repeated: str, due: int | None
) -> None:
    facts = [("md103", line, NOW, "10.00", None), ("md103", line, NOW, "20.00", None)]
    (row,) = rows(read(XBRL, statement(*facts, ("mi53", other, NOW, repeated, None))))
    assert (row[line], row[other]) == (None, due)


def test_without_di121_the_name_tells_the_last_day_and_without_di120_there_are_no_figures() -> None:
    found = read(XBRL, statement(*BALANCE, start=None, end=None), name=f"prh_xbrl_{TWO}_{NOW}.xml")
    assert rows(found)[0]["financialDate"] == day(NOW)
    assert ("no_period", "di121 is missing") in signals(found)
    assert ("no_period", "di120 is missing") in signals(found)
    assert shared(found)["financials_reported"] == []
    assert shared(found)["filings"][0]["period_start"] is None


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"<html><body>403</body></html>", "XBRL"),
        (statement(*BALANCE)[:-400], "XBRL"),
        (statement(*BALANCE, number="nobody"), "business id"),
    ],
)
def test_what_is_no_statement_is_refused(body: bytes, why: str) -> None:
    with pytest.raises(UnreadableFileError, match=why):
        read(XBRL, body)


def test_pitfall_08_an_empty_list_and_400_both_mean_nothing_filed_digitally() -> None:
    for body in (b'{"totalResults":0,"financials":[]}', b'{"errorcode":1005,"message":"none"}'):
        found = XBRL.recognise_file("x.json", body)
        assert isinstance(found, NotApplicable)
        assert "nothing was filed digitally" in found.reason
    assert XBRL.recognise_file("x.json", json.dumps(listed((TWO, NOW, "2025-06-02"))).encode()) == RecognisedFile(
        None, Scope.PART
    )
    assert isinstance(XBRL.recognise_file("x.json", b'{"a":1}'), NotApplicable)
    assert isinstance(XBRL.recognise_file("x.txt", b"hello"), NotApplicable)


def test_a_line_of_a_list_that_does_not_read_costs_itself_only() -> None:
    found = read(XBRL, listed(("nobody", NOW, "2025-06-02"), (TWO, NOW, "2025-06-02"), (TWO, "someday", "")))
    assert len(rows(found)) == 1
    assert len(reasons(found)) == 2


def test_a_statement_registered_before_its_year_was_over_has_no_day_of_filing_and_is_told() -> None:
    lists = read(XBRL, listed((TWO, NOW, "2024-06-02")))
    assert [row["filed_at"] for row in shared(read(XBRL, statement(*BALANCE)), lists)["filings"]] == [None]
    assert ("impossible_date", "registrationDate") in signals(lists)


def test_a_statement_of_another_company_or_year_than_requested_is_told() -> None:
    for number, last, due in ((TWO, NOW, set()), (ONE, NOW, {"other_business_id"}), (TWO, THEN, {"other_period"})):
        found = read(XBRL, statement(*BALANCE), name=f"{number}_{last}.xml")
        assert {code for code, _ in signals(found)} == due


def test_a_day_of_registration_to_come_is_null_and_told() -> None:
    found = read(XBRL, listed((TWO, NOW, "2062-06-02"), (TWO, NOW, "2025-06-02")))
    assert [row["registrationDate"] for row in rows(found)] == [day("2025-06-02")]
    assert signals(found)["unreadable_value", "registrationDate"].count == 1


def test_a_company_known_from_its_statement_alone_has_its_name_and_no_status_of_a_register() -> None:
    (found,) = shared(read(XBRL, statement(*BALANCE)))["companies"]
    assert (found["name"], found["status"], found["status_source"]) == ("Esimerkki Oy", "active", None)


@check_cases(
    "tag, other, kept",
    [
        ("di120", "2023-01-01", (None, NOW)),
        ("di120", "2024-01-01", ("2024-01-01", NOW)),
        ("di121", "2025-12-31", ("2024-01-01", NOW)),
    ],
)
def test_a_day_tagged_twice_counts_if_both_agree(tag: str, other: str, kept: tuple[str | None, str]) -> None:
    start, end = kept
    found = read(XBRL, statement(*BALANCE, more=f'<m:{tag} contextRef="c0">{other}</m:{tag}>'))
    (row,) = rows(found)
    assert (row["di120"], row["financialDate"]) == (start and day(start), day(end))
    assert (("conflicting_facts", tag) in signals(found)) == (other != "2024-01-01")


def test_a_year_that_has_not_ended_is_a_slip_and_the_name_or_the_balance_tells_its_end() -> None:
    for name in (f"prh_xbrl_{TWO}_{NOW}.xml", "file"):
        found = read(XBRL, statement(*BALANCE, end="2042-12-31"), name=name)
        assert rows(found)[0]["financialDate"] == day(NOW)
        assert ("unreadable_value", "di121 is in the future") in signals(found)
    with pytest.raises(UnreadableFileError, match="no last day that is past"):
        read(XBRL, statement(("mi53", "x360", "2042-12-31", "1.00", None), end="2042-12-31"))

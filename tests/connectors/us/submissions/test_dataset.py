"""Reading submissions: single answers, continuation files, the nightly archive, and what is wrong with them."""

import json
from datetime import date

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import NotApplicable, RecognisedFile, Scope, UnreadableFileError
from connectors.us.submissions import dataset as submissions_dataset
from connectors.us.submissions import schema as f
from tests.connectors.us.filer_bodies import (
    CIK,
    accession,
    batches,
    filer,
    filing,
    page,
    person,
    rejects,
    rows,
    signals,
    zipped,
)
from tests.tables import check_cases


def one(body, name=f"submissions/CIK{CIK}.json"):
    return rows(batches(body, name), f.FILERS).row(0, named=True)


def test_a_filer_is_one_row_and_its_filings_are_rows() -> None:
    found = batches(filer([filing("10-K", "2026-02-20", reportDate="2025-12-31", isXBRL=1)]))
    profile = rows(found, f.FILERS).row(0, named=True)
    assert (
        profile
        | {
            "name": "EXAMPLE COMPUTERS INC",
            "sic": "3571",
            "city": "AUSTIN",
            "place": "TX",
            "tickers": ["EXC"],
            "first_filed": date(2026, 2, 20),
            "is_person": False,
        }
        == profile
    )
    filed = rows(found, f.FILED_TABLE).row(0, named=True)
    assert (filed[f.CIK], filed[f.FORM], filed[f.FILED]) == (CIK, "10-K", date(2026, 2, 20))
    assert (filed[f.PERIOD], filed[f.IS_XBRL], filed[f.ITEMS]) == (date(2025, 12, 31), True, [])
    assert signals(found) == {}
    assert rejects(found) == []


@pytest.mark.parametrize("cik", [999001, "999001", CIK, "0000999001"])
def test_pitfall_02_the_body_pads_its_cik_or_not(cik) -> None:
    assert one(filer(cik=cik))[f.CIK] == CIK


def test_pitfall_06_the_viewers_folder_is_taken_off_documents() -> None:
    written = ["xslF345X05/form4.xml", "xslSCHEDULE_13G_X01/primary_doc.xml", "a10-k.htm", ""]
    filings = [filing("4", f"2026-01-0{day}", primaryDocument=name) for day, name in enumerate(written, 1)]
    found = rows(batches(filer(filings)), f.FILED_TABLE)[f.DOCUMENT].to_list()
    assert found == ["form4.xml", "primary_doc.xml", "a10-k.htm", None]


def test_pitfall_07_what_flickers_is_in_no_row() -> None:
    name = {"name": "OLD NAME INC", "from": "2005-02-17T05:00:00.000Z", "to": "2017-01-27T05:00:00.000Z"}
    before = filer([filing("8-K", "2026-01-05", items="2.02,9.01")], formerNames=[name])
    after = json.loads(json.dumps(before))
    after["formerNames"][0] |= {"from": "2005-02-17T00:00:00.000Z", "to": "2017-01-27T00:00:00.000Z"}
    recent = after["filings"]["recent"]
    recent["acceptanceDateTime"] = ["2026-01-05T21:30:00.000Z"]
    recent["size"], recent["core_type"], recent["primaryDocDescription"] = [1001], ["XBRL"], ["8-K report"]
    after["tickers"], after["exchanges"] = ["EXC"], ["NYSE"]
    for table in f.STAGED.values():
        assert rows(batches(before), table).equals(rows(batches(after), table))


def test_pitfall_07_former_names_of_one_day_keep_their_order_whatever_the_hour() -> None:
    def names(first: str, second: str) -> list[str]:
        former = [
            {"name": "FIRST INC", "from": "2001-01-01T00:00:00.000Z", "to": f"2010-06-01T{first}:00:00.000Z"},
            {"name": "SECOND INC", "from": "2005-01-01T00:00:00.000Z", "to": f"2010-06-01T{second}:00:00.000Z"},
        ]
        return one(filer(formerNames=former))["former_names"]

    assert names("00", "04") == names("04", "00") == ["SECOND INC", "FIRST INC"]


def test_the_order_of_symbols_says_nothing() -> None:
    before = filer(tickers=["EXC", "EXC-PA"], exchanges=["NYSE", "OTC"])
    after = filer(tickers=["EXC-PA", "EXC"], exchanges=["OTC", "NYSE"])
    assert rows(batches(before), f.FILERS).equals(rows(batches(after), f.FILERS))


@check_cases(
    ("written", "parts"),
    [
        ("Large accelerated filer", ["Large accelerated filer"]),
        ("Non-accelerated filer<br>Smaller reporting company", ["Non-accelerated filer", "Smaller reporting company"]),
        ("<br>Emerging growth company", ["Emerging growth company"]),
        ("", []),
        (None, []),
    ],
)
def test_pitfall_14_categories_are_joined_by_br(written, parts) -> None:
    assert one(filer(category=written))["categories"] == parts


@pytest.mark.parametrize("nothing", [None, "", "None", "  "])
def test_pitfall_16_null_empty_and_none_are_nothing(nothing) -> None:
    address = {"street1": nothing, "street2": "None", "city": nothing, "stateOrCountry": nothing}
    mailing = {"street1": "2 POST ST", "city": "RENO", "stateOrCountry": "NV", "zipCode": nothing}
    found = one(filer(website=nothing, lei=nothing, sic=nothing, addresses={"business": address, "mailing": mailing}))
    assert (found["website"], found["lei"], found["sic"], found["postal_code"]) == (None, None, None, None)
    assert (found["city"], found["place"], found["lines"]) == ("RENO", "NV", ["2 POST ST"])


def test_older_captures_lack_columns_and_newer_have_more() -> None:
    body = filer([filing("10-Q", "2021-05-01")])
    for name in ("core_type", "isXBRL", "primaryDocument", "items"):
        del body["filings"]["recent"][name]
    del body["ownerOrg"]
    assert rows(batches(body), f.FILED_TABLE).height == 1
    body["filings"]["recent"]["isNew"] = [1]
    body["newField"] = {"deep": [1]}
    found = batches(body)
    name = "submissions/CIK0000999001.json"
    assert signals(found) == {("unknown_key", "filings.recent.isNew"): 1, ("unknown_key", "newField"): 1}
    assert found[0].signals[0].examples == (name,)
    assert rows(found, f.FILED_TABLE).height == 1


def test_columns_of_different_length_are_no_filings() -> None:
    body = filer([filing("10-Q", "2021-05-01"), filing("8-K", "2021-05-02")])
    body["filings"]["recent"]["form"].pop()
    with pytest.raises(UnreadableFileError, match="accessionNumber 2, form 1"):
        batches(body)


def test_unknown_codes_are_kept_and_told() -> None:
    found = batches(filer(sic="1234", entityType="partnership", exchanges=["MOON"], stateOfIncorporation="Q0"))
    profile = rows(found, f.FILERS).row(0, named=True)
    assert (profile["sic"], profile["entity_type"], profile["exchanges"]) == ("1234", "partnership", ["MOON"])
    told = {"sic 1234", "entityType partnership", "exchange MOON", "stateOfIncorporation Q0"}
    assert {subject for code, subject in signals(found) if code == "unknown_code"} == told


def test_a_filing_without_number_or_day_is_a_reject_and_the_others_stay() -> None:
    filings = [
        filing("8-K", "2026-01-02"),
        filing("8-K", "2026-01-03", accessionNumber="nonsense"),
        filing("8-K", "2026-01-04", filingDate="yesterday"),
        filing("10-Q", "2026-01-05", reportDate="2026-13-01"),
    ]
    found = batches(filer(filings))
    assert rows(found, f.FILED_TABLE).height == 2
    assert [row[0] for row in rejects(found)] == [CIK, CIK]
    assert ("unreadable_value", "reportDate 2026-13-01") in signals(found)


def test_two_filings_of_one_accession_number_are_told() -> None:
    one, other = (filing(form, "2026-02-10", accessionNumber=accession(9)) for form in ("10-K", "10-Q"))
    found = batches(filer([one, other]))
    assert rows(found, f.FILED_TABLE)[f.FORM].to_list() == ["10-Q"]
    assert ("several_filings", accession(9)) in signals(found)
    assert not signals(batches(filer([one, one])))


@check_cases("day", ["9999-12-31", "2206-02-10", "0001-01-01", "26-02-10"])
def test_a_filing_of_an_impossible_day_is_a_reject_and_decides_nothing(day: str) -> None:
    filings = [filing("10-K", "2020-02-10"), filing("10-Q", "2026-01-05", filingDate=day)]
    older = {"name": f"CIK{CIK}-submissions-001.json", "filingCount": 1, "filingFrom": day, "filingTo": day}
    found = batches(filer(filings, [older]))
    assert rows(found, f.FILED_TABLE)[f.FORM].to_list() == ["10-K"]
    assert [row[0] for row in rejects(found)] == [CIK]
    profile = rows(found, f.FILERS).row(0, named=True)
    assert profile["first_filed"] == profile["last_filed"] == date(2020, 2, 10)
    assert profile["aged"][0] == "no report"
    assert signals(found)["unreadable_value", f"filingDate {day}"] == 2


@check_cases(
    ("form", "period", "known"),
    [
        ("10-K", "2027-09-30", False),
        ("10-Q/A", "2026-02-11", False),
        ("10-K", "0205-12-31", False),
        ("10-K", "2026-02-10", True),
        ("DEF 14A", "2026-05-20", True),  # of the meeting to come
        ("6-K", "2026-02-28", True),  # of the month
    ],
)
def test_a_report_on_a_day_after_itself_is_on_none(form: str, period: str, known: bool) -> None:
    found = batches(filer([filing(form, "2026-02-10", reportDate=period)]))
    assert (rows(found, f.FILED_TABLE)[f.PERIOD][0] is not None) is known
    assert (("unreadable_value", f"reportDate {period}") in signals(found)) is not known


@check_cases(
    ("lei", "expected"),
    [("5299000000000000AA78", True), ("5299000000000000AA01", False), ("NOT AVAILABLE", False), ("N/A", None)],
)
def test_an_lei_whose_check_digits_fail_is_none_and_told(lei: str, expected: bool | None) -> None:
    found = batches(filer(lei=lei))
    assert rows(found, f.FILERS)["lei"].to_list() == [lei if expected else None]
    assert (("unreadable_value", f"lei {lei}") in signals(found)) is (expected is False)


def test_a_symbol_on_two_exchanges_is_on_an_unknown_one() -> None:
    for exchanges in (["NYSE", "OTC"], ["OTC", "NYSE"], ["NYSE", None]):
        found = batches(filer(tickers=["EXC", "EXC"], exchanges=exchanges))
        profile = rows(found, f.FILERS).row(0, named=True)
        assert (profile["tickers"], profile["exchanges"]) == (["EXC"], [""])
        assert ("several_exchanges", "EXC") in signals(found)
    assert not signals(batches(filer(tickers=["EXC", "EXC"], exchanges=["NYSE", "NYSE"])))


@check_cases("word", ["N/A", "null", "None", ""])
def test_words_that_stand_for_nothing_are_nothing(word: str) -> None:
    address = {"street1": word, "city": word, "stateOrCountry": word, "zipCode": word}
    found = batches(filer(website=word, tickers=[word], exchanges=["NYSE"], addresses={"business": address}))
    profile = rows(found, f.FILERS).row(0, named=True)
    assert [profile[name] for name in ("website", "city", "place", "postal_code", "lines")] == [None] * 5
    assert profile["tickers"] == []
    assert [row[1] for row in rejects(batches(filer(name=word)))] == ["a filer without a CIK or a name"]


def test_a_continuation_file_belongs_to_the_cik_in_its_name() -> None:
    body = page([filing("10-K", "1999-03-01")])
    found = batches(body, f"submissions/CIK{CIK}-submissions-001.json")
    assert rows(found, f.FILED_TABLE)[f.CIK].to_list() == [CIK]
    with pytest.raises(UnreadableFileError, match="without a CIK in its name"):
        batches(body, "submissions/page.json")


def test_an_individual_is_a_name_and_nothing_else() -> None:
    found = batches(person())
    row = rows(found, f.FILERS).row(0, named=True)
    assert row["is_person"]
    assert [row[name] for name in ("lines", "city", "place", "postal_code", "ein")] == [None] * 5
    assert rows(found, f.FILED_TABLE).is_empty()  # they are of the companies whose shares it holds


@check_cases(
    "more",
    [
        {"ein": "000000000"},
        {"fiscalYearEnd": "1231", "name": "EXAMPLE HOLDINGS LLC"},
        {"fiscalYearEnd": "1231", "insiderTransactionForIssuerExists": 1},
        {"sic": "6770"},
        {"entityType": "operating"},
        {"insiderTransactionForOwnerExists": 0},
        {"tickers": ["X"], "exchanges": ["OTC"]},
    ],
)
def test_who_has_anything_of_a_company_is_no_individual(more) -> None:
    assert not one(person(**more))["is_person"]


@check_cases(
    ("filings", "more"),
    [
        ([], {"fiscalYearEnd": "1231"}),
        ([filing("8-K", "2026-01-02")], {}),  # named beside the company in its report
        ([filing("S-1", "2026-01-02")], {"fiscalYearEnd": "0331"}),
    ],
)
def test_an_individual_with_a_mark_of_a_company_in_the_list_is_still_one(filings, more) -> None:
    body = person(**more)
    body["filings"] = filer(filings)["filings"]
    assert one(body)["is_person"]


def test_the_archive_is_read_member_by_member() -> None:
    old = page([filing("10-K", "1999-03-01")])
    body = zipped(
        {
            f"CIK{CIK}.json": json.dumps(filer([filing("8-K", "2026-01-05")])).encode(),
            f"CIK{CIK}-submissions-001.json": json.dumps(old).encode(),
            "CIK0000999002.json": json.dumps(person()).encode(),
            "CIK0000999003.json": b"{cut",
            "placeholder.txt": b"Placeholder",
        }
    )
    found = batches(body, "submissions.zip")
    assert rows(found, f.FILERS)[f.CIK].to_list() == [CIK, "0000999002"]
    assert rows(found, f.FILED_TABLE).height == 2
    assert [row[0] for row in rejects(found)] == ["CIK0000999003.json"]


def test_a_large_archive_comes_in_several_batches(monkeypatch) -> None:
    monkeypatch.setattr("connectors.us.submissions.rows.FULL_BATCH", 2)
    members = {
        f"CIK{number:010}.json": json.dumps(filer([filing("8-K", "2026-01-05")], cik=number)).encode()
        for number in range(1, 8)
    }
    found = batches(zipped(members), "submissions.zip")
    assert [batch.rows.height for batch in found if batch.table == f.FILERS.name] == [2, 2, 2, 1]
    assert rows(found, f.FILED_TABLE).height == 7


@check_cases("body", [b"", b"[]", b"{}", b'{"cik": 5}', b"<html></html>", b"PK\x03\x04cut off"])
def test_what_is_no_submissions_is_unreadable(body) -> None:
    with pytest.raises(UnreadableFileError):
        batches(body)


def test_a_page_without_its_columns_is_unreadable() -> None:
    name = f"submissions/CIK{CIK}-submissions-001.json"
    for body in (b"{}", b'{"accessionNumber": []}', b'{"accessionNumber": ["1"], "form": ["4"]}'):
        with pytest.raises(UnreadableFileError):
            batches(body, name)


WHOLE = json.dumps(filer([filing("8-K", "2026-01-05"), filing("10-K", "2026-02-05")])).encode()


@settings(max_examples=150)
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_damage_is_unreadable_or_rows(damage: list[tuple[int, int]]) -> None:
    body = bytearray(WHOLE)
    for place, value in damage:
        body[place] = value
    try:
        found = batches(bytes(body))
    except UnreadableFileError:
        return
    assert {batch.table for batch in found} == set(f.STAGED)


@pytest.mark.parametrize("depth", [50, 200_000])
def test_deep_nesting_is_unreadable(depth: int) -> None:
    with pytest.raises(UnreadableFileError):
        batches(b'{"cik":1,"filings":' + b"[" * depth + b"]" * depth + b"}")


def test_a_cut_off_archive_is_unreadable() -> None:
    whole = zipped({f"CIK{CIK}.json": json.dumps(filer()).encode()})
    with pytest.raises(UnreadableFileError, match="truncated or damaged zip"):
        batches(whole[: len(whole) - 30], "submissions.zip")
    with pytest.raises(UnreadableFileError, match="without a member"):
        batches(zipped({"readme.txt": b"x"}), "submissions.zip")


def test_what_a_file_is() -> None:
    assert submissions_dataset.recognise_file("submissions/a.json", b'{"cik":"1"}') == RecognisedFile(None, Scope.PART)
    store = b'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>NoSuchKey</Code></Error>'
    for head in (store, b"<html>Request Rate Threshold Exceeded</html>", b"", b"name,cik\nA,1\n"):
        found = submissions_dataset.recognise_file("submissions/a", head)
        assert isinstance(found, NotApplicable), head
        assert found.reason


def test_rows_have_the_declared_columns() -> None:
    for batch in batches(filer([filing("8-K", "2026-01-05")])):
        assert tuple(batch.rows.columns) == f.STAGED[batch.table].names
        assert isinstance(batch.rows, pl.DataFrame)

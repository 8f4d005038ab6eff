"""Rows of BasicCompanyData as companies: codes, status, fields (docs/formats/uk.md 3, 11, 13)."""

from datetime import UTC, date, datetime

from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from tests.connectors.uk.conftest import Bench
from tests.tables import check_cases

DATA = basic_company_data_dataset.DATASET
NAME = "BasicCompanyDataAsOneFile-2026-11-01.csv"
BEFORE = datetime(2026, 10, 1, tzinfo=UTC)


def test_unknown_codes_are_signals_with_examples(sheet, bench):
    strange = {
        "CompanyStatus": "Hibernating",
        "CompanyCategory": "Space Company",
        "Accounts.AccountCategory": "TINY",
        "RegAddress.Country": "ATLANTIS",
        "IncorporationDate": "31/02/2001",
        "SICCode.SicText_2": "not an industry",
    }
    read = bench.read(DATA, sheet.table({}, {**strange, "CompanyNumber": "09999999"}), NAME)
    examples = (1, ("09999999",))
    assert read.signalled("unknown_status") == {"Hibernating": examples}
    assert read.signalled("unknown_legal_form") == {"Space Company": examples}
    assert read.signalled("unknown_account_category") == {"TINY": examples}
    assert read.signalled("unknown_country") == {"ATLANTIS": examples}
    assert read.signalled("bad_date") == {"IncorporationDate": examples}
    assert read.signalled("unknown_industry_code") == {"not an industry": examples}
    assert (len(read.rows["uk_companies"]), len(read.rows["uk_companies_unmapped"])) == (1, 1)


def test_an_empty_status_is_unmapped_and_signalled(sheet, bench):
    read = bench.read(DATA, sheet.table({"CompanyStatus": ""}), NAME)
    assert read.signalled("unknown_status") == {"(empty)": (1, ("01234567",))}
    assert list(read.rows) == ["uk_companies_unmapped"]


def test_a_usual_row_makes_no_signal(sheet, bench):
    assert bench.read(DATA, sheet.table({}), NAME).signals == []


@check_cases(
    ("word", "status", "detail"),
    [
        ("Active", "active", None),
        ("Active - Proposal to Strike off", "active", "struck_off_pending"),
        ("Liquidation", "dormant", "liquidation"),
        ("In Administration", "active", "reorganisation"),
        ("Live but Receiver Manager on at least one charge", "active", "reorganisation"),
        ("Voluntary Arrangement", "active", "reorganisation"),
        ("ADMINISTRATIVE RECEIVER", "active", "reorganisation"),
        ("In Administration/Administrative Receiver", "active", "reorganisation"),
        ("RECEIVERSHIP", "active", "reorganisation"),
        ("ADMINISTRATION ORDER", "active", "reorganisation"),
        ("In Administration/Receiver Manager", "active", "reorganisation"),
        ("RECEIVER MANAGER / ADMINISTRATIVE RECEIVER", "active", "reorganisation"),
        ("VOLUNTARY ARRANGEMENT / RECEIVER MANAGER", "active", "reorganisation"),
        ("VOLUNTARY ARRANGEMENT / ADMINISTRATIVE RECEIVER", "active", "reorganisation"),
        ("VOLUNTARY ARRANGEMENT / RECEIVERSHIP", "active", "reorganisation"),
        ("liquidation", "dormant", "liquidation"),
    ],
)
def test_every_status_word_of_the_register(word, status, detail):
    bench = Bench()
    found = bench.company({"CompanyStatus": word})
    assert (found["status"], found["status_detail"], found["status_source"]) == (status, detail, "uk.companies")
    assert found["registry_status"] == word


def test_an_unknown_status_leaves_the_last_known_one(sheet, bench):
    bench.upsert(DATA, sheet.table({"CompanyStatus": "Liquidation"}), NAME, BEFORE)
    found = bench.company({"CompanyStatus": "Hibernating"})
    assert (found["status"], found["status_detail"]) == ("dormant", "liquidation")
    assert (found["registry_status"], found["status_source"]) == ("Hibernating", "uk.companies")


def test_with_an_unknown_status_every_other_field_is_the_newer_one_until_a_known_word_comes(sheet, bench):
    bench.upsert(DATA, sheet.table({"CompanyStatus": "Liquidation", "CompanyName": "OLD LTD"}), NAME, BEFORE)
    bench.upsert(DATA, sheet.table({"CompanyStatus": "Hibernating", "CompanyName": "NEW LTD"}), NAME)
    # a whole edition without a mapped row of the company retires that row; the company is still on the register
    bench.retire("uk_companies", "CompanyNumber", ["01234567"], datetime(2026, 11, 1, tzinfo=UTC))
    found = bench.normalise()["companies"].row(0, named=True)
    assert (found["name"], found["status"], found["dissolved_date"]) == ("NEW LTD", "dormant", None)
    bench.upsert(DATA, sheet.table({"CompanyName": "NEWEST LTD"}), NAME, datetime(2026, 12, 1, tzinfo=UTC))
    found = bench.normalise()["companies"].row(0, named=True)
    assert (found["name"], found["status"], found["registry_status"]) == ("NEWEST LTD", "active", "Active")
    bench.retire("uk_companies", "CompanyNumber", ["01234567"], datetime(2027, 1, 1, tzinfo=UTC))
    assert bench.normalise()["companies"]["status"].to_list() == ["dissolved"]


def test_an_unknown_status_from_the_first_is_no_guess_of_ours(bench):
    found = bench.company({"CompanyStatus": "Hibernating"})
    assert (found["status"], found["status_detail"], found["status_source"]) == ("active", None, None)
    assert found["registry_status"] == "Hibernating"


@check_cases(
    ("row", "status", "detail"),
    [
        ({"Accounts.AccountCategory": "DORMANT"}, "dormant", "no_trading"),
        ({"Accounts.AccountCategory": ""}, "active", None),
        ({"Accounts.AccountCategory": "TOTAL EXEMPTION FULL"}, "active", None),
        (
            {"Accounts.AccountCategory": "DORMANT", "CompanyStatus": "Active - Proposal to Strike off"},
            "dormant",
            "struck_off_pending",
        ),
        (
            {"Accounts.AccountCategory": "NO ACCOUNTS FILED", "SICCode.SicText_1": "99999 - Dormant Company"},
            "dormant",
            "no_trading",
        ),
        (
            {
                "Accounts.AccountCategory": "MICRO ENTITY",
                "Accounts.LastMadeUpDate": "31/12/2025",
                "SICCode.SicText_1": "99999 - Dormant Company",
            },
            "active",
            None,
        ),
    ],
)
def test_dormant_by_accounts_never_by_an_empty_category(row, status, detail):
    bench = Bench()
    found = bench.company(row)
    assert (found["status"], found["status_detail"]) == (status, detail)


ENDED = {"DissolutionDate": "01/02/2024"}


@check_cases(
    ("row", "status", "day"),
    [
        ({**ENDED, "CompanyStatus": "Dissolved"}, "dissolved", date(2024, 2, 1)),
        ({**ENDED, "CompanyStatus": "Active"}, "active", None),
        ({**ENDED, "CompanyStatus": "Liquidation"}, "dormant", None),
        ({"DissolutionDate": "01/02/2099", "CompanyStatus": "Converted / Closed"}, "dissolved", None),
    ],
)
def test_register_word_decides_over_a_leftover_day_of_dissolution(row, status, day):
    found = Bench().company(row)
    assert (found["status"], found["dissolved_date"]) == (status, day)


def test_day_of_dissolution_of_a_listed_company_is_a_signal(sheet, bench):
    read = bench.read(
        DATA, sheet.table(ENDED, {**ENDED, "CompanyNumber": "09999999", "CompanyStatus": "Dissolved"}), NAME
    )
    assert read.signalled("contradicting_status") == {"DissolutionDate": (1, ("01234567",))}


def test_pitfall_3_and_24_absent_from_the_whole_file_is_dissolved_and_back_is_restored(sheet, bench):
    bench.upsert(DATA, sheet.table({}), NAME, BEFORE)
    gone = datetime(2026, 11, 1, tzinfo=UTC)
    bench.retire("uk_companies", "CompanyNumber", ["01234567"], gone)
    found = bench.normalise()["companies"].row(0, named=True)
    assert (found["status"], found["status_detail"], found["dissolved_date"]) == ("dissolved", None, date(2026, 11, 1))
    assert (found["status_source"], found["registry_status"]) == ("uk.companies", None)
    bench.upsert(DATA, sheet.table({}), NAME, datetime(2026, 12, 1, tzinfo=UTC))
    found = bench.normalise()["companies"].row(0, named=True)
    assert (found["status"], found["dissolved_date"], found["registry_status"]) == ("active", None, "Active")


@check_cases(
    ("text", "code", "label", "scheme"),
    [
        (
            "62020 - Information technology consultancy activities",
            "62020",
            "Information technology consultancy activities",
            "UKSIC2007",
        ),
        ("7499 - Non-trading company", "7499", "Non-trading company", "UKSIC2003"),
        ("01110 - Growing of cereals - not rice", "01110", "Growing of cereals - not rice", "UKSIC2007"),
        ("None Supplied", None, None, None),
        ("", None, None, None),
    ],
)
def test_pitfall_21_industry_codes_of_both_editions(text, code, label, scheme):
    bench = Bench()
    found = bench.company({"SICCode.SicText_1": text})
    assert (found["industry_code"], found["industry_label"], found["industry_scheme"]) == (code, label, scheme)


def test_former_names_stand_newest_first(bench):
    found = bench.company(
        {
            "PreviousName_1.CONDATE": "01/02/2003",
            "PreviousName_1.CompanyName": "OLD LTD",
            "PreviousName_2.CONDATE": "01/02/2013",
            "PreviousName_2.CompanyName": "NEWER LTD",
        }
    )
    assert found["previous_names"] == ["NEWER LTD", "OLD LTD"]


def test_address_and_form(bench):
    found = bench.company(
        {
            "RegAddress.CareOf": "J SMITH",
            "RegAddress.AddressLine1": "1 HIGH STREET",
            "RegAddress.County": "YORKSHIRE",
            "RegAddress.Country": "ENGLAND",
            "RegAddress.PostCode": "LS1 1AA",
            "CompanyCategory": "Other Company Type",
        }
    )
    assert found["address_lines"] == ["J SMITH", "1 HIGH STREET"]
    assert (found["post_town"], found["postal_code"], found["address_country"]) == ("LEEDS", "LS1 1AA", "GB")
    assert (found["municipality"], found["county"]) == ("LEEDS", "YORKSHIRE")
    assert (found["legal_form_code"], found["legal_form_label"]) == ("Other Company Type", "Other company type")
    assert (found["country"], found["registered_date"]) == ("UK", date(2001, 4, 6))


@check_cases("word", ["-", "N/A", "n/a", "None", "NOT APPLICABLE"])
def test_a_word_for_no_place_is_no_place(word):
    cells = {"RegAddress.PostTown": word, "RegAddress.County": word, "RegAddress.PostCode": word}
    found = Bench().company(cells)
    assert [found[name] for name in ("municipality", "post_town", "county", "postal_code")] == [None] * 4

"""Corporate holders as companies of ours: by number and country of registration, or not at all.

See docs/formats/uk.md 2, 4.
"""

import pytest

from connectors.uk.psc import dataset as psc_dataset
from tests.connectors.uk.conftest import Bench
from tests.tables import check_cases

CORPORATE = "corporate-entity-person-with-significant-control"


@pytest.mark.slow
@check_cases(
    ("papers", "company", "country"),
    [
        ({"country_registered": "England And Wales", "registration_number": "10836542"}, "10836542", "GB"),
        ({"country_registered": "England", "registration_number": "836542"}, "00836542", "GB"),
        ({"country_registered": "Scotland", "registration_number": "sc 1234"}, "SC001234", "GB"),
        ({"place_registered": "Companies House", "registration_number": "10836542"}, "10836542", "GB"),
        # a spreadsheet's spelling: its zero behind the point is no digit of the number
        ({"country_registered": "England", "registration_number": "1234567.0"}, "01234567", "GB"),
        ({"country_registered": "Jersey", "registration_number": "12345678"}, None, "JE"),
        (
            {"country_registered": "Jersey", "place_registered": "Companies House", "registration_number": "12345678"},
            None,
            "JE",
        ),
        ({"place_registered": "New South Wales", "registration_number": "12345678"}, None, "AU"),
        # a foreign register of the same digits, however the country is spelt
        (
            {"country_registered": "Uk", "place_registered": "Jersey Registry", "registration_number": "123456"},
            None,
            "GB",
        ),
        ({"place_registered": "Companies House Gibraltar", "registration_number": "123456"}, None, None),
        ({"place_registered": "Isle Of Man Registry, UK", "registration_number": "123456"}, None, None),
        ({"place_registered": "Registrar, Dublin, Ireland, GB", "registration_number": "123456"}, None, None),
        (
            {"country_registered": "Delaware", "place_registered": "Companies House", "registration_number": "123456"},
            None,
            "US",
        ),
        (
            {
                "country_registered": "United Kingdom",
                "place_registered": "BVI Registry",
                "registration_number": "123456",
            },
            None,
            "GB",
        ),
        # the law that a holder is under, or its form, is foreign
        (
            {
                "country_registered": "United Kingdom",
                "place_registered": "Companies House",
                "legal_authority": "Companies (Jersey) Law 1991",
                "registration_number": "123456",
            },
            None,
            "GB",
        ),
        (
            {
                "place_registered": "Companies House",
                "legal_form": "BVI Business Company",
                "registration_number": "1234567",
            },
            None,
            None,
        ),
        (
            {
                "country_registered": "England",
                "legal_authority": "England, Wales, Scotland And Northern Ireland",
                "registration_number": "1234567",
            },
            "01234567",
            "GB",
        ),
        # the number of an overseas company at Companies House is its own
        (
            {"country_registered": "England", "legal_authority": "Delaware", "registration_number": "FC012345"},
            "FC012345",
            "GB",
        ),
        # digits alone are a company of England and Wales
        ({"country_registered": "Scotland", "registration_number": "123456"}, None, "GB"),
        ({"country_registered": "Northern Ireland", "registration_number": "01234567"}, None, "GB"),
        (
            {"place_registered": "Edinburgh", "country_registered": "United Kingdom", "registration_number": "123456"},
            None,
            "GB",
        ),
        ({"country_registered": "Northern Ireland", "registration_number": "NI12345"}, "NI012345", "GB"),
        ({"country_registered": "England", "registration_number": "SC123456"}, "SC123456", "GB"),
        ({"country_registered": "England", "registration_number": "ip12345r"}, "IP12345R", "GB"),
        # spellings of one country
        ({"country_registered": "ENGLAND AND WALES (UK)", "registration_number": "123456"}, "00123456", "GB"),
        ({"country_registered": "Great Britain", "registration_number": "123456"}, "00123456", "GB"),
        ({"country_registered": "U.K.", "registration_number": "123456"}, "00123456", "GB"),
        (
            {
                "country_registered": "United Kingdom Of Great Britain And Northern Ireland",
                "registration_number": "123456",
            },
            "00123456",
            "GB",
        ),
        # the number of another British register: of charities, of registered societies, of firms
        (
            {
                "country_registered": "England",
                "place_registered": "Charity Commission",
                "registration_number": "1089464",
            },
            None,
            "GB",
        ),
        # in Scotland charities have the same letters as companies
        ({"country_registered": "Scotland", "place_registered": "OSCR", "registration_number": "SC012345"}, None, "GB"),
        (
            {
                "country_registered": "Scotland",
                "place_registered": "Office Of The Scottish Charity Regulator",
                "registration_number": "SC012345",
            },
            None,
            "GB",
        ),
        (
            {
                "country_registered": "United Kingdom",
                "place_registered": "Mutuals Public Register, FCA",
                "registration_number": "7654",
            },
            None,
            "GB",
        ),
        (
            {
                "country_registered": "England",
                "place_registered": "Companies House And Charity Commission",
                "registration_number": "1089464",
            },
            "01089464",
            "GB",
        ),
        (
            {
                "country_registered": "England",
                "legal_form": "Charitable Incorporated Organisation",
                "registration_number": "1089464",
            },
            None,
            "GB",
        ),
        (
            {
                "country_registered": "England",
                "legal_form": "Charitable Incorporated Organisation",
                "registration_number": "CE012345",
            },
            "CE012345",
            "GB",
        ),
        # NO is a prefix, and a word
        ({"country_registered": "England", "registration_number": "No. 1234567"}, "01234567", "GB"),
        ({"country_registered": "England", "registration_number": "Company Number: 1234567"}, "01234567", "GB"),
        ({"country_registered": "England", "registration_number": "No 123456"}, None, "GB"),
        ({"country_registered": "Northern Ireland", "registration_number": "NO123456"}, "NO123456", "GB"),
        ({"country_registered": "England", "registration_number": "00000000"}, None, "GB"),
        ({"country_registered": "United Kingdom", "registration_number": "n/a"}, None, "GB"),
        ({"country_registered": "United Kingdom", "registration_number": "12"}, None, "GB"),
        ({"country_registered": "West Yorkshire"}, None, None),
        ({"registration_number": "10836542"}, None, None),
    ],
)
def test_a_corporate_holder_is_a_company_of_ours_only_where_its_papers_are_british(make, papers, company, country):
    bench = Bench()
    found = bench.holding(make.record("09999999", kind=CORPORATE, name="HOLDCO LTD", identification=papers))
    assert found["holder_company_id"] == (None if company is None else f"firm:UK:{company}")
    assert (found["holder_type"], found["holder_country"]) == ("company", country)


@pytest.mark.slow
@check_cases(
    ("name", "number", "company"),
    [
        ("Holdco GmbH", "1234567", None),
        ("HOLDCO, INC.", "1234567", None),
        ("Holdco LLC", "01234567", None),
        ("Holdco S.à r.l.", "1234567", None),
        ("Holdco B.V.", "1234567", None),
        ("Holdco Inc.", "FC012345", "FC012345"),
        ("Holdco Inc. Limited", "1234567", "01234567"),
        ("Zinc", "1234567", "01234567"),
        ("Holdco", "1234567", "01234567"),
    ],
)
def test_digits_of_a_holder_with_a_foreign_form_are_no_company_of_ours(make, name, number, company):
    papers = {"country_registered": "United Kingdom", "registration_number": number}
    found = Bench().holding(make.record("09999999", kind=CORPORATE, name=name, identification=papers))
    assert found["holder_company_id"] == (None if company is None else f"firm:UK:{company}")


def test_a_corporate_holder_with_the_number_of_the_company_itself_is_linked_to_nobody_and_signalled(make, bench):
    papers = {"country_registered": "England", "registration_number": "1234567"}
    record = make.record("01234567", kind=CORPORATE, name="HOLDCO LTD", identification=papers)
    read = bench.upsert(psc_dataset.DATASET, make.lines(record), "psc-snapshot-2026-11-01_1of2.txt")
    found = bench.normalise()["holdings"].to_dicts()[0]
    assert (found["holder_company_id"], found["holder_type"], found["holder_country"]) == (None, "company", "GB")
    assert {signal.code for signal in read.signals} == {"own_number"}

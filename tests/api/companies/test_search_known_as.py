"""Search over HTTP by what else companies are known as; several of one symbol, page by page."""

import pytest

from tests.tables import check_cases

NO1, NO2, SE1 = "firm:NO:900000001", "firm:NO:900000002", "firm:SE:5560000001"
NO3, SE3, FI3, UK3 = "firm:NO:923609016", "firm:SE:5560125790", "firm:FI:0112038-9", "firm:UK:SC123456"
LEI = "969500NO030000004573"


def known(company, scheme, value):
    at = "2026-01-01T00:00:00Z"
    return {"company_id": company, "scheme": scheme, "value": value, "register": "no.lei", "observed_at": at}


@pytest.fixture(scope="module")
def searched(new_world):
    made = new_world()
    companies = [
        made.company(NO1, "Eksempel ASA", is_listed=True),
        made.company(NO2, "Annen Eksempel AS"),
        made.company(SE1, "EQNR Exempel AB"),
        *(made.company(one, f"Nummer {place}") for place, one in enumerate((NO3, SE3, FI3, UK3))),
    ]
    names = [
        known(NO1, "lei", LEI),
        known(NO1, "isin", "NO0010096985"),
        known(NO1, "ticker", "EQNR"),
        known(NO2, "ticker", "EQNR"),
    ]
    at = made.world.now
    names = [row | {"observed_at": at} for row in names]
    listing = {"company_id": NO1, "register": "no.euronext", "native_id": "x", "observed_at": at}
    listings = [listing | {"exchange_mic": "XOSL", "ticker": "EQNR"}]
    made.publish(companies, known_as=names, listings=listings)
    return made.world


@pytest.fixture(scope="module")
def service(shared_serve, searched):
    return shared_serve(searched)


def pages(service, query, limit):
    found, cursor = [], ""
    while True:
        answer = service.get(f"/api/v1/companies?{query}&limit={limit}{cursor}").json()
        found += [row["id"] for row in answer["data"]]
        if not answer["has_more"]:
            return found
        cursor = f"&cursor={answer['next_cursor']}"


@check_cases(
    ("query", "due"),
    [
        (f"q={LEI}", [NO1]),
        (f"q={LEI.lower()}", [NO1]),
        ("q=NO0010096985", [NO1]),
        ("q=XOSL:EQNR", [NO1]),
        ("q=EQNR", [NO1, NO2, SE1]),  # known by the symbol first, then by a word of its name
        ("q=EQNR&country=SE", [SE1]),
        ("q=EQNR&is_listed=true", [NO1]),
        ("q=EQNR&is_listed=false", [NO2, SE1]),
        ("q=969500NO030000004574", []),
    ],
)
@check_cases("limit", [1, 2, 100])
def test_companies_are_found_by_what_they_are_known_as(service, query, due, limit):
    assert pages(service, query, limit) == due


@check_cases(
    ("text", "due"),
    [
        ("923 609 016", [NO3]),
        ("923\u00a0609\u00a0016", [NO3]),
        ("556012 5790", [SE3]),
        ("556012\u20135790", [SE3]),
        ("SC 123456", [UK3]),
        ("sc 12 34 56", [UK3]),
        # VAT numbers that hold the company's number, as look-ups read them
        ("NO923609016MVA", [NO3]),
        ("no 923 609 016 mva", [NO3]),
        ("SE556012579001", [SE3]),
        ("FI01120389", [FI3]),
        ("NO923609017MVA", []),
        ("SE556012579002", []),
        ("SE 556012-5790 01&country=NO", []),
        # a point is no separator: 923609.016 is a number of a spreadsheet
        ("923609.016", []),
    ],
)
def test_companies_are_found_by_every_spelling_of_a_number_that_look_ups_take(service, text, due):
    assert pages(service, f"q={text}", 10) == due

"""Look-ups over HTTP: every identifier, contradictions, names, errors of items and of bodies, and what they count."""

import itertools

import pytest
from stdnum import isin

from api.openapi.examples import lookups as examples
from api.settings.tiers import read_tiers
from tests.tables import check_cases
from warehouse.reader.reader import ReleaseReader

LOOKUP = "/api/v1/companies/lookup"
VOLVO, VOLVO_HB, BAT, OTHER_BAT = (
    f"firm:SE:{number}" for number in ("5560125790", "9697000001", "5560000001", "5560000002")
)
NO, NO_RENAMED, FI, UK, TWIN_A, TWIN_B = (
    *("firm:NO:999999999", "firm:NO:923609016", "firm:FI:0112038-9", "firm:UK:01234567"),
    *("firm:UK:00000011", "firm:UK:00000012"),
)


def lei_of(body):
    return f"{body}{98 - int(''.join(str(int(sign, 36)) for sign in body + '00')) % 97:02}"


def isin_of(body):
    return body + isin.calc_check_digit(body)


LEI_VOLVO, LEI_MOVED, LEI_UNKNOWN = (lei_of(f"5493000000000000{letters}") for letters in ("VO", "MO", "UN"))
ISIN_VOLVO, ISIN_SHARED, ISIN_UNKNOWN = (isin_of(f"SE00000000{digit}") for digit in (1, 2, 3))


@pytest.fixture(scope="module")
def looked_up(new_world):
    made = new_world()
    company = made.company
    companies = [
        company(VOLVO, "Aktiebolaget Volvo", municipality="Göteborg", industry_code="29100", industry_scheme="SNI2007"),
        company(VOLVO_HB, "Volvo Handelsbolag", municipality="Malmö", industry_code="62010", industry_scheme="SNI2007"),
        company(BAT, "Båtbolaget AB", municipality="Göteborg"),
        company(OTHER_BAT, "Batbolaget AB"),
        company(NO, "ØSTLANDETS & SØNNERS RØRLEGGER AS", municipality="Kárášjohka - Karasjok"),
        company(NO_RENAMED, "NYTT NAVN ASA", previous_names=["Gammelt Selskapsnavn ASA"]),
        company(FI, "Oy Karl Esimerkki Ab"),
        company(UK, "GENERAL INTERNATIONAL SERVICES LIMITED"),
        company(TWIN_A, "TWIN TRADING LIMITED", municipality="Leeds"),
        company(TWIN_B, "TWIN TRADING LTD", municipality="York"),
        company("firm:UK:00000013", "LONE TRADING LTD", municipality="York"),
        company("firm:UK:00000014", "LONE TRADING LTD"),
    ]
    known = [
        (VOLVO, "lei", LEI_VOLVO), (VOLVO, "isin", ISIN_VOLVO), (VOLVO, "vat", "SE556012579001"),
        (BAT, "lei", LEI_MOVED), (OTHER_BAT, "lei", LEI_MOVED),
        (BAT, "isin", ISIN_SHARED), (OTHER_BAT, "isin", ISIN_SHARED),
        (UK, "vat", "GB980780684"),
    ]  # fmt: skip
    at = made.world.now
    rows = [
        {"company_id": one, "scheme": scheme, "value": value, "register": "x.y", "observed_at": at}
        for one, scheme, value in known
    ]
    listing = {"company_id": VOLVO, "register": "x.y", "native_id": "x", "observed_at": at}
    made.publish(companies, known_as=rows, listings=[listing | {"exchange_mic": "XSTO", "ticker": "VOLV B"}])
    return made.world


@pytest.fixture(scope="module")
def service(shared_serve, looked_up):
    return shared_serve(looked_up)


def post(service, body):
    return service.client.post(LOOKUP, headers=service.headers, json=body)


def look_up(service, *items):
    answer = post(service, {"items": [*items]})
    assert answer.status_code == 200, answer.text
    assert list(answer.json()) == ["data"]
    return answer.json()["data"]


def company_of(found):
    return found["company"] and found["company"]["id"]


def in_full_width(text):
    """The text with its digits as a Japanese keyboard types them."""
    return text.translate({ord(digit): ord(digit) + 0xFEE0 for digit in "0123456789"})


@check_cases(
    ("item", "company"),
    [
        ({"id": VOLVO}, VOLVO),
        ({"id": "556012-5790"}, VOLVO),
        ({"number": "5560125790", "country": "SE"}, VOLVO),
        ({"number": "1234567", "country": "GB"}, UK),
        ({"number": "01234567", "country": "uk"}, UK),
        ({"number": "999 999 999", "country": "NO"}, NO),  # as its register writes it
        ({"number": "556012\u20135790", "country": "SE"}, VOLVO),
        ({"number": in_full_width("5560125790"), "country": "SE"}, VOLVO),
        ({"number": "0112038-9", "country": "FI"}, FI),
        ({"lei": LEI_VOLVO.lower()}, VOLVO),
        ({"isin": f" {ISIN_VOLVO} "}, VOLVO),
        ({"ticker": "volv-b", "exchange_mic": "xsto"}, VOLVO),
        ({"ticker": "VOLV B", "exchange_mic": "XSTO"}, VOLVO),
        ({"vat": "SE 556012-5790 01"}, VOLVO),
        ({"vat": "5560125790 01", "country": "SE"}, VOLVO),
        ({"vat": "NO 999 999 999 MVA"}, NO),
        ({"vat": "FI01120389"}, FI),
        ({"vat": "GB 980 7806 84"}, UK),
        ({"vat": "UK980780684"}, UK),
        ({"vat": "XI 980 7806 84"}, UK),  # in trade with the European Union
        ({"vat": "980 7806 84", "country": "GB"}, UK),
        ({"vat": "980780684", "country": "uk"}, UK),
        ({"vat": "SE 556012\u20135790 01"}, VOLVO),  # with a dash of a word processor
        ({"vat": in_full_width("SE556012579001")}, VOLVO),
        ({"lei": in_full_width(LEI_VOLVO)}, VOLVO),
        ({"lei": f"{LEI_VOLVO[:4]}\u2013{LEI_VOLVO[4:]}"}, VOLVO),
        ({"isin": in_full_width(ISIN_VOLVO)}, VOLVO),
        ({"isin": f"{ISIN_VOLVO[:2]}\u2011{ISIN_VOLVO[2:]}"}, VOLVO),
        ({"lei": LEI_VOLVO, "isin": ISIN_VOLVO, "id": VOLVO, "name": "AB VOLVO", "country": "SE"}, VOLVO),
        ({"isin": ISIN_SHARED, "id": BAT}, BAT),  # of the two that have it, the one that the item names
        ({"isin": ISIN_UNKNOWN, "id": VOLVO}, VOLVO),  # further securities may be unknown
        ({"id": NO_RENAMED, "name": "Gammelt Selskapsnavn", "country": "NO"}, NO_RENAMED),
        ({"id": VOLVO, "name": "Volvo"}, VOLVO),
    ],
)
def test_one_company_with_every_identifier_is_exact(service, item, company):
    [found] = look_up(service, item)
    assert (found["match"], company_of(found), found["candidates"]) == ("exact", company, [])
    assert "errors" not in found


@check_cases(
    ("item", "reasons"),
    [
        ({"isin": ISIN_SHARED}, {BAT: ["isin"], OTHER_BAT: ["isin"]}),
        ({"lei": LEI_MOVED}, {BAT: ["lei"], OTHER_BAT: ["lei"]}),
        ({"id": NO, "lei": LEI_VOLVO}, {NO: ["id"], VOLVO: ["lei", "other_number"]}),
        ({"lei": LEI_VOLVO, "country": "NO"}, {VOLVO: ["lei", "other_country"]}),
        ({"id": VOLVO, "lei": LEI_UNKNOWN}, {VOLVO: ["id", "other_lei"]}),
        ({"lei": LEI_VOLVO, "number": "5569999997", "country": "SE"}, {VOLVO: ["lei", "other_number"]}),
        ({"vat": "SE556999999701", "id": VOLVO}, {VOLVO: ["id", "other_vat"]}),
        ({"id": VOLVO, "name": "Ericsson", "country": "SE"}, {VOLVO: ["id", "other_name"]}),
        ({"lei": LEI_UNKNOWN, "name": "Karl Esimerkki", "country": "FI"}, None),
        ({"number": "5569999997", "name": "AB Volvo", "country": "SE"}, {VOLVO: ["exact_name", "other_number"]}),
    ],
)
def test_contradictions_are_ambiguous(service, item, reasons):
    [found] = look_up(service, item)
    if reasons is None:  # the company states no LEI, so another one says nothing against its name
        assert (found["match"], company_of(found)) == ("probable", FI)
        return
    assert (found["match"], found["company"]) == ("ambiguous", None)
    told = {one["company"]["id"]: one["reasons"] for one in found["candidates"]}
    assert all(told[company][: len(due)] == due for company, due in reasons.items()), told
    assert [one["score"] for one in found["candidates"]] == sorted(
        (one["score"] for one in found["candidates"]), reverse=True
    )


@check_cases(
    ("name", "country", "more", "match", "company"),
    [
        ("VOLVO AB (publ)", "SE", {}, "probable", VOLVO),
        ("Volvo", "SE", {}, "ambiguous", None),  # no form: either of two
        ("Volvo", "SE", {"municipality": "goteborg"}, "probable", VOLVO),
        ("Volvo", "SE", {"industry": "62.01"}, "probable", VOLVO_HB),
        ("Volvo", "SE", {"industry": "62", "municipality": "Göteborg"}, "ambiguous", None),
        ("Volvo AB", "SE", {"municipality": "Kiruna"}, "ambiguous", None),
        ("Volvo AB", "SE", {"industry": "29.32"}, "probable", VOLVO),  # another class of its division
        ("Volvo AB", "SE", {"industry": "62"}, "ambiguous", None),
        ("Volvo Kommanditbolag", "SE", {}, "ambiguous", None),
        ("Båtbolaget", "SE", {}, "probable", BAT),
        ("BATBOLAGET", "SE", {}, "probable", OTHER_BAT),
        ("Baatbolaget AB", "SE", {}, "ambiguous", None),  # transliterated, of either
        ("Oestlandets og Soenners Roerlegger", "NO", {}, "probable", NO),
        ("Østlandets Sønners Rørlegger A/S", "NO", {}, "ambiguous", None),  # without «&» it may be another
        ("Østlandets & Sønners Rørlegger", "NO", {"municipality": "Karasjok"}, "probable", NO),
        ("karl esimerkki oy", "FI", {}, "probable", FI),
        ("General Intl. Svcs Ltd", "UK", {}, "probable", UK),
        ("General Internatonal Services", "UK", {}, "ambiguous", None),  # a letter off
        ("Twin Trading Limited", "UK", {}, "ambiguous", None),
        ("Twin Trading Limited", "UK", {"municipality": "York"}, "probable", TWIN_B),
        ("Lone Trading Limited", "UK", {"municipality": "York"}, "ambiguous", None),  # the other may be there, too
        ("Volvo", "NO", {}, "none", None),
        ("Ericsson", "SE", {}, "none", None),
        ("AB", "SE", {}, "none", None),
        ("…", "SE", {}, "none", None),
    ],
)
def test_a_name_is_never_exact(service, name, country, more, match, company):
    [found] = look_up(service, {"name": name, "country": country} | more)
    assert (found["match"], company_of(found)) == (match, company), found
    assert bool(found["candidates"]) == (match != "none")
    if company:
        assert found["candidates"][0]["company"]["id"] == company


@check_cases(
    ("item", "member", "code"),
    [
        ({}, "", "missing"),
        ({"country": "SE", "municipality": "Lund"}, "", "missing"),
        ({"name": "Volvo"}, "country", "missing"),
        ({"number": "5560125790"}, "country", "missing"),
        ({"ticker": "VOLV B", "id": VOLVO}, "exchange_mic", "missing"),
        ({"id": VOLVO, "country": "XX"}, "country", "unknown_value"),
        ({"id": "hello"}, "id", "format"),
        ({"id": "5599999990"}, "id", "check_digit"),
        ({"number": "5560125790", "country": "XX"}, "country", "unknown_value"),
        ({"number": "12345678", "country": "DK"}, "country", "market_not_available"),
        ({"number": "5560125790", "country": "NO"}, "number", "format"),
        ({"number": "123456.7", "country": "GB"}, "number", "format"),  # 01234567 is a company
        ({"number": "5560125790", "country": "SE", "lei": LEI_VOLVO[:-1] + "0"}, "lei", "format"),
        ({"lei": "98"}, "lei", "format"),  # two digits with the checksum of twenty
        ({"isin": "SE0000000000"}, "isin", "format"),
        ({"ticker": "VOLV B", "exchange_mic": "Stockholm"}, "exchange_mic", "format"),
        ({"ticker": "V/B", "exchange_mic": "XSTO"}, "ticker", "format"),
        ({"vat": "SE556012579101"}, "vat", "format"),
        ({"vat": "XX123"}, "vat", "format"),
        ({"vat": ""}, "vat", "format"),
        ({"name": "Volvo", "country": "?"}, "country", "unknown_value"),
    ],
)
def test_a_value_that_lacks_or_no_company_can_have_is_an_error_of_its_item_alone(service, item, member, code):
    first, wrong, last = look_up(service, {"id": VOLVO}, item, {"vat": "NO999999999MVA"})
    assert (company_of(first), company_of(last)) == (VOLVO, NO)
    assert (wrong["match"], wrong["company"], wrong["candidates"]) == ("none", None, [])
    [error] = wrong["errors"]
    assert (error["code"], error["pointer"]) == (code, f"/items/1/{member}".removesuffix("/"))


@check_cases(
    ("body", "due"),
    [
        ({}, [("missing", "/items")]),
        ({"items": []}, [("empty_array", "/items")]),
        ({"items": {}}, [("type", "/items")]),
        ({"items": [{"id": VOLVO}] * 501}, [("too_many", "/items")]),
        ({"items": [{"id": VOLVO}, 5]}, [("type", "/items/1")]),
        (
            {"items": [{"id": VOLVO}, {"lie": "x"}, {"name": "x"}, {"vat": 5, "ticker": "x"}, {"lei": None}]},
            [("unknown_member", "/items/1/lie"), ("type", "/items/3/vat"), ("type", "/items/4/lei")],
        ),
        ({"items": [{"id": VOLVO}], "fields": ["nome"]}, [("unknown_value", "/fields/0")]),
        ({"items": [{"id": VOLVO}], "fields": ["name", "name"]}, [("duplicate", "/fields/1")]),
        ({"items": [{"name": "x" * 301, "country": "SE"}]}, [("too_long", "/items/0/name")]),
    ],
)
def test_a_body_without_the_shape_is_refused_as_a_whole(service, body, due):
    answer = post(service, body)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert [(error["code"], error["pointer"]) for error in answer.json()["errors"]] == due


def test_five_hundred_items_are_answered_in_order_with_the_chosen_fields(service):
    items = [{"id": VOLVO}, {"name": "Volvo", "country": "SE"}, {"name": "ö" * 300, "country": "SE"}] * 166
    answer = post(service, {"items": [*items, {"id": NO}, {"id": FI}], "fields": ["name"]})
    assert len(answer.request.content) > 65_536
    found = answer.json()["data"]
    assert [one["match"] for one in found] == ["exact", "ambiguous", "none"] * 166 + ["exact"] * 2
    assert found[-1]["company"] == {"id": FI, "name": "Oy Karl Esimerkki Ab"}
    assert found[1]["candidates"][0]["company"].keys() == {"id", "name"}
    assert answer.headers["firm-release"] == "1"
    assert "etag" not in answer.headers


def test_a_larger_body_is_refused(service):
    assert post(service, {"items": [{"id": VOLVO}] * 700}).json()["code"] == "payload_too_large"
    assert post(service, {"items": [{"name": "x" * 600, "country": "SE"}] * 500}).status_code == 413


def test_every_ten_items_count_as_one_request(serve, looked_up):
    service = serve(looked_up)

    def remaining(count):
        answer = post(service, {"items": [{"id": VOLVO}] * count})
        return answer.status_code, int(answer.headers["x-ratelimit-remaining"])

    before = remaining(1)[1]
    assert [remaining(count)[1] - before for count in (10, 11, 100, 1)] == [-1, -3, -13, -14]
    assert post(service, {"items": []}).headers["x-ratelimit-remaining"] == str(before - 15)


def test_a_look_up_beyond_the_quota_is_refused_and_not_counted(serve, looked_up):
    service = serve(looked_up, tiers=read_tiers({"tiers": {"pro": {"monthly_requests": 10}}}))
    refused = post(service, {"items": [{"id": VOLVO}] * 101})
    assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")
    assert "counts as 11, of which 10 are left" in refused.json()["detail"]
    assert refused.headers["x-ratelimit-remaining"] == "10"
    assert post(service, {"items": [{"id": VOLVO}] * 100}).headers["x-ratelimit-remaining"] == "0"
    assert post(service, {"items": [{"id": VOLVO}]}).json()["code"] == "quota_exceeded"


def test_publishable_keys_do_not_look_up(service):
    key = service.accounts.create_key("owner@example.com", "public", domains=("example.com",)).key
    headers = {"Authorization": f"Bearer {key}", "Origin": "https://example.com"}
    assert service.client.post(LOOKUP, headers=headers, json={"items": []}).json()["code"] == "key_kind_not_allowed"


def test_the_example_is_answered(make, serve):
    made = make()
    made.publish(
        [
            made.company("firm:NO:999999999", "EKSEMPEL ASA", municipality="STAVANGER", is_listed=True),
            made.company("firm:SE:5599999991", "Exempel AB"),
            made.company("firm:SE:5599999983", "Exempel HB"),
        ]
    )
    answered = post(serve(made.world), examples.LOOKUP_REQUEST).json()
    assert answered == examples.LOOKUP_ANSWER


def test_a_look_up_that_takes_too_long_is_ended(serve, looked_up):
    ticks = itertools.count()
    reader = ReleaseReader(looked_up.layout, monotonic=lambda: float(next(ticks)), seconds=5.0)
    service = serve(looked_up, reader=reader)
    assert post(service, {"items": [{"id": VOLVO}] * 3}).status_code == 200
    refused = post(service, {"items": [{"id": VOLVO}] * 100})
    assert (refused.status_code, refused.json()["code"]) == (503, "service_unavailable")


def test_of_a_renamed_company_the_new_name_is_found(make, serve):
    made = make()
    made.publish([made.company(VOLVO, "Gammal Firma AB"), made.company(BAT, "Stadig Firma AB")])
    made.publish([made.company(VOLVO, "Ny Firma AB")])
    asked = [{"name": name, "country": "SE"} for name in ("Gammal Firma", "Ny Firma", "Stadig Firma")]
    found = look_up(serve(made.world), *asked)
    assert [(one["match"], company_of(one)) for one in found] == [
        ("none", None),
        ("probable", VOLVO),
        ("probable", BAT),
    ]

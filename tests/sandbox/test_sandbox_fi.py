"""The Finnish side of the generated world, read by nothing of ours: shapes, sums and odd corners.

See docs/formats/fi.md.
"""

import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from lxml import etree, html

from sandbox import World, damage_file, expected, numbers, write_days
from sandbox.http.routes import RegistryResponder
from sandbox.shared.response import SandboxResponse
from warehouse.schema import identifiers

INSTANCE = "{http://www.xbrl.org/2003/instance}"
MEMBER = "{http://xbrl.org/2006/xbrldi}explicitMember"
MET = "{http://www.suomi.fi/xbrl/crr/dict/met}"
WORLD = World(seed=5, companies=90, days=3, markets=("FI",))
YTJ, XBRL = "/opendata-ytj-api/v3", "/opendata-xbrl-api/v3"
NOTICES = "/opendata-registerednotices-api/v3"


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_days(WORLD, tmp_path_factory.mktemp("finland"))


def bulk(day: Path) -> list[dict[str, Any]]:
    with zipfile.ZipFile(day / "fi/ytj_v3/all_companies.zip") as archive:
        (member,) = archive.namelist()
        assert member.startswith("data")
        assert member.endswith(".json")
        return json.loads(archive.read(member))


@pytest.fixture(scope="module")
def companies(days: list[Path]) -> list[dict[str, Any]]:
    return bulk(days[0])


def test_numbers_are_valid_and_lead_back_to_their_position() -> None:
    for position in (*range(400), 99_999, 800_000):
        written = numbers.finnish_number(position)
        number = identifiers.parse_company_number(written)
        assert number is not None
        assert (number.market, number.has_valid_check_digit, number.org_number) == ("FI", True, written)
        assert numbers.finnish_position(written) == position
    assert len({numbers.finnish_number(position) for position in range(5000)}) == 5000
    assert numbers.finnish_position("0112038-9") is None
    assert numbers.finnish_position("50000009") is None


def test_living_and_ceased_stand_in_one_file_under_one_status(companies: list[dict[str, Any]]) -> None:
    assert {item["status"] for item in companies} == {"2"}
    ceased = [item for item in companies if item.get("endDate")]
    assert 0 < len(ceased) < len(companies) / 4
    for item in ceased:
        assert item["tradeRegisterStatus"] == "4"
        assert all(name.get("endDate") for name in item["names"])
    lines = [item["mainBusinessLine"]["typeCodeSet"] for item in ceased if item.get("mainBusinessLine")]
    assert lines
    assert set(lines) <= {"TOIMI2", "TOIMI3"}
    living = [item for item in companies if not item.get("endDate") and item.get("mainBusinessLine")]
    assert {item["mainBusinessLine"]["typeCodeSet"] for item in living} == {"TOIMI4"}
    assert {item["mainBusinessLine"]["registrationDate"] for item in living} == {"2026-01-01"}


def test_odd_corners_of_company_objects(companies: list[dict[str, Any]]) -> None:
    stamps = {bool(re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:]{8}", item["lastModified"])) for item in companies}
    assert stamps == {True, False}
    missing = {"null" if "website" in item else "absent" for item in companies if not item.get("website")}
    assert missing == {"absent", "null"}
    situations = [item.get("companySituations") for item in companies]
    assert None in situations
    assert [] in situations
    lines = [item["mainBusinessLine"]["descriptions"] for item in companies if item.get("mainBusinessLine")]
    assert {len(line) for line in lines} == {2, 3}  # English is missing at times
    assert len({tuple(text["languageCode"] for text in line) for line in lines}) > 3
    assert any(name["type"] == "3" for item in companies for name in item["names"])
    kinds = [[place["type"] for place in item["addresses"]] for item in companies]
    assert {tuple(kind) for kind in kinds} == {(1,), (2,), (2, 1)}
    assert any(place.get("country") == "DE" for item in companies for place in item["addresses"])
    assert min(item["businessId"]["registrationDate"] for item in companies) == "1978-03-15"


def statements(days: list[Path]) -> Iterator[tuple[Path, etree._Element]]:
    for day in days:
        for path in sorted((day / "fi/xbrl_v3").glob("*.xml")):
            yield path, etree.fromstring(path.read_bytes())


def test_every_statement_balances_to_the_cent(days: list[Path]) -> None:
    roots, signs = set(), set()
    for path, root in statements(days):
        roots.add(root.prefix)
        contexts = {context.get("id"): context for context in root.iter(f"{INSTANCE}context")}
        end = root.findtext(f"{MET}di121") or ""
        assert path.stem.endswith(end)
        lines: dict[tuple[str, str], Decimal] = {}
        for fact in root.iter(f"{MET}mi53", f"{MET}md103"):
            context = contexts[fact.get("contextRef")]
            member = next(item.text for item in context.iter(MEMBER) if item.get("dimension") == "fi_dim:MCY")
            key = str(member).partition(":")[2], str(context.findtext(f".//{INSTANCE}instant"))
            assert key not in lines
            lines[key] = Decimal(str(fact.text))
        for instant in {instant for _, instant in lines}:
            line = {name: amount for (name, when), amount in lines.items() if when == instant}
            assert line["x360"] == line["x481"] == line["x513"] + line["x435"]
            assert line["x376"] + line["x424"] == line["x481"]
            assert line["x4116"] + line["x932"] + line["x2895"] == line["x376"]
            assert line["x738"] + line["x541"] == line["x740"] == line["x2895"]
            signs.add((line["x376"] > 0, "x673" in line))
    assert roots == {None, "xbrli"}
    assert {revenue for _, revenue in signs} == {True, False}
    assert {positive for positive, _ in signs} == {True, False}


def test_comparatives_are_marked_in_one_variant_and_not_in_the_other(days: list[Path]) -> None:
    found = set()
    for _, root in statements(days):
        elements = {str(fact.tag) for fact in root.iter(f"{MET}md103")}
        references = {item.text for item in root.iter(MEMBER) if item.get("dimension") == "fi_dim:REF"}
        found.add((bool(elements), frozenset(references)))
    both, balance = frozenset({"fi_RF:x4", "fi_RF:x53"}), frozenset({"fi_RF:x4"})
    assert found == {(True, both), (False, balance)}


def test_the_list_names_every_statement_of_the_day(days: list[Path]) -> None:
    for day in days:
        (path,) = (day / "fi/xbrl_v3").glob("*.json")
        listed = json.loads(path.read_text())
        names = {f"prh_xbrl_{item['businessId']}_{item['financialDate']}.xml" for item in listed["financials"]}
        assert names == {item.name for item in (day / "fi/xbrl_v3").glob("*.xml")}
        assert listed["totalResults"] == len(listed["financials"]) > 0
        if day != days[0]:
            assert {item["registrationDate"] for item in listed["financials"]} == {day.name}


def test_notices_lack_what_the_other_service_has(days: list[Path]) -> None:
    answer = json.loads(next((days[1] / "fi/notices_v3").glob("*.json")).read_text())
    for item in answer["companies"]:
        assert not item.keys() & {"mainBusinessLine", "website"}
        dates = [notice["registrationDate"] for notice in item["publicNotices"]]
        assert dates == sorted(dates, reverse=True)
        assert days[1].name in dates
    kinds = {notice["typeOfRegistration"] for item in answer["companies"] for notice in item["publicNotices"]}
    assert {"TA", "M", "U"} <= kinds


def items(days: list[Path]) -> list[dict[str, Any]]:
    return [
        item
        for day in days
        for item in json.loads(next((day / "fi/nasdaq_cns").glob("*.json")).read_text())["results"]["item"]
    ]


def test_releases_come_once_for_all_languages_or_once_for_each(days: list[Path]) -> None:
    found = items(days)
    assert len({item["disclosureId"] for item in found}) == len(found)
    assert {len(item["languages"]) for item in found} == {1, 2}
    twins = Counter((item["company"], item["releaseTime"], item["categoryId"]) for item in found)
    assert set(twins.values()) == {1, 2}
    assert {item["market"] for item in found} >= {"Main Market, Helsinki", "First North Finland"}
    assert any(not item["market"].endswith(("Helsinki", "Finland")) for item in found)
    ids = [item["disclosureId"] for item in sorted(found, key=lambda item: item["releaseTime"])]
    assert ids != sorted(ids)  # numbers do not follow time


def test_notifications_say_shares_and_votes_in_every_shape(days: list[Path]) -> None:
    pages = [path.read_text() for day in days[1:] for path in (day / "fi/nasdaq_cns").glob("*.html")]
    texts = ["\n".join(html.fromstring(page.encode()).itertext()) for page in pages]
    assert any("24.99% shares" in text and "31.10% voting rights" in text for text in texts)
    assert any("Below" in text and "5%" in text for text in texts)
    assert any("19,95 %" in text for text in texts)
    assert any("<pre>+---" in page for page in pages)
    assert any("10.00%" in text for text in texts)


@pytest.fixture
def desk(tmp_path: Path) -> RegistryResponder:
    return RegistryResponder(WORLD, tmp_path, day=1)


def told(answer: SandboxResponse) -> Any:
    body = answer.body.read_bytes() if isinstance(answer.body, Path) else answer.body
    return json.loads(body)


def test_pages_count_from_one_and_end_empty(desk: RegistryResponder) -> None:
    whole = [told(desk.respond(f"{YTJ}/companies", f"page={page}")) for page in (0, 1, 2)]
    assert whole[0] == whole[1]
    assert (whole[1]["totalResults"], len(whole[1]["companies"]), whole[2]["companies"]) == (91, 91, [])
    half = [told(desk.respond(f"{NOTICES}/", f"page={page}"))["companies"] for page in (1, 2)]
    assert len(half[0]) == 50
    assert half[1]
    numbers = [item["businessId"]["value"] for item in whole[1]["companies"]]
    assert numbers == sorted(numbers)


def test_a_number_without_its_hyphen_finds_nothing(desk: RegistryResponder) -> None:
    found = told(desk.respond(f"{YTJ}/companies", "businessId=5000000-9"))
    assert [item["businessId"]["value"] for item in found["companies"]] == ["5000000-9"]
    assert told(desk.respond(f"{YTJ}/companies", "businessId=50000009"))["totalResults"] == 0


def test_lists_and_their_languages(desk: RegistryResponder) -> None:
    lines = desk.respond(f"{YTJ}/description", "code=REK&lang=en").body
    assert lines == b"1\tTrade register\n"
    assert desk.respond(f"{YTJ}/description", "code=62010&lang=en").body == b""
    assert told(desk.respond(f"{YTJ}/description", "code=REK"))["errorcode"] == 1005
    assert desk.respond(f"{NOTICES}/description", "code=NRT&lang=fi").status == 404
    kinds = desk.respond(f"{NOTICES}/description", "code=NRT&lang=FI").body
    assert isinstance(kinds, bytes)
    assert b"TA\tFinancial statements" in kinds


def test_statements_are_listed_by_day_by_company_and_by_period(desk: RegistryResponder) -> None:
    window = "registeredDateStart=2026-11-03&registeredDateEnd=2026-11-03"
    new = told(desk.respond(f"{XBRL}/all_financial_statements", window))["financials"]
    assert new
    first = new[0]
    asked = f"businessId={first['businessId']}&financialDate={first['financialDate']}"
    body = desk.respond(f"{XBRL}/financial", asked).body
    assert isinstance(body, bytes)
    assert etree.parse(io.BytesIO(body)).getroot().findtext(f"{MET}si289") == first["businessId"]
    mine = told(desk.respond(f"{XBRL}/financials", f"businessId={first['businessId']}"))["financials"]
    assert first in mine
    same = told(desk.respond(f"{XBRL}/all_financials", f"financialDate={first['financialDate']}"))
    assert first in same["financials"]
    assert told(desk.respond(f"{XBRL}/financial", "businessId=5000000-9"))["errorcode"] == 1005


def test_whoever_filed_nothing_digitally_is_told_so_in_one_of_two_ways(desk: RegistryResponder) -> None:
    silent = [company for company in WORLD.all("FI", 1) if not company.accounts]
    answers = [desk.respond(f"{XBRL}/financials", f"businessId={item.number}") for item in silent]
    assert {answer.status for answer in answers} <= {200, 400}
    assert all(told(answer)["totalResults"] == 0 for answer in answers if answer.status == 200)


def test_news_come_in_pages_and_wrapped_in_a_call(desk: RegistryResponder) -> None:
    query = "globalName=NordicAllMarkets&limit=5"
    first, second = (
        told(desk.respond("/news/query.action", f"{query}&start={start}"))["results"]["item"] for start in (0, 5)
    )
    times = [item["releaseTime"] for item in (*first, *second)]
    assert times == sorted(times, reverse=True)
    assert len({item["disclosureId"] for item in (*first, *second)}) == 10
    wrapped = desk.respond("/news/query.action", f"{query}&callback=handleResponse").body
    assert isinstance(wrapped, bytes)
    assert wrapped.startswith(b"handleResponse({")
    helsinki = told(desk.respond("/news/query.action", "globalName=NordicFirstNorth&limit=200"))
    assert {item["market"].split(",")[0].partition(" ")[0] for item in helsinki["results"]["item"]} == {"First"}
    flagged = next(item for item in (*first, *second) if item["categoryId"] == 144)
    key = re.search(r"id=(\w+)", flagged["messageUrl"])
    assert key is not None
    page = desk.respond("/view", f"id={key[1]}&lang={flagged['language']}")
    assert (page.status, page.kind) == (200, "text/html;charset=UTF-8")
    assert desk.respond("/view", "id=b0&lang=en").status == 404


def test_the_recode_moves_codes_and_leaves_the_ceased_alone() -> None:
    recoded = World(seed=5, companies=90, days=2, markets=("FI",), recode_on=1)
    before = {company.number: company for company in recoded.all("FI", 0)}
    moved = 0
    for company in recoded.all("FI", 1):
        former = before.get(company.number)
        if former is None:
            continue
        if former.status == "dissolved":
            assert (company.industry, company.finnish.code_set) == (former.industry, former.finnish.code_set)
            assert company.finnish.code_set in {"TOIMI2", "TOIMI3"}
        elif company.industry:
            assert (former.finnish.code_set, company.finnish.code_set) == ("TOIMI3", "TOIMI4")
            moved += company.industry != former.industry
    assert moved > 20


@pytest.mark.parametrize("fault", ["new_column", "missing_column", "unknown_status", "clock_flicker", "half_rows"])
def test_damage_reaches_into_the_zip(fault: str, days: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "fi/ytj_v3/all_companies.zip"
    path.parent.mkdir(parents=True)
    path.write_bytes((days[0] / "fi/ytj_v3/all_companies.zip").read_bytes())
    damage_file(path, fault)
    sound, damaged = bulk(days[0]), bulk(tmp_path)
    assert damaged != sound
    assert len(damaged) == (len(sound) // 2 if fault == "half_rows" else len(sound))


def test_truth_knows_periods_documents_and_bands(days: list[Path]) -> None:
    stated = json.loads((days[0].parent / "truth.json").read_text())
    events = [event for event in expected.truth_events(stated) if event["event_type"] == "ownership.changed"]
    pairs = {(event["data"]["change"]["previous_pct"], event["data"]["change"]["current_pct"]) for event in events}
    assert pairs >= {(0, 5.04), (5.04, 0), (9.8, 10), (7.25, 24.99), (21.3, 19.95), (0, 8.75)}
    crossed = {tuple(event["data"]["change"]["thresholds_crossed"]) for event in events}
    assert crossed == {(5,), (10,), (10, 20), (20,)}
    paper = [event for event in expected.truth_events(stated) if event["story"] == "files_on_paper"]
    assert {event["data"]["filing"]["period_end"] for event in paper} == {None}
    assert all(date.fromisoformat(event["data"]["filing"]["filed_at"]) for event in paper)

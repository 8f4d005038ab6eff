"""Swedish files and answers of the sandbox: written by the registries' rules, odd corners and persons included."""

import csv
import io
import json
import re
import zipfile
from collections import Counter

import pytest
from lxml import etree

from sandbox import World, minimum_companies, numbers, write_days
from sandbox.expected import expected_profile
from sandbox.faults.files import damage_body
from sandbox.se import api_answers, business_register, ixbrl, sole_traders
from sandbox.se.bulk_files import COLUMNS, PROCEEDINGS, STATISTICAL_COLUMNS
from warehouse.schema import identifiers

SEED = {"seed": 4, "companies": 160, "days": 3, "markets": ("SE",)}
GEN_BASE = re.compile(r"http://www\.taxonomier\.se/se/fr/gen-base/(\d{4}-\d{2}-\d{2})")
IX = "{http://www.xbrl.org/2013/inlineXBRL}"
XBRLI = "{http://www.xbrl.org/2003/instance}"


@pytest.fixture(scope="module")
def world():
    return World(**SEED)


@pytest.fixture(scope="module")
def days(world, tmp_path_factory):
    return write_days(world, tmp_path_factory.mktemp("se"))


@pytest.fixture(scope="module")
def bulk(days) -> str:
    return only(days[0] / "se/bolagsverket_bulk/bolagsverket_bulkfil.zip")[1].decode("utf-8")


@pytest.fixture(scope="module")
def statistics(days) -> str:
    return only(days[0] / "se/scb_bulk/scb_bulkfil.zip")[1].decode("latin-1")


def only(path):
    with zipfile.ZipFile(path) as archive:
        (name,) = archive.namelist()
        return name, archive.read(name)


def records(text: str) -> list[list[str]]:
    """Records of Bolagsverket's file as its own rule cuts them: fields between `";"` until there are eleven."""
    found, open_ = [], ""
    for line in text.split("\n")[1:]:
        open_ = f"{open_}\n{line}" if open_ else line
        fields = open_.strip("\r\n")[1:-1].split('";"')
        if len(fields) == len(COLUMNS) and open_.endswith('"'):
            found.append(fields)
            open_ = ""
    assert open_ == ""
    return found


def test_numbers_are_valid_and_lead_back_to_their_position():
    for position in (*range(300), 99_999, 1_234_567):
        parsed = identifiers.parse_company_number(numbers.swedish_number(position))
        assert parsed is not None
        assert (parsed.market, parsed.has_valid_check_digit) == ("SE", True)
        assert numbers.swedish_position(numbers.swedish_number(position)) == position
    assert len({numbers.swedish_number(position) for position in range(5000)}) == 5000
    assert numbers.swedish_position("5560000001") is None


def test_numbers_of_persons_are_nobodys():
    for position in range(500):
        number = numbers.invalid_personal_number(position, coordination=position % 3 == 0)
        assert re.fullmatch(r"(18|19)\d{2}(0[1-9]|1[0-2])([06][1-9]|[1278]\d|[39][01])\d{4}", number)
        assert numbers.check_digit(number[2:11]) != int(number[11])


def test_the_bulk_has_eleven_columns_and_quotes_that_are_not_doubled(bulk, world):
    assert bulk.split("\n", 1)[0] == ";".join(COLUMNS)
    found = records(bulk)
    companies = {fields[0].partition("$")[0] for fields in found if "ORGNR-IDORG" in fields[0]}
    assert companies == {company.number for company in world.all("SE", 0)}
    assert any('"' in field for fields in found for field in fields)
    strict = csv.reader(io.StringIO(bulk.replace("\0", "")), delimiter=";")
    assert any(len(row) != len(COLUMNS) for row in strict)


def test_the_bulk_holds_breaks_nul_null_and_several_rows(bulk):
    assert "\0" in bulk
    found = records(bulk)
    values = Counter(field for fields in found for field in fields)
    assert min(values["null"], values["NULL"], values[""]) > 0
    assert any("\n" in field for fields in found for field in fields)
    several = Counter(fields[0] for fields in found if "ORGNR" in fields[0])
    assert max(several.values()) > 1
    place = COLUMNS.index(PROCEEDINGS)
    assert any(fields[place].startswith("|") for fields in found)
    assert any(re.match(r"[A-Z]+-AVOMFO\$\d{4}", fields[place]) for fields in found)


def test_sole_traders_stand_between_the_companies(bulk, statistics, world):
    traders = list(sole_traders.all_sole_traders(world.count("SE", 0)))
    assert {alone.kind for alone in traders} == {"PERSONNUMMER", "SAMORDNINGSNUMMER", "GDNUMMER"}
    assert max(len(alone.firms) for alone in traders) > 1
    for alone in traders:
        assert f'"{alone.number}$PERSON-IDORG"' in bulk
        assert (f"\t{alone.number}\t" in statistics) == (alone.kind != "GDNUMMER")


def test_the_statistics_are_tabs_without_quoting(statistics):
    lines = statistics.split("\n")
    assert lines[0] == "\t".join(STATISTICAL_COLUMNS) + "\t"
    assert len(STATISTICAL_COLUMNS) == 34
    assert {line.count("\t") for line in lines[:-1]} == {34}
    assert any('"' in line for line in lines)
    place = STATISTICAL_COLUMNS.index("PeOrgNr")
    assert {line.split("\t")[place][:2] for line in lines[1:-1]} <= {"16", "18", "19"}


def test_the_statistics_name_their_monday(days):
    assert only(days[0] / "se/scb_bulk/scb_bulkfil.zip")[0] == "scb_bulkfil_JE_20261102T055245_76.txt"


def test_weekly_archives_hold_packages_with_what_lies_beside_a_report(days):
    kinds: Counter[str] = Counter()
    with zipfile.ZipFile(days[0] / "se/arsredovisningar/2026/44_1.zip") as outer:
        for name in outer.namelist():
            assert re.fullmatch(r"57\d{8}_\d{4}-\d{2}-\d{2}\.zip", name)
            with zipfile.ZipFile(io.BytesIO(outer.read(name))) as inner:
                bodies = {member: inner.read(member) for member in inner.namelist()}
            kinds.update(member.rpartition(".")[2] for member in bodies)
            figures = [body for body in bodies.values() if b"se-gen-base:EgetKapital" in body]
            assert len(figures) == 1
            kinds["beside"] += sum(b"inlineXBRL" in body for body in bodies.values()) - 1
    assert min(kinds["xhtml"], kinds["pdf"], kinds["beside"]) > 0


def reports(world):
    for company, accounts in world.published_accounts("SE", 0):
        yield company, accounts, etree.fromstring(ixbrl.annual_report(company, accounts))


def test_reports_come_in_every_variety(world):
    editions, plain, segments, ids, scales = set(), set(), set(), set(), set()
    for _, _, root in reports(world):
        editions |= set(GEN_BASE.findall(str(root.nsmap)))
        plain |= {fact.get("format") for fact in root.iter(f"{IX}nonFraction")}
        scales |= {fact.get("scale") for fact in root.iter(f"{IX}nonFraction")}
        contexts = list(root.iter(f"{XBRLI}context"))
        ids |= {context.get("id") for context in contexts}
        cut = {len(context.findall(f".//{XBRLI}segment")) for context in contexts}
        assert cut in ({0}, {1})  # with group accounts every context has a segment, else none
        segments |= {etree.QName(part).localname for context in contexts for part in context.iter()}
    assert editions == {"2017-09-30", "2020-12-01", "2021-10-31"}
    assert plain == {None, "ixt:numspacecomma", "ixt:numcomma"}
    assert {"0", "3", "-2"} <= scales
    assert {"period0", "balans0", "period_nuvarande"} <= ids
    assert {"RedovisningInformationKoncernSegment", "RedovisningInformationGenerellSegment"} <= segments


def test_every_fact_has_its_context_and_unit(world):
    for _, _, root in reports(world):
        contexts = {context.get("id") for context in root.iter(f"{XBRLI}context")}
        units = {unit.get("id") for unit in root.iter(f"{XBRLI}unit")}
        for fact in root.iter(f"{IX}nonFraction"):
            assert fact.get("contextRef") in contexts
            assert fact.get("unitRef") in units
            assert not (fact.text or "").startswith("-")


def test_overviews_go_back_four_years_and_round(world):
    counts: Counter[int] = Counter()
    for _, accounts, root in reports(world):
        told = [
            fact
            for fact in root.iter(f"{IX}nonFraction")
            if fact.get("name") == "se-gen-base:Nettoomsattning" and fact.get("decimals") == "-3"
        ]
        years = {fact.get("contextRef").removesuffix("_kon").removesuffix("_jur") for fact in told}
        counts[len(years)] += 1
        assert (accounts.figures.revenue is None) == (not told)
    assert set(counts) == {0, 4}


def test_some_answers_are_partial_on_some_days(world):
    kinds: Counter[str] = Counter()
    for day in range(3):
        for company in world.all("SE", day):
            found = api_answers.organisation_record(company, world.date(day))
            blocks = [block for block in found.values() if isinstance(block, dict) and block.get("fel")]
            kinds.update(block["fel"]["typ"] for block in blocks)
            assert found["organisationsidentitet"]["identitetsbeteckning"] == company.number
            assert len(blocks) < len(found) - 4
    assert set(kinds) == {"TIMEOUT", "OTILLGANGLIG_UPPGIFTSKALLA", "ORGANISATION_FINNS_EJ"}


@pytest.mark.parametrize("name", ["bolagsverket_bulk/bolagsverket_bulkfil.zip", "scb_bulk/scb_bulkfil.zip"])
@pytest.mark.parametrize(
    "fault", ["half_rows", "duplicated", "new_column", "missing_column", "shifted_column", "unknown_status"]
)
def test_damage_of_the_bulk_files_keeps_their_spelling(name, fault, days, tmp_path):
    before = (days[0] / "se" / name).read_bytes()
    after = damage_body(name.rpartition("/")[2], before, fault)
    (tmp_path / "x.zip").write_bytes(after)
    member, body = only(tmp_path / "x.zip")
    assert member.endswith(".txt")
    text = body.decode("utf-8" if member.startswith("bolag") else "cp1252")
    head = text.split("\n", 1)[0]
    width = {"new_column": 1, "missing_column": -1}.get(fault, 0)
    if member.startswith("bolag"):
        assert head.count(";") == len(COLUMNS) - 1 + width
    else:
        assert head.count("\t") == len(STATISTICAL_COLUMNS) + width
    assert body != only(days[0] / "se" / name)[1]


def test_every_story_finds_a_company():
    for count in (2, 3, 9):
        World(companies=minimum_companies("SE", count), days=count, markets=("SE",))


def test_answers_of_a_day_lie_in_its_folder(days):
    bodies = [json.loads(path.read_bytes()) for path in sorted(days[2].glob("se/organisationer/*.json"))]
    assert len(bodies) > 3
    assert all(len(body["organisationer"]) == 1 for body in bodies)


def test_seats_of_the_register_of_enterprises_are_the_truth_where_they_differ_from_the_post(world):
    elsewhere = [one for one in world.all("SE", 0) if one.swedish.seat not in {None, one.place}]
    assert len(elsewhere) > 3
    units = {unit["orgNr"]: unit for unit in business_register.all_units(world, 0)}
    for company in elsewhere:
        seat = company.swedish.seat
        assert seat is not None
        assert expected_profile(company)["municipality"] == seat.municipality
        assert f"{units[company.number]['kommunSate']:04}" == seat.code, "sent as a number"

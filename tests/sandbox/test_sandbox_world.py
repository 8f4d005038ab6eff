"""The generated world: the same seed gives the same bytes, every day has its events, truth stands alone."""

import ast
import filecmp
import json
from collections import Counter
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

import sandbox
from sandbox import World, expected, expected_events, numbers, write_days
from sandbox.write import file_document_key
from warehouse.schema import codes, identifiers, ids

# What can happen in each market so far; Swedish ownership has no source.
POSSIBLE = {
    "NO": {"filing.added", "filing.updated", "status.changed", "ownership.changed", "company.changed"},
    "SE": {"filing.added", "filing.updated", "status.changed", "ownership.changed", "company.changed"},
    "UK": {"filing.added", "filing.updated", "status.changed", "ownership.changed", "company.changed"},
    "FI": {
        "filing.added",
        "filing.updated",
        "status.changed",
        "ownership.changed",
        "news.published",
        "company.changed",
    },
    "US": set(codes.EVENT_TYPES),
}
# Stories that change something and must never make an event.
QUIET = {
    "rounds",
    "repeats",
    "files_old_year",
    "reorganises",
    "hires",
    "strike_off_proposed_then_stopped",
    "administration",
    "majority_grows",
    "trust",
    "overlap",
    "merges",
    "leaves_statistics",
    "restructured",
    "flickers",
    "insider_sells",
    "tells_late",
    "moves_within",
    "tells_without_release",
}


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
def test_same_seed_gives_the_same_bytes(written, tmp_path):
    world, folder, _ = written
    write_days(World(seed=7, companies=400, days=4), tmp_path)
    names = files(folder)
    assert files(tmp_path) == names
    _, different, failed = filecmp.cmpfiles(folder, tmp_path, names, shallow=False)
    assert (different, failed) == ([], [])
    assert world.seed == 7


def test_other_seed_gives_another_world(written):
    _, _, told = written
    other = World(seed=8, companies=300, days=2)
    names = {company.company_id: company.name for company in other.all("NO", 0)}
    same = sum(told["companies"][key][0]["profile"]["name"] == name for key, name in names.items())
    assert same < len(names) / 4


def test_every_day_after_the_first_has_every_kind_of_event_in_every_market(written):
    world, _, told = written
    assert expected.truth_events(told, "2026-11-02") == []
    for day in world.dates[1:]:
        found = {
            (event["company_id"].split(":")[1], event["event_type"]) for event in expected.truth_events(told, str(day))
        }
        assert found == {(market, kind) for market, kinds in POSSIBLE.items() for kind in kinds}


def test_holdings_cross_up_and_down_begin_and_end_every_day(written):
    world, _, told = written
    for day in world.dates[1:]:
        changes = [
            event["data"]["change"]
            for event in expected.truth_events(told, str(day))
            if event["event_type"] == "ownership.changed"
        ]
        pairs = {(change["previous_pct"], change["current_pct"]) for change in changes}
        assert {(50, 25), (25, 50), (0, 25), (0, 75), (75, 0)} <= pairs


def test_quiet_stories_happen_and_make_no_event(written):
    world, _, told = written
    cast = {role.story.name for market in world.markets for role in world.roles[market].values()}
    assert cast >= QUIET
    assert not QUIET & {event["story"] for event in told["events"]}


def test_event_ids_are_unique_and_made_of_their_keys(written):
    _, _, told = written
    counts = Counter(event["event_id"] for event in told["events"])
    assert max(counts.values()) == 1
    for event in told["events"]:
        assert event["event_id"] == expected_id(event)
        assert event["event_type"] in codes.EVENT_TYPES


def expected_id(event: dict) -> str:
    key, company = event["key"], event["company_id"]
    match event["event_type"]:
        case "filing.added":
            what = "added" if key["period_end"] else key["document"]  # of no known period: the document
            return ids.natural_id("evt", "filing.added", company, key["period_start"], key["period_end"], what)
        case "filing.updated":
            parts = (company, key["period_start"], key["period_end"], key["document"])
            return ids.natural_id("evt", "filing.updated", *parts)
        case "status.changed" | "company.changed" as kind:
            fields = [",".join(key["fields"])] if "fields" in key else [key["previous_status"], key["current_status"]]
            parts = (company, *fields, key["effective_date"], datetime.fromisoformat(key["known_at"]))
            return ids.natural_id("evt", kind, *parts)
        case "news.published":
            (native,) = key.values()
            return ids.natural_id("evt", "news.published", company, native)
        case "event.regulatory":
            authority = event["data"]["notice"]["authority"]
            return ids.natural_id("evt", "event.regulatory", authority, key["accession"], company)
        case _:
            holder = ids.holder_id(company, key.get("register", "uk.psc"), key["holder"])
            bounds = (Decimal(key["previous"]), Decimal(key["current"]))
            known_at = datetime.fromisoformat(key["known_at"])
            return ids.natural_id("evt", "ownership.changed", company, holder, key["as_of"], *bounds, known_at)


def test_no_event_tells_of_a_company_that_appears_that_day(written):
    _, _, told = written
    for event in told["events"]:
        assert told["companies"][event["company_id"]][0]["from"] < event["day"]


def test_figures_balance():
    for company in World(seed=3, companies=120, days=2, markets=("UK",)).all("UK", 0):
        for accounts in company.accounts:
            figures = accounts.figures
            assert figures.total_assets == figures.equity + figures.short_creditors + figures.long_creditors


def test_numbers_are_valid_and_lead_back_to_their_position():
    for position in (*range(400), 99_999, 123_456):
        number = identifiers.parse_company_number(numbers.norwegian_number(position))
        assert number is not None
        assert (number.market, number.has_valid_check_digit) == ("NO", True)
        assert numbers.norwegian_position(numbers.norwegian_number(position)) == position
        british = identifiers.parse_company_number(numbers.british_number(position))
        assert british is not None
        assert british.market == "UK"
        assert numbers.british_position(numbers.british_number(position)) == position
    assert len({numbers.norwegian_number(position) for position in range(5000)}) == 5000
    assert numbers.norwegian_position("923609016") is None
    assert numbers.british_position("00000006") is None


def test_recode_changes_every_norwegian_code_and_makes_no_event():
    plain, recoded = World(companies=300, days=3), World(companies=300, days=3, recode_on=1)
    before = {company.number: company.industry for company in recoded.all("NO", 0)}
    moved = sum(
        before[company.number] != company.industry for company in recoded.all("NO", 1) if company.number in before
    )
    assert moved > len(before) / 3
    # nothing tells another industry from one that is recoded on the same day
    told = [
        event["event_id"]
        for event in expected_events.all_events(plain, file_document_key)
        if (event["day"], event["key"].get("fields")) != (plain.date(1).isoformat(), ["sni_code"])
        or event["data"]["country"] in ("UK", "US")
    ]
    assert [event["event_id"] for event in expected_events.all_events(recoded, file_document_key)] == told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"companies": 40, "markets": ("NO", "UK")}, "need 60 companies, not 20"),
        ({"companies": 130, "days": 9}, "9 days need"),
        ({"markets": ("XX",)}, "XX"),
        ({"days": 0}, "no day"),
    ],
)
def test_impossible_worlds_say_why(arguments, message):
    with pytest.raises(ValueError, match=message):
        World(**arguments)


def test_one_market_alone(tmp_path):
    folder = write_days(World(companies=60, days=2, markets=("NO",)), tmp_path)[1]
    assert sorted(path.name for path in folder.iterdir()) == ["day.json", "no"]
    facts = json.loads((folder / "day.json").read_text())
    assert facts == {"date": "2026-11-03", "observed_at": "2026-11-03T04:00:00Z", "complete": ["no.enheter"]}
    assert date.fromisoformat(facts["date"]) == date(2026, 11, 3)


def test_the_sandbox_reads_nothing_of_the_countries():
    for path in Path(sandbox.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not [name for name in names if name.startswith(("connectors.no", "connectors.uk", "connectors.kit"))]

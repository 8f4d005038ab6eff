"""Denmark with the preview on: what is served of the generated world is its truth, and nothing else."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sandbox import expected as sandbox_expected
from sandbox.model.dk import BENEFICIAL_OWNERS
from tests.firm import matrix
from tests.firm.inside import fact_key, planned, profiles_on, reasons
from tests.sandbox.dk.previewed.conftest import DAYS, WORLD, Lived
from tests.sandbox.dk.previewed_matrix import written_table
from tests.searched import texts
from warehouse.ledger.ledger import Ledger
from warehouse.schema.codes import EVENT_TYPES

FIELDS_OF_THE_STORE = {"is_comparative"}  # known inside, not served
PERSONAL = re.compile("(c/o |CPR-nr. |Direktør, )([0-9]{6}-?[0-9]{4})".encode())


def last_states(lived: Lived) -> dict[str, dict[str, Any]]:
    return sandbox_expected.expected_on_day(lived.told, lived.told["days"][-1])


def test_each_day_every_company_is_served_as_it_is(lived: Lived) -> None:
    for day, profiles in enumerate(lived.profiles):
        assert profiles == profiles_on(lived.told, day)
    statuses = {profile["status"] for profile in lived.profiles[-1].values()}
    assert statuses == {"active", "dormant", "dissolved"}
    listed = {item["id"]: item for item in lived.all("/api/v1/companies", country="DK")}
    assert listed == profiles_on(lived.told, DAYS - 1)


def test_each_day_makes_exactly_the_planned_events(lived: Lived) -> None:
    assert lived.reports[0]["events"] == {}
    for day, events in enumerate(lived.events):
        assert events == planned(lived.told, *range(1, day + 1)).keys()
    assert {event["event_type"] for event in planned(lived.told, 1, 2).values()} == set(EVENT_TYPES)


def test_every_file_is_read_and_what_is_not_served_has_its_reason(lived: Lived) -> None:
    told = {reason for report in lived.reports for _, reason in reasons(report)}
    assert told <= {
        "directory of issuers: items name theirs themselves; no stream of items",
        "not a company: a law firm's call to investors, which names the opposing company",
        "no rows",
    }
    rejected = {row["dataset"] for report in lived.reports for row in report["datasets"] if row["rejected"]}
    own = {name for name in rejected if name.startswith("dk.")}
    # publications of another kind, decoys of the wires, and acts against persons
    assert own == {"dk.offentliggoerelser", "dk.wires", "dk.esma"}
    assert all(report["held"] == [] for report in lived.reports)


def test_events_say_what_was_planned(lived: Lived) -> None:
    found = {
        fact_key(one.event_id, one.event_type, data): data
        for one in Ledger(lived.inside.layout).after(0, 100_000)
        for data in [json.loads(one.data)]
    }
    for key, event in planned(lived.told, 1, 2).items():
        same_core(event["data"], found[key], key)


def same_core(planned_part: Any, found: Any, where: str) -> None:
    """Every member that the plan states, at any depth."""
    if isinstance(planned_part, dict):
        for name, value in planned_part.items():
            assert name in found, f"{where}: no {name}"
            same_core(value, found[name], f"{where}.{name}")
    elif isinstance(planned_part, list):
        assert len(found) == len(planned_part), where
        for place, (value, other) in enumerate(zip(planned_part, found, strict=True)):
            same_core(value, other, f"{where}[{place}]")
    else:
        assert found == planned_part, where


def test_every_figure_equals_the_report(lived: Lived) -> None:
    withheld = 0
    for company_id, state in last_states(lived).items():
        served = {
            (row["period_end"], row["is_consolidated"]): row
            for scope in ("true", "false")
            for row in lived.all(f"/api/v1/companies/{company_id}/financials", consolidated=scope)
        }
        expected = {(row["period_end"], row["is_consolidated"]): row for row in state["financials"]}
        assert served.keys() == expected.keys(), company_id
        for key, row in expected.items():
            named = {name: value for name, value in row.items() if name not in FIELDS_OF_THE_STORE}
            assert {name: served[key][name] for name in named} == named, (company_id, key)
            withheld += row["revenue"] is None
    assert withheld > 10


def test_every_owner_equals_the_register_of_owners(lived: Lived) -> None:
    bases: set[str] = set()
    for company_id, state in last_states(lived).items():
        path = f"/api/v1/companies/{company_id}/ownership"
        served = {row["holder_id"]: row for row in lived.all(path, as_of=lived.told["days"][-1])}
        expected = {row["holder_id"]: row for row in state["owners"]}
        assert served.keys() == expected.keys(), company_id
        for holder_id, row in expected.items():
            named = {name: value for name, value in row.items() if name != "native_id"}
            assert {name: served[holder_id][name] for name in named} == named, company_id
            bases.add(row["basis"])
    assert bases == {"band", "exact"}


def test_who_only_benefits_is_no_owner(lived: Lived) -> None:
    """A company of which the register knows beneficial owners alone has no owners."""
    registers = {
        company.company_id: {holder.register for holder in company.danish.holders}
        for company in WORLD.all("DK", DAYS - 1)
    }
    alone = [company_id for company_id, found in registers.items() if found == {BENEFICIAL_OWNERS}]
    assert alone
    assert [lived.all(f"/api/v1/companies/{company_id}/ownership") for company_id in alone] == [[]] * len(alone)


def test_groups_follow_from_the_register_of_owners(lived: Lived) -> None:
    """Who holds the whole or a band from half up decides (docs/contract/contract.md 4.4b); a stranger is no member."""
    by_place = {company.position: company for company in WORLD.all("DK", 0)}
    parent, child, grandchild, joint = (by_place[place].company_id for place in (7, 11, 13, 17))
    group = lived.client.get(f"/api/v1/companies/{parent}/group", params={"depth": "10"}).json()
    reached = {(line["level"], line["via"], line["company_id"]) for line in group["children"]["data"]}
    assert {(1, parent, child), (2, child, grandchild)} <= reached
    below = lived.client.get(f"/api/v1/companies/{grandchild}/group").json()
    assert below["parents"][0]["company_id"] == child
    assert [line["company_id"] for line in below["ultimate_parents"]] == [parent]
    shared = lived.client.get(f"/api/v1/companies/{joint}/group").json()
    bounds = {(line["company_id"], line["pct_min"], line["pct_max"]) for line in shared["parents"]}
    assert bounds == {(parent, 33.33, 50)}
    assert shared["ultimate_parents"] == []


def test_event_matrix_page_equals_the_counted_events(lived: Lived) -> None:
    due = [
        (event["event_id"], event["company_id"], event["event_type"])
        for event in sandbox_expected.truth_events(lived.told)
    ]
    made = [(one.event_id, one.company_id, one.event_type) for one in Ledger(lived.inside.layout).after(0, 100_000)]
    counts = matrix.counted(matrix.of(due), matrix.of(made))
    own = {cell: count for cell, count in counts.items() if cell[0] == "DK"}
    assert all(count.is_exact and count.planned > 0 for count in own.values()), own
    assert written_table() == matrix.table(counts, {}, ("DK",)), matrix.table(counts, {}, ("DK",))


def test_no_personal_number_is_anywhere(lived: Lived) -> None:
    """Reports and an owner's address: registers hand over files with them, and nothing that is kept or said has one."""
    handed = {found.groups() for text in _all_texts(lived.days) for found in PERSONAL.finditer(text)}
    assert {before for before, _ in handed} == {b"c/o ", b"CPR-nr. ", "Direktør, ".encode()}
    numbers = {number.replace(b"-", b"") for _, number in handed}
    wanted = re.compile(b"|".join(b"%b-?%b" % (number[:6], number[6:]) for number in sorted(numbers)))
    searched = 0
    for text in (*_all_texts(lived.inside.data), json.dumps(lived.reports).encode()):
        searched += 1
        assert wanted.search(text) is None, text[:200]
    assert searched > 1_000


def _all_texts(folder: Path) -> Iterator[bytes]:
    return (text for path in folder.rglob("*") if path.is_file() for text in texts(path))

"""Two persons of one name are two holders; marks that appear, and a key that is lost, end and begin no holding."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.connectors.uk.conftest import CsvBodies, PscBodies
from tests.firm.inside import Inside, Said
from warehouse.ledger.ledger import Ledger
from warehouse.publish.release_tables import open_release_tables
from warehouse.storage.layout import Layout

pytestmark = pytest.mark.slow
NUMBER = "00000301"
OLDER, YOUNGER = {"month": 3, "year": 1948}, {"month": 9, "year": 1979}
MAJORITY = ["ownership-of-shares-75-to-100-percent"]
UNCHANGED = "2026-11-01"
QUARANTINED = 4


def person(identity: str, born: dict[str, int] | None, begun: str, ended: str | None = None) -> dict[str, Any]:
    return PscBodies.record(
        NUMBER,
        identity,
        name="Mr John Harker",
        date_of_birth=born,
        natures_of_control=MAJORITY,
        notified_on=begun,
        ceased_on=ended,
    )


@dataclass
class Register:
    """Snapshots of one company's holders, one after the other."""

    firm: Inside
    folder: Path

    def deliver(self, day: str, *records: dict[str, Any], exit_code: int = 0, **environment: str) -> Said:
        totals = {
            "kind": "totals#persons-of-significant-control-snapshot",
            "persons_of_significant_control_count": len(records),
            "statements_count": 0,
            "exemptions_count": 0,
        }
        files = {
            f"basic_company_data/BasicCompanyDataAsOneFile-{UNCHANGED}.csv": CsvBodies.table(
                {"CompanyNumber": NUMBER, "CompanyName": "HARKER AND SONS LIMITED"}
            ),
            f"psc_snapshot/persons-with-significant-control-snapshot-{day}.txt": PscBodies.lines(
                *records, {"data": totals}
            ),
        }
        for name, body in files.items():
            path = self.folder / day / "uk" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        (self.folder / day / "day.json").write_text(json.dumps({"date": day, "complete": ["uk.companies", "uk.psc"]}))
        said = self.firm.run("ingest", "uk", "--from", self.folder / day, "--json", **environment)
        assert said.exit_code == exit_code, said.out + said.err
        return said

    def holders(self) -> list[tuple[str, str | None]]:
        """Ids and last days of the holders that are served, in the order of their first days."""
        with open_release_tables(Layout(self.firm.data), self.firm.release()) as found:
            rows = found.execute(
                "select holder_id, ended_on::varchar from owners where valid_to is null or ended_on is not null"
                " order by first_seen, holder_id"
            ).fetchall()
        return list(dict.fromkeys(rows))

    def changes(self) -> list[tuple[float, float]]:
        found = [json.loads(event.data)["change"] for event in Ledger(self.firm.layout).after(0, 100)]
        return [(change["previous_pct"], change["current_pct"]) for change in found]


@pytest.fixture
def register(tmp_path: Path) -> Register:
    return Register(Inside(tmp_path / "data"), tmp_path / "days")


def test_successor_of_the_same_name_is_another_holder(register: Register) -> None:
    register.deliver("2026-11-18", person("a", OLDER, "2016-04-06"))
    register.deliver("2026-11-20", person("a", OLDER, "2016-04-06", "2026-11-19"), person("b", YOUNGER, "2026-11-19"))
    assert [ended for _, ended in register.holders()] == ["2026-11-19", None]
    assert sorted(register.changes()) == [(0, 75), (75, 0)]
    shown = register.firm.run("owners", "show", f"firm:UK:{NUMBER}")
    assert shown.exit_code == 0
    assert "renewed" not in shown.out


def test_record_given_to_another_person_ends_the_first_holder(register: Register) -> None:
    first = person("a", OLDER, "2016-04-06")
    other = person("a", YOUNGER, "2016-04-06") | {}
    other["data"]["name"] = "Ms Beth Incoming"
    register.deliver("2026-11-18", first)
    [(before, _)] = register.holders()
    report = json.loads(register.deliver("2026-11-20", other).out)
    assert report["signals"] == 1
    (same, ended), (second, present) = register.holders()
    assert (same, ended, present) == (before, "2026-11-20", None)
    assert second != before
    assert sorted(register.changes()) == [(0, 75), (75, 0)]
    register.deliver("2026-11-21", other)
    assert len(register.holders()) == len(register.changes()) == 2


@pytest.mark.parametrize("born", [OLDER, None], ids=["the same month", "no month stated"])
def test_renewed_record_of_the_same_person_stays_one_holder(register: Register, born: dict[str, int] | None) -> None:
    register.deliver("2026-11-18", person("a", OLDER, "2016-04-06"))
    before = register.holders()
    register.deliver("2026-11-20", person("a", OLDER, "2016-04-06", "2026-11-19"), person("b", born, "2026-11-19"))
    assert register.holders() == before
    assert register.changes() == []


def test_marks_that_appear_for_the_first_time_part_holders_without_an_event(register: Register) -> None:
    register.deliver("2026-11-18", person("a", None, "2016-04-06", "2024-05-02"), person("b", None, "2024-05-02"))
    [(joined, ended)] = register.holders()
    assert ended is None
    both = person("a", OLDER, "2016-04-06", "2024-05-02"), person("b", YOUNGER, "2024-05-02")
    register.deliver("2026-11-20", *both)
    (first, ended), (second, present) = register.holders()
    assert (first, ended, present) == (joined, "2024-05-02", None)
    assert second != joined
    assert register.changes() == []
    register.deliver("2026-11-21", both[0], person("b", YOUNGER, "2024-05-02", "2026-11-20"))
    assert register.changes() == [(75, 0)], "the end of the second person is told once, of that person"


def test_key_that_is_lost_or_changed_ends_the_fetch_until_it_is_back_or_replaced(register: Register) -> None:
    both = person("a", OLDER, "2016-04-06", "2024-05-02"), person("b", YOUNGER, "2024-05-02")
    register.deliver("2026-11-18", *both)
    before, key = register.holders(), register.firm.layout.mark_key_file
    assert key.stat().st_mode & 0o777 == 0o600
    kept = key.read_bytes()
    key.unlink()
    later = both[0], person("b", YOUNGER, "2024-05-02", "2026-11-19")
    lost = register.deliver("2026-11-20", *later, exit_code=QUARANTINED)
    assert "FIRM_MARK_KEY_REPLACES" in lost.out + lost.err
    [reason] = [file["reason"] for file in lost.report["files"] if file["dataset"] == "uk.psc"]
    assert reason.startswith("not read: "), "not «unchanged»: nothing of it was looked at"
    assert not key.exists(), "no key is made in place of a lost one"
    other = "b" * 43 + "="
    changed = register.deliver("2026-11-20", *later, exit_code=QUARANTINED, FIRM_MARK_KEY=other)
    [former] = {line["mark_key"] for line in manifest(register.firm) if "mark_key" in line}
    assert former in changed.out + changed.err
    assert register.holders() == before
    assert register.changes() == []
    replaced = {"FIRM_MARK_KEY": other, "FIRM_MARK_KEY_REPLACES": former}
    register.deliver("2026-11-21", *both, **replaced)
    assert register.holders() == before
    assert register.changes() == [], "the same register under another key is no change"
    key.write_bytes(kept)
    assert "FIRM_MARK_KEY" in register.deliver("2026-11-22", *later, exit_code=QUARANTINED).out, (
        "the replaced key is another one"
    )
    register.deliver("2026-11-22", *later, FIRM_MARK_KEY=other)
    assert register.changes() == [(75, 0)]


def manifest(firm: Inside) -> list[dict[str, Any]]:
    path = firm.layout.raw_folder / "manifest" / "uk.psc.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()]

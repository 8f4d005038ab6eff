"""Groups of a small changing world: what each release served of every company is served again, byte for byte."""

from __future__ import annotations

import datetime as dt
import json
import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from typing import Any, NamedTuple

import pytest

from tests.searched import found
from tests.warehouse.former import with_whole_files
from tests.warehouse.helpers import day
from tests.warehouse.world import NO_EVENTS, learn, member, parts, publish
from warehouse.publish.publisher import ReleaseStore
from warehouse.reader.company_state import NotKnownThenError, StateQuery
from warehouse.reader.reader import PinnedRelease, ReleaseReader
from warehouse.reader.types import CompanyGroup
from warehouse.release import manifest as release_manifest
from warehouse.release.manifest import MANIFEST, ReleaseManifest
from warehouse.release.segments import DOCUMENTS
from warehouse.serving.past_db import ErasedSubjects
from warehouse.storage.layout import Layout

RELEASES, MEMBERS, DEPTHS = 6, 12, (1, 2, 5)
REBUILT = 3  # the release of which the base is written anew
RENAMED = 2  # the release that replaces so much that its past file is never merged into a later one
LEIS = [f"5493000000000000{number:02}00" for number in range(6)]
Asked = tuple[str, int]  # company, depth


class World(NamedTuple):
    """Snapshots of the tables that groups are read from; each follows from the one before by a few changes."""

    companies: dict[int, str]  # names by number
    leis: dict[int, str]
    relations: dict[tuple[int, str, str], dict[str, Any]]  # by held company, holder and kind

    def rows(self, at: int) -> dict[str, list[dict[str, Any]]]:
        others = dict.fromkeys(range(1000, 1600), f"Other {at >= RENAMED}")
        return {
            "companies": [member("NO", number, name=name) for number, name in (self.companies | others).items()],
            "identifiers": [
                {"company_id": company(number), "scheme": "lei", "value": lei}
                for number, lei in sorted(self.leis.items())
                if number in self.companies
            ],
            "relations": [row for (held, _, _), row in sorted(self.relations.items()) if held in self.companies]
            + children(range(1_000, 1_006), 7)
            + (children(range(1_006, 1_012), 8) if at == RELEASES - 1 else []),  # a page of them hides those of then
        }

    def change(self, chance: random.Random, at: int) -> None:
        for _ in range(8 if at else 40):
            number = chance.randrange(1, MEMBERS + 1)
            first = chance.randrange(1, chance.randrange(2, MEMBERS + 2))  # the first companies hold the most
            holder = chance.choice([company(first), company(first), chance.choice(LEIS)])
            kind = chance.choice(["shareholding", "shareholding", "control", "accounting_consolidation"])
            if self.relations.pop((number, holder, kind), None) is None:
                self.relations[number, holder, kind] = related(chance, number, holder, kind, at)
        for known in chance.sample(sorted(self.relations), 2):
            self.relations[known] = related(chance, *known, at)
        number = chance.randrange(1, MEMBERS + 1)
        if self.companies.pop(number, None) is None or chance.random() < 0.5:
            self.companies[number] = f"Firma {number} of {at}"
        number = chance.randrange(1, MEMBERS + 1)
        if self.leis.pop(number, None) is None:
            self.leis[number] = chance.choice(LEIS)  # two companies may have one


def company(number: int) -> str:
    return f"firm:NO:{900000000 + number}"


def related(chance: random.Random, held: int, holder: str, kind: str, at: int) -> dict[str, Any]:
    by_lei = not holder.startswith("firm:")
    share = Decimal(chance.choice([5, 40, 51, 90])) if kind == "shareholding" else None
    return {
        "company_id": company(held),
        "holder_id": f"own_{holder}_{held}".replace(":", "_"),
        "relation": kind,
        "holder_lei": holder if by_lei else None,
        "holder_company_id": None if by_lei else holder,
        "holder_name": f"Stated {holder} {at}",
        "holder_type": "company",
        "is_direct": chance.choice([True, None]),
        "skips_parent": kind == "accounting_consolidation" and chance.random() < 0.3,
        "as_of": (day(at) - dt.timedelta(days=chance.choice([0, 0, -2, 40]))).date(),
        "ended_on": chance.choice([None, None, None, day(at + 2).date()]),
        "sources": "[]",
    } | dict.fromkeys(("pct", "pct_min", "pct_max"), share)


def children(numbers: range, share: int) -> list[dict[str, Any]]:
    """Small holdings of the first company."""
    given = {"as_of": day(0).date(), "ended_on": None} | dict.fromkeys(("pct", "pct_min", "pct_max"), Decimal(share))
    return [related(random.Random(one), one, company(1), "shareholding", 0) | given for one in numbers]


def served_now(snapshot: PinnedRelease, at: int) -> dict[Asked, CompanyGroup]:
    return {
        (one, depth): snapshot.company_group(one, day(at).date(), depth, None, 100)
        for one in map(company, range(1, MEMBERS + 1))
        if snapshot.company_header(one) is not None
        for depth in DEPTHS
    }


def served_then(snapshot: PinnedRelease, asked: Asked, at: int, limit: int = 100) -> CompanyGroup | None:
    one, depth = asked
    try:
        state = snapshot.company_state(one, StateQuery(day(at)))
        assert state is not None
        return snapshot.past_group(state, day(at).date(), depth, None, limit)
    except NotKnownThenError:
        return None


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Layout, dict[int, dict[Asked, CompanyGroup]]]]:
    """The releases of a world, of which only the last is kept, and what each served."""
    layout, chance = Layout(tmp_path_factory.mktemp("groups")), random.Random(11)
    world, kept = World({number: f"Firma {number}" for number in range(1, MEMBERS + 1)}, {}, {}), {}
    for at in range(RELEASES):
        world.change(chance, at)
        learn(layout, "NO", at, **world.rows(at))
        made = publish(layout, "NO", at=at, keep=1, full=at == REBUILT)
        assert made is not None
        assert len(made.past) == (2 if at > RENAMED else 1)
        reader = ReleaseReader(layout)
        with reader.pin_release() as snapshot:
            kept[at] = served_now(snapshot, at)
        reader.close()
    return layout, kept


@pytest.mark.slow
def test_every_group_of_every_release_is_served_again(lived) -> None:
    layout, kept = lived
    every = {(company(number), depth) for number in range(1, MEMBERS + 1) for depth in DEPTHS}
    with ReleaseReader(layout).pin_release() as snapshot:
        for at, then in kept.items():
            for asked in every:
                assert served_then(snapshot, asked, at) == then.get(asked), (at, asked)
    lines = [group for then in kept.values() for group in then.values()]
    assert any(group.circles for group in lines)
    assert any(len(group.children.rows) > 8 for group in lines)
    assert any(group.ultimate_parents for group in lines)
    assert any(len(then) < len(every) for then in kept.values())


def test_pages_of_children_then_are_those_of_then(lived) -> None:
    layout, kept = lived
    with ReleaseReader(layout).pin_release() as snapshot:
        for at, then in kept.items():
            for (one, depth), group in then.items():
                state = snapshot.company_state(one, StateQuery(day(at)))
                assert state is not None
                rows, after, more = [], None, depth < 5
                while more:
                    page = snapshot.past_group(state, day(at).date(), depth, after, 2).children
                    rows += page.rows
                    after, more = (page.keys or (None,))[-1], page.has_more
                assert depth == 5 or tuple(rows) == group.children.rows, (at, one, depth)


def test_an_erased_subject_is_in_no_group_of_then(layout: Layout) -> None:
    """One holder is erased as a company, another by its id; a third stays."""
    named = ("Erased", "Holder of two", "Held")
    members = [member("NO", number, name=f"{name} Company") for number, name in enumerate(named, 1)]
    chance = random.Random(0)
    held = [related(chance, 3, company(number), "control", 0) | {"ended_on": None} for number in (1, 2)]
    by_name = held[0] | {"holder_id": "own_gone", "holder_company_id": None, "holder_name": "Gone Holder"}
    by_lei = related(chance, 2, LEIS[0], "control", 0) | {"ended_on": None, "holder_id": "own_lei"}
    leis = [{"company_id": company(1), "scheme": "lei", "value": LEIS[0]}]
    learn(layout, "NO", 0, companies=members, relations=[*held, by_name, by_lei], identifiers=leis)
    publish(layout, "NO", at=0, keep=1)
    learn(layout, "NO", 1, companies=members[1:], relations=[], identifiers=[])
    erased = ErasedSubjects(frozenset({company(1)}), frozenset({"own_gone", "own_lei"}))
    store = ReleaseStore(layout, clock=lambda: day(1), keep=1)
    assert store.publish(parts(layout, "NO", at=1), NO_EVENTS, full=True, erased=erased) is not None
    assert found(layout.releases_folder, [company(1), "own_gone", "Gone Holder", "own_lei", LEIS[0]]) == set()
    with ReleaseReader(layout).pin_release() as snapshot:
        group = served_then(snapshot, (company(3), 1), 0)
        assert group is not None
        assert [b"Holder of two Company" in line for line in group.parents] == [True]
        group = served_then(snapshot, (company(2), 1), 0)
        assert group is not None
        assert [b'"company_id":"firm:NO:900000003"' in line for line in group.children.rows] == [True]
        assert snapshot.company_state(company(1), StateQuery(day(0))) is None


def test_a_release_of_a_version_without_relations_served_no_groups(layout: Layout) -> None:
    learn(layout, "NO", 0, companies=[member("NO", 1)])
    first = publish(layout, "NO", at=0)
    assert first is not None
    without_relations(layout, first)
    learn(layout, "NO", 1, companies=[member("NO", 1), member("NO", 2)])
    publish(layout, "NO", at=1, full=True)
    with ReleaseReader(layout).pin_release() as snapshot:
        state = snapshot.company_state(company(1), StateQuery(day(0)))
        assert state is not None
        with pytest.raises(NotKnownThenError) as refused:
            snapshot.past_group(state, day(0).date(), 1, None, 10)
        assert refused.value.begins == "2026-01-02T00:00:00Z"
        assert served_then(snapshot, (company(1), 1), 1) is not None


def without_relations(layout: Layout, made: ReleaseManifest) -> None:
    """Writes a release as a version did that kept neither relations nor a past."""
    folder = layout.release_folder(made.release)
    with closing(sqlite3.connect(folder / made.segments[0].files[DOCUMENTS])) as documents:
        documents.execute("DROP TABLE relations")
        documents.execute("DROP TABLE leis")
    with_whole_files(layout, made.release)
    former = json.loads((folder / MANIFEST).read_bytes())
    del former["past"]
    (folder / MANIFEST).write_text(json.dumps(former))
    release_manifest.write_pointer(layout, made.release)

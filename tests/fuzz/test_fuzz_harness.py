"""The harness notices: readers broken on purpose are caught, whatever way they break."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.fuzz import found, mutating
from tests.fuzz.case import Case, Finding, Limits
from tests.fuzz.running import Hunt

CALM = Case("x/y.txt", b"calm\n" * 20)
LIMITS = Limits(0.3, 256 << 20)


@pytest.fixture(scope="module")
def hunt(tmp_path_factory: pytest.TempPathFactory) -> Hunt:
    return Hunt(tmp_path_factory.mktemp("hunt"), LIMITS)


@pytest.mark.slow
def test_a_broken_reader_is_caught_whatever_way_it_breaks(hunt: Hunt) -> None:
    seeds = [CALM, *(Case("x", f"{kind}!".encode()) for kind in ("crash", "schema", "hang", "memory"))]
    account = hunt.of("planted.broken", seeds, 0.1, 1)
    assert [finding.kind for finding in account.findings] == ["crash", "schema", "hang", "memory"]
    assert [finding.case for finding in account.findings] == seeds[1:]


def test_a_reader_that_waits_where_no_signal_ends_it_is_killed(hunt: Hunt) -> None:
    waiting = Case("x/z.txt", b"wait!")
    account = replace(hunt, limits=replace(LIMITS, clock=1.0)).of("planted.deaf", [CALM, waiting], 0.1, 1)
    assert [(finding.kind, finding.case) for finding in account.findings] == [("hang", waiting)]


def test_a_reader_that_dies_is_caught_with_what_it_died_of(hunt: Hunt) -> None:
    deadly = Case("x/z.txt", b"death!")
    account = hunt.of("planted.deadly", [CALM, deadly], 0.1, 1)
    assert [(finding.kind, finding.case) for finding in account.findings] == [("death", deadly)]


@pytest.mark.slow
def test_a_sound_reader_is_left_alone_and_changed_cases_are_shown_to_it(hunt: Hunt) -> None:
    account = hunt.of("planted.sound", [CALM], 0.3, 1)
    assert (account.findings, account.trouble) == ([], "")
    assert account.cases > 1
    assert account.seconds >= 0.3


@pytest.mark.slow
def test_a_finding_is_made_small_and_kept_under_its_name(hunt: Hunt, tmp_path: Path) -> None:
    body = b"some text\n" * 30 + b"crash!" + b"z" * 90
    finding = Finding("planted.broken", "crash", "KeyError", "p", Case("a/b.txt", body))
    small = hunt.small(finding)
    assert small.case.body == b"crash!"
    path = found.saved(small, tmp_path)
    assert [(target, case) for target, _, case in found.cases(tmp_path)] == [("planted.broken", small.case)]
    assert path.relative_to(tmp_path).parts[-2:] == ("a", "b.txt")


def test_names_stay_where_they_are_put(tmp_path: Path) -> None:
    for name in ("../../x", "/etc/x", "", "..", "a\x00b", "x" * 900):
        path = found.saved(Finding("t", "crash", "", "p", Case(name, b"1")), tmp_path)
        assert path.resolve().is_relative_to(tmp_path.resolve())


def test_the_same_chance_makes_the_same_cases() -> None:
    bodies = [
        Case("a.json", b'{"a": [1, 2, {"b": "2026-01-01"}]}'),
        Case("b.xml", b"<a><b c='1'>x</b></a>"),
        Case("c.csv", b"a,b\n1,2\n"),
    ]

    def made() -> list[Case]:
        chance = Random(5)
        return [mutating.changed(chance, chance.choice(bodies), chance.choice(bodies)) for _ in range(300)]

    first = made()
    assert first == made()
    assert len(set(first)) > 200
    assert max(len(case.body) for case in first) <= mutating.LARGEST

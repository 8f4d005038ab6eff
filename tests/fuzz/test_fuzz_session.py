"""A session: Ctrl-C ends it with what was found, what is left is gone on with, bodies come as far as shared tables."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from polars.exceptions import PanicException

from connectors import JURISDICTIONS
from tests.fuzz import found
from tests.fuzz.case import Broken, Case, Features, Finding, Limits
from tests.fuzz.ground import company
from tests.fuzz.held import judged
from tests.fuzz.invented import INVENTED
from tests.fuzz.judging import OBSERVED
from tests.fuzz.lent import LENT
from tests.fuzz.mapping import mapped
from tests.fuzz.running import ROOT, Account, Hunt, under_way
from tests.fuzz.session import Plan, Record, Session, chosen
from tests.fuzz.targets import targets
from tests.tables import check_cases

LONG = """
import signal
import sys
from pathlib import Path
from tests.fuzz.case import Case, Limits
from tests.fuzz.running import Hunt
from tests.fuzz.session import Plan, Record, Session
signal.signal(signal.SIGINT, signal.default_int_handler)
folder = Path(sys.argv[1])
plan = Plan(60.0, 1, ("planted.broken", "planted.sound"))
record = Record(folder / "record")
record.begin(plan)
session = Session(Hunt(folder / "hunt", Limits(0.3, 256 << 20)), record, folder / "found")
session.go_on(plan, lambda key: [Case("a/b.txt", b"some text, crash! and more")], 2)
print(session.table())
raise SystemExit(session.code)
"""


@pytest.mark.slow
def test_ended_in_the_middle_what_was_found_is_kept_and_told(tmp_path: Path) -> None:
    words = [sys.executable, "-c", LONG, str(tmp_path)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        while (at := under_way(tmp_path / "hunt" / "planted.broken")) is None or not at.cases:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        told = process.stdout.read()
    assert process.returncode == 1
    assert "ended before the time" in told
    assert [case.body for _, _, case in found.cases(tmp_path / "found")] == [b"crash!"]
    assert told.splitlines()[-1].startswith("2 targets, ")
    assert told.splitlines()[-1].endswith(" 1 defects")
    assert not list(Record(tmp_path / "record").done())  # neither was hunted to its end


def test_a_session_goes_on_with_the_targets_that_are_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = Record(tmp_path / "record")
    record.begin(Plan(0.1, 1, ("planted.broken", "planted.sound")))
    done = Account("planted.broken", cases=7, seconds=1.0, steps=2, reached=[3, 2, 1])
    record.note(done, [("crash", "planted.py:broken KeyError")])
    plan = record.plan()
    assert plan is not None
    session = Session(Hunt(tmp_path / "hunt", Limits(0.3, 256 << 20)), record, tmp_path / "found")
    session.go_on(plan, lambda _: [Case("x", b"calm")], 1)
    assert capsys.readouterr().out.startswith("planted.sound")
    first, second, last = session.table().splitlines()[2:]
    assert first.split() == ["planted.broken", "1", "7", "7", "2", "3", "2", "1", "1"]
    assert second.split()[0] == "planted.sound"
    assert last.endswith("1 defects")
    assert [account.target for account, _ in record.done()] == ["planted.broken", "planted.sound"]


@pytest.mark.slow
def test_what_two_targets_have_in_common_is_kept_of_both(tmp_path: Path) -> None:
    plan, record = Plan(0.1, 1, ("planted.alike", "planted.broken")), Record(tmp_path / "record")
    record.begin(plan)
    session = Session(Hunt(tmp_path / "hunt", Limits(0.3, 256 << 20)), record, tmp_path / "found")
    session.go_on(plan, lambda _: [Case("x", b"some text, crash! and more")], 1)
    kept = {target: case.body for target, _, case in found.cases(tmp_path / "found")}
    assert kept == {"planted.alike": b"crash!", "planted.broken": b"some text, crash! and more"}
    assert session.table().splitlines()[-1].endswith(" 1 defects")


def test_a_session_says_how_it_ended(tmp_path: Path) -> None:
    session = Session(Hunt(tmp_path), Record(tmp_path / "record"))
    assert session.code == 0
    session.is_ended_early = True
    assert session.code == 130
    session.accounts["x"] = Account("x", trouble="no module")
    assert session.code == 1


def test_targets_come_in_the_order_of_the_words() -> None:
    assert chosen(["fi.a", "uk.a", "us.b"], ["us.", "a"]) == ("us.b", "fi.a", "uk.a")
    assert chosen(["fi.a", "uk.a"], []) == ("fi.a", "uk.a")
    assert chosen(["fi.a"], ["x"]) == ()


def test_a_body_is_judged_as_far_as_shared_tables() -> None:
    (case, *_) = INVENTED["no.regnskap_masse"]
    target = targets()["no.regnskap_masse"]
    assert target.quickly is not None
    assert {"recognised", "read", "mapped"} <= target.judge(case)
    assert {"recognised", "read"} <= target.quickly(case)


WRITTEN = [(key, case) for bodies in (INVENTED, LENT) for key, cases in bodies.items() for case in cases]


@check_cases(("key", "case"), WRITTEN, ids=[f"{key} {case.name}" for key, case in WRITTEN])
def test_what_is_written_to_begin_with_is_read(key: str, case: Case) -> None:
    quickly = targets()[key].quickly
    assert quickly is not None
    assert "read" in quickly(case)


@check_cases("key", ["fi.mfn", "no.tilsyn", "se.esma", "uk.fca", "us.sec"])
def test_what_links_lead_to_a_company_is_mapped_to_the_one_that_is_there(key: str) -> None:
    assert "mapped" in targets()[key].judge(LENT[key][0])


def test_every_market_has_a_company_to_map_beside() -> None:
    markets = [country for country in JURISDICTIONS if country.datasets]
    assert [company(country).split(":")[1] for country in markets] == [country.code for country in markets]


def test_an_image_that_is_not_sound_breaks_a_promise() -> None:
    (finland,) = (country for country in JURISDICTIONS if country.code == "FI")
    doubled = replace(finland, to_shared_tables=lambda *_: {"companies": pl.DataFrame({"company_id": ["firm:FI:1"]})})
    with pytest.raises(Broken, match=r"companies\.\w+: column is missing") as error:
        mapped(doubled, {}, OBSERVED)
    assert error.value.kind == "mapping"
    assert mapped(finland, {}, OBSERVED) == frozenset()


def test_a_panic_of_polars_is_a_crash() -> None:
    def panics(_: Case) -> Features:
        raise PanicException("index out of bounds")

    answer = judged(panics, "x", Case("x", b""))
    assert isinstance(answer, Finding)
    assert (answer.kind, answer.told) == ("crash", "PanicException: index out of bounds")

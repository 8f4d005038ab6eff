"""The operator's page: for whom it is, what it says of sources, guards, runs and deliveries, in whatever words."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_network
from typing import Any

import pytest
from lxml import html

from api.dashboard.pages import operator
from api.settings.service import ApiSettings
from api.settings.webhooks import WebhookSettings
from tests.api.dashboard.conftest import Desk, texts
from warehouse.release import freshness, retraction_log, run_log
from warehouse.release.freshness import DatasetCheck, Freshness
from warehouse.release.run_log import ErrorNote, QuarantineNote, ReadNote, RunNote, SignalNote
from warehouse.schema.market_state import DatasetState, MarketState, QuarantineReason
from warehouse.schema.retractions import BatchRetraction
from warehouse.settings.errors import SettingError

OPERATOR = "/dashboard/operator"
OWNER = "owner@example.com"
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>"


def note(day: int, **more: Any) -> RunNote:
    began = NOON.replace(day=day)
    values = {"ended_at": began + timedelta(seconds=90), "release": day} | more
    return RunNote(f"202611{day:02d}T120000000Z", ("NO",), began, **values)


@pytest.fixture(scope="module")
def seen(new_world: Callable[[], Any]) -> Any:
    """A world whose runs have told of themselves."""
    maker = new_world()
    maker.publish([maker.company("firm:NO:999999999", HOSTILE)])
    layout = maker.world.layout
    known = {"no.enheter": DatasetCheck(NOON), "no.roller": DatasetCheck(NOON, NOON - timedelta(days=3))}
    freshness.write_freshness(layout, Freshness({"NO": NOON}, known))
    held = (QuarantineNote("no.roller", "fetch", HOSTILE, None),)
    read = (ReadNote("no.enheter", 1_234, 5, 1), ReadNote("no.roller", 10, 0, 0))
    signals = (SignalNote("no.enheter", "unknown_code", HOSTILE, 17),)
    run_log.write_run_note(layout, note(18, errors=(ErrorNote("NO", HOSTILE),), release=None))
    run_log.write_run_note(layout, note(19, held=held, read=read, signals=signals, events={"status.changed": 4}))
    run_log.write_run_note(layout, note(20, ended_at=None, release=None))
    former = BatchRetraction(("20261103T120000000Z",), ("no.enheter",), "", NOON - timedelta(days=9), "ola", "2062")
    wrong = BatchRetraction(
        ("20261118T120000000Z",), ("no.enheter", "no.roller"), "", NOON, "anna", HOSTILE, reopened=(("t", ("1",)),)
    )
    retraction_log.write_retractions(layout, [former, wrong])
    return maker.world


@pytest.fixture
def desk(open_desk: Callable[..., Desk], seen: Any) -> Desk:
    return open_desk(seen, operators=frozenset({OWNER}))


def table(answer: Any, heading: str) -> list[str]:
    """The rows of the table below a heading."""
    return texts(answer, f"//h2[.='{heading}']/following-sibling::table[1]/tbody/tr")


def facts(answer: Any) -> dict[str, str]:
    found = html.fromstring(answer.text).xpath("//dl/div")
    return {one.xpath("./dt")[0].text: " ".join(one.xpath("./dd")[0].text_content().split()) for one in found}


def test_an_operator_sees_how_everything_stands(desk: Desk) -> None:
    browser = desk.signed_in(OWNER)
    assert "Operator" in texts(browser.get("/dashboard"), "//nav//a")
    answer = browser.get(OPERATOR)
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    told = facts(answer)
    assert (told["Release served"], told["Sources in quarantine"], told["E-mails waiting"]) == ("1", "1", "0")
    assert told["Matcher running"] == "no: events are not delivered"
    (held,) = table(answer, "Quarantined sources")
    assert held.startswith("no.roller 17 Nov 2026, 12:00 UTC")
    assert held.endswith(f"fetch: found {HOSTILE}")
    running, published, failed = table(answer, "Last runs")
    assert "running, or stopped before it finished" in running
    assert "held, release 19" in published
    assert published.endswith("90.0 s 1,244 5 4 1")
    assert "failed" in failed
    assert HOSTILE in failed
    assert table(answer, "Retracted batches") == [
        f"20261118T120000000Z no.enheter, no.roller 20 Nov 2026, 12:00 UTC anna {HOSTILE}",
        "20261103T120000000Z no.enheter 11 Nov 2026, 12:00 UTC ola 2062",
    ]
    assert table(answer, "Signals") == [f"no.enheter unknown_code {HOSTILE} 17 19 Nov 2026, 12:00 UTC"]
    first, second = table(answer, "Sources")
    assert first.startswith("no.roller quarantined")
    assert second.startswith("no.enheter no data yet")
    assert html.fromstring(answer.text).xpath("//script | //img | //@onerror | //style | //@style") == []


def test_for_everybody_else_there_is_no_such_page(desk: Desk) -> None:
    other = desk.signed_in("other@example.com")
    assert "Operator" not in texts(other.get("/dashboard"), "//nav//a")
    refused, unknown = other.get(OPERATOR), other.get("/dashboard/nothing")
    assert (refused.status_code, unknown.status_code) == (404, 404)
    assert texts(refused, "//h1") == texts(unknown, "//h1")
    assert texts(refused, "//main/p")[0] == f"There is nothing at {OPERATOR}."
    assert other.ask("POST", OPERATOR).status_code == 405
    stranger = desk.browser().get(OPERATOR)
    assert (stranger.status_code, stranger.headers["location"]) == (303, "/dashboard/sign-in")
    lost = desk.signed_in(OWNER)
    desk.made.accounts.set_status(OWNER, "suspended")
    assert lost.get(OPERATOR).status_code == 404


def test_without_the_setting_nobody_is_an_operator(open_desk: Callable[..., Desk]) -> None:
    assert open_desk().signed_in(OWNER).get(OPERATOR).status_code == 404


def test_before_the_first_run_the_page_says_so(open_desk: Callable[..., Desk], make: Any) -> None:
    answer = open_desk(make().world, operators=frozenset({OWNER})).signed_in(OWNER).get(OPERATOR)
    assert answer.status_code == 200
    assert facts(answer)["Release served"] == "none; nothing has been published yet"
    for said in (
        "No source is in quarantine.",
        "No run has been recorded yet.",
        "No retraction is recorded on this machine.",
        "No sources yet.",
    ):
        assert said in texts(answer, "//main/p")


def test_what_is_set_for_trials_alone_is_said(open_desk: Callable[..., Desk]) -> None:
    trial = WebhookSettings(allow_http=True, allow_networks=(ip_network("127.0.0.0/8"),))
    answer = open_desk(operators=frozenset({OWNER}), webhooks=trial).signed_in(OWNER).get(OPERATOR)
    (said,) = texts(answer, "//main/p[@class='notice bad']")
    assert said.startswith("Webhooks may go to http:// and 127.0.0.0/8. Use this for testing only")


def test_addresses_of_operators_are_read_as_accounts_have_them() -> None:
    read = ApiSettings.read({"FIRM_OPERATORS": " Op@Example.com, second@example.com,"}).operators
    assert read == {"op@example.com", "second@example.com"}
    assert ApiSettings.read({}).operators == frozenset()
    with pytest.raises(SettingError, match="FIRM_OPERATORS"):
        ApiSettings.read({"FIRM_OPERATORS": "op@example.com, *"})


def test_the_reason_of_what_is_held_is_the_newest_told() -> None:
    """By the newest run that met it; by the release where runs have forgotten; else it is unknown."""
    since = NOON - timedelta(days=9)
    state = DatasetState(NOON, held=QuarantineReason("max_shrink", 0.5, 0.02), checked_at=NOON, held_since=since)
    markets = {"NO": MarketState("held", NOON, 5, {"no.a": state})}
    known = {one: DatasetCheck(None, since) for one in ("no.a", "no.b")}
    sources = operator.source_rows(markets, Freshness({}, known))
    assert [(one.dataset, one.rows) for one in sources] == [("no.a", 0), ("no.b", None)]
    (a, b) = operator.quarantined_sources(sources, markets, [])
    assert (a.reason, b.reason) == (QuarantineNote("no.a", "max_shrink", 0.5, 0.02), None)
    newer, older = QuarantineNote("no.b", "fetch", "403", None), QuarantineNote("no.b", "fetch", "503", None)
    (_, b) = operator.quarantined_sources(sources, markets, [note(20, held=(newer,)), note(19, held=(older,))])
    assert b.reason == newer


def test_a_signal_stands_once_however_many_runs_met_it() -> None:
    def met(count: int) -> tuple[SignalNote, ...]:
        return (SignalNote("no.a", "unknown_code", "X", count),)

    (told,) = operator.signal_rows([note(20, signals=met(2)), note(19, signals=met(9))])
    assert (told.signal.count, told.run_ended_at) == (2, NOON)

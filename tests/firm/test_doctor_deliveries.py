"""`firm doctor` says whether anybody delivers, how late, and what is set for trials alone."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert, update

from api.auth.encryption import SecretBox
from api.auth.service_secrets import load_or_create
from api.database.migrate import prepare_database
from api.database.models.webhooks import EndpointState, Lease, LedgerCursor, Subscription
from tests.api.fixtures.fanout import Control, matched_all
from tests.api.fixtures.release_data import WORLD, event, make_world
from tests.firm.inside import Inside
from tests.warehouse.helpers import segment_file
from warehouse.release.segments import DOCUMENTS

ONE = WORLD[0]["company_id"]


@pytest.fixture
def firm(tmp_path: Path) -> Inside:
    return Inside(tmp_path / "data")


@pytest.fixture
def control(firm: Inside) -> Iterator[Control]:
    """An installation with three published events and a subscription that is due all of them."""
    made = make_world(firm.data)
    made.publish(WORLD, events=[event(ONE, number) for number in range(3)])
    database = prepare_database(f"sqlite:///{firm.data / 'control.sqlite'}")
    found = Control(database)
    found.now = datetime.now(UTC)
    found.subscribe()
    found.ledger.add(ONE, count=3)
    yield found
    database.close()


def of_webhooks(firm: Inside, **settings: str) -> list[list[str]]:
    """What it says of them, as state, what and advice."""
    lines = [line.split("\t") for line in firm.run("doctor", **settings).out.splitlines()[1:]]
    return [line for line in lines if "webhooks" in line[1]]


def test_a_release_that_cannot_be_opened_is_told_beside_everything_else(firm: Inside, control: Control) -> None:
    matched_all(control.fan_out("host:7"))
    firm.layout.release_pointer_file.write_text('{"release": 1, "manifest_sha256": "other"}')
    said = firm.run("doctor")
    assert said.exit_code == 1
    assert "bad\tserved release\trelease 1: its manifest has changed since publication" in said.out
    assert "webhooks: 3 attempts pending" in said.out


def test_a_release_that_lacks_a_part_of_a_file_is_told(firm: Inside, control: Control) -> None:
    path = segment_file(firm.layout, 1, DOCUMENTS)
    path.write_bytes(path.read_bytes()[:5000])
    said = firm.run("doctor")
    assert said.exit_code == 1
    assert f"bad\tserved release\trelease 1: {path} is missing or truncated: see firm release verify" in said.out


def test_before_there_is_a_database(firm: Inside) -> None:
    assert of_webhooks(firm) == []
    assert not firm.data.exists()


def test_before_anybody_subscribes(firm: Inside) -> None:
    prepare_database(f"sqlite:///{firm.data / 'control.sqlite'}").close()
    assert of_webhooks(firm) == [["ok", "webhooks: no subscriptions yet", ""]]


def test_nobody_delivers(firm: Inside, control: Control) -> None:
    fan_out = control.fan_out()
    matched_all(fan_out)
    fan_out.close()
    ((state, what, advice),) = of_webhooks(firm)
    assert (state, what) == ("warn", "webhooks: 3 attempts pending, 0 deliveries held")
    assert "firm deliver" in advice


def test_somebody_does(firm: Inside, control: Control) -> None:
    matched_all(control.fan_out("host:7"))
    assert of_webhooks(firm) == [["ok", "webhooks: 3 attempts pending, 0 deliveries held; host:7 matches events", ""]]


def test_it_is_late(firm: Inside, control: Control) -> None:
    matched_all(control.fan_out())
    with control.database.writing() as session:
        session.execute(update(EndpointState).values(next_due_at=control.now - timedelta(hours=1)))
    ((state, what, advice),) = of_webhooks(firm)
    assert (state, advice[:22]) == ("warn", "run more `firm deliver")
    assert "s late" in what


def test_a_database_of_another_folder(firm: Inside, control: Control) -> None:
    with control.database.writing() as session:
        session.execute(insert(LedgerCursor), [{"name": "fan_out", "sequence": 1_000}])
        until = control.now + timedelta(minutes=1)
        session.execute(insert(Lease), [{"name": "fan_out", "holder": "one", "until": until}])
    state, what, advice = of_webhooks(firm)[-1]
    assert (state, what) == ("bad", "webhooks: events up to 1000 were matched, but the ledger ends at 3")
    assert "do not match" in advice


def test_keys_that_did_not_seal_what_is_stored(firm: Inside, control: Control) -> None:
    """As on a second machine that made secrets of its own."""

    def told() -> list[str]:
        return [line[:17] for line in firm.run("doctor").out.splitlines() if "sealing keys" in line]

    assert told() == ["bad\tsealing keys:"]
    assert not (firm.data / "secrets.json").exists()
    sealer = SecretBox(load_or_create(firm.data / "secrets.json").sealing_keys)
    assert told() == ["bad\tsealing keys:"]
    with control.database.writing() as session:
        session.execute(update(Subscription).values(secret=sealer.seal("whsec_")))
    assert told() == []


def test_a_database_that_cannot_be_asked(firm: Inside) -> None:
    firm.data.mkdir()
    (firm.data / "control.sqlite").write_bytes(b"no database at all" * 100)
    said = firm.run("doctor")
    assert said.exit_code == 1
    assert "bad\tcontrol-plane database\tfile is not a database" in said.out


def test_what_is_for_trials_alone_is_told(firm: Inside) -> None:
    given = {"FIRM_WEBHOOK_ALLOW_CIDRS": "127.0.0.0/8,10.0.0.0/8", "FIRM_WEBHOOK_ALLOW_HTTP": "1"}
    networks, scheme = of_webhooks(firm, **given)
    assert networks[:2] == ["warn", "webhooks may go to 127.0.0.0/8, 10.0.0.0/8"]
    assert scheme[:2] == ["warn", "webhooks may go to http://"]

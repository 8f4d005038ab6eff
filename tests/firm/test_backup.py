"""The control plane backed up and restored elsewhere: refused where it would not work, complete where it does."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import text

from api.auth.encryption import SecretBox
from api.auth.service_secrets import ServiceSecrets, load_or_create
from api.database.engine import Database
from api.database.migrate import prepare_database
from api.database.models.accounts import Account
from api.database.models.webhooks import Delivery, MatchedEvent
from tests.api.fixtures.delivery_log import Log
from tests.api.fixtures.release_data import WORLD, World, event, make_world
from tests.firm.hooked import Hooked, Received, receiver, until
from tests.firm.inside import Inside
from warehouse.decisions import DecisionLog, DecisionRecord
from warehouse.erasure.tombstones import STEPS, Tombstone, TombstoneStore

ONE = WORLD[0]["company_id"]
AT = datetime(2026, 11, 20, tzinfo=UTC)


def stone(subject: str) -> Tombstone:
    return Tombstone(subject, "SE", ONE, AT, "asked for", done=STEPS, clean=1)


def judgement(one: str) -> DecisionRecord:
    return DecisionRecord(0, "SE", ONE, one, "own_other", "same", "anna", AT, "a test")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Inside:
    """An installation with a subscription, a delivery under way, one who is erased and a judgement."""
    inside = Inside(tmp_path_factory.mktemp("made"))
    world = make_world(inside.data)
    world.publish(WORLD)
    world.publish(events=[event(ONE, 1)])
    sealer = SecretBox(load_or_create(inside.data / "secrets.json", {}).sealing_keys)
    with closing(prepare_database(f"sqlite:///{inside.data / 'control.sqlite'}")) as database:
        log = Log(database)
        subscription = log.subscription(log.account(), secret=sealer.seal("whsec_1"))
        log.attempt(log.deliver(subscription, log.event(name="Öbergs Måleri", company_id=ONE, org_nr="1"), "retrying"))
        with database.writing() as session:
            session.execute(text("INSERT INTO ledger_cursors VALUES ('fan_out', 1)"))
    TombstoneStore(inside.layout).add([stone("own_before")])
    DecisionLog(inside.layout).add(judgement("own_1"))
    return inside


@pytest.fixture
def here(made: Inside, tmp_path: Path) -> Inside:
    """A copy of it, for one test to do with what it likes."""
    return made.copy(tmp_path / "here")


@pytest.fixture
def there(here: Inside, tmp_path: Path) -> Inside:
    """A data folder elsewhere, with the ledger, the releases and the secrets of this one."""
    made = Inside(tmp_path / "there")
    carry_over(here.data, made.data)
    return made


def carry_over(data: Path, to: Path) -> None:
    """What the operator brings besides the backup."""
    for name in ("ledger", "releases"):
        shutil.copytree(data / name, to / name)
    shutil.copy(data / "secrets.json", to)


def taken(inside: Inside, to: Path, *more: str) -> Path:
    said = inside.run("backup", "--to", to, "--json", *more)
    assert said.exit_code == 0, said.err
    return Path(said.report["backup"])


def refused(inside: Inside, folder: Path, *more: str, **environment: str) -> str:
    said = inside.run("restore", folder, *more, **environment)
    assert said.exit_code == 1, said.out
    assert not (inside.data / "control.sqlite").exists(), "nothing has changed"
    return said.err


def test_a_backup_is_whole_private_and_says_what_it_holds(here: Inside, tmp_path: Path) -> None:
    folder = taken(here, tmp_path / "kept")
    assert sorted(path.name for path in folder.iterdir()) == [
        "control.sqlite",
        "erased.json",
        "judgements.jsonl",
        "manifest.json",
    ]
    assert folder.stat().st_mode & 0o077 == 0
    told = json.loads((folder / "manifest.json").read_text())
    assert (told["engine"], told["matched"], told["published"]) == ("sqlite", 1, 1)
    assert (told["rows"]["accounts"], told["rows"]["webhook_deliveries"]) == (1, 1)
    secrets = load_or_create(here.data / "secrets.json", {})
    written = b"".join(path.read_bytes() for path in folder.iterdir())
    stored = json.loads((here.data / "secrets.json").read_text())
    for kept in (stored["pepper"], *stored["cursor_keys"], *stored["sealing_keys"]):
        assert kept.encode() not in written
    assert secrets.pepper not in written


def test_older_backups_go_and_nothing_else(here: Inside, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    for name in ("20200101T000000Z", "20210101T000000Z", "20220101T000000Z.tmp", "20230101T000000Z"):
        (kept / name).mkdir(parents=True)
        (kept / name / "theirs").touch()
    for name in ("20200101T000000Z", "20210101T000000Z"):
        (kept / name / "manifest.json").touch()
    folder = taken(here, kept, "--keep", "2")
    assert sorted(path.name for path in kept.iterdir()) == [
        "20210101T000000Z",
        "20220101T000000Z.tmp",
        "20230101T000000Z",
        folder.name,
    ]


def test_a_backup_is_kept_beside_one_that_a_wrong_clock_dated_ahead(here: Inside, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    (kept / "29990101T000000Z").mkdir(parents=True)
    (kept / "29990101T000000Z" / "manifest.json").touch()
    folder = taken(here, kept, "--keep", "1")
    assert sorted(path.name for path in kept.iterdir()) == [folder.name, "29990101T000000Z"]
    assert (folder / "manifest.json").exists()


def test_what_is_not_there_is_not_backed_up_and_not_made(tmp_path: Path) -> None:
    inside = Inside(tmp_path / "empty")
    said = inside.run("backup", "--to", tmp_path / "kept")
    assert said.exit_code == 1
    assert "secrets.json is missing" in said.err
    load_or_create(inside.data / "secrets.json", {})
    said = inside.run("backup", "--to", tmp_path / "kept")
    assert said.exit_code == 1
    assert "control.sqlite does not exist: nothing to back up" in said.err
    assert not (inside.data / "control.sqlite").exists()
    assert not any((tmp_path / "kept").glob("*"))


def test_restored_elsewhere_it_is_as_it_was(here: Inside, there: Inside, tmp_path: Path) -> None:
    folder = taken(here, tmp_path / "kept")
    said = there.run("restore", folder, "--check")
    assert said.exit_code == 0, said.err
    assert not (there.data / "control.sqlite").exists()
    said = there.run("restore", folder, "--json")
    assert said.exit_code == 0, said.err
    assert said.report["rows"]["webhook_deliveries"] == 1
    with closing(Database(f"sqlite:///{there.data / 'control.sqlite'}")) as database:
        log = Log(database)
        assert [row.status for row in log.rows(Delivery)] == ["retrying"]
        assert [row.email for row in log.rows(Account)] == ["owner@example.com"]
    assert (there.data / "judgements.jsonl").read_bytes() == (here.data / "judgements.jsonl").read_bytes()
    assert [one.done for one in TombstoneStore(there.layout).list_tombstones()] == [()], "to be done here"
    assert sorted(path.name for path in there.data.glob("restore-*")) == []
    again = there.run("restore", folder)
    assert again.exit_code == 1
    assert "is not empty" in again.err


def test_a_backup_without_its_secrets_is_refused(here: Inside, there: Inside, tmp_path: Path) -> None:
    folder = taken(here, tmp_path / "kept")
    path = there.data / "secrets.json"
    own = json.loads(path.read_text())
    path.unlink()
    assert "secrets.json is missing: copy it" in refused(there, folder)
    assert not path.exists(), "none are made"
    load_or_create(path, {})
    other = json.loads(path.read_text())
    assert "no key would work" in refused(there, folder)
    path.write_text(json.dumps(own | {"sealing_keys": other["sealing_keys"]}))
    assert "no webhook could be signed" in refused(there, folder)
    path.write_text(json.dumps(own | {"sealing_keys": [*other["sealing_keys"], *own["sealing_keys"]]}))
    assert there.run("restore", folder).exit_code == 0, "a newer key stands before the backup's"


def test_a_subscription_that_no_key_opens_is_not_lost_silently(here: Inside, there: Inside, tmp_path: Path) -> None:
    with closing(Database(f"sqlite:///{here.data / 'control.sqlite'}")) as database:
        log = Log(database)
        log.subscription(
            log.rows(Account)[0].account_id, secret=SecretBox(ServiceSecrets.generate().sealing_keys).seal("x")
        )
    folder = taken(here, tmp_path / "kept")
    assert "decrypt only some of the backup's subscriptions" in refused(there, folder)


def test_a_ledger_that_ends_before_the_backup_is_refused(here: Inside, there: Inside, tmp_path: Path) -> None:
    folder = taken(here, tmp_path / "kept")
    shutil.rmtree(there.data / "releases")
    assert "ends at event 0, and deliveries of the backup go up to 1" in refused(there, folder)


def test_a_damaged_backup_is_refused(here: Inside, there: Inside, tmp_path: Path) -> None:
    folder = taken(here, tmp_path / "kept")
    manifest = (folder / "manifest.json").read_text()
    (folder / "erased.json").write_text("{}")
    assert "erased.json does not match manifest.json" in refused(there, folder)
    for text_of, due in (
        (manifest.replace('"format": 1', '"format": 2'), "format of another version"),
        ("{", "cannot be read"),
        ('{"format": 1}', "cannot be read"),
    ):
        (folder / "manifest.json").write_text(text_of)
        assert due in refused(there, folder, "--check")
    assert "is not a backup" in refused(there, tmp_path)


def test_who_was_erased_after_the_backup_stays_erased(here: Inside, there: Inside, tmp_path: Path) -> None:
    folder = taken(here, tmp_path / "kept")
    TombstoneStore(there.layout).add([stone(ONE)])
    said = there.run("restore", folder, "--json")
    assert said.report["blanked"] == 1, said.err
    with closing(Database(f"sqlite:///{there.data / 'control.sqlite'}")) as database:
        assert "Öbergs" not in Log(database).rows(MatchedEvent)[0].data.decode()
    assert {one.subject: one.done for one in TombstoneStore(there.layout).list_tombstones()} == {
        ONE: STEPS,
        "own_before": (),
    }


def test_a_restore_that_is_cut_off_has_no_erased_name(
    here: Inside, there: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = taken(here, tmp_path / "kept")
    TombstoneStore(there.layout).add([stone(ONE)])

    def is_killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(TombstoneStore, "add", is_killed)  # the first thing stored after the import
    there.run("restore", folder)
    with closing(Database(f"sqlite:///{there.data / 'control.sqlite'}")) as database:
        stored = Log(database).rows(MatchedEvent)
    assert [("Öbergs" in one.data.decode()) for one in stored] == [False]


def test_of_two_lists_of_judgements_the_longer_one_counts(here: Inside, there: Inside, tmp_path: Path) -> None:
    shutil.copy(here.data / "judgements.jsonl", there.data)
    DecisionLog(there.layout).add(judgement("own_2"))
    longer = (there.data / "judgements.jsonl").read_bytes()
    folder = taken(here, tmp_path / "kept")
    assert there.run("restore", folder, "--json").report["judgements"] == "kept"
    assert (there.data / "judgements.jsonl").read_bytes() == longer
    (there.data / "control.sqlite").unlink()
    (there.data / "judgements.jsonl").unlink()
    DecisionLog(there.layout).add(judgement("own_3"))
    apart = (there.data / "judgements.jsonl").read_bytes()
    said = there.run("restore", folder)
    assert said.exit_code == 0
    assert "have diverged" in said.err
    assert (there.data / "judgements.jsonl").read_bytes() == apart


# Under load, as processes


@pytest.fixture
def received() -> Iterator[Received]:
    with receiver() as running:
        yield running


@dataclass(frozen=True)
class Moved(Hooked):
    """An installation whose key was made elsewhere."""

    known: str = ""

    def key(self) -> str:
        return self.known


def publish(world: World, first: int, count: int) -> set[str]:
    """Events of one company in one release; their ids."""
    events = [event(ONE, number) for number in range(first, first + count)]
    world.publish(events=events)
    return {one["event_id"] for one in events}


def events_with(folder: Path, status: str) -> set[str]:
    """Ids of the events whose deliveries a backup has in a state."""
    with closing(sqlite3.connect(folder / "control.sqlite")) as file:
        statement = "SELECT event_id FROM webhook_events JOIN webhook_deliveries USING (sequence) WHERE status = ?"
        return {event_id for (event_id,) in file.execute(statement, [status])}


@pytest.mark.slow
def test_taken_under_load_and_restored_elsewhere_deliveries_go_on(tmp_path: Path, received: Received) -> None:
    here = Hooked(tmp_path / "here")
    world = make_world(here.data)
    world.publish(WORLD)
    with here.serving() as client:
        key = client.headers["Authorization"].removeprefix("Bearer ")
        asked = {"endpoint_url": received.url, "event_types": ["status.changed"], "entity_ids": None}
        made = client.post("/api/v1/webhooks", json=asked).json()
        received.secret = made["secret"]
        sent = publish(world, 1, 400)
        until(lambda: len(received.events) > 20, "deliveries under way")
        folder = taken(Inside(here.data), tmp_path / "kept")
        sent |= publish(world, 401, 50)  # nobody will know whether they were delivered
    there = Moved(tmp_path / "there", known=key)
    carry_over(here.data, there.data)
    shutil.rmtree(here.data)
    logged = events_with(folder, "succeeded")
    assert events_with(folder, "pending"), "nothing was under way: the test shows nothing"
    received.events.clear()
    assert Inside(there.data).run("restore", folder).exit_code == 0
    with there.serving() as client:
        assert client.get(f"/api/v1/companies/{ONE}").status_code == 200, "the key works"
        assert [one["id"] for one in client.get("/api/v1/webhooks").json()["data"]] == [made["id"]]
        until(lambda: sent - logged <= set(received.events), "everything that is not known to have arrived")
        log = f"/api/v1/webhooks/{made['id']}/deliveries?status=pending"
        until(lambda: client.get(log).json()["data"] == [], "the log")
    assert set(received.events) == sent - logged, "what was logged as delivered is not sent again"
    assert {len(times) for times in received.events.values()} == {1}
    assert received.refused == [], "signed by the secret that the subscriber has"


@pytest.mark.slow
def test_from_postgresql_to_sqlite(here: Inside, there: Inside, postgresql: Callable[[], str], tmp_path: Path) -> None:
    """The way from one engine to the other, either way, is a backup."""
    address = postgresql()
    first = taken(here, tmp_path / "first")
    moved = here.run("restore", first, FIRM_DATABASE_URL=address)
    assert moved.exit_code == 0, moved.err
    said = here.run("backup", "--to", tmp_path / "second", "--json", FIRM_DATABASE_URL=address)
    assert said.exit_code == 0, said.err
    assert (said.report["engine"], said.report["matched"], said.report["rows"]["accounts"]) == ("postgresql", 1, 1)
    back = there.run("restore", said.report["backup"], "--json")
    assert back.exit_code == 0, back.err
    with closing(Database(f"sqlite:///{there.data / 'control.sqlite'}")) as database:
        assert [row.status for row in Log(database).rows(Delivery)] == ["retrying"]

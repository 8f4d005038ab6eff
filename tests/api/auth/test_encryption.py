"""Keys that seal secrets (`api.auth.service_secrets`, `api.auth.encryption`), and commits that outlast a power failure."""

import base64
import json
import stat
import threading
from dataclasses import replace

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from api.auth.encryption import SealingError, SecretBox
from api.auth.service_secrets import SecretsError, SecretSettingError, ServiceSecrets, load_or_create
from api.database.migrate import prepare_database

OLD, NEW = b"o" * 32, b"n" * 48
TEXT = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="


def encoded(*keys):
    return ",".join(base64.b64encode(key).decode() for key in keys)


def test_what_is_sealed_comes_out_again():
    sealer = SecretBox([OLD])
    sealed = sealer.seal(TEXT)
    assert sealer.open(sealed) == TEXT
    assert TEXT.encode() not in sealed
    assert sealed != sealer.seal(TEXT)
    assert SecretBox([NEW, OLD]).open(sealed) == TEXT  # an old key goes on opening
    assert SecretBox([OLD]).open(SecretBox([OLD, NEW]).seal(TEXT)) == TEXT  # the first one seals


def altered(sealed):
    """One character of it exchanged for another, whichever stood there."""
    return sealed[:20] + (b"B" if sealed[20:21] == b"A" else b"A") + sealed[21:]


@pytest.mark.parametrize("change", [lambda s: s[:-1], altered, lambda s: b"", lambda s: b"x"],
                         ids=["cut", "altered", "empty", "nonsense"])  # fmt: skip
def test_what_was_altered_is_refused(change):
    with pytest.raises(SealingError, match="FIRM_SEALING_KEYS"):
        SecretBox([OLD]).open(change(SecretBox([OLD]).seal(TEXT)))
    with pytest.raises(SealingError):
        SecretBox([NEW]).open(SecretBox([OLD]).seal(TEXT))


def test_a_file_of_an_earlier_edition_gets_a_sealing_key_once(tmp_path):
    path = tmp_path / "secrets.json"
    former = {"pepper": encoded(b"p" * 32), "cursor_keys": [encoded(b"c" * 32)], "other": "kept"}
    path.write_text(json.dumps(former))
    found = []
    begun = threading.Barrier(8)

    def load():
        begun.wait()
        found.append(load_or_create(path))

    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len({one.sealing_keys for one in found}) == 1
    assert (found[0].pepper, found[0].cursor_keys) == (b"p" * 32, (b"c" * 32,))
    document = json.loads(path.read_text())
    assert {name: document[name] for name in former} == former
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["secrets.json"]
    assert load_or_create(path) == found[0]


def test_sealing_keys_may_be_given(tmp_path):
    path = tmp_path / "secrets.json"
    stored = load_or_create(path)
    given = load_or_create(path, {"FIRM_SEALING_KEYS": encoded(NEW, OLD)})
    assert given.sealing_keys == (NEW, OLD)
    assert (given.pepper, given.cursor_keys) == (stored.pepper, stored.cursor_keys)
    both = {"FIRM_PEPPER": encoded(OLD), "FIRM_CURSOR_KEYS": encoded(OLD)}
    assert load_or_create(path, both) == ServiceSecrets(OLD, (OLD,), stored.sealing_keys)
    for wrong in ("c2hvcnQ=", "!", f"{encoded(OLD)},"):
        with pytest.raises(SecretSettingError, match="FIRM_SEALING_KEYS"):
            load_or_create(path, {"FIRM_SEALING_KEYS": wrong})


@pytest.mark.parametrize("keys", [[], "text", ["c2hvcnQ="], [1]], ids=["none", "text", "short", "number"])
def test_sealing_keys_of_the_file_are_checked(tmp_path, keys):
    path = tmp_path / "secrets.json"
    load_or_create(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"sealing_keys": keys}))
    with pytest.raises(SecretsError, match=r"secrets\.json"):
        load_or_create(path)


def test_secrets_are_never_shown():
    made = ServiceSecrets.generate()
    assert repr(made) == "ServiceSecrets()"
    assert len({*made.cursor_keys, *made.sealing_keys, made.pepper}) == 3


def test_a_key_may_be_changed_while_subscriptions_live(serve, world):
    before = ServiceSecrets.generate()
    service = serve(world, secrets=before)
    body = {"endpoint_url": "https://hooks.example.com/x", "event_types": ["status.changed"]}

    def create(service):
        headers = service.headers | {"Idempotency-Key": "k"}
        return service.client.post("/api/v1/webhooks", headers=headers, json=body)

    made = create(service)
    service.stop()
    rotated = replace(before, sealing_keys=(NEW, *before.sealing_keys))
    assert create(serve(world, secrets=rotated)).content == made.content
    lost = create(serve(world, secrets=replace(before, sealing_keys=(NEW,))))
    assert (lost.status_code, lost.json()["code"]) == (500, "internal_error")


def test_what_is_answered_as_done_outlasts_a_power_failure(tmp_path):
    """SQLite waits for the disk at each commit; counts, which may be lost by a little, do not."""
    database = prepare_database(f"sqlite:///{tmp_path / 'control.sqlite'}")
    with database.writing() as session:
        assert session.connection().exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL
    with database.statements() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 1  # NORMAL
    database.close()
    lighter = type(database)(f"sqlite:///{tmp_path / 'control.sqlite'}", durable=False)
    with lighter.writing() as session:
        assert session.connection().exec_driver_sql("PRAGMA synchronous").scalar() == 1
    lighter.close()


def test_errors_of_the_database_do_not_show_what_was_written(control_url):
    database = prepare_database(control_url)
    with pytest.raises(DBAPIError) as caught, database.writing() as session:
        session.connection().execute(text("INSERT INTO nowhere VALUES (:url)"), {"url": "https://a.example/?t=s3cret"})
    assert "nowhere" in str(caught.value)
    assert "s3cret" not in str(caught.value)
    database.close()

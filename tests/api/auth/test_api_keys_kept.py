"""What is kept of keys, and how they are looked up; rotation and suspension."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, event, select

from api.accounts.service import AccountError
from api.auth import api_keys
from api.database.engine import Database
from api.database.models.base import Base

COMPANY = "/api/v1/companies/5599999991"


@pytest.fixture
def service(serve, world, control_url):
    return serve(world, database_url=control_url)


def ask(service, key, **headers):
    return service.client.get(COMPANY, headers={"Authorization": f"Bearer {key}"} | headers)


def test_a_key_is_kept_as_a_digest_only(service, control_url):
    made = service.accounts.create_key("owner@example.com", "live", label="server")
    assert ask(service, made.key).status_code == 200
    database = Database(control_url)
    with database.reading() as session:
        dump = str([session.execute(select(table)).all() for table in Base.metadata.tables.values()])
    database.close()
    assert made.key_id in dump
    assert made.key not in dump
    assert made.key[12:40] not in dump
    kept = {key.key_id: key for key in service.accounts.keys("owner@example.com")}[made.key_id]
    assert (kept.shown_prefix, kept.shown_last, kept.label) == (made.key[:14], made.key[-4:], "server")
    assert api_keys.key_digest(made.key, service.secrets.pepper) != api_keys.key_digest(made.key, b"x" * 32)


def test_an_account_has_a_bounded_number_of_keys(service, monkeypatch):
    """Making and revoking keys filled the database, and the page that lists them."""
    monkeypatch.setattr("api.accounts.service.MAX_KEYS", 3)
    monkeypatch.setattr("api.accounts.service.MAX_ENDED_KEYS", 2)
    accounts, owner = service.accounts, "owner@example.com"
    accounts.create_key(owner, "live", expires_at=service.parts.clock.now() + timedelta(hours=1))
    accounts.create_key(owner, "live")
    with pytest.raises(AccountError, match="has 3 keys that work: revoke one"):
        accounts.create_key(owner, "live")
    service.hands.seconds += 3600  # which ends the first of them
    revoked = []
    for _ in range(5):
        service.hands.seconds += 1
        made = accounts.create_key(owner, "secret")
        revoked.append(accounts.revoke_key(made.key_id).key_id)
    accounts.create_key(owner, "live")
    kept = accounts.keys(owner)
    assert [key.key_id for key in kept if key.revoked_at] == revoked[-2:]
    assert len(kept) == 3 + 2
    accounts.create_account("other@example.com", "pro")
    assert accounts.create_key("other@example.com", "live").key, "other accounts have keys of their own"


def everything_in(value, seen):
    """All bytes and texts that an object holds, however deep."""
    if id(value) in seen:
        return
    seen[id(value)] = value
    if isinstance(value, bytes | str):
        yield value
    elif isinstance(value, dict):
        for name, held in value.items():
            yield from everything_in(name, seen)
            yield from everything_in(held, seen)
    elif isinstance(value, list | tuple | set):
        for held in value:
            yield from everything_in(held, seen)
    else:
        slots = [getattr(value, name, None) for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
        yield from everything_in(slots, seen)
        yield from everything_in(getattr(value, "__dict__", {}), seen)


def test_no_key_stays_in_memory(service):
    assert ask(service, service.key).status_code == 200
    authenticator = service.parts.authenticator
    held = list(everything_in(authenticator, {}))
    assert any(str(one).startswith("key_") for one in held), "the search finds what is there"
    written = [one if isinstance(one, bytes) else one.encode() for one in held]
    assert not [one for one in written if service.key.encode() in one]
    assert api_keys.key_digest(service.key, service.secrets.pepper) not in written


def test_two_processes_digest_the_same_header_differently(serve, world):
    first = serve(world)
    second = serve(world, secrets=first.secrets)
    digests = []
    for one in (first, second):
        before = digests_in(one)
        assert ask(one, first.key).status_code == 200
        digests.append(digests_in(one) - before)
    one, other = digests
    assert (len(one - other), len(other - one)) == (1, 1)


def digests_in(service):
    """What is as long as the digest of a header, of all that is kept of callers."""
    held = everything_in(service.parts.authenticator, {})
    return {one for one in held if isinstance(one, bytes) and len(one) == 16}


@pytest.fixture
def statements_of_all():
    """Statements that any engine of this process executes."""
    statements = []

    def note(*given):
        statements.append(given[2])

    event.listen(Engine, "before_cursor_execute", note)
    yield statements
    event.remove(Engine, "before_cursor_execute", note)


def test_keys_that_do_not_work_are_looked_up_alike(service, statements_of_all):
    """By structure, not by the clock: one same statement for each; and none for what is no key at all."""
    ends = datetime.fromtimestamp(service.hands.seconds + 1, UTC)
    expired = service.accounts.create_key("owner@example.com", "live", expires_at=ends).key
    revoked = service.accounts.create_key("owner@example.com", "live")
    service.accounts.revoke_key(revoked.key_id)
    service.hands.seconds += 2
    statements = statements_of_all
    asked = {}
    for name, key in (
        ("unknown", api_keys.make_key("live")),
        ("another kind", api_keys.make_key("public")),
        ("expired", expired),
        ("revoked", revoked.key),
        ("malformed", "nonsense"),
        ("mistyped", expired[:-1] + ("a" if expired[-1] != "a" else "b")),
    ):
        statements.clear()
        assert ask(service, key).status_code == 401
        asked[name] = [statement for statement in statements if not statement.startswith("BEGIN")]
    assert asked["malformed"] == asked["mistyped"] == []
    assert len(asked["unknown"]) == 1
    assert asked["unknown"] == asked["another kind"] == asked["expired"] == asked["revoked"]


def test_a_key_that_does_not_work_is_not_noted_as_used(service):
    made = service.accounts.create_key("owner@example.com", "live")
    service.accounts.revoke_key(made.key_id)
    ask(service, made.key)
    kept = {key.key_id: key for key in service.accounts.keys("owner@example.com")}[made.key_id]
    assert kept.last_used_at is None


def test_rotation(service):
    """A new key beside the old one, then the old one revoked: no request fails between."""
    new = service.accounts.create_key("owner@example.com", "live").key
    assert [ask(service, key).status_code for key in (service.key, new)] == [200, 200]
    old = next(key for key in service.accounts.keys("owner@example.com") if service.key.endswith(key.shown_last))
    service.accounts.revoke_key(old.key_id)
    service.hands.seconds += 31
    assert [ask(service, key).status_code for key in (service.key, new)] == [401, 200]


def test_a_suspended_account_is_refused_within_the_cache_time_and_served_again(service):
    assert ask(service, service.key).status_code == 200
    service.accounts.set_status("owner@example.com", "suspended")
    service.hands.seconds += 31
    assert ask(service, service.key).json()["code"] == "account_suspended"
    service.accounts.set_status("owner@example.com", "active")
    service.hands.seconds += 31
    assert ask(service, service.key).status_code == 200


def test_all_accounts_oldest_first(service):
    service.hands.seconds += 1
    made = service.accounts.create_account("second@example.com", "basic")
    assert [account.email for account in service.accounts.all_accounts()] == ["owner@example.com", "second@example.com"]
    assert service.accounts.all_accounts()[1] == made


def test_use_is_noted_now_and_then(service):
    made = service.accounts.create_key("owner@example.com", "live")

    def used():
        return {key.key_id: key for key in service.accounts.keys("owner@example.com")}[made.key_id].last_used_at

    assert used() is None
    ask(service, made.key)
    first = used()
    assert first == datetime.fromtimestamp(service.hands.seconds, UTC)
    service.hands.seconds += 60
    ask(service, made.key)
    assert used() == first
    service.hands.seconds += 600
    ask(service, made.key)
    assert used() == first + timedelta(seconds=660)

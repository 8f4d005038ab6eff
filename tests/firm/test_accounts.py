"""`firm accounts` and `firm keys`, in process, over SQLite and PostgreSQL."""

import base64
import json
import re
from contextlib import closing

import pytest
from sqlalchemy import text
from typer.testing import CliRunner

from api.database.engine import Database
from firm.cli import app

SECRET = base64.b64encode(bytes(range(32))).decode()
OTHER = base64.b64encode(bytes(range(1, 33))).decode()


@pytest.fixture
def run(tmp_path, control_url, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIRM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("FIRM_DATABASE_URL", control_url)
    for name in ("FIRM_PEPPER", "FIRM_CURSOR_KEYS", "FIRM_SEALING_KEYS"):
        monkeypatch.setenv(name, SECRET)

    def run(*arguments, code=0):
        done = CliRunner().invoke(app, arguments)
        assert done.exit_code == code, done.output
        return done.output

    return run


def test_an_account_from_making_to_suspension(run):
    made = json.loads(run("accounts", "create", "--email", "A@example.com", "--tier", "basic", "--json"))
    run("accounts", "create", "--email", "b@example.com", "--tier", "business")
    assert made["tier"] == "basic"
    assert "pro" in run("accounts", "set-tier", "--account", made["account_id"], "--tier", "pro")
    assert "suspended" in run("accounts", "suspend", "a@example.com")
    listed = json.loads(run("accounts", "list", "--json"))["accounts"]
    assert [(one["email"], one["tier"], one["status"]) for one in listed] == [
        ("a@example.com", "pro", "suspended"),
        ("b@example.com", "business", "active"),
    ]
    told = json.loads(run("accounts", "activate", "a@example.com", "--json"))
    assert told["status"] == "active"
    assert run("accounts", "list").splitlines()[0].split() == [made["account_id"], "pro", "active", "a@example.com"]


def test_a_link_into_the_dashboard_is_printed_and_its_token_kept_nowhere(run, control_url):
    run("accounts", "create", "--email", "a@example.com", "--tier", "basic")
    said = json.loads(run("accounts", "link", "A@example.com", "--hours", "2", "--json"))["link"]
    found = re.fullmatch(r"http://127\.0\.0\.1:8000/dashboard/sign-in/link\?token=(firm_link_[0-9a-f]{64})", said)
    assert found
    with closing(Database(control_url)) as database, database.reading() as session:
        ((email, digest, lasts),) = session.execute(
            text("SELECT email, digest, expires_at > created_at FROM sign_in_links")
        )
    assert (email, len(digest), bool(lasts)) == ("a@example.com", 32, True)
    assert found[1] not in repr(digest)
    run("accounts", "link", "nobody@example.com", code=1)


def test_a_key_that_is_over_before_it_begins_is_refused(run):
    run("accounts", "create", "--email", "a@example.com", "--tier", "basic")
    live = ("keys", "create", "--account", "a@example.com", "--kind", "live")
    said = run(*live, "--expires", "2020-01-01", code=1)
    assert "2020-01-01T00:00:00Z is in the past" in said
    assert run("keys", "list", "--account", "a@example.com") == ""


def test_keys_are_shown_once_listed_and_revoked(run, control_url):
    run("accounts", "create", "--email", "a@example.com", "--tier", "basic")
    made = json.loads(run("keys", "create", "--account", "a@example.com", "--kind", "live", "--json"))
    assert re.fullmatch(r"firm_live_[0-9A-Za-z]{42}", made["key"])
    public = ("--kind", "public", "--domain", "example.com", "--domain", "*.example.com")
    run("keys", "create", "--account", "a@example.com", *public, "--expires", "2200-01-01")
    listed = run("keys", "list", "--account", "a@example.com")
    assert made["key"] not in listed
    assert made["key_id"] in listed
    run("keys", "revoke", made["key_id"])
    with closing(Database(control_url)) as database, database.writing() as session:
        session.execute(text("UPDATE api_keys SET expires_at = created_at WHERE kind = 'public'"))
    states = [line.split()[2] for line in run("keys", "list", "--account", "a@example.com").splitlines()]
    assert states == ["revoked", "expired"]


def test_tiers_are_those_of_the_file(run, tmp_path, monkeypatch):
    (tmp_path / "tiers.toml").write_text(
        "[tiers.trial]\nmonthly_requests = 100\nburst_per_second = 1\nburst_capacity = 2\n"
    )
    assert "choose one of basic, starter" in run(
        "accounts", "create", "--email", "a@example.com", "--tier", "trial", code=1
    )
    monkeypatch.setenv("FIRM_TIERS", str(tmp_path / "tiers.toml"))
    assert "trial" in run("accounts", "create", "--email", "a@example.com", "--tier", "trial")


def test_a_broken_file_of_tiers_is_said(run, tmp_path, monkeypatch):
    (tmp_path / "tiers.toml").write_text("[tiers.pro]\nmonthly_requests = 'many'\n")
    monkeypatch.setenv("FIRM_TIERS", str(tmp_path / "tiers.toml"))
    said = run("accounts", "list", code=2)
    assert "tiers.toml: tiers.pro.monthly_requests must be a whole number" in said
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonsense", "is not a database URL"),
        ("nothing://there", "is not a database URL"),
        ("mysql://user:secret@host/firm", "FIRM_DATABASE_URL"),
        ("postgresql://user:secret@127.0.0.1:1/firm", "postgresql://user:***@127.0.0.1:1/firm cannot be used"),
    ],
)
def test_a_database_that_cannot_be_had_is_said_without_its_password(run, monkeypatch, url, said):
    monkeypatch.setenv("FIRM_DATABASE_URL", url)
    told = run("accounts", "list", code=2)
    assert said in told
    assert "secret" not in told


def test_another_machine_with_another_secret_is_refused(run, tmp_path, monkeypatch):
    run("accounts", "create", "--email", "a@example.com", "--tier", "basic")
    monkeypatch.setenv("FIRM_DATA", str(tmp_path / "another"))
    key = json.loads(run("keys", "create", "--account", "a@example.com", "--kind", "live", "--json"))["key"]
    for name in ("FIRM_PEPPER", "FIRM_CURSOR_KEYS", "FIRM_SEALING_KEYS"):
        monkeypatch.setenv(name, OTHER)
        said = run("accounts", "list", code=1)
        assert f"{name} is not the one that this database is used with (fingerprint " in said
        assert "copy their FIRM_DATA/secrets.json" in said
        assert OTHER not in said
        assert f"secrets: {name} is not the one" in run("doctor", code=1)
        monkeypatch.setenv(name, SECRET)
    # several keys: the one in use elsewhere must be among them; the first here is in use from now on
    for cursor_keys, code in ((f"{SECRET},{OTHER}", 0), (f"{OTHER},{SECRET}", 0), (OTHER, 0), (SECRET, 1)):
        monkeypatch.setenv("FIRM_CURSOR_KEYS", cursor_keys)
        run("accounts", "list", code=code)
    run("accounts", "forget-secrets")
    monkeypatch.setenv("FIRM_CURSOR_KEYS", OTHER)
    CliRunner().invoke(app, ["doctor"])  # only looks: what it was started with is not recorded
    monkeypatch.setenv("FIRM_CURSOR_KEYS", SECRET)
    run("accounts", "list")
    assert key.startswith("firm_live_")


def test_no_secret_is_made_where_others_must_have_the_same(tmp_path, postgresql, migrated_postgresql, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIRM_DATA", str(tmp_path / "data"))
    for name, value in (("FIRM_DATABASE_URL", postgresql(like=migrated_postgresql)), ("FIRM_OBJECT_STORE", "s3://b/p")):
        with monkeypatch.context() as shared:
            shared.setenv(name, value)
            said = CliRunner().invoke(app, ["accounts", "create", "--email", "a@example.com", "--tier", "basic"])
            assert said.exit_code == 2
            assert "FIRM_PEPPER, FIRM_CURSOR_KEYS and FIRM_SEALING_KEYS are not set" in said.output
            assert "openssl rand -base64 32" in said.output
            assert not (tmp_path / "data" / "secrets.json").exists()
            assert "secrets: none are set" in CliRunner().invoke(app, ["doctor"]).output or name != "FIRM_DATABASE_URL"

"""Every command as a person types it: help, usage errors that say what to do, shapes of JSON, exit codes."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from firm.cli import COMMANDS_BY_NAME, app
from sandbox import World, write_days
from tests.firm.inside import Inside, Said, Told, planned, profiles_on
from tests.tables import check_cases
from tests.warehouse.helpers import segment_file


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_days(World(seed=3, companies=60, days=2, markets=("NO",)), tmp_path_factory.mktemp("days"))


@pytest.fixture(scope="module")
def told(days: list[Path]) -> Told:
    return json.loads((days[0].parent / "truth.json").read_text())


@pytest.fixture(scope="module")
def lived(days: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Inside:
    """Two days of one market: two releases."""
    firm = Inside(tmp_path_factory.mktemp("lived") / "data")
    for day in days:
        firm.ingest(day, "no")
    return firm


@pytest.fixture
def firm(tmp_path: Path) -> Inside:
    """An empty data folder."""
    return Inside(tmp_path / "data")


def refused(said: Said, exit_code: int, *words: str) -> None:
    """It ended so, said nothing on standard output, and each of the words on standard error."""
    assert (said.exit_code, said.out) == (exit_code, ""), said.out + said.err
    for word in words:
        assert word in said.err, said.err


def _commands() -> Iterator[tuple[str, ...]]:
    def below(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        yield path
        if isinstance(command, TyperGroup):
            for name in command.list_commands(None):
                yield from below(command.get_command(None, name), (*path, name))

    yield from below(typer.main.get_command(app), ())


@check_cases("command", _commands())
def test_every_command_explains_itself(command: tuple[str, ...], firm: Inside) -> None:
    said = firm.run(*command, "--help", COLUMNS="200")
    assert (said.exit_code, said.err) == (0, "")
    assert "Usage: " in said.out
    assert len(said.out.splitlines()) > 5
    assert not firm.data.exists()


@check_cases("name", COMMANDS_BY_NAME)
def test_the_list_of_commands_says_of_each_what_its_own_help_begins_with(name: str) -> None:
    command: Any = typer.main.get_command(app)
    own = command.get_command(None, name).help
    assert COMMANDS_BY_NAME[name].summary == " ".join(own.partition("\n\n")[0].split())


def test_the_list_of_commands_loads_none_of_them() -> None:
    lists = "import firm.cli, sys; firm.cli.app(['--help'], standalone_mode=False); print('LOADED', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", lists], capture_output=True, text=True, check=True, timeout=60)
    shown, _, loaded = done.stdout.partition("LOADED")
    assert all(f" {name} " in shown for name in COMMANDS_BY_NAME)
    assert not {"polars", "dagster", "litestar", "connectors"} & set(loaded.split())
    assert not [name for name in loaded.split() if name.startswith("firm.commands.")]


@check_cases(
    ("arguments", "words"),
    [
        (("ingest", "xx", "--sandbox"), ("unknown market 'xx'", "NO, SE, UK")),
        (("ingest", "no"), ("--live, --sandbox and --from",)),
        (("ingest", "no", "--live", "--sandbox"), ("--live, --sandbox and --from",)),
        (("ingest", "--from", "/nowhere"), ("/nowhere is not a folder", "<cc>/<dataset>")),
        (("ingest", "--at", "tomorrow", "--sandbox"), ("--at",)),
        (("export", "xx"), ("unknown market 'xx'", "NO, FI, UK")),
        (("exports", "xx"), ("unknown market 'xx'", "NO, FI, UK")),
        (("export", "--format", "xlsx"), ("--format",)),
        (("rebuild", "xx"), ("unknown market 'xx'", "NO, SE, UK")),
        (("sandbox", "serve", "--faults", "cut_off"), ("PART-OF-PATH=FAULT", "list")),
        (("accounts", "create", "--tier", "pro"), ("--email",)),
        (("serve", "--port", "70000"), ("65535",)),
    ],
)
def test_wrong_use_ends_with_two(arguments: tuple[str, ...], words: tuple[str, ...], firm: Inside) -> None:
    refused(firm.run(*arguments, FIRM_SANDBOX_URL="http://127.0.0.1:9"), 2, *words)


def test_a_setting_that_makes_no_sense_is_named(firm: Inside, days: list[Path]) -> None:
    said = firm.run("ingest", "--from", days[0], FIRM_KEEP_RELEASES="none")
    refused(said, 2, "firm: FIRM_KEEP_RELEASES must be a whole number from 1, not 'none'\n")
    refused(firm.run("serve", FIRM_PORT="ninety"), 2, "firm: FIRM_PORT must be a number, not 'ninety'\n")
    refused(firm.run("release", "list", FIRM_LIST_CONCURRENCY="0"), 2, "FIRM_LIST_CONCURRENCY must be from 1")
    refused(firm.run("release", "list", FIRM_PORT="80.9"), 2, "firm: FIRM_PORT must be a whole number, not 80.9\n")
    for address in ("ftp://api.example.com", "api.example.com", "https://", "https://a.example?x=1", "http://a b"):
        said = firm.run("release", "list", FIRM_PUBLIC_URL=address)
        refused(said, 2, f"firm: FIRM_PUBLIC_URL must be a URL, for example https://api.example.com, not {address!r}")
    secret = "h=nothing-but-a-key"
    said = firm.run("ingest", "--from", days[0], FIRM_CREDENTIALS=secret)
    refused(said, 2, "FIRM_CREDENTIALS", "host=user:password")
    assert "nothing-but-a-key" not in said.err


def test_doctor_where_all_is_well(firm: Inside) -> None:
    said = firm.run("doctor", FIRM_USER_AGENT="tests (tests@example.com)")
    assert said.exit_code == 0, said.out
    assert {line.split("\t")[0] for line in said.out.splitlines()[1:]} <= {"ok", "warn"}
    assert not firm.data.exists()  # it changes nothing


def test_doctor_says_what_to_do(firm: Inside) -> None:
    firm.data.mkdir()
    (firm.data / "secrets.json").write_text("{}")
    said = firm.run("doctor", FIRM_WORKERS="many")
    states = [line.split("\t")[0] for line in said.out.splitlines()]
    assert (said.exit_code, states.count("bad")) == (1, 2)
    assert "FIRM_WORKERS must be a whole number from 0, not 'many'" in said.out
    assert "restore the original or delete it" in said.out
    assert "warn\tcontact for registries\tset FIRM_USER_AGENT=" in said.out


def test_secrets_that_others_can_read_are_told(firm: Inside) -> None:
    firm.run("accounts", "create", "--email", "a@example.com", "--tier", "pro")
    assert (firm.data / "secrets.json").stat().st_mode & 0o777 == 0o600
    (firm.data / "secrets.json").chmod(0o644)
    said = firm.run("doctor")
    assert said.exit_code == 1
    assert f"chmod 600 {firm.data / 'secrets.json'}" in said.out


def test_broken_secrets_are_told_and_never_shown(firm: Inside) -> None:
    firm.data.mkdir()
    (firm.data / "secrets.json").write_text('{"pepper": "a2V5", "cursor_keys": ["a2V5"]}')
    said = firm.run("accounts", "create", "--email", "a@example.com", "--tier", "pro")
    refused(said, 1, "secrets.json", "base64 of at least 32 bytes")
    assert "a2V5" not in said.err


def test_secrets_given_wrongly_are_wrong_use(firm: Inside) -> None:
    for given in ({"FIRM_PEPPER": "c2hvcnQ="}, {"FIRM_PEPPER": "c2hvcnQ=", "FIRM_CURSOR_KEYS": "c2hvcnQ="}):
        said = firm.run("accounts", "list", **given)
        refused(said, 2, "firm: ", "FIRM_PEPPER")
        assert "c2hvcnQ=" not in said.err


def test_a_data_folder_that_cannot_be_made_is_wrong_use(firm: Inside) -> None:
    firm.data.write_text("a file, where a folder should be")
    refused(firm.run("accounts", "list"), 2, f"firm: {firm.data} cannot be created", "FIRM_DATA")


def test_accounts_and_keys_as_json(firm: Inside) -> None:
    made = firm.run("accounts", "create", "--email", "a@example.com", "--tier", "pro", "--json")
    account = json.loads(made.out)
    assert list(account) == ["account_id", "email", "tier"]
    assert (account["email"], account["tier"]) == ("a@example.com", "pro")
    said = firm.run("keys", "create", "--account", "a@example.com", "--kind", "live", "--json")
    key = json.loads(said.out)
    assert list(key) == ["key_id", "key", "kind"]
    assert (key["kind"], said.out.count("\n")) == ("live", 1)
    public = ("--kind", "public", "--domain", "example.com", "--domain", "example.org")
    said = firm.run("keys", "create", "--account", account["account_id"], *public, "--json")
    assert json.loads(said.out)["kind"] == "public"
    changed = firm.run("accounts", "set-tier", "--account", "a@example.com", "--tier", "business", "--json")
    assert json.loads(changed.out) == {**account, "tier": "business"}
    listed = firm.run("keys", "list", "--account", "a@example.com").out
    assert key["key_id"] in listed
    assert key["key"] not in listed
    assert firm.run("keys", "revoke", key["key_id"]).out == f"{key['key_id']} is revoked\n"
    assert "revoked" in firm.run("keys", "list", "--account", "a@example.com").out
    assert not any(key["key"].encode() in path.read_bytes() for path in firm.data.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    "arguments",
    [
        ("accounts", "create", "--email", "nobody", "--tier", "pro"),
        ("accounts", "create", "--email", "a@example.com", "--tier", "gold"),
        ("accounts", "set-tier", "--account", "no@example.com", "--tier", "pro"),
        ("keys", "create", "--account", "no@example.com", "--kind", "live"),
        ("keys", "list", "--account", "no@example.com"),
        ("keys", "revoke", "key_unknown"),
    ],
)
def test_what_an_account_cannot_be(arguments: tuple[str, ...], firm: Inside) -> None:
    said = firm.run(*arguments)
    refused(said, 1, "firm: ")
    assert said.err.count("\n") == 1


def test_releases_are_listed_and_verified(lived: Inside) -> None:
    head, newest, oldest = lived.run("release", "list").out.splitlines()
    assert head.split("\t") == ["release", "built", "markets", "last event", "content"]
    assert newest.startswith("2 *\t")
    assert "NO:fresh" in newest
    assert oldest.startswith("1\t")
    assert lived.run("release", "verify").out == "release 2 is valid\n"
    assert lived.run("release", "verify", "1").out == "release 1 is valid\n"
    refused(lived.run("release", "verify", "7"), 1, "release 7 has no manifest")


def test_before_the_first_release(firm: Inside) -> None:
    refused(firm.run("release", "list"), 1, "nothing has been published yet", "firm ingest")
    refused(firm.run("release", "verify"), 1, "nothing has been published yet")
    refused(firm.run("release", "rollback", "1"), 1, "release 1")


def test_a_rollback_serves_old_content_and_keeps_events(
    lived: Inside, days: list[Path], told: Told, tmp_path: Path
) -> None:
    firm = lived.copy(tmp_path / "data")
    said = firm.run("release", "rollback", "1")
    assert (said.exit_code, said.out) == (0, "release 3 now serves the content of 1\n")
    assert firm.profiles(told) == profiles_on(told, 0)
    assert firm.events() == planned(told, 1).keys()
    assert firm.run("release", "verify").exit_code == 0
    refused(firm.run("release", "rollback", "3"), 1, "release 3 is not a kept release")
    firm.ingest(days[1], "no")  # the next ingest brings back what the histories know, and no event again
    assert firm.profiles(told) == profiles_on(told, 1)
    assert firm.events() == planned(told, 1).keys()


@pytest.mark.parametrize("kind", ["rows", "documents", "names"])
def test_a_damaged_release_is_named(kind: str, lived: Inside, tmp_path: Path) -> None:
    firm = lived.copy(tmp_path / "data")
    path = segment_file(firm.layout, 2, kind)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    refused(firm.run("release", "verify"), 1, "release 2", path.name)
    assert firm.run("release", "verify", "1").exit_code == 0


def test_the_sandbox_writes_into_empty_folders_only(firm: Inside, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    refused(firm.run("sandbox", "write", tmp_path / "full"), 1, "is not empty", "name a new folder")
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]
    few = firm.run("sandbox", "write", tmp_path / "few", "--companies", "10")
    refused(few, 1, "need 60 companies")
    said = firm.run("sandbox", "write", tmp_path / "new", "--companies", "300", "--days", "2")
    assert said.exit_code == 0
    assert said.out.splitlines() == [str(tmp_path / "new" / f"2026-11-0{day}") for day in (2, 3)]
    assert (tmp_path / "new" / "truth.json").is_file()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        busy = firm.run("sandbox", "serve", "--port", str(port))
    refused(
        busy, 1, f"cannot listen on 127.0.0.1 port {port} (Address already in use): choose another --host or --port"
    )
    faults = firm.run("sandbox", "serve", "--faults", "list").out.splitlines()
    assert {"cut_off", "html", "half_rows"} <= set(faults)

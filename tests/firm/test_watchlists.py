"""`firm watchlists`: lists filled from files, on both engines."""

import base64
import json

import pytest
from typer.testing import CliRunner

from firm.cli import app

SECRET = base64.b64encode(bytes(range(32))).decode()
OWNER = ("--account", "a@example.com")


@pytest.fixture
def run(tmp_path, control_url, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIRM_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("FIRM_DATABASE_URL", control_url)
    for name in ("FIRM_PEPPER", "FIRM_CURSOR_KEYS", "FIRM_SEALING_KEYS"):
        monkeypatch.setenv(name, SECRET)

    def run(*arguments, code=0):
        done = CliRunner().invoke(app, ["watchlists", *map(str, arguments)])
        assert done.exit_code == code, done.output
        return done.output

    CliRunner().invoke(app, ["accounts", "create", "--email", "a@example.com", "--tier", "starter"])
    return run


def test_a_watchlist_is_filled_from_a_file_and_emptied(run, tmp_path):
    made = json.loads(run("create", *OWNER, "--name", "Suppliers", "--json"))
    file = tmp_path / "numbers.txt"
    file.write_text("5599999991\n\nfirm:SE:5599999991\nfirm:NO:910000000\nfirm:NO:910000001")
    assert "3 added; 3 companies" in run("add", made["id"], file, *OWNER)
    assert "0 added; 3 companies" in run("add", made["id"], file, *OWNER)
    [listed] = json.loads(run("list", *OWNER, "--json"))["watchlists"]
    assert (listed["name"], listed["company_count"]) == ("Suppliers", 3)
    told = json.loads(run("remove", made["id"], file, *OWNER, "--json"))
    assert told == {"id": made["id"], "added": 0, "removed": 3, "company_count": 0}
    assert "Suppliers" in run("list", *OWNER)


def test_a_file_is_taken_whole_or_not_at_all(run, tmp_path):
    made = json.loads(run("create", *OWNER, "--name", "Suppliers", "--json"))
    file = tmp_path / "numbers.txt"
    file.write_text("5599999991\nno number\n")
    assert "numbers.txt line 2: 'no number' is no company number" in run("add", made["id"], file, *OWNER, code=1)
    file.write_text("\n".join(f"firm:NO:{number}" for number in range(900_000_000, 900_001_001)))
    assert "This tier allows 1000 companies" in run("add", made["id"], file, *OWNER, code=1)
    assert json.loads(run("list", *OWNER, "--json"))["watchlists"][0]["company_count"] == 0
    assert "watchlist_not_found" in run("add", "wl_1", file, *OWNER, code=1)
    assert "a@example.org" in run("list", "--account", "a@example.org", code=1)

"""`firm doctor --live` refuses to go on without a contact: registries answer nobody who does not say who it is."""

from pathlib import Path

import httpx
import pytest

from tests.firm.inside import Inside


@pytest.fixture
def firm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Inside:
    monkeypatch.setattr("connectors.JURISDICTIONS", ())  # nobody is asked
    return Inside(tmp_path / "data")


def test_without_a_contact_nothing_goes_live(firm: Inside) -> None:
    said = firm.run("doctor", "--live")
    assert said.exit_code == 1
    assert "bad\tcontact for registries\tset FIRM_USER_AGENT=" in said.out
    assert "warn\tcontact for registries" in firm.run("doctor").out


@pytest.mark.parametrize("agent", ["firmdata", "Mozilla/5.0 (X11; Linux x86_64)", ""])
def test_without_a_contact_nobody_is_asked(agent: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", lambda *_: pytest.fail("asked"))
    said = Inside(tmp_path / "data").run("doctor", "--live", FIRM_USER_AGENT=agent)
    assert said.exit_code == 1
    assert "bad\tcontact for registries" in said.out


def test_with_a_contact_it_does(firm: Inside) -> None:
    said = firm.run("doctor", "--live", FIRM_USER_AGENT="tests (tests@example.com)")
    assert said.exit_code == 0, said.out
    assert "contact for registries" not in said.out

"""No spelling of a key reaches a log line, and everything else is logged as it was."""

import pytest

from api.common.redaction import redact


def log_of(service):
    service.parts.access_log.flush()
    return b"".join(service.lines).decode()


@pytest.mark.parametrize(
    "spelling",
    [
        "firm_live_{0}",
        "firm%5Flive%5F{0}",
        "firm_live%5f{0}",
        "FIRM_LIVE_{0}",
        "firm%255Flive%255F{0}",
        "firm_live_%61{0}",
    ],
)
def test_no_spelling_of_a_key_is_logged(service, spelling):
    secret = service.key.removeprefix("firm_live_")
    service.get("/api/v1/companies?q=" + spelling.format(secret))
    assert secret not in log_of(service)
    assert secret not in redact("q=" + spelling.format(secret) + "&limit=1")


def test_what_is_no_key_is_logged_as_it_was():
    for text in ("/api/v1/companies/firm:SE:5599999991", "q=firma%20live", "q=%C3%A5&limit=1", "q=firm_x"):
        assert redact(text) == text

"""Probes of these tests have time: a machine busy with other tests answers later than within the second of production."""

import pytest


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.observability.delivery_health.DATABASE_PATIENCE_SECONDS", 60.0)

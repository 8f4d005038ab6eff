"""Keys that stand twice in a release: looked for everywhere, in a patch among what is put into it."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from tests.warehouse.helpers import segment_file
from tests.warehouse.world import learn, member, owner, publish
from warehouse.publish import validation
from warehouse.release import manifest as release_manifest
from warehouse.release.manifest import InvalidReleaseError
from warehouse.release.segments import ROWS
from warehouse.serving import id_ranges
from warehouse.storage.duckdb import open_database
from warehouse.storage.layout import Layout


def _filing(company_id: str, filing_id: str) -> dict[str, Any]:
    return {"filing_id": filing_id, "company_id": company_id, "filing_type": "annual_report"}


def test_a_patch_may_not_repeat_a_key_of_another_company(layout: Layout) -> None:
    for market in ("NO", "SE"):
        companies = [member(market, 1)]
        learn(layout, market, 0, companies=companies, filings=[_filing(companies[0]["company_id"], f"fil_{market}")])
    publish(layout, "NO", "SE")
    learn(layout, "SE", 1, filings=[_filing("firm:SE:900000001", "fil_NO")])
    with pytest.raises(InvalidReleaseError, match=r"release 2: rows: duplicate keys in filings"):
        publish(layout, "SE", at=1)
    assert release_manifest.served_position(layout)[0] == 1


def test_a_whole_look_finds_keys_that_repeat(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where each stretch has one company: within the last of them, and in two that have one filing."""
    some = partial(id_ranges.id_range_predicates, size=1)
    monkeypatch.setattr("warehouse.publish.full_build.id_ranges.id_range_predicates", some)
    ids = [f"firm:NO:90000000{place}" for place in (1, 2)]
    learn(
        layout,
        "NO",
        0,
        companies=[member("NO", 1), member("NO", 2)],
        filings=[_filing(one, f"fil_{one[-1]}") for one in ids],
        owners=[owner(one, "own_a", "10") for one in ids],
    )
    manifest = publish(layout, "NO")
    assert manifest is not None
    with open_database(segment_file(layout, 1, ROWS)) as connection:
        assert len(some(connection, "companies")) == 2
        found = validation.summarise_content(connection, 1)
        assert (found.counts, found.fingerprint) == (manifest.counts, manifest.content_fingerprint)
        connection.execute("INSERT INTO owners FROM owners ORDER BY company_id DESC LIMIT 1")
        connection.execute("UPDATE filings SET filing_id = 'fil_1'")
        repeated = r"release 1: rows: duplicate keys in filings, owners"
        with pytest.raises(InvalidReleaseError, match=repeated):
            validation.summarise_content(connection, 1)

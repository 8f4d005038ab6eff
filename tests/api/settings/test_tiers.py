"""Tiers in configuration: the contract's table, and files that change it."""

import json
from dataclasses import asdict, replace

import pytest

from api.settings.service import ApiSettings
from api.settings.tiers import DEFAULT, TiersError, load_tiers, read_tiers
from tests.tables import check_cases
from warehouse.settings.errors import SettingError


def test_the_contract_s_table():
    told = {
        tier.name: (
            tier.monthly_requests,
            tier.burst_per_second,
            tier.burst_capacity,
            tier.burst_seconds,
            tier.webhooks,
            tier.subscriptions,
            tier.entity_ids,
            tier.watchlist_companies,
        )
        for tier in DEFAULT.by_name.values()
    }
    assert told == {
        "basic": (1_200, 5, 10, 2, False, 0, 0, 100),
        "starter": (10_000, 10, 20, 2, False, 0, 0, 1_000),
        "pro": (60_000, 25, 50, 2, True, 10, 1_000, 10_000),
        "business": (400_000, 50, 100, 2, True, 50, 10_000, 100_000),
    }
    assert DEFAULT.names == ("basic", "starter", "pro", "business")
    clients = DEFAULT.clients
    assert (clients.failed_authentications_per_second, clients.publishable_key_requests_per_second) == (10, 5)
    assert DEFAULT.most_generous.name == "business"
    assert [tier.monthly_cents for tier in DEFAULT.by_name.values()] == [900, None, 14_900, None]


TOML = """
[tiers.pro]
monthly_requests = 90_000
monthly_cents = 19_900

[tiers.trial]
monthly_requests = 100
burst_per_second = 2
burst_capacity = 3

[clients]
failed_authentications_per_second = 3
"""


def test_a_file_changes_what_it_names_and_adds(tmp_path):
    path = tmp_path / "tiers.toml"
    path.write_text(TOML)
    tiers = ApiSettings.read({"FIRM_TIERS": str(path)}).tiers
    assert tiers.by_name["pro"].monthly_requests == 90_000
    assert tiers.by_name["pro"].subscriptions == 10
    assert tiers.by_name["basic"] == DEFAULT.by_name["basic"]
    assert tiers.names == (*DEFAULT.names, "trial")
    assert tiers.by_name["trial"].burst_seconds == 2
    assert (tiers.by_name["trial"].monthly_cents, tiers.by_name["pro"].monthly_cents) == (None, 19_900)
    assert not tiers.by_name["trial"].webhooks
    assert tiers.clients.failed_authentications_per_second == 3
    assert tiers.clients.publishable_key_requests_per_second == 5


def test_a_file_may_change_every_limit_of_a_tier():
    members = {name: value for name, value in asdict(DEFAULT.by_name["business"]).items() if name != "name"}
    changed = read_tiers({"tiers": {"pro": members | {"monthly_cents": 1}}}).by_name["pro"]
    assert changed == replace(DEFAULT.by_name["business"], name="pro", monthly_cents=1)


def test_a_file_may_be_json(tmp_path):
    path = tmp_path / "tiers.json"
    path.write_text(json.dumps({"tiers": {"basic": {"burst_capacity": 12}}}))
    assert load_tiers(path).by_name["basic"].burst_capacity == 12


def test_an_empty_file_changes_nothing():
    assert read_tiers({}) == DEFAULT


@check_cases(
    ("document", "said"),
    [
        ([], "the file must be a table"),
        ({"tier": {}}, "the file has no member 'tier'; it may have tiers, clients"),
        ({"tiers": {"pro": 5}}, r"tiers\.pro must be a table, not 5"),
        ({"tiers": {"pro": {"monthly": 5}}}, r"tiers\.pro has no member 'monthly'"),
        ({"tiers": {"pro": {"name": "x"}}}, r"tiers\.pro has no member 'name'"),
        ({"tiers": {"pro": {"monthly_requests": "5"}}}, r"tiers\.pro\.monthly_requests must be a whole number"),
        ({"tiers": {"pro": {"monthly_requests": True}}}, r"tiers\.pro\.monthly_requests must be a whole number"),
        ({"tiers": {"pro": {"burst_capacity": 2.5}}}, r"tiers\.pro\.burst_capacity must be a whole number"),
        ({"tiers": {"pro": {"burst_per_second": 0}}}, r"tiers\.pro\.burst_per_second must be from 1 to 1000000, not 0"),
        ({"tiers": {"pro": {"monthly_cents": 149.0}}}, r"tiers\.pro\.monthly_cents must be a whole number"),
        ({"tiers": {"pro": {"webhooks": 1}}}, r"tiers\.pro\.webhooks must be true or false"),
        ({"tiers": {"pro": {"webhooks": False}}}, r"tiers\.pro\.subscriptions must be 0 where webhooks is false"),
        ({"tiers": {"gold": {"burst_capacity": 2}}}, r"tiers\.gold\.monthly_requests is missing: a new tier needs"),
        ({"tiers": {"Gold!": {}}}, r"tiers\.Gold!: a name is"),
        ({"clients": {"other": 1}}, "clients has no member 'other'"),
        ({"clients": {"failed_authentications_per_second": 0}}, "must be from 1 to"),
    ],
)
def test_strict_reading_names_the_member(tmp_path, document, said):
    path = tmp_path / "tiers.json"
    path.write_text(json.dumps(document))
    with pytest.raises(TiersError, match=said) as raised:
        load_tiers(path)
    assert str(raised.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("absent.toml", None, "cannot be read"),
        ("broken.toml", b"[tiers", "is not TOML"),
        ("broken.json", b"{", "is not JSON"),
        ("latin.toml", b"# \xe5", "is not TOML"),
    ],
)
def test_a_file_that_cannot_be_read_is_said_by_its_name(tmp_path, name, content, said):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SettingError, match=said) as raised:
        ApiSettings.read({"FIRM_TIERS": str(path)})
    assert str(raised.value).startswith(f"FIRM_TIERS: {path} ")

"""Limits per client address: failed authentication, and visitors of publishable keys."""

import asyncio
from datetime import UTC, datetime

import http_sf
import httpx
import pytest
from sqlalchemy.exc import OperationalError

from api.accounts import repository
from api.auth import api_keys
from api.rate_limits.limiter import client_network
from api.settings.tiers import DEFAULT

COMPANY = "/api/v1/companies/5599999991"


@pytest.fixture
def limited(serve, world):
    return serve(world, tiers=DEFAULT)


def tokens(answer):
    """What is left of the account's burst."""
    return dict(http_sf.parse(answer.headers["RateLimit"].encode(), tltype="list")[0][1])["r"]


def look_ups(service):
    """How often a key was looked up in the database."""
    return service.parts.metrics.counts().totals.get("key_lookups", 0)


def fail(*_):
    raise OperationalError("statement", {}, RuntimeError("gone"))


class TestAddresses:
    """Limits per client address."""

    def failing(self, service, count, **headers):
        headers = headers or {"Authorization": f"Bearer {api_keys.make_key('live')}"}
        return [service.client.get(COMPANY, headers=headers) for _ in range(count)]

    @pytest.mark.parametrize("header", [{"Authorization": "Bearer nonsense"}, {"Accept": "*/*"}])
    def test_failed_authentication_spends_a_token_of_the_address(self, limited, header):
        answers = self.failing(limited, 11, **header)
        assert [answer.status_code for answer in answers] == [401] * 10 + [429]
        body = answers[-1].json()
        assert (body["code"], body["retry_after"], answers[-1].headers["Retry-After"]) == ("rate_limited", 1, "1")
        assert body["detail"].startswith("More than 10 failed authentications per second from this address.")
        limited.hands.seconds += 1
        assert [answer.status_code for answer in self.failing(limited, 11)] == [401] * 10 + [429]

    def test_right_keys_spend_none_and_known_ones_go_on(self, limited):
        for _ in range(40):
            assert limited.get(COMPANY).status_code == 200
        assert [answer.status_code for answer in self.failing(limited, 11)] == [401] * 10 + [429]
        assert limited.get(COMPANY).status_code == 200, "a key that is known needs nothing of the address"
        limited.hands.seconds += 31
        self.failing(limited, 11)
        assert limited.get(COMPANY).status_code == 200, "nor does one that is looked up again"

    def test_a_flood_of_invented_keys_does_not_reach_the_database(self, limited):
        for _ in range(100):
            self.failing(limited, 1)
        assert look_ups(limited) == 10

    def test_a_look_up_that_fails_is_no_failure_of_a_known_key(self, limited, monkeypatch):
        own = {"Authorization": f"Bearer {limited.key}"}
        assert self.failing(limited, 1, **own)[0].status_code == 200
        limited.hands.seconds += 31
        with monkeypatch.context() as broken:
            broken.setattr(repository, "find_key_by_digest", fail)
            assert [answer.status_code for answer in self.failing(limited, 15, **own)] == [200] * 15
            limited.hands.seconds += 1000
            assert [answer.status_code for answer in self.failing(limited, 15, **own)] == [503] * 15
        assert [answer.status_code for answer in self.failing(limited, 11)] == [401] * 10 + [429]

    def test_a_new_key_is_not_looked_up_for_ever_while_look_ups_fail(self, limited, monkeypatch):
        monkeypatch.setattr(repository, "find_key_by_digest", fail)
        assert [answer.status_code for answer in self.failing(limited, 11)] == [503] * 10 + [429]

    def test_expired_and_revoked_keys_fail_too(self, limited):
        revoked = limited.accounts.create_key("owner@example.com", "live")
        limited.accounts.revoke_key(revoked.key_id)
        answers = self.failing(limited, 11, Authorization=f"Bearer {revoked.key}")
        assert [answer.status_code for answer in answers] == [401] * 10 + [429]
        limited.hands.seconds += 2
        ends = datetime.fromtimestamp(limited.hands.seconds + 1, UTC)
        expiring = limited.accounts.create_key("owner@example.com", "live", expires_at=ends)
        header = {"Authorization": f"Bearer {expiring.key}"}
        assert self.failing(limited, 1, **header)[0].status_code == 200
        limited.hands.seconds += 1
        assert [answer.status_code for answer in self.failing(limited, 11, **header)] == [401] * 10 + [429]

    def test_many_requests_with_one_key_share_its_look_up(self, serve, world):
        """What a page sends as it opens, and what comes when the key is looked up again."""
        service = serve(world, tiers=DEFAULT, with_client=False)
        wrong = f"Bearer {api_keys.make_key('live')}"

        async def crowd(count, **headers):
            transport = httpx.ASGITransport(service.app, client=("192.0.2.1", 1))
            async with httpx.AsyncClient(transport=transport, base_url="http://api.example.com") as client:
                sent = [client.get(COMPANY, headers=headers) for _ in range(count)]
                return [answer.status_code for answer in await asyncio.gather(*sent)]

        own = {"Authorization": f"Bearer {service.key}"}
        assert asyncio.run(crowd(40, **own)) == [200] * 40
        assert look_ups(service) == 1
        service.hands.seconds += 31
        assert asyncio.run(crowd(40, **own)) == [200] * 40
        assert look_ups(service) == 2
        assert asyncio.run(crowd(12, Authorization=wrong)) == [401] * 12
        assert asyncio.run(crowd(1, Authorization=wrong)) == [429], "each of them has failed"
        assert look_ups(service) == 3

    def test_every_address_has_its_own(self, serve, world):
        service = serve(world, tiers=DEFAULT, trusted_proxies=("192.0.2.1",), with_client=False)

        async def ask(peer, addresses):
            transport = httpx.ASGITransport(service.app, client=(peer, 1))
            async with httpx.AsyncClient(transport=transport, base_url="http://api.example.com") as client:
                sent = [{"Authorization": "Bearer nonsense", "X-Forwarded-For": address} for address in addresses]
                return [(await client.get(COMPANY, headers=headers)).status_code for headers in sent]

        one, two = "198.51.100.1", "198.51.100.2"
        assert asyncio.run(ask("192.0.2.1", [one] * 11 + [two])) == [401] * 10 + [429, 401]
        assert asyncio.run(ask("192.0.2.9", [f"198.51.100.{n}" for n in range(11)])) == [401] * 10 + [429], (
            "what a caller says of itself is not believed"
        )

    def test_publishable_keys_have_five_a_second_per_visitor(self, limited):
        public = limited.accounts.create_key("owner@example.com", "public", ["example.com"]).key
        header = {"Authorization": f"Bearer {public}", "Origin": "https://example.com"}

        def ask(count):
            return [limited.client.get(COMPANY, headers=header) for _ in range(count)]

        answers = ask(7)
        assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 2
        refused = answers[-1].json()
        assert refused["detail"] == "More than 5 requests per second from one address. Try again in 1 second."
        assert (refused["code"], refused["violated-policies"]) == ("rate_limited", ["burst"])
        assert tokens(answers[4]) == 45
        assert tokens(limited.get(COMPANY)) == 44, "who is refused takes nothing of the account's"
        limited.hands.seconds += 1
        assert [answer.status_code for answer in ask(6)] == [200] * 5 + [429]

    def test_a_wrong_origin_is_said_before_the_burst(self, limited):
        public = limited.accounts.create_key("owner@example.com", "public", ["example.com"]).key
        header = {"Authorization": f"Bearer {public}", "Origin": "https://evil.example"}
        answers = [limited.client.get(COMPANY, headers=header) for _ in range(8)]
        assert {answer.json()["code"] for answer in answers} == {"origin_not_allowed"}
        assert "RateLimit" in answers[0].headers

    @pytest.mark.parametrize(
        ("client", "network"),
        [("192.0.2.7", "192.0.2.7"), ("2001:db8:1:2::7", "2001:db8:1:2:ffff::1"), ("unix", "unix")],
    )
    def test_ipv6_addresses_of_one_subscriber_are_one(self, client, network):
        assert client_network(client) == client_network(network)
        assert client_network("2001:db8:1:2::7") != client_network("2001:db8:1:3::7")

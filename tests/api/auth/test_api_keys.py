"""Keys and accounts: format, life, kinds, origins, what is stored."""

import re
import string
import zlib
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from api.accounts.service import AccountError
from api.auth import api_keys
from api.auth.allowed_origins import domain_fault, is_allowed_origin, parse_origin
from tests.tables import check_cases

COMPANY = "/api/v1/companies/5599999991"
REALM = 'Bearer realm="firm"'
BAD_TOKEN = REALM + ', error="invalid_token"'


@pytest.fixture
def service(serve, world, control_url):
    return serve(world, database_url=control_url)


def ask(service, key, **headers):
    return service.client.get(COMPANY, headers={"Authorization": f"Bearer {key}"} | headers)


@pytest.mark.parametrize("kind", api_keys.KINDS)
def test_format_with_checksum(kind):
    key = api_keys.make_key(kind)
    assert re.fullmatch(rf"firm_{kind}_[0-9A-Za-z]{{42}}", key)
    assert api_keys.key_kind(key) == kind
    assert api_keys.make_key(kind) != key


def test_checksum_is_crc32_in_base62():
    assert zlib.crc32(b"123456789") == 0xCBF43926  # the standard's own check value
    digits = string.digits + string.ascii_uppercase + string.ascii_lowercase

    def checksum(text):
        return "".join(digits[zlib.crc32(text.encode()) // 62**place % 62] for place in range(5, -1, -1))

    key = api_keys.make_key("live")
    assert key[-6:] == checksum(key[:-6])
    body = "firm_live_" + "a" * 36
    assert api_keys.key_kind(body + checksum(body)) == "live"
    assert api_keys.key_kind(body + "000000") is None


def test_any_mistyped_character_is_noticed():
    key = api_keys.make_key("live")
    for place in range(len("firm_live_"), len(key)):
        other = "b" if key[place] == "a" else "a"
        assert api_keys.key_kind(key[:place] + other + key[place + 1 :]) is None


@check_cases(
    ("header", "code", "challenge"),
    [
        (None, "missing_api_key", REALM),
        ("Basic abc", "missing_api_key", REALM),
        ("Bearer ", "missing_api_key", REALM),
        ("Bearer nonsense", "invalid_api_key", BAD_TOKEN),
        ("Bearer {unknown}", "invalid_api_key", BAD_TOKEN),
    ],
)
def test_401(service, header, code, challenge):
    sent = {"Authorization": header.format(unknown=api_keys.make_key("live"))} if header else {}
    answer = service.client.get(COMPANY, headers=sent)
    assert (answer.status_code, answer.json()["code"]) == (401, code)
    assert answer.headers["www-authenticate"] == challenge


def test_unknown_and_malformed_keys_get_the_same_body(service):
    def body(key):
        answer = ask(service, key, **{"X-Request-Id": "same-request-id"})
        return answer.content

    assert body("nonsense") == body(api_keys.make_key("live")) == body(service.key[:-1] + "!")


def test_the_scheme_is_case_insensitive(service):
    assert service.client.get(COMPANY, headers={"Authorization": f"bearer {service.key}"}).status_code == 200


@pytest.mark.parametrize("kind", ["live", "secret"])
def test_secret_kinds_have_the_same_rights(service, kind):
    key = service.accounts.create_key("owner@example.com", kind).key
    assert ask(service, key).status_code == 200


@check_cases(
    "query", ["api_key={key}", "access_token=abc", "apikey=x", "q={key}", "q=a&API_KEY=b", "q=firm%5Flive%5Fabc"]
)
def test_key_in_url(service, query):
    answer = service.get("/api/v1/companies?" + query.format(key=service.key))
    assert (answer.status_code, answer.json()["code"]) == (400, "api_key_in_url")
    assert service.key not in answer.text


def test_revoked_within_the_cache_time(service):
    made = service.accounts.create_key("owner@example.com", "live")
    assert ask(service, made.key).status_code == 200
    service.accounts.revoke_key(made.key_id)
    service.hands.seconds += 29
    assert ask(service, made.key).status_code == 200
    service.hands.seconds += 2
    answer = ask(service, made.key)
    assert (answer.status_code, answer.json()["code"]) == (401, "revoked_api_key")
    assert answer.json()["detail"] == "This key was revoked on 2026-11-21. Use another key."
    assert answer.headers["www-authenticate"] == BAD_TOKEN
    before = service.accounts.revoke_key(made.key_id).revoked_at
    assert before == datetime(2026, 11, 21, 9, 0, tzinfo=UTC), "the first revocation stands"


def test_expired_to_the_second(service):
    ends = datetime(2026, 11, 21, 9, 0, 10, tzinfo=UTC)
    key = service.accounts.create_key("owner@example.com", "live", expires_at=ends).key
    assert ask(service, key).status_code == 200
    service.hands.seconds += 9
    assert ask(service, key).status_code == 200
    service.hands.seconds += 1
    answer = ask(service, key)
    assert (answer.status_code, answer.json()["code"]) == (401, "expired_api_key")
    assert answer.json()["detail"] == "This key expired on 2026-11-21."


@pytest.mark.parametrize(
    ("status", "answer"), [("suspended", (403, "account_suspended")), ("payment_required", (402, "payment_required"))]
)
def test_account_that_may_not_call(service, status, answer):
    service.accounts.create_account(f"{status}@example.com", "basic")
    key = service.accounts.create_key(f"{status}@example.com", "live").key
    service.accounts.set_status(f"{status}@example.com", status)
    got = ask(service, key)
    assert (got.status_code, got.json()["code"]) == answer


@check_cases(
    ("domains", "origin", "code"),
    [
        (["example.com"], "https://example.com", None),
        (["example.com"], "https://EXAMPLE.com:443", None),
        (["example.com"], "https://www.example.com", "origin_not_allowed"),
        (["example.com"], "https://example.com.evil.example", "origin_not_allowed"),
        (["example.com"], "https://notexample.com", "origin_not_allowed"),
        (["example.com"], "https://example.com:8443", "origin_not_allowed"),
        (["example.com:8443"], "https://example.com:8443", None),
        (["example.com"], "http://example.com", "origin_not_allowed"),
        (["*.example.com"], "https://a.b.example.com", None),
        (["*.example.com"], "https://example.com", "origin_not_allowed"),
        (["*.example.com"], "https://evilexample.com", "origin_not_allowed"),
        (["*.example.com"], "https://.example.com", "origin_not_allowed"),
        (["example.com:443"], "http://example.com:443", "origin_not_allowed"),
        (["http://localhost:*"], "http://localhost:3000", None),
        (["example.com"], "http://localhost:3000", "origin_not_allowed"),
        (["example.com"], "null", "origin_not_allowed"),
        (["example.com"], "https://example.com@evil.example", "origin_not_allowed"),
        (["example.com"], None, "origin_required"),
    ],
)
def test_publishable_key_origin_matrix(service, domains, origin, code):
    key = service.accounts.create_key("owner@example.com", "public", domains).key
    answer = ask(service, key, **({"Origin": origin} if origin else {}))
    assert (answer.status_code, answer.json().get("code")) == ((403, code) if code else (200, None))


def test_a_referer_stands_in_for_a_missing_origin(service):
    key = service.accounts.create_key("owner@example.com", "public", ["example.com"]).key
    assert ask(service, key, Referer="https://example.com/page?x=1").status_code == 200
    assert ask(service, key, Referer="https://evil.example/example.com").status_code == 403


def test_international_hosts_have_one_spelling():
    origin = parse_origin("https://Bücher.example")
    assert origin is not None
    assert is_allowed_origin(origin, ("xn--bcher-kva.example",))
    assert is_allowed_origin(origin, ("bücher.example",))


def test_a_name_of_today_is_not_the_name_that_it_was_in_2003():
    """IDNA 2003 made strasse of straße: two names today, of two owners perhaps."""
    own, other = parse_origin("https://straße.example"), parse_origin("https://strasse.example")
    assert own is not None
    assert other is not None
    assert own.host == "xn--strae-oqa.example"
    assert is_allowed_origin(own, ("straße.example", "*.other.example"))
    assert not is_allowed_origin(other, ("straße.example",))
    assert not is_allowed_origin(own, ("strasse.example",))


@check_cases(
    ("domain", "told"),
    [
        ("*.co.uk", "anybody can have a name below co.uk: write your own, for example shop.co.uk"),
        ("co.uk", "anybody can have a name below co.uk"),
        ("*.github.io", "anybody can have a name below github.io"),
        ("127.0.0.1:5173", "write http://127.0.0.1:5173"),
        ("localhost", "write http://localhost:*"),
        ("localhost:3000", "write http://localhost:3000"),
        ("http://192.168.0.7:3000", "http:// is for localhost and 127.0.0.1 only"),
        ("192.168.0.7", "use example.com"),
        ("a" * 64 + ".example", "use example.com"),
        (".".join(["a" * 60] * 5) + ".example", "use example.com"),
        ("☃.example", "use example.com"),
        ("shop_a.example", "use example.com"),
        ("example.com:" + "9" * 5_000, "its port must be a number from 1 to 65535"),
        ("http://localhost:" + "9" * 5_000, "its port must be a number from 1 to 65535"),
        ("example.com:٣", "its port must be a number from 1 to 65535"),
    ],
)
def test_a_domain_that_fits_nothing_or_everybody_is_refused_with_what_to_write(domain, told):
    fault = domain_fault(domain)
    assert fault is not None
    assert told in fault


@check_cases("label", ["a\x00b", "a\nb", "\u202eb", "x" * 101])
def test_a_label_is_printable(service, label):
    with pytest.raises(AccountError, match="at most 100 characters, all of them printable"):
        service.accounts.create_key("owner@example.com", "live", label=label)


@check_cases(
    ("domain", "right"),
    [
        ("a.co.uk", True),
        ("*.shop.example", True),
        ("example.com", True),
        ("*.example.com", True),
        ("example.com:8443", True),
        ("http://localhost:*", True),
        ("http://127.0.0.1:3000", True),
        ("*", False),
        ("*.", False),
        ("com", False),
        ("http://example.com", False),
        ("https://example.com", False),
        ("example.com/path", False),
        ("example.com:*", False),
        ("example.com:0", False),
        ("a..b", False),
    ],
)
def test_domains_that_a_key_may_be_bound_to(domain, right):
    assert (domain_fault(domain) is None) is right


def test_what_the_operator_may_not_do(service):
    accounts = service.accounts
    for wrong in (
        lambda: accounts.create_account("not an address", "pro"),
        lambda: accounts.create_account("new@example.com", "gold"),
        lambda: accounts.create_account("OWNER@example.com", "pro"),
        lambda: accounts.set_tier("owner@example.com", "gold"),
        lambda: accounts.set_tier("nobody@example.com", "pro"),
        lambda: accounts.create_key("nobody@example.com", "live"),
        lambda: accounts.create_key("owner@example.com", "golden"),
        lambda: accounts.create_key("owner@example.com", "public"),
        lambda: accounts.create_key("owner@example.com", "live", ["example.com"]),
        lambda: accounts.create_key("owner@example.com", "public", ["*"]),
        lambda: accounts.create_key("owner@example.com", "live", label="x" * 101),
        lambda: accounts.revoke_key("key_nothing"),
    ):
        with pytest.raises(AccountError):
            wrong()


def test_accounts_are_found_by_id_and_address(service):
    made = service.accounts.create_account(" New@Example.com ", "basic")
    assert made.account_id.startswith("acc_")
    assert service.accounts.account("new@example.com") == made
    assert service.accounts.set_tier(made.account_id, "business") == replace(made, tier="business")
    assert service.accounts.account(made.account_id).tier == "business"

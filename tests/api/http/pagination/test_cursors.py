"""Cursors: tampering, other queries, other accounts, age, rotation."""

import base64
import hmac
import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.common.clock import Clock
from api.http.pagination.cursors import LIFETIME_SECONDS, MAX_LENGTH, CursorBinding, CursorCipher, filter_hash
from api.problems.problem import ProblemError
from tests.tables import check_cases

KEY = b"k" * 32
BINDING = CursorBinding("acc_1", "companies", filter_hash("a", 1), "desc")
keys = st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.text(max_size=40)), max_size=5)


class Hands:
    seconds = 1_000_000.0

    def __call__(self):
        return self.seconds


def cursors(hands=None, signing=(KEY,)):
    return CursorCipher(signing, Clock(wall=hands or Hands()))


def code(cursor, binding=BINDING, made=None):
    with pytest.raises(ProblemError) as caught:
        (made or cursors()).read(cursor, binding)
    return caught.value.problem_type.code


@given(keys)
def test_what_goes_in_comes_out(key):
    made = cursors()
    cursor = made.issue(BINDING, tuple(key))
    assert made.read(cursor, BINDING) == tuple(key)
    assert set(cursor) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def test_any_altered_character_is_noticed():
    cursor = cursors().issue(BINDING, (3, 123456789, "firm:SE:5599999991"))
    chance = random.Random(1)
    for place in range(len(cursor)):
        other = chance.choice([c for c in "ABCXYZabcxyz0189-_" if c != cursor[place]])
        assert code(cursor[:place] + other + cursor[place + 1 :]) == "invalid_cursor"


@check_cases("text", ["", "x", "é", "====", "A" * 513, "AQ", "a b", base64.b64encode(b"\x01" * 64).decode()])
def test_what_is_no_cursor(text):
    assert code(text) == "invalid_cursor"


def test_loose_ends_are_refused():
    cursor = cursors().issue(BINDING, (1,))
    for other in (cursor + "=", cursor + "\n", cursor + "A", " " + cursor):
        assert code(other) == "invalid_cursor"


@pytest.mark.parametrize(
    ("binding", "expected"),
    [
        (CursorBinding("acc_2", "companies", BINDING.filters, "desc"), "invalid_cursor"),
        (CursorBinding("acc_1", "events", BINDING.filters, "desc"), "cursor_mismatch"),
        (CursorBinding("acc_1", "companies", filter_hash("a", 2), "desc"), "cursor_mismatch"),
        (CursorBinding("acc_1", "companies", BINDING.filters, "asc"), "cursor_mismatch"),
    ],
)
def test_a_cursor_belongs_to_account_and_query(binding, expected):
    assert code(cursors().issue(BINDING, (1,)), binding) == expected


def test_seven_days_and_no_more():
    hands = Hands()
    made = cursors(hands)
    cursor = made.issue(BINDING, (1,))
    hands.seconds += LIFETIME_SECONDS
    assert made.read(cursor, BINDING) == (1,)
    hands.seconds += 1
    assert code(cursor, made=made) == "cursor_expired"


def test_a_tail_outlives_time_and_keys():
    hands = Hands()
    made = cursors(hands)
    tail = CursorBinding("acc_1", "events", BINDING.filters, "asc", lasting=True)
    cursor = made.issue(tail, (5,))
    hands.seconds += 10 * LIFETIME_SECONDS
    rotated = cursors(hands, (b"n" * 32, KEY))
    assert rotated.read(cursor, CursorBinding("acc_2", "events", BINDING.filters, "asc", lasting=True)) == (5,)
    assert rotated.issue(tail, (5,)) != made.issue(tail, (5,)), "the new key signs"
    assert code(cursor, tail, cursors(hands, (b"n" * 32,))) == "invalid_cursor"


def test_a_tail_is_another_query_not_another_cursor():
    """Turning `order` round between pages is a change of the query, and said so; a stranger's cursor stays one."""
    tail = CursorBinding("acc_1", "events", BINDING.filters, "asc", lasting=True)
    pages = CursorBinding("acc_1", "events", BINDING.filters, "desc")
    assert code(cursors().issue(tail, (5,)), pages) == "cursor_mismatch"
    assert code(cursors().issue(pages, (5,)), tail) == "cursor_mismatch"
    stranger = CursorBinding("acc_2", "events", BINDING.filters, "asc", lasting=True)
    assert code(cursors().issue(pages, (5,)), stranger) == "invalid_cursor"


def test_over_http(service):
    path = "/api/v1/companies?limit=1&country=SE,NO"
    cursor = service.get(path).json()["next_cursor"]
    assert service.get(f"/api/v1/companies?country=SE,NO&limit=3&cursor={cursor}").status_code == 200
    for other, expected in (
        (f"/api/v1/companies?country=SE&cursor={cursor}", "cursor_mismatch"),
        (f"/api/v1/companies/5599999991/events?cursor={cursor}", "cursor_mismatch"),
        (f"/api/v1/companies?country=SE,NO&cursor={cursor[:-2]}AA", "invalid_cursor"),
        (f"/api/v1/companies?country=SE,NO&cursor={cursor}%0A", "invalid_cursor"),
        ("/api/v1/companies?cursor=", "invalid_cursor"),
    ):
        answer = service.get(other)
        assert (answer.status_code, answer.json()["code"]) == (400, expected)
        assert answer.json()["errors"][0]["parameter"] == "cursor"
    service.accounts.create_account("other@example.com", "basic")
    key = service.accounts.create_key("other@example.com", "live").key
    answer = service.client.get(f"{path}&cursor={cursor}", headers={"Authorization": f"Bearer {key}"})
    assert answer.json()["code"] == "invalid_cursor"
    service.hands.seconds += 8 * 24 * 3600
    assert service.get(f"{path}&cursor={cursor}").json()["code"] == "cursor_expired"


def raw_of(cursor):
    return base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))


def text_of(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def signed(content, version=b"\x01"):
    """A cursor of the version before encryption: 16 bytes of HMAC-SHA256 behind the content."""
    raw = version + content
    return text_of(raw + hmac.digest(KEY, b"cursor" + raw, "sha256")[:16])


CONTENT = msgspec.msgpack.encode(["acc_1", "companies", BINDING.filters, ["EKSEMPEL"], "desc", 1_000_000])


def test_nothing_of_the_key_can_be_read():
    raw = raw_of(cursors().issue(BINDING, ("EKSEMPEL ASA", 103_774_000_000)))
    for part in (b"EKSEMPEL", b"companies", b"acc_1", msgspec.msgpack.encode(103_774_000_000)):
        assert part not in raw


def test_cursors_that_were_signed_only_are_read_on():
    assert cursors().read(signed(CONTENT), BINDING) == ("EKSEMPEL",)
    raw = raw_of(signed(CONTENT))
    assert code(text_of(raw[:-1] + bytes([raw[-1] ^ 1]))) == "invalid_cursor"
    hands = Hands()
    hands.seconds += LIFETIME_SECONDS + 1
    assert code(signed(CONTENT), made=cursors(hands)) == "cursor_expired"


def test_what_we_signed_but_do_not_understand_is_invalid():
    for version in (b"\x02", b"\x03", b"\x00"):
        assert code(signed(CONTENT, version)) == "invalid_cursor"
    for content in (b"", b"\xff", b"\x90", b"\x93\x01\x02\x03", CONTENT + b"\x00"):
        assert code(signed(content)) == "invalid_cursor"
    for raw in (b"", b"\x02", b"\x02" + b"x" * 16, b"\x02" + b"x" * 100):
        assert code(text_of(raw)) == "invalid_cursor"


def test_a_cursor_longer_than_promised_is_refused_though_it_is_ours():
    longer = cursors().issue(BINDING, ("x" * 400,))
    assert len(longer) > MAX_LENGTH
    assert code(longer) == "invalid_cursor"


def test_at_most_512_characters_for_seven_days():
    assert (MAX_LENGTH, LIFETIME_SECONDS) == (512, 604_800)


def test_filters_are_bound_by_eight_bytes():
    """Fewer, and two queries would now and then share their cursors."""
    assert len(filter_hash("a", 1)) == 8
    assert filter_hash("a", 1) != filter_hash("a", 2)

"""Private facts leave PSC bodies before they are kept; everything else stays as it was sent."""

import gzip
import io
import json
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.uk.psc.redact import PRIVATE, redact
from tests.tables import check_cases


def cleaned(body):
    return redact(io.BytesIO(body)).read()


BEFORE = b'{"company_number":"01234567","data":{"address":{"premises":"2 {x}","po_box":null},"name":"A \\"B\\"",'
BORN = b'"date_of_birth":{"month":2,"year":1977},'
AFTER = b'"natures_of_control":["x"]}}\n'


def test_a_line_loses_birth_and_address_and_nothing_else():
    assert cleaned(BEFORE + BORN + AFTER) == (
        b'{"company_number":"01234567","data":{"name":"A \\"B\\"","natures_of_control":["x"]}}\n'
    )


def test_a_line_without_private_facts_keeps_its_bytes():
    odd = b'{ "company_number" : "01234567" ,"data":{"name":"Z\xc3\xa9 \\u00e9","x":[ 1.50 ]}}\r\n'
    assert cleaned(odd) == odd


def test_words_inside_a_text_are_no_keys():
    text = json.dumps({"company_number": "1", "name": 'says "address": {"a": 1}, "date_of_birth"'}).encode()
    assert cleaned(text + b"\n") == text + b"\n"


@check_cases("key", PRIVATE)
@check_cases("value", [{"a": 1}, None, "1 High Street", 7, [1, {"b": 2}], {"a": {"b": {"c": "}"}}}, True])
@check_cases("place", ["first", "middle", "last", "only"])
@check_cases("indent", [None, 2])
def test_every_private_key_in_every_place_and_shape(key, value, place, indent):
    others = {"a": 1, "b": 2}
    members = {
        "first": {key: value, **others},
        "middle": {"a": 1, key: value, "b": 2},
        "last": {**others, key: value},
        "only": {key: value},
    }[place]
    body = json.dumps({"data": members}, indent=indent).encode()
    found = json.loads(cleaned(body + b"\n"))
    assert found == {"data": {} if place == "only" else others}


def test_a_list_answer_over_many_lines_keeps_its_shape():
    item = {"name": "A", "address": {"locality": "Leeds"}, "date_of_birth": {"year": 1950}}
    body = json.dumps({"items": [item, item], "total_results": 2}, indent=2).encode()
    assert json.loads(cleaned(body)) == {"items": [{"name": "A"}, {"name": "A"}], "total_results": 2}


def test_zip_and_gzip_come_out_as_plain_lines():
    line = BEFORE + BORN + AFTER
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("psc.txt", line * 2)
    assert cleaned(file.getvalue()) == cleaned(line * 2) == cleaned(gzip.compress(line * 2, mtime=0))


@check_cases(
    "body",
    [b"<html>Born 1977</html>", b"name,born\nA,1977\n", b"PK\x03\x04 broken 1977", b"\x1f\x8b 1977", b'{"born":1977,'],
)
def test_what_cannot_be_looked_through_is_not_kept(body):
    found = cleaned(body)
    assert b"1977" not in found
    assert set(json.loads(found)) == {"unreadable"}


def test_a_damaged_line_with_private_facts_is_withheld_alone():
    found = cleaned(BEFORE + BORN + AFTER + BEFORE + b'"date_of_birth":{"year":19\n' + BEFORE + BORN + AFTER)
    assert b"premises" not in found
    assert found.count(b"\n") == 3
    assert found.count(b"withheld") == 1


@pytest.mark.parametrize(
    "body", [b'{"name":"\x80', b'{"name":"\x80"}\n{"name":"B"}\n', b"[" * 100_000, b'{"a":' * 100_000]
)
def test_bytes_that_are_no_text_and_endless_nesting_are_no_accident(body):
    assert b"unreadable" in cleaned(body) or b"withheld" in cleaned(body)


@pytest.mark.parametrize("key", [rb"\u0061ddress", rb"date_of_birt\u0068", rb"identity_\u0076erification_details"])
def test_a_key_behind_escapes_is_the_same_key(key):
    body = b'{"company_number":"01234567","data":{"%b":{"premises":"7"},"name":"A"}}' % key
    assert json.loads(cleaned(body))["data"] == {"name": "A"}


@check_cases(
    "address",
    [
        {"premises": '"},', "locality": "7"},
        {"premises": 'a},"name":"b', "locality": "7"},
        {"premises": "a,", "locality": ":"},
        {"premises": {"line": "7"}, "locality": ["7", {"a": "}"}]},
        {"year": 7, "locality": "12},"},
    ],
)
def test_the_end_of_an_address_is_its_own_and_none_in_a_text(address):
    record = {"company_number": "01234567", "data": {"address": address, "name": "A", "kind": "k"}}
    body = json.dumps(record, separators=(",", ":")).encode() + b"\n"
    assert json.loads(cleaned(body)) == {"company_number": "01234567", "data": {"name": "A", "kind": "k"}}


def test_an_empty_body_stays_empty():
    assert cleaned(b"") == b""


def test_a_body_that_cannot_seek_is_redacted_too():
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

        def seek(self, *_):
            raise io.UnsupportedOperation

    line = BEFORE + BORN + AFTER
    assert redact(Pipe(line)).read() == cleaned(line)


def test_lines_longer_than_a_block_are_whole():
    line = json.dumps({"name": "x" * (5 << 20), "address": {"a": 1}, "b": 2}).encode() + b"\n"
    assert cleaned(BEFORE + BORN + AFTER + line) == cleaned(BEFORE + BORN + AFTER) + cleaned(line)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6) | st.sampled_from(PRIVATE), inner),
    max_leaves=12,
)


def without(value):
    if isinstance(value, dict):
        return {key: without(item) for key, item in value.items() if key not in PRIVATE}
    return [without(item) for item in value] if isinstance(value, list) else value


@settings(max_examples=60)
@given(
    records=st.lists(st.dictionaries(st.text(max_size=6) | st.sampled_from(PRIVATE), values), min_size=1, max_size=4)
)
@pytest.mark.slow
def test_any_json_comes_out_without_private_members_and_else_unchanged(records):
    body = b"".join(json.dumps(item, ensure_ascii=False).encode() + b"\n" for item in records)
    found = [json.loads(line) for line in cleaned(body).splitlines()]
    assert found == [without(item) for item in records]

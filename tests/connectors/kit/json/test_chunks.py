"""Arrays cut into stretches of whole records: wherever blocks end, and in one pass however they are made."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from connectors.kit.json import chunks
from connectors.kit.json.chunks import NotJsonError
from tests.fuzz.case import Limits
from tests.fuzz.held import within

ODD = [
    {"a": '"]}', "b": [[], {}]}, {"b": "\\\\", "a": '\\"'}, [], {"c": "[{" * 5}, {}, [["]"], 1], {"a": {"b": {"c": ["\\"]}}},
]  # fmt: skip


def cut(body: bytes, block: int) -> list[Any]:
    found = chunks.read_array(io.BytesIO(body), chunks.split_records, block)
    return [json.loads(bytes(record)) for records in found for record in records]


@pytest.mark.parametrize("indent", [None, 1])
def test_records_are_the_same_wherever_blocks_end(indent: int | None) -> None:
    body = json.dumps(ODD, indent=indent).encode()
    for block in range(1, len(body) + 1):
        assert cut(body, block) == ODD


@pytest.mark.parametrize(
    "record",
    [
        b'{"a":[' + b"{}," * 200_000,
        b'{"a":"' + b"\\\\" * 300_000,
        b"[" + b"9" * 600_000,
        b'{"a":[{"a":1' + b'},{"a":1' * 80_000,
    ],
)
def test_a_record_that_never_ends_is_looked_through_once(record: bytes) -> None:
    with within(Limits(2.0)), pytest.raises(NotJsonError, match="cut off"):
        cut(b"[" + record, 2_048)


def test_what_is_nested_without_an_end_is_no_json() -> None:
    with pytest.raises(NotJsonError, match="nested deeper than 5,000 levels"):
        cut(b"[" * 20_000, 4_096)

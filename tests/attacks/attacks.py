"""The attacks: what each sends, again and again, until it is told to stop.

Does not belong here: what is measured meanwhile (`tests.attacks.bystander`).
"""

import asyncio
import itertools
import json
import random
import re
import resource
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from tests.attacks.service import HOST, Target

SEED: Final = 20_261_128
CONNECTIONS: Final = 2  # of attacks that send one request after the other
UNFINISHED: Final = 3_000
SLOW: Final = 300
OPENED_PER_SECOND: Final = 500.0  # a flood of new connections is the firewall's task
OPENED_AGAIN_SECONDS: Final = 5.0
_LENGTH: Final = re.compile(rb"content-length: (\d+)")

Outcomes = Counter[str]
"""Responses by status, and connections closed without one."""


@dataclass(frozen=True)
class Attack:
    """`requests`: each is sent whole and its response read. `hold`: connections that are kept waiting instead."""

    name: str
    requests: Callable[[Target], Iterator[bytes]] | None = None
    hold: Callable[[Target], bytes] | None = None
    connections: int = CONNECTIONS
    drip: bytes = b""
    """What a held connection sends every second."""


def get(path: str, key: str, *headers: str) -> bytes:
    lines = [f"GET {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {key}", *headers, "", ""]
    return "\r\n".join(lines).encode("latin-1")


def post(path: str, key: str, body: bytes, *headers: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", f"Authorization: Bearer {key}", *headers]
    lines += ["Content-Type: application/json", f"Content-Length: {len(body)}", "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def _profile(target: Target, *headers: str) -> Iterator[bytes]:
    return itertools.repeat(get(f"/api/v1/companies/{target.company}", target.key, *headers))


def _bodies(*bodies: bytes) -> Callable[[Target], Iterator[bytes]]:
    return lambda target: itertools.cycle([post("/api/v1/webhooks", target.key, body) for body in bodies])


def _queries(target: Target) -> Iterator[bytes]:
    chance = random.Random(SEED)
    letters = "aeiourstln åäöß'&\"%*_\\"
    while True:
        text = "".join(chance.choice(letters) for _ in range(200)).encode("utf-8").hex("%")
        yield get(f"/api/v1/companies?q=%{text[:600]}&industry={','.join(['62'] * 50)}&country=SE", target.key)


def _cursors(target: Target) -> Iterator[bytes]:
    chance = random.Random(SEED)
    while True:
        text = "".join(chance.choice("ABCxyz019_-") for _ in range(512))
        yield get(f"/api/v1/companies?cursor={text}", target.key)


def _subscription(ids: int) -> bytes:
    entity_ids = [f"firm:NO:{number}" for number in range(900_000_000, 900_000_000 + ids)]
    members = {"endpoint_url": "https://h.example.com/x", "event_types": ["filing.published"], "entity_ids": entity_ids}
    return json.dumps(members).encode()


_TEXT: Final = b'{"a":"' + b"\\u00e4" * ((1 << 20) // 6 - 10) + b'"}'
_WITHIN: Final = b'{"a":[' + b",".join([b'"\\u00e4a\\u00e4a' + b"a" * 32 + b'"'] * 19_990) + b"]}"
"""What takes a parser longest and is within every limit."""
_REPEATED: Final = b"{" + b",".join(b'"m%d":1' % (number // 2) for number in range(5_000)) + b"}"
_UNKNOWN: Final = json.dumps({f"descripton{number}": 1 for number in range(100)}).encode()
_OBJECTS: Final = b'{"a":[' + b"{}," * 20_000 + b"{}]}"

ATTACKS: Final = (
    Attack("profiles at the tier's rate (for comparison)", _profile),
    Attack("repeated members", _bodies(_REPEATED)),
    Attack("unknown members", _bodies(_UNKNOWN)),
    Attack("20,000 objects, 10,000 ids, 1 MiB of escapes", _bodies(_OBJECTS, _subscription(10_000), _TEXT)),
    Attack("20,000 texts with escapes", _bodies(_WITHIN)),
    Attack("Forwarded of 8 KB of blanks", lambda target: _profile(target, "Forwarded: for=" + " " * 8_000 + "x")),
    Attack("X-Forwarded-For of 4,000 hops", lambda target: _profile(target, "X-Forwarded-For: " + "1,," * 4_000)),
    Attack("If-None-Match of 3,000 tags", lambda target: _profile(target, "If-None-Match: " + '"a", ' * 3_000)),
    Attack("Accept of 3,000 ranges", lambda target: _profile(target, "Accept: " + "a/b, " * 3_000)),
    Attack("98 headers of one name", lambda target: _profile(target, *["Forwarded: for=1"] * 90)),
    Attack("cookies for a page", lambda target: itertools.repeat(get("/dashboard", "", "Cookie: " + "a=b; " * 3_000))),
    Attack(
        "wrong keys", lambda _target: (get("/api/v1/usage", f"firm_live_{number:042}") for number in itertools.count())
    ),
    Attack("hostile searches", _queries),
    Attack("invented cursors", _cursors),
    Attack(
        "a query of 2,000 parameters",
        lambda target: itertools.repeat(get("/api/v1/companies?" + "a&" * 2_000, target.key)),
    ),
    Attack("pipelined requests", lambda target: itertools.repeat(get("/healthz", "") * 1_000)),
    Attack("malformed heads", lambda _target: itertools.repeat(b"\x16\x03\x01" + b"\x00" * 500)),
    Attack("endless header", hold=lambda _target: b"GET / HTTP/1.1\r\nX-Long: " + b"a" * 60_000, drip=b"a" * 60_000),
    Attack("unfinished heads", hold=lambda _target: b"GET / HTTP/1.1\r\nHost: a\r\n", connections=UNFINISHED),
    Attack(
        "slow bodies",
        hold=lambda target: post("/api/v1/webhooks", target.key, b" " * 60_000)[:-59_000],
        connections=SLOW,
        drip=b" ",
    ),
    Attack("responses that are not read", hold=lambda _target: get("/api/openapi.json", "") * 16, connections=SLOW),
)


async def run_attack(attack: Attack, target: Target, seconds: float) -> Outcomes:
    """Attacks for so long."""
    outcomes: Outcomes = Counter()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    if attack.requests is not None:
        requests = attack.requests(target)
        work = [_send_all(target.port, requests, outcomes) for _ in range(attack.connections)]
    else:
        assert attack.hold is not None
        work = [
            _hold(target.port, attack, target, number / OPENED_PER_SECOND, outcomes)
            for number in range(attack.connections)
        ]
    tasks = [asyncio.ensure_future(one) for one in work]
    _, unfinished = await asyncio.wait(tasks, timeout=seconds)
    for task in unfinished:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return outcomes


async def _send_all(port: int, requests: Iterator[bytes], outcomes: Outcomes) -> None:
    """One request after the other, on a new connection where one was closed."""
    while True:
        try:
            reader, writer = await asyncio.open_connection(HOST, port)
            for request in requests:
                writer.write(request)
                outcomes[await _read_status(reader)] += 1
        except (OSError, asyncio.IncompleteReadError):
            outcomes["closed"] += 1
        finally:
            writer.close()


async def _read_status(reader: asyncio.StreamReader) -> str:
    head = await reader.readuntil(b"\r\n\r\n")
    length = _LENGTH.search(head)
    if length:
        await reader.readexactly(int(length[1]))
    return head[9:12].decode()


async def _hold(port: int, attack: Attack, target: Target, delay: float, outcomes: Outcomes) -> None:
    """A connection that is opened again some time after the service closes it."""
    assert attack.hold is not None
    begun, drip = attack.hold(target), attack.drip
    await asyncio.sleep(delay)
    while True:
        try:
            reader, writer = await asyncio.open_connection(HOST, port)
            writer.transport.set_write_buffer_limits(1)  # type: ignore[attr-defined]
            writer.write(begun)
            while not drip or not (reader.at_eof() or writer.is_closing()):
                if not drip:
                    await asyncio.sleep(3_600)
                writer.write(drip)
                await writer.drain()
                await asyncio.sleep(1)
        except OSError:
            outcomes["closed"] += 1
        finally:
            writer.transport.abort()
        await asyncio.sleep(OPENED_AGAIN_SECONDS)

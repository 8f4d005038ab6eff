"""Invented requests and torn bytes against a service of several workers, while a bystander reads profiles.

Found is: a 5xx but 503, a worker that was replaced, a bystander's answer that took over two seconds. schemathesis invents
what the OpenAPI document describes, one request after what another one returned; the raw clients send heads, bodies and
pipelined requests that are cut, mixed and slow. Does not belong here: fuzzing of registries' files (`tests.fuzz`).
"""

import asyncio
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final

from rich.console import Console

from tests.attacks.attacks import ATTACKS, get, post
from tests.attacks.bystander import read_profiles
from tests.attacks.service import HOST, Target

ROOT: Final = Path(__file__).parents[2]
SLOWEST_SECONDS: Final = 2.0
CLIENTS: Final = 4
SPAN_SECONDS: Final = 10.0
_STATUS: Final = re.compile(rb"HTTP/1\.1 (\d{3}) ")


def fuzz(target: Target, seconds: float, log: Path) -> int:
    """Fuzzes for so long and prints what was found; exit code 1 if there is anything."""
    seed = random.SystemRandom().getrandbits(32)
    console = Console()
    console.print(f"seed {seed}, {seconds:.0f} seconds")
    workers, until = target.worker_ids(), time.monotonic() + seconds
    answers: Counter[int] = Counter()
    longest = 0.0
    with tempfile.TemporaryDirectory() as folder, multiprocessing.get_context("spawn").Pool(1) as pool:
        raw = pool.apply_async(_send_raw, (target, seconds, seed))
        invented = _start_schemathesis(target, seconds, seed, Path(folder))
        while time.monotonic() < until:
            taken, told = read_profiles(target, SPAN_SECONDS)
            answers, longest = answers + told, max(longest, *taken)
        report = invented.communicate(timeout=seconds + 120)[0]
        statuses = raw.get()
    found = [
        *_wrong_statuses(statuses, answers),
        *_wrong_workers(workers, target.worker_ids()),
        *_wrong_log(log.read_text(errors="replace")),
    ]
    if longest > SLOWEST_SECONDS:
        found.append(f"a bystander's answer took {longest:.1f} seconds")
    if "Server error" in report:
        found.append("schemathesis met a server error (above)")
    console.print(report[-3000:], markup=False, highlight=False)
    console.print(f"bystander: {dict(answers)}, longest {longest:.2f} s; raw clients: {dict(sorted(statuses.items()))}")
    console.print("\n".join(found) or "nothing was found", markup=False)
    return int(bool(found))


def _wrong_statuses(statuses: Counter[str], answers: Counter[int]) -> list[str]:
    raw = [
        f"raw clients got {status}, {times} times"
        for status, times in statuses.items()
        if status[0] == "5" and status != "503"
    ]
    return raw + [
        f"the bystander got {status}, {times} times" for status, times in answers.items() if status not in (200, 503)
    ]


def _wrong_workers(before: list[int], after: list[int]) -> list[str]:
    return [] if before == after else [f"workers were replaced: {before}, then {after}"]


def _wrong_log(log: str) -> list[str]:
    """Tracebacks: of requests that ended in a 500, or of connections."""
    tracebacks = log.count("Traceback (most recent call last)")
    place = log.find("Traceback (most recent call last)")
    return [f"{tracebacks} tracebacks in the log; the first: {log[place - 200 : place + 3000]}"] if tracebacks else []


def _start_schemathesis(target: Target, seconds: float, seed: int, folder: Path) -> "subprocess.Popen[str]":
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        *("run", f"http://{HOST}:{target.port}/api/openapi.json", "--url", f"http://{HOST}:{target.port}"),
        *("--checks", "not_a_server_error", "--phases", "fuzzing,stateful", "--max-time", str(int(seconds))),
        *("--seed", str(seed), "--continue-on-failure", "--header", f"Authorization: Bearer {target.key}"),
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FIRM_")}
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def _send_raw(target: Target, seconds: float, seed: int) -> Counter[str]:
    return asyncio.run(_send_all_raw(target, seconds, seed))


async def _send_all_raw(target: Target, seconds: float, seed: int) -> Counter[str]:
    statuses: Counter[str] = Counter()
    until = time.monotonic() + seconds
    clients = [_send_torn(target, random.Random(seed + number), until, statuses) for number in range(CLIENTS)]
    await asyncio.gather(*clients)
    return statuses


async def _send_torn(target: Target, chance: random.Random, until: float, statuses: Counter[str]) -> None:
    """One connection after the other: some requests, damaged or not, in pieces, some of them slow."""
    whole = [next(attack.requests(target)) for attack in ATTACKS if attack.requests is not None]
    whole += [attack.hold(target) for attack in ATTACKS if attack.hold is not None]
    whole += [get("/healthz", ""), post("/api/v1/webhooks", target.key, b"{}", "Expect: 100-continue")]
    while time.monotonic() < until:
        try:
            reader, writer = await asyncio.open_connection(HOST, target.port)
            for piece in _pieces(
                b"".join(_damaged(chance.choice(whole), chance) for _ in range(chance.randint(1, 4))), chance
            ):
                writer.write(piece)
                await asyncio.wait_for(writer.drain(), 5)
                await asyncio.sleep(chance.choice((0, 0, 0, 0.01, 0.3)))
            if chance.random() < 0.5:
                writer.write_eof()
            answer = await asyncio.wait_for(reader.read(1 << 20), chance.choice((0.05, 1, 3)))
            statuses.update(status.decode() for status in _STATUS.findall(answer))
            statuses["nothing"] += not answer
        except TimeoutError:
            statuses["waiting"] += 1
        except OSError:
            statuses["closed"] += 1
        finally:
            writer.transport.abort()


def _damaged(request: bytes, chance: random.Random) -> bytes:
    """The request, or one with bytes replaced, inserted, cut or repeated."""
    damage = chance.randrange(6)
    place = chance.randrange(min(len(request), 400))
    noise = chance.choice(
        (b"\x00", b"\r", b"\n", b"\r\n\r\n", b"\xff\xfe", b": ", b"%", b"Transfer-Encoding: chunked\r\n", b"a" * 300)
    )
    if damage == 1:
        return request[:place] + noise + request[place + len(noise) :]
    if damage == 2:
        return request[:place] + noise + request[place:]
    if damage == 3:
        return request[:place]
    if damage == 4:
        return request[:place] + request[: chance.randrange(200)] + request[place:]
    return request


def _pieces(sent: bytes, chance: random.Random) -> list[bytes]:
    """The bytes in up to eight pieces."""
    cuts = sorted(chance.randrange(len(sent) + 1) for _ in range(chance.randrange(8)))
    return [sent[start:end] for start, end in zip([0, *cuts], [*cuts, len(sent)], strict=True) if start < end]

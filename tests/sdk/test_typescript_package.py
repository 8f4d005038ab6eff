"""The TypeScript client: its own tests, and its tarball as others install it, with nothing else of this repository."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import npm
from tests.sdk.conftest import Live

pytestmark = pytest.mark.slow

README = (npm.CLIENT / "README.md").read_text(encoding="utf-8")
COMPILER = {
    "target": "ES2022",
    "module": "NodeNext",
    "lib": ["ES2023", "DOM", "DOM.Iterable"],
    "types": [],
    "strict": True,
    "exactOptionalPropertyTypes": True,
    "noUncheckedIndexedAccess": True,
}
PROGRAM = """\
import "./first.js";
import { receive } from "./receiver.js";
const request = new Request("https://x.example", { method: "POST", body: "{}" });
const answer = await receive(request, "whsec_AAAA");
console.log(answer.status, await answer.text());
"""
WRONG = """\
import { Client } from "@firmdata/client";
const client = new Client({ apiKey: "k", baseUrl: "https://api.example.com" });
const revenue: string = (await client.companies.get("1")).latest_revenue;
client.companies.financials("1", { period_type: "weekly" });
client.read("/api/v1/nothing");
export { revenue };
"""


@dataclass(frozen=True)
class Compiled:
    """A folder with the examples as JavaScript, and where the compiler found faults: names and lines."""

    folder: Path
    faults: list[tuple[str, str]]


@pytest.fixture(scope="module")
def compiled(tarball: Path) -> Compiled:
    """The README's examples, and calls of what the client does not have, compiled strictly by the tarball's types."""
    first, receiver = re.findall(r"^```ts\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    files = {"first.ts": first, "receiver.ts": receiver, "program.ts": PROGRAM, "wrong.ts": WRONG}
    for name, text in files.items():
        (tarball / name).write_text(text)
    (tarball / "tsconfig.json").write_text(json.dumps({"compilerOptions": COMPILER, "files": list(files)}))
    compiler = npm.CLIENT / "node_modules" / ".bin" / "tsc"
    printed = subprocess.run([compiler], cwd=tarball, capture_output=True, text=True, check=False).stdout
    return Compiled(tarball, re.findall(r"^(\S+)\((\d+),\d+\): error", printed, re.MULTILINE))


def test_its_own_tests_pass() -> None:
    npm.built_client()
    for command in (["npm", "test", "--silent"], ["npm", "run", "--silent", "check"]):
        done = subprocess.run(command, cwd=npm.CLIENT, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_tarball_has_what_it_needs_and_no_more(tarball: Path) -> None:
    installed = tarball / "node_modules" / "@firmdata" / "client"
    files = {path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()}
    others = {name for name in files if not name.startswith("dist/")}
    assert others == {"package.json", "README.md"}
    assert {"dist/index.js", "dist/index.d.ts", "dist/webhooks.js"} <= files
    assert {Path(name).suffix for name in files - others} == {".js", ".ts"}


def test_the_examples_are_typed_by_the_tarball_and_what_it_lacks_is_noticed(compiled: Compiled) -> None:
    assert compiled.faults == [("wrong.ts", "3"), ("wrong.ts", "4"), ("wrong.ts", "5")]


def test_the_examples_run_from_the_tarball(live: Live, compiled: Compiled) -> None:
    given = {"FIRMDATA_API_KEY": live.service.key, "FIRMDATA_BASE_URL": live.url}
    ran = subprocess.run(
        ["node", "program.js"],
        cwd=compiled.folder,
        env=os.environ | given,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [*live.lines_of_example("null"), "400 missing_header"]

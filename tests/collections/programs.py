"""The blocks of the page for beginners as programs: all of one language, in their order, as one.

Does not belong here: what they must print (`test_quickstart`).
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.collections.live import Live

PAGE = Path(__file__).resolve().parents[2] / "docs" / "quickstart.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = "-- next block --"


@dataclass(frozen=True)
class Language:
    """How a language's program is started, and what the test puts between its blocks."""

    command: tuple[str, ...]
    file: str
    mark: str
    verifies: str
    """What is found in the block that verifies a delivery."""
    before: str
    """Put before that block: what was delivered."""
    after: str
    """Put behind it: the delivery, and one that was changed."""


LANGUAGES = {
    "sh": Language(
        ("sh", "-eu"),
        "start.sh",
        f"echo '{MARK}'",
        "openssl",
        "SIGNATURE=$(cat signature.txt)",
        'printf " " >> body.json\n',
    ),
    "python": Language(
        (sys.executable, "-W", "error"),
        "start.py",
        f"print('{MARK}')",
        "def is_signed",
        "",
        "from pathlib import Path\n"
        "body, signature = Path('body.json').read_bytes(), Path('signature.txt').read_text()\n"
        "print(*(['refused', 'genuine'][is_signed(secret, sent, signature)] for sent in (body, body + b' ')), sep='\\n')",
    ),
    "js": Language(
        ("node",),
        "start.mjs",
        f"console.log('{MARK}');",
        "function isSigned",
        "",
        "const { readFileSync } = await import('node:fs');\n"
        "const [body, signature] = [readFileSync('body.json'), readFileSync('signature.txt', 'utf8')];\n"
        "for (const sent of [body, Buffer.concat([body, Buffer.from(' ')])])\n"
        "  console.log(isSigned(secret, sent, signature) ? 'genuine' : 'refused');",
    ),
}


def blocks(language: str) -> list[str]:
    return [text for name, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")) if name == language]


def program(name: str) -> str:
    language = LANGUAGES[name]
    parts = []
    for block in blocks(name):
        parts.append(language.mark)
        if language.verifies in block:
            again = block if name == "sh" else ""
            parts += [language.before, block, language.after, again]
        else:
            parts.append(block)
    return "\n".join(parts)


def run(name: str, live: Live, folder: Path) -> list[str]:
    """What each block printed."""
    language = LANGUAGES[name]
    live.endpoint.folder = folder
    (folder / language.file).write_text(program(name), encoding="utf-8")
    told = {
        "FIRMDATA_BASE_URL": live.base,
        "FIRMDATA_API_KEY": live.key,
        "ENDPOINT_URL": live.endpoint.url,
        "NO_PROXY": "*",
    }
    done = subprocess.run(
        [*language.command, language.file],
        cwd=folder,
        env=os.environ | told,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == "", done.stderr
    return [part.strip("\n") for part in done.stdout.split(f"{MARK}\n")[1:]]

"""`make audit`: advisories, secrets, a bill of materials, container files. Exit code as `judging.exit_code` says.

`python -m tests.audit accept-secrets` writes down that everything the scan finds now is no secret: look first.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.audit import judging
from tests.audit.judging import Finding

ROOT = Path(__file__).resolve().parents[2]
KNOWN = Path(__file__).with_name("no_secrets.json")
_SCANNING = Path(__file__).with_name("scanning.py")
BILL = ROOT / "build" / "sbom.cdx.json"
_SECONDS = 900
# made from what is scanned, or full of checksums
_GENERATED = (
    r"(^|/)(package-lock\.json|requirements(-[a-z]+)?\.lock|no_secrets\.json|openapi(_published)?\.json)$"
    r"|^collections/(bruno/|firmdata\.postman)"
)
# What a line has that any detector of detect-secrets can match; a line without it, as most are, is not read by all 27.
_SIGNS = (
    r"(?i:key|pass|pwd|secret|contrase|xox)",
    r"[\"'][\dA-Fa-f]{9}",  # more entropy than 3 bits takes nine different digits
    r"[\w+/=\\-]{20}",  # the shortest token without a sign of its own, and more entropy than 4.5 bits
    r"://|eyJ|authToken|AKC|AP[\dA-F]",
    r"\d\.\d+\.\d+\.\d",
)
WITHOUT_SIGNS = f"^(?!.*(?:{'|'.join(_SIGNS)}))"


def main(words: list[str]) -> int:
    if words == ["accept-secrets"]:
        KNOWN.write_text(json.dumps(judging.known_of(scan()), indent=1, sort_keys=True) + "\n")
        return 0
    findings: list[Finding] = []
    for finding in _findings():
        findings.append(finding)
        print(f"{finding.state:12} {finding.what}")
        for line in finding.told:
            print(f"{'':12} {line}")
    code = judging.exit_code(findings)
    if code == 3:
        print("nothing was found, but not everything could be looked at: ask again where the services answer")
    return code


def _findings() -> Iterator[Finding]:
    yield _python()
    for lock in _tracked("package-lock.json"):
        yield _npm(lock.parent)
    yield secrets()
    yield _bill()
    for path in (*_tracked("Containerfile"), *_tracked("Dockerfile")):
        yield _container(path)


def _run(*command: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=_SECONDS)


def _tool(name: str) -> str | None:
    """Beside this Python first."""
    return shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)


def _tracked(ending: str) -> list[Path]:
    listed = _run("git", "ls-files").stdout.splitlines()
    return [ROOT / path for path in listed if re.search(rf"(^|[/.]){re.escape(ending)}$", path)]


def _python() -> Finding:
    tool = _tool("pip-audit")
    if tool is None:
        return judging.missing("advisories of Python packages", "pip-audit")
    options = ("--require-hashes", "--disable-pip", "--format", "json", "--progress-spinner", "off")
    done = _run(tool, "--requirement", "requirements-dev.lock", *options)
    return judging.python_packages(done.stdout, done.stderr)


def _npm(folder: Path) -> Finding:
    tool, shown = _tool("npm"), folder.relative_to(ROOT).as_posix()
    if tool is None:
        return judging.missing(f"advisories of npm packages, {shown}", "npm")
    done = _run(tool, "audit", "--json", folder=folder)
    return judging.npm_packages(shown, done.stdout, done.stderr)


def secrets() -> Finding:
    """What is tracked now, judged by what was looked at before."""
    if _tool("detect-secrets") is None:
        return judging.missing("secrets in what is tracked", "detect-secrets")
    return judging.secrets(scan(), json.loads(KNOWN.read_text()))


def scan(folder: Path = ROOT) -> str:
    """detect-secrets' JSON of what is tracked in a folder."""
    return _run(sys.executable, str(_SCANNING), _GENERATED, WITHOUT_SIGNS, folder=folder).stdout


def _bill() -> Finding:
    tool = _tool("cyclonedx-py")
    if tool is None:
        return judging.missing("bill of materials", "cyclonedx-py")
    BILL.parent.mkdir(exist_ok=True)
    done = _run(tool, "requirements", "requirements.lock", "--output-reproducible", "--output-file", str(BILL))
    if done.returncode:
        return Finding("bad", "bill of materials", (done.stderr.strip(),))
    locked = re.findall(
        r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^ ;\\]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE
    )
    return judging.bill_of_materials(BILL.read_text(), ("==".join(one) for one in locked))


def _container(path: Path) -> Finding:
    tool, shown = _tool("hadolint"), path.relative_to(ROOT).as_posix()
    if tool is None:
        return judging.missing(f"container file {shown}", "hadolint")
    return judging.container_file(shown, _run(tool, "--format", "json", shown).stdout)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

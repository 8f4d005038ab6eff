"""The audit judges what its tools print, and takes silence for silence."""

from __future__ import annotations

import json
import re
import subprocess
from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path
from typing import Final

import pytest

from tests.audit import __main__ as audit
from tests.audit import judging
from tests.audit.judging import Finding

HASH: Final = sha256(b"of nothing").hexdigest()
PART: Final = "a1B2c3D4" * 12
# A line for each kind of secret, put together, so that none is found here.
EXAMPLES: Final = {
    "Artifactory Credentials": f" {'AKC'}{PART[:10]} ",
    "AWS Access Key": f"{'AKIA'}{PART[:16].upper()}",
    "Azure Storage Account access key": f"{'AccountKey='}{PART[:88]}",
    "Base64 High Entropy String": f"'{urlsafe_b64encode(bytes.fromhex(HASH)).decode()}'",
    "Basic Auth Credentials": f"a{'://'}b:c@d",
    "Cloudant Credentials": f"{'cloudant_pw'} = {HASH}",
    "Discord Bot Token": f"{'M'}{PART[:23]}.{PART[:6]}.{PART[:27]}",
    "GitHub Token": f"{'ghp_'}{PART[:36]}",
    "GitLab Token": f"{'glpat-'}{PART[:20]}",
    "Hex High Entropy String": f'"{"12345678a"}"',
    "IBM COS HMAC Credentials": f"{'cos_hmac_secret_key'} = {HASH[:48]}",
    "IBM Cloud IAM Key": f"{'ibm_cloud_iam_key'} = {PART[:44]}",
    "JSON Web Token": ".".join(
        urlsafe_b64encode(json.dumps(part).encode()).decode().strip("=") for part in ({"alg": "none"}, {})
    ),
    "Mailchimp Access Key": f"{PART[:32].lower()}{'-us1'}",
    "NPM tokens": f"//a/:{'_authToken'}=npm_a",
    "OpenAI Token": f"{'sk-'}{PART[:20]}{'T3BlbkFJ'}{PART[:20]}",
    "Private Key": f"BEGIN {'RSA PRIVATE KEY'}",
    "Public IP (ipv4)": f"8.{'8.8'}.8",
    "PyPI Token": f"{'pypi-AgEIcHlwaS5vcmc'}{PART[:70]}",
    "Secret Keyword": f'{"pwd"} = "a"',
    "SendGrid API Key": f"{'SG.'}{PART[:22]}.{PART[:43]}",
    "Slack Token": f"{'XOXB'}-1-a",
    "SoftLayer Credentials": f"{'softlayer_key'} = {HASH}",
    "Square OAuth Secret": f"{'sq0csp-'}{PART[:43]}",
    "Stripe Access Key": f"{'rk_live_'}{PART[:24]}",
    "Telegram Bot Token": f"{'12345678:'}{PART[:35]}",
    "Twilio API Key": f"{'AC'}{PART[:32].lower()}",
}

SECRET = {"type": "Secret Keyword", "hashed_secret": "5baa61e4", "line_number": 7}


def packages(*entries: dict) -> str:
    return json.dumps({"dependencies": [{"name": "one", "version": "1.0", **entry} for entry in entries], "fixes": []})


def test_python_packages_that_nobody_was_asked_about_are_not_sound() -> None:
    well = judging.python_packages(packages({"vulns": []}), "")
    assert (well.state, well.what) == ("ok", "advisories of Python packages: 1 looked up")
    # so pip-audit ends, with exit code 0, where the index has no advisories
    none = judging.python_packages(packages({"skip_reason": "not found on PyPI"}, {"vulns": []}), "No known …")
    assert (none.state, none.told) == ("out of reach", ("1 of 2 could not be asked about: one …",))
    assert judging.python_packages("", "Traceback\nConnectionError: refused\n").told == ("ConnectionError: refused",)
    assert judging.python_packages(packages(), "").state == "out of reach"
    advisory = {"id": "PYSEC-2026-1", "fix_versions": ["1.1", "2.0"]}
    bad = judging.python_packages(packages({"vulns": [advisory]}, {"skip_reason": "x"}), "")
    assert (bad.state, bad.told) == ("bad", ("one 1.0: PYSEC-2026-1, mended in 1.1 or 2.0",))


def test_npm_packages() -> None:
    refused = '{"message": "405 Method Not Allowed", "statusCode": 405, "error": {"summary": ""}}'
    out = judging.npm_packages("ui", refused, "npm error A complete log is elsewhere")
    assert (out.state, out.told) == ("out of reach", ("405 Method Not Allowed",))
    assert judging.npm_packages("ui", "", "npm error network\n").told == ("npm error network",)
    assert judging.npm_packages("ui", '{"vulnerabilities": {}}', "").state == "ok"
    found = {"vulnerabilities": {"left-pad": {"severity": "high", "range": "<2"}}}
    assert judging.npm_packages("ui", json.dumps(found), "").told == ("left-pad: high, <2",)


def test_secrets_are_those_that_nobody_has_looked_at() -> None:
    printed = json.dumps({"results": {"a.py": [SECRET]}})
    assert judging.secrets(printed, {}).told == ("a.py:7: Secret Keyword",)
    assert judging.secrets(printed, {"b.py": ["5baa61e4"]}).state == "bad", "elsewhere it is another"
    assert judging.secrets(printed, judging.known_of(printed)).state == "ok"


def test_the_bill_names_what_is_locked() -> None:
    printed = json.dumps({"components": [{"name": "one", "version": "1.0"}]})
    assert judging.bill_of_materials(printed, ["one==1.0"]).state == "ok"
    assert judging.bill_of_materials(printed, ["one==1.1"]).state == "bad"
    assert judging.bill_of_materials(printed, ["one==1.0", "two==1.0"]).state == "bad"


def test_a_container_file() -> None:
    said = json.dumps([{"line": 1, "code": "DL3006", "message": "Always tag"}])
    assert judging.container_file("Dockerfile", said).told == ("Dockerfile:1: DL3006 Always tag",)
    assert judging.container_file("Dockerfile", "[]").state == "ok"


@pytest.mark.parametrize(
    ("states", "code"),
    [(["ok"], 0), (["ok", "out of reach"], 3), (["out of reach", "bad"], 1), (["bad", "ok"], 1), ([], 0)],
)
def test_how_it_ends(states: list[judging.State], code: int) -> None:
    assert judging.exit_code(Finding(state, "x") for state in states) == code


def test_a_tool_that_is_not_there_is_told_of() -> None:
    assert judging.missing("secrets", "detect-secrets") == Finding(
        "out of reach", "secrets", ("detect-secrets is not there: make setup",)
    )


def test_what_is_known_to_be_no_secret_is_of_files_that_are_there() -> None:
    known = json.loads(audit.KNOWN.read_text())
    assert known
    assert [path for path in known if not (audit.ROOT / path).is_file()] == []


@pytest.mark.slow
def test_nothing_that_is_tracked_looks_like_a_secret_unless_somebody_has_looked() -> None:
    found = audit.secrets()
    if found.state == "out of reach":
        pytest.skip(found.told[0])
    assert found.told == ()


def test_a_planted_secret_is_found(tmp_path: Path) -> None:
    pytest.importorskip("detect_secrets", reason="detect-secrets is not there")
    (tmp_path / "settings.py").write_text('PASSWORD = "correct horse battery"\n')
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "-A"], cwd=tmp_path, check=True)
    assert judging.secrets(audit.scan(tmp_path), {}).told == ("settings.py:1: Secret Keyword",)


def test_line_without_signs_is_none_that_a_detector_matches() -> None:
    pytest.importorskip("detect_secrets", reason="detect-secrets is not there")
    from detect_secrets.settings import default_settings, get_plugins

    with default_settings():
        detectors = get_plugins()
        unseen = [
            one.secret_type
            for one in detectors
            if not one.analyze_line(filename="a.py", line=EXAMPLES[one.secret_type])
        ]
        assert unseen == [], "the examples are what detectors match"
        assert [kind for kind, line in EXAMPLES.items() if re.search(audit.WITHOUT_SIGNS, line)] == []
    assert re.search(audit.WITHOUT_SIGNS, "    return [one for one in found if one is not None]")

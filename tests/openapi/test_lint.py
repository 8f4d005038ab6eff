"""What strict linters say of the document, and that each sees a fault: one run of a tool judges both.

Nothing is switched off but what redocly.yaml and spectral.yaml say, with their reasons.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def first(document):
    return document["paths"]["/api/v1/companies/{org_number}"]["get"]


SPOILT_PATHS = ("/api/v1/companies", "/api/v1/companies/{org_number}", "/api/v1/companies/{org_number}/financials")


def schema(document, name):
    return document["components"]["schemas"][name]


def response(document, name):
    return document["components"]["responses"][name]


# A rule, and what is done to the document that it must name.
FAULTS_OF_REDOCLY = {
    "operation-summary": lambda d: first(d).pop("summary"),
    "security-defined": lambda d: d["components"].pop("securitySchemes"),
    "no-unused-components": lambda d: d["components"]["schemas"].update(Nobody={"type": "object"}),
    "operation-4xx-problem-details-rfc7807": lambda d: response(d, "NotFound").update(
        content={"text/html": {"schema": {"type": "string"}}}
    ),
    "no-invalid-media-type-examples": lambda d: first(d)["responses"]["200"]["content"]["application/json"].update(
        example={"id": 7}
    ),
    "no-identical-paths": lambda d: d["paths"].update({"/api/v1/companies/{other}": {"get": first(d)}}),
}
FAULTS_OF_SPECTRAL = {
    "owasp:api4:2023-string-limit": lambda d: schema(d, "Company")["properties"]["name"].pop("maxLength"),
    "owasp:api4:2023-string-restricted": lambda d: schema(d, "Company")["properties"]["name"].pop("pattern"),
    "owasp:api4:2023-array-limit": lambda d: schema(d, "CompanyList")["properties"]["data"].pop("maxItems"),
    "owasp:api4:2023-integer-limit": lambda d: schema(d, "FinancialPeriod")["properties"]["version"].pop("minimum"),
    "rate-limit-headers": lambda d: response(d, "NotFound")["headers"].pop("RateLimit"),
    "owasp:api4:2023-rate-limit-retry-after": lambda d: response(d, "TooManyRequests")["headers"].pop("Retry-After"),
    "owasp:api8:2023-define-cors-origin": lambda d: response(d, "NotFound")["headers"].pop(
        "Access-Control-Allow-Origin"
    ),
    "owasp:api8:2023-define-error-responses-401": lambda d: first(d)["responses"].pop("401"),
    "operation-operationId": lambda d: first(d).pop("operationId"),
}


def written(folder, described, faults):
    """The document, and one with every fault, of few paths: that a rule is looked for does not need all of them."""
    spoilt = described()
    del spoilt["webhooks"]
    spoilt["paths"] = {path: methods for path, methods in spoilt["paths"].items() if path in SPOILT_PATHS}
    for spoil in faults.values():
        spoil(spoilt)
    for name, document in (("whole", described()), ("spoilt", spoilt)):
        (folder / f"{name}.json").write_text(json.dumps(document))
    return [str(folder / "whole.json"), str(folder / "spoilt.json")]


@pytest.fixture(scope="module")
def of_redocly(tool, described, tmp_path_factory):
    """Rules that redocly names: of the whole document, of the spoilt one. It writes one report per document."""
    folder = tmp_path_factory.mktemp("redocly")
    paths = written(folder, described, FAULTS_OF_REDOCLY)
    arguments = ("--config", str(HERE / "redocly.yaml"), "--format=json", "--max-problems=9999", *paths)
    text, reports = tool(folder, "redocly", "lint", *arguments).stdout.strip(), []
    while text:
        report, end = json.JSONDecoder().raw_decode(text)
        reports.append({problem["ruleId"] for problem in report["problems"]})
        text = text[end:].lstrip()
    whole, spoilt = reports
    return whole, spoilt


@pytest.fixture(scope="module")
def of_spectral(tool, described, tmp_path_factory):
    """The same of spectral, hints included; it looks for rule sets beside its configuration."""
    paths = written(tmp_path_factory.mktemp("spectral"), described, FAULTS_OF_SPECTRAL)
    result = tool(HERE, "spectral", "lint", *paths, "-r", "spectral.yaml", "--format=json", "--quiet")
    found = [(Path(one["source"]).stem, one["code"]) for one in json.loads(result.stdout)]
    return tuple({rule for name, rule in found if name == which} for which in ("whole", "spoilt"))


@pytest.mark.slow
def test_redocly_finds_nothing(of_redocly):
    assert of_redocly[0] == set()


@pytest.mark.slow
def test_spectral_with_the_rules_of_owasp_finds_nothing(of_spectral):
    assert of_spectral[0] == set()


@pytest.mark.slow
def test_redocly_sees_every_fault(of_redocly):
    assert set(FAULTS_OF_REDOCLY) - of_redocly[1] == set()


@pytest.mark.slow
def test_spectral_sees_every_fault(of_spectral):
    assert set(FAULTS_OF_SPECTRAL) - of_spectral[1] == set()


def validated(folder, document):
    path = folder / "openapi.json"
    path.write_text(json.dumps(document))
    command = [str(Path(sys.executable).with_name("openapi-spec-validator")), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_validator_finds_nothing_and_sees_a_fault(described, tmp_path):
    document = described()
    result = validated(tmp_path, document)
    assert result.returncode == 0, result.stdout + result.stderr
    del document["info"]["title"]
    spoilt = validated(tmp_path, document)
    assert spoilt.returncode != 0
    assert '"title" is a required property' in spoilt.stdout


def test_the_lock_pins_by_hash_and_names_no_registry():
    packages = json.loads((HERE / "package-lock.json").read_text())["packages"]
    installed = {name: package for name, package in packages.items() if name}
    assert installed
    assert [name for name, package in installed.items() if not package.get("integrity")] == []
    assert [name for name, package in installed.items() if "resolved" in package] == []

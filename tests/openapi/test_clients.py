"""Clients made from the document by other people's generators: they compile, and read every example of it."""

import compileall
import importlib
import json
import re
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import httpx
import pytest

HERE = Path(__file__).parent
pytestmark = pytest.mark.slow
JSON, PROBLEM = "application/json", "application/problem+json"


def operations(document):
    return [operation for methods in document["paths"].values() for operation in methods.values()]


def bodies(document):
    """(operation id, its tag, status, media type, example) of every example of an answer, problems included."""
    found = []
    for operation in operations(document):
        for status, answer in operation["responses"].items():
            if "$ref" in answer:
                answer = document["components"]["responses"][answer["$ref"].rpartition("/")[2]]  # noqa: PLW2901
            for media_type, content in answer.get("content", {}).items():
                if media_type not in (JSON, PROBLEM):  # a stream, which generated clients read as text
                    continue
                examples = [one["value"] for one in content.get("examples", {}).values()]
                examples += [content["example"]] if "example" in content else []
                place = (operation["operationId"], operation["tags"][0], int(status), media_type)
                found += [(*place, example) for example in examples]
    return found


def sent(document):
    """(operation id, name of the body's component, media type, example) of every body that callers send."""
    for operation in operations(document):
        for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
            name = content["schema"]["$ref"].rpartition("/")[2]
            yield operation["operationId"], name, media_type, content["example"]


def deliveries(document):
    """(name of the body's component, operation id, example) of every webhook."""
    for methods in document["webhooks"].values():
        content = methods["post"]["requestBody"]["content"][JSON]
        yield content["schema"]["$ref"].rpartition("/")[2], methods["post"]["operationId"], content["example"]


def snake(name):
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")


def same(value):
    """Instants as instants: a client writes the UTC of `Z` in its own way."""
    if isinstance(value, dict):
        return {key: same(one) for key, one in value.items()}
    if isinstance(value, list):
        return [same(one) for one in value]
    if isinstance(value, str) and INSTANT.fullmatch(value):
        return datetime.fromisoformat(value)
    return value


def generate(folder, document):
    (folder / "openapi.json").write_text(json.dumps(document))
    command = [
        str(Path(sys.executable).with_name("openapi-python-client")),
        *("generate", "--path", "openapi.json", "--config", str(HERE / "client.yaml")),
        *("--meta", "none", "--output-path", "firmdata_client", "--fail-on-warning"),
    ]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def python_client(described, tmp_path_factory):
    """The folder that the package `firmdata_client` was generated into."""
    folder = tmp_path_factory.mktemp("client")
    result = generate(folder, described())
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


def test_the_python_client_compiles_and_reads_every_example(python_client, described, monkeypatch):
    assert compileall.compile_dir(python_client, quiet=1, force=True)
    monkeypatch.syspath_prepend(python_client)
    client = importlib.import_module("firmdata_client").Client("https://api.example.com")
    seen = 0
    for operation, tag, status, _, example in bodies(described()):
        module = importlib.import_module(f"firmdata_client.api.{tag.lower()}.{snake(operation)}")
        answer = httpx.Response(status, json=example)
        read = module._parse_response(client=client, response=answer)
        assert same(read.to_dict()) == same(example), (operation, status)
        seen += 1
    assert seen > len(operations(described()))
    models = importlib.import_module("firmdata_client.models")
    for _, name, _, example in sent(described()):
        assert same(getattr(models, name).from_dict(example).to_dict()) == same(example), name
    for name, _, example in deliveries(described()):
        assert same(getattr(models, name).from_dict(example).to_dict()) == same(example)
    monkeypatch.undo()
    for name in [name for name in sys.modules if name.partition(".")[0] == "firmdata_client"]:
        del sys.modules[name]


def test_the_generator_sees_what_it_cannot_make(described, tmp_path):
    document = described()
    del document["components"]["schemas"]["Owner"]
    result = generate(tmp_path, document)
    assert result.returncode != 0
    assert "/components/schemas/Owner" in result.stdout + result.stderr


def examples_in_typescript(document):
    """Every example, each under the type that the document gives it; and two that must not fit."""
    yield 'import type { operations } from "./api";'
    for number, (operation, _, status, media_type, example) in enumerate(bodies(document)):
        typed = f'operations["{operation}"]["responses"][{status}]["content"]["{media_type}"]'
        yield f"export const answer{number}: {typed} = {json.dumps(example)};"
    for number, (operation, _, media_type, example) in enumerate(sent(document)):
        typed = f'NonNullable<operations["{operation}"]["requestBody"]>["content"]["{media_type}"]'
        yield f"export const sent{number}: {typed} = {json.dumps(example)};"
    for number, (_, operation, example) in enumerate(deliveries(document)):
        typed = f'operations["{operation}"]["requestBody"]["content"]["{JSON}"]'
        yield f"export const delivery{number}: {typed} = {json.dumps(example)};"
    for operation in operations(document):
        for number, parameter in enumerate(operation.get("parameters", ())):
            if "example" in parameter:
                place = f'NonNullable<operations["{operation["operationId"]}"]["parameters"]["{parameter["in"]}"]>'
                name = f"{operation['operationId']}{number}"
                yield f'export const {name}: {place}["{parameter["name"]}"] = {json.dumps(parameter["example"])};'
    usage = f'operations["getUsage"]["responses"][200]["content"]["{JSON}"]'
    yield f"// @ts-expect-error -- keys are missing\nexport const empty: {usage} = {{}};"
    yield f"// @ts-expect-error -- no such key\nexport type Unknown = {usage}['unknown'];"


def test_the_typescript_client_compiles_and_every_example_has_its_type(tool, described, tmp_path):
    (tmp_path / "openapi.json").write_text(json.dumps(described()))
    made = tool(tmp_path, "openapi-typescript", "openapi.json", "-o", "api.ts")
    assert made.returncode == 0, made.stdout + made.stderr
    (tmp_path / "examples.ts").write_text("\n".join(examples_in_typescript(described())))
    strict = ("--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit")
    checked = tool(tmp_path, "tsc", *strict, "--target", "es2022", "examples.ts", "api.ts")
    assert checked.returncode == 0, checked.stdout

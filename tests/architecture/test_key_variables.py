"""One name for an API key, and one for the service's address, in every example: those that the clients read."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACES = (
    "*.md", "docs/**/*.md", "sdk/*/*.md", "ui/*.md", "examples/**/*.ipynb", "examples/**/*.md", "collections/*.md",
    "api/*/templates/*.html", "api/*/templates/*.txt", "api/dashboard/*.py", "connectors/*/README.md",
)  # fmt: skip
KEY = re.compile(
    r"Bearer \$\{?(?:process\.env\.|os\.environ\[['\"])?(\w+)|\b(\w*(?<!_PUBLISHABLE)_KEY)=(?:firm_|\$\(firm)"
)
ADDRESS = re.compile(r"(?<!:)\$\{?(\w+)\}?/api/v1/|new URL\(.*env\.(\w+)\)|environ\[['\"](\w+)['\"]\]\}/api/v1")
CLIENTS = ("sdk/python/src/firmdata/settings.py", "sdk/typescript/src/settings.ts")


def names(pattern: re.Pattern[str], texts: list[str]) -> set[str]:
    return {name for text in texts for found in pattern.findall(text) for name in found if name}


def test_examples_name_the_key_and_the_address_as_the_clients_do() -> None:
    paths = {path for place in PLACES for path in ROOT.glob(place) if "node_modules" not in path.parts}
    texts = [path.read_text() for path in sorted(paths)]
    assert len(texts) > 50
    assert names(KEY, texts) == {"FIRMDATA_API_KEY"}
    assert names(ADDRESS, texts) == {"FIRMDATA_BASE_URL"}
    for client in CLIENTS:
        constants = re.findall(r'API_KEY = "(\w+)"|BASE_URL = "(\w+)"', (ROOT / client).read_text())
        assert {name for found in constants for name in found if name} == {"FIRMDATA_API_KEY", "FIRMDATA_BASE_URL"}

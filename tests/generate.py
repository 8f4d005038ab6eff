"""Every generated file, written anew: `make generate`. `.ci/run` fails where a committed one is not current.

What an entry calls says what the file contains; tests beside it compare the committed file. Does not belong here:
publishing the OpenAPI document (`python -m tests.architecture.openapi_frozen --publish`).
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import connectors
from api.collections.writer import write_collections
from connectors.sources_page import render_sources_page
from firm.settings_page import render_env_example, render_settings_page
from tests.api.webhooks.egress.receiver_table import page_with_table
from tests.architecture import openapi_frozen
from tests.faults.document import document
from tests.faults.matrix import CELLS, UNTOUCHED
from tests.faults.steps import every_step
from warehouse.schema.tables import EVENTS, TABLES
from warehouse.schema_render import data_dictionary

ROOT: Final = Path(__file__).parents[1]
PAGES: Final[dict[str, Callable[[], str]]] = {
    ".env.example": render_env_example,
    "docs/data-dictionary.md": lambda: data_dictionary((*TABLES, EVENTS)),
    "docs/faults.md": lambda: document(every_step(), CELLS, UNTOUCHED),
    "docs/settings.md": render_settings_page,
    "docs/sources.md": lambda: render_sources_page(connectors.DECLARED),
    "docs/webhooks.md": lambda: page_with_table((ROOT / "docs/webhooks.md").read_text(encoding="utf-8")),
}


def generate() -> None:
    for path, text in PAGES.items():
        (ROOT / path).write_text(text(), encoding="utf-8")
    openapi_frozen.refresh(publish=False)
    write_collections(ROOT / "collections")
    _write_client_types(ROOT / "sdk" / "typescript")
    _write_company_pages(ROOT / "ui", ROOT / "api/dashboard/bundle")
    _write_client_models(ROOT / "sdk" / "python")


def _write_client_types(package: Path) -> None:
    """src/openapi.ts, from the OpenAPI document; needs the packages from npm."""
    if (package / "node_modules").is_dir():
        subprocess.run(["node", "scripts/types.mjs"], cwd=package, check=True)
    else:
        print("sdk/typescript/node_modules is missing (no npm): sdk/typescript/src/openapi.ts was left as it is")


def _write_company_pages(ui: Path, bundle: Path) -> None:
    """Scripts and styles of the dashboard's company pages, from the components; needs the packages from npm."""
    if (ui / "node_modules").is_dir():
        subprocess.run(["node", "scripts/bundle.mjs", bundle], cwd=ui, check=True)
    else:
        print("ui/node_modules is missing (no npm): api/dashboard/bundle was left as it is")


def _write_client_models(package: Path) -> None:
    """src/firmdata/models.py, from the OpenAPI document."""
    document, models = ROOT / "tests/architecture/openapi.json", package / "src/firmdata/models.py"
    subprocess.run([sys.executable, package / "scripts/generate_models.py", document, models], check=True)


if __name__ == "__main__":
    generate()

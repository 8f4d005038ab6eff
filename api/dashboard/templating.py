"""Templates and assets, read once. Every value in a template is escaped, and a missing one is an error.

Does not belong here: headers (`api.dashboard.routing`), or the content of a page (`api.dashboard.pages`).
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from api.common.clock import format_instant
from api.common.time_spans import format_span

_HERE: Final = Path(__file__).parent
_TYPES: Final = {".css": b"text/css; charset=utf-8", ".js": b"text/javascript; charset=utf-8", ".svg": b"image/svg+xml"}
_BUNDLE: Final = _HERE / "bundle"
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class StaticAsset:
    """A static file of the pages; `version` changes with its content, and so does the name if `is_named_by_content`."""

    name: str
    media_type: bytes
    body: bytes
    version: str
    is_named_by_content: bool = False


@lru_cache(1)
def static_assets() -> Mapping[str, StaticAsset]:
    """The static files by name, those of the bundle of components (`ui/scripts/bundle.mjs`) included."""
    built = [replace(_load_asset(_BUNDLE / name), is_named_by_content=True) for name in bundle_names().values()]
    return MappingProxyType({**load_assets(_HERE / "assets"), **{one.name: one for one in built}})


def load_assets(folder: Path) -> Mapping[str, StaticAsset]:
    """The static files of a folder by name."""
    return MappingProxyType({one.name: _load_asset(one) for one in sorted(folder.iterdir())})


@lru_cache(1)
def bundle_names() -> Mapping[str, str]:
    """Names of the bundle's files by what pages call them, as `company.js`."""
    return MappingProxyType(json.loads((_BUNDLE / "bundle.json").read_text(encoding="utf-8")))


def render_template(template: str, **values: Any) -> bytes:
    """Renders a complete page."""
    return _dashboard_environment().get_template(template).render(**values).encode()


@lru_cache(1)
def _dashboard_environment() -> Environment:
    return template_environment()


def template_environment(*folders: Path) -> Environment:
    """Templates of these folders, which may use those of the dashboard."""
    environment = Environment(
        loader=FileSystemLoader([*folders, _HERE / "templates"]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "day": _format_day,
        "instant": _format_instant,
        "machine": format_instant,  # for `datetime` attributes
        "number": _format_number,
        "span": format_span,
        "written_day": _format_written_day,
    }
    environment.globals |= {
        "versions": {name: asset.version for name, asset in static_assets().items()},
        "bundle": bundle_names(),
    }
    return environment


def _load_asset(path: Path) -> StaticAsset:
    body = path.read_bytes()
    return StaticAsset(path.name, _TYPES[path.suffix], body, hashlib.sha256(body).hexdigest()[:16])


def _format_day(moment: datetime) -> str:
    moment = moment.astimezone(UTC)
    return f"{moment.day} {moment:%B %Y}"


def _format_written_day(day: str) -> str:
    """A day of an answer of the API, YYYY-MM-DD, as pages write it."""
    return _format_day(datetime.fromisoformat(day).replace(tzinfo=UTC))


def _format_instant(moment: datetime) -> str:
    moment = moment.astimezone(UTC)
    return f"{moment.day} {moment:%b %Y, %H:%M} UTC"


def _format_number(value: int | None) -> str:
    return UNKNOWN if value is None else f"{value:,}"

"""Renders `.env.example` and docs/settings.md from the classes of settings.

Belongs here: the list of areas, and formatting them for people. Does not belong here: the settings and what is said of
each, which is its field's description.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args, get_origin

from pydantic.fields import FieldInfo

from api.settings.secrets import SecretSettings
from api.settings.service import ApiSettings
from firm.demo.settings import SandboxSettings
from pipelines.settings import IngestSettings
from warehouse.settings.area import AreaSettings, areas_within, bounds_of, own_settings

ROOTS: Final[tuple[type[AreaSettings], ...]] = (IngestSettings, ApiSettings, SecretSettings, SandboxSettings)
"""Those that are read on their own; the others are fields of these."""
PREFIX: Final = "FIRM_"
_WIDTH: Final = 118
_EXAMPLE_HEAD: Final = """\
# Settings of one installation. Copy to `.env` beside the Makefile, or set them in the environment (which wins).
# Every line shows the default; an empty value means the default. docs/settings.md lists what each takes.
# Generated from the classes of settings by `make generate`.
"""
_PAGE_HEAD: Final = """# Settings

Set in the environment, or in `.env` in the folder in which `firm` starts; the environment wins. A setting that is not
set or empty has its default. An invalid setting ends a command with exit code 2 and one line that names it and says
what to write; `firm doctor` checks all. Secrets are never shown.

Generated from the classes of settings by `make generate`; `.env.example` has the same as a file to copy.
"""
_TABLE_HEAD: Final = "| setting | default | takes | meaning |\n|---|---|---|---|"


class Setting(NamedTuple):
    """A setting as people read it."""

    name: str
    default: str
    takes: str
    meaning: str


class Area(NamedTuple):
    """The settings of one class under its title."""

    title: str
    settings: tuple[Setting, ...]


def list_areas() -> tuple[Area, ...]:
    """All areas; a setting that several have is listed in the first."""
    listed: set[str] = set()
    areas: list[Area] = []
    for kind in (area for root in ROOTS for area in (root, *areas_within(root).values())):
        default = kind()
        fields = {name: field for name, field in own_settings(kind).items() if field not in listed}
        listed |= set(fields.values())
        settings = tuple(
            Setting(
                setting,
                _default_text(getattr(default, name)),
                _takes(kind.model_fields[name]),
                kind.model_fields[name].description or "",
            )
            for name, setting in fields.items()
        )
        areas.append(Area((kind.__doc__ or kind.__name__).rstrip("."), settings))
    return tuple(areas)


def render_env_example() -> str:
    """The file `.env.example`; variables of other programs are not in it."""
    return "".join([_EXAMPLE_HEAD, *(_example_lines(area) for area in list_areas())])


def render_settings_page() -> str:
    """The page docs/settings.md, as Markdown."""
    return "\n".join([_PAGE_HEAD, *(line for area in list_areas() for line in _page_lines(area))])


def _example_lines(area: Area) -> str:
    own = [setting for setting in area.settings if setting.name.startswith(PREFIX)]
    return f"\n# {area.title}\n" + "".join(
        "".join(f"# {line}\n" for line in _wrap(one.meaning)) + f"{one.name}={one.default}\n" for one in own
    )


def _wrap(text: str) -> Sequence[str]:
    return textwrap.wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _page_lines(area: Area) -> Iterator[str]:
    yield f"## {area.title}\n"
    yield _TABLE_HEAD
    for one in area.settings:
        default = f"`{one.default}`" if one.default else ""
        yield f"| `{one.name}` | {default} | {one.takes} | {one.meaning} |"
    yield ""


def _default_text(value: object) -> str:
    """A default as it would be set; empty where that is said in words."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ",".join(_default_text(one) for one in value)
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, int | str | Path) and re.fullmatch(r"\S+", str(value)):
        return str(value)
    return ""


def _takes(field: FieldInfo) -> str:
    """What a setting takes."""
    if field.annotation is bool:
        return "true or false"
    if get_origin(field.annotation) is Literal:
        return ", ".join(get_args(field.annotation))
    if field.annotation in (int, float):
        kind = "a whole number" if field.annotation is int else "a number"
        low, high = bounds_of(field)
        return f"{kind} from {low:g}" if high is None else f"{kind} from {low:g} to {high:g}"
    return "text" if field.repr else "a secret"

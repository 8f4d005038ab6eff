"""The base class of settings: one frozen pydantic-settings class per area, read from one mapping.

A field's setting is the class's prefix and the upper-case field name, or its `validation_alias`. From its description
and its bounds `.env.example` and `docs/settings.md` are generated. Does not belong here: the areas.
Docs: https://docs.pydantic.dev/latest/concepts/pydantic_settings/
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, Self, get_args

from pydantic import BeforeValidator, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from warehouse.settings.errors import SettingError

_OUT_OF_BOUNDS: Final = ("greater_than_equal", "less_than_equal")


class AreaSettings(BaseSettings):
    """Settings of one area. Constructing one reads nothing from outside: `read` does."""

    model_config = SettingsConfigDict(
        env_prefix="FIRM_",
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        enable_decoding=False,
        validate_default=False,
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 -- the library's signature
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003 -- the library's signature
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 -- the library's signature
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 -- the library's signature
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The arguments alone."""
        return (init_settings,)

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Self:
        """The settings of this area and of those within it; an unset or empty one keeps its default.

        Raises SettingError.
        """
        within = {name: area.read(environment) for name, area in areas_within(cls).items()}
        given = _EnvironmentSource(cls, environment)
        for field_name, name in own_settings(cls).items():
            if cls.model_fields[field_name].repr and _is_quoted(given.env_vars.get(name.lower()) or ""):
                raise SettingError(
                    f"{name} is in quotes, which are part of it here (docker run --env-file): leave them out"
                )
        try:
            return cls(**given() | within)
        except ValidationError as error:
            raise SettingError(_explain(cls, error.errors(include_url=False)[0])) from None


class _EnvironmentSource(EnvSettingsSource):
    """The variables of a mapping instead of the process's."""

    def __init__(self, area: type[AreaSettings], environment: Mapping[str, str]) -> None:
        super().__init__(area)
        given = {name: text.strip() for name, text in environment.items() if name.isupper()}
        self.env_vars = {name.lower(): text for name, text in given.items() if text}


class Bounds(NamedTuple):
    """Bounds of a number; None where it has none."""

    low: float | None
    high: float | None


def areas_within(area: type[AreaSettings]) -> dict[str, type[AreaSettings]]:
    """The areas that are fields of an area, by field name."""
    fields = {name: field.annotation for name, field in area.model_fields.items()}
    return {name: kind for name, kind in fields.items() if isinstance(kind, type) and issubclass(kind, AreaSettings)}


def own_settings(area: type[AreaSettings]) -> dict[str, str]:
    """Names of an area's settings by field name, without those of areas within it."""
    within, prefix = areas_within(area), area.model_config.get("env_prefix", "")
    return {
        name: str(field.validation_alias or f"{prefix}{name.upper()}")
        for name, field in area.model_fields.items()
        if name not in within
    }


def bounds_of(field: FieldInfo) -> Bounds:
    """The bounds of a field."""
    low, high = (next((getattr(one, end) for one in field.metadata if hasattr(one, end)), None) for end in ("ge", "le"))
    return Bounds(low, high)


def from_text(parse: Callable[[str], object]) -> BeforeValidator:
    """Parses what a setting says; anything but text is taken as it is.

    The message of a ValueError is what follows the setting's name.
    """
    return BeforeValidator(lambda value: parse(value) if isinstance(value, str) else value)


def _is_quoted(text: str) -> bool:
    """Whether a value has quotes around it, which no setting wants and not every reader of a file removes."""
    return len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"


def _explain(area: type[AreaSettings], found: ErrorDetails) -> str:
    """One line about an invalid setting."""
    message = str(found["ctx"]["error"]) if found["type"] == "value_error" and "ctx" in found else ""
    if not found["loc"]:  # several settings that exclude each other
        return message
    names = own_settings(area)
    field_name = next(name for name, setting in names.items() if found["loc"][0] in (name, setting))
    message = message or _requirement(area.model_fields[field_name], found["type"], str(found["input"]))
    return f"{names[field_name]}{' ' if message.startswith(('must ', 'is ')) else ': '}{message}"


def _requirement(field: FieldInfo, kind: str, written: str) -> str:
    """What a flag, a word or a number must be."""
    if kind == "bool_parsing":
        return f"must be true or false, not {written!r}"
    if kind == "literal_error":
        return f"must be one of {', '.join(get_args(field.annotation))}, not {written!r}"
    low, high = bounds_of(field)
    if low is not None and high is None:
        return f"must be a whole number from {low:g}, not {written!r}"
    if kind in _OUT_OF_BOUNDS:
        return f"must be from {low:g} to {high:g}, not {written}"
    return f"must be a whole number, not {written}" if _is_number(written) else f"must be a number, not {written!r}"


def _is_number(written: str) -> bool:
    try:
        float(written)
    except ValueError:
        return False
    return True

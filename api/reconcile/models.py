"""Answers of the reconciliation service as objects (docs/contract/contract.md 4.8e).

Names of members are those of the Reconciliation Service API 0.2. Does not belong here: requests
(`api.reconcile.requests`).
"""

from typing import Annotated, Any, Final, Generic, TypeVar

from pydantic import Field

from api.lookups.models import REASONS
from api.openapi.problem_responses import InputError
from api.reconcile.requests import MOST_QUERIES
from api.reconcile.vocabulary import ENTITY_TYPES, PROPERTIES
from api.schemas import declare, shared
from api.schemas.declare import OMITTED, ResponseModel

T = TypeVar("T")
_URL: Final = 2048
MOST_SUGGESTED: Final = 100

_PropertyId = Annotated[str, declare.open_word([*PROPERTIES], "Id of a property.")]
_Name = Annotated[str, declare.text(200, "Its name.")]
_Description = Annotated[str, declare.text(500, "What tells it from others of its name.")]


class EntityType(ResponseModel):
    """A type of entities: companies, or the companies of one market."""

    id: str = declare.text(60, "Id of the type.", json_schema_extra=declare.open_to([*ENTITY_TYPES]))
    name: _Name


class NamedProperty(ResponseModel):
    """A property of companies."""

    id: _PropertyId
    name: _Name


class _Template(ResponseModel):
    url: str = declare.text(_URL, "Address of a company, with {{id}} for its id.")


class _Preview(_Template):
    width: int = declare.integer(1, 2000, "Width of the page in pixels.")
    height: int = declare.integer(1, 2000, "Height of the page in pixels.")


class _Service(ResponseModel):
    service_url: str = declare.text(_URL, "Address of the service.")
    service_path: str = declare.text(200, "Path below it.")


class _Suggest(ResponseModel):
    entity: _Service
    type: _Service
    property: _Service


class _Extend(ResponseModel):
    propose_properties: _Service


class ReconciliationManifest(ResponseModel):
    """What the reconciliation service offers."""

    versions: list[Annotated[str, declare.text(10, "A version.")]] = declare.array(10, "Versions it follows.")
    name: _Name
    identifier_space: str = declare.text(_URL, "URI of the ids.", alias="identifierSpace")
    schema_space: str = declare.text(_URL, "URI of the types and properties.", alias="schemaSpace")
    documentation: str = declare.url("The OpenAPI document.")
    batch_size: int = declare.integer(1, MOST_QUERIES, "Queries that a request may have.", alias="batchSize")
    authentication: dict[str, Any] = Field(description="How to authenticate, as an OpenAPI 2.0 security scheme.")
    default_types: list[EntityType] = declare.array(len(ENTITY_TYPES), "Types to reconcile with.", alias="defaultTypes")
    view: _Template
    preview: _Preview
    suggest: _Suggest
    extend: _Extend


class MatchingFeature(ResponseModel):
    """What a score rests on."""

    id: str = declare.open_word(REASONS, "A reason, as look-ups name it.")
    value: bool = declare.boolean("Always true.")


class ReconciliationCandidate(ResponseModel):
    """A company that a query may mean."""

    id: shared.CompanyId
    name: shared.CompanyName
    description: _Description
    type: list[EntityType] = declare.array(len(ENTITY_TYPES), "Its types.")
    score: float = Field(ge=0, le=100, description="How well it fits; 100 is best.")
    match: bool = declare.boolean("Whether the query means this company and no other.")
    features: list[MatchingFeature] = declare.array(50, "Why it may be meant, and what speaks against it (`other_…`).")


class ReconciliationResult(ResponseModel):
    """The answer to one query."""

    result: list[ReconciliationCandidate] = declare.array(100, "Candidates, best first.")
    errors: list[InputError] = declare.array(
        20, "Only on a query with a value that no company can have; then there are no candidates.", default=OMITTED
    )


class PropertyValue(ResponseModel):
    """One value of a property, in exactly one of the members."""

    text: str = Field(alias="str", max_length=2048, pattern=r"^[^\x00]*$", description="A text.", default=OMITTED)
    whole: int = Field(
        alias="int", ge=-declare.INT64 - 1, le=declare.INT64, description="A whole number.", default=OMITTED
    )
    date: str = declare.text(20, "The beginning of a day in UTC.", default=OMITTED)


_Values = Annotated[list[PropertyValue], declare.array(1000, "The values, in order.")]


class ExtendedRows(ResponseModel):
    """Values of properties of companies."""

    meta: list[NamedProperty] = declare.array(len(PROPERTIES), "The properties, in the order asked for.")
    rows: dict[str, dict[str, _Values]] = Field(
        description="Values by company and property; an empty list where nothing is known."
    )


class SuggestedEntity(ResponseModel):
    """A company that a text may be the beginning of."""

    id: shared.CompanyId
    name: shared.CompanyName
    description: _Description
    notable: list[EntityType] = declare.array(len(ENTITY_TYPES), "Its types.")


class _Suggested(ResponseModel, Generic[T]):
    result: list[T] = declare.array(MOST_SUGGESTED, "The suggestions.")


class SuggestedEntities(_Suggested[SuggestedEntity]):
    """Companies, best first."""


class SuggestedTypes(_Suggested[EntityType]):
    """Types."""


class SuggestedProperties(_Suggested[NamedProperty]):
    """Properties."""


class ProposedProperties(ResponseModel):
    """Properties that may be asked for of companies of a type."""

    type: str = declare.text(60, "The type.", default=OMITTED)
    limit: int = declare.integer(1, 100, "The limit asked for.", default=OMITTED)
    properties: list[NamedProperty] = declare.array(len(PROPERTIES), "The properties.")

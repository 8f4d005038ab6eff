"""The staged tables of level 2: consolidating parents, and reasons for naming none (docs/formats/news.md 3.2).

Belongs here: columns, and their place in each format. Does not belong here: reading (`dataset`), or the
mapping to holdings (`holdings`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from connectors.kit.csv.reader import CsvFormat
from warehouse.schema.types import Column, ColumnKind, Table

_T: Final = ColumnKind.TEXT
DIRECT: Final = "IS_DIRECTLY_CONSOLIDATED_BY"
ULTIMATE: Final = "IS_ULTIMATELY_CONSOLIDATED_BY"
CONSOLIDATED: Final = (DIRECT, ULTIMATE)
# relations of funds and branches: not parents
LEFT: Final = ("IS_INTERNATIONAL_BRANCH_OF", "IS_FUND-MANAGED_BY", "IS_SUBFUND_OF", "IS_FEEDER_TO")
ACTIVE, INACTIVE = "ACTIVE", "INACTIVE"
STATUSES: Final = (ACTIVE, INACTIVE, "NULL")  # NULL: neither is said
REGISTRATIONS: Final = (
    *("PUBLISHED", "LAPSED", "RETIRED", "DUPLICATE", "ANNULLED", "CANCELLED", "TRANSFERRED"),
    *("PENDING_VALIDATION", "PENDING_TRANSFER", "PENDING_ARCHIVAL"),
)
# Of records in force, also while they move to another operator, or that were. The others were never in force, or are
# not yet, or are so under another operator.
VALID_STATUSES: Final = ("PUBLISHED", "LAPSED", "RETIRED", "PENDING_TRANSFER", "PENDING_ARCHIVAL")
PERIOD: Final = "RELATIONSHIP_PERIOD"  # other periods concern accounts and documents
PERIODS: Final = 5  # period columns per relationship in the CSV
CATEGORIES: Final = ("DIRECT_ACCOUNTING_CONSOLIDATION_PARENT", "ULTIMATE_ACCOUNTING_CONSOLIDATION_PARENT")
REASONS: Final = (
    "NO_KNOWN_PERSON",
    "NATURAL_PERSONS",
    "NON_CONSOLIDATING",
    "NO_LEI",
    "NON_PUBLIC",
    "BINDING_LEGAL_COMMITMENTS",
    "LEGAL_OBSTACLES",
    "DISCLOSURE_DETRIMENTAL",
    "DETRIMENT_NOT_EXCLUDED",
    "CONSENT_NOT_OBTAINED",
)

_RELATION: Final = (
    Column("child", _T, "LEI of the consolidated entity", nullable=False),
    Column("parent", _T, "LEI of the consolidating entity", nullable=False),
    Column("relation", _T, "directly or ultimately, as in the source", nullable=False),
    Column("status", _T, "ACTIVE, INACTIVE"),
    Column("registration_status", _T, "PUBLISHED, LAPSED, …: state of the record"),
    Column("last_update", _T, "when the record was last changed, as written"),
)
_SPAN: Final = (
    Column("started", _T, "start of the relationship, as written"),
    Column("ended", _T, "its end"),
    Column("deleted", _T, "when the record was taken out of the golden copy"),
)
_EXCEPTION: Final = (
    Column("lei", _T, "LEI of the entity without a reported parent", nullable=False),
    Column("category", _T, "direct or ultimate parent", nullable=False),
    Column("reason", _T, "why"),
)
RELATION_COLUMNS: Final = (*_RELATION, *_SPAN)
EXCEPTION_COLUMNS: Final = _EXCEPTION

# column -> path in the API (below attributes) and in the XML
API: Final[Mapping[str, str]] = {
    "child": "relationship.startNode.id",
    "parent": "relationship.endNode.id",
    "relation": "relationship.type",
    "status": "relationship.status",
    "registration_status": "registration.status",
    "last_update": "registration.lastUpdateDate",
    "deleted": "extension.deletedAt",
}
XML: Final[Mapping[str, str]] = {
    "child": "Relationship/StartNode/NodeID",
    "parent": "Relationship/EndNode/NodeID",
    "relation": "Relationship/RelationshipType",
    "status": "Relationship/RelationshipStatus",
    "registration_status": "Registration/RegistrationStatus",
    "last_update": "Registration/LastUpdateDate",
    "deleted": "Extension/Deletion/DeletedAt",
}
_SPANS: Final = tuple(
    Column(f"{part}_{number}", _T, f"of period {number}")
    for number in range(1, PERIODS + 1)
    for part in ("kind", "from", "to")
)
_WRITTEN: Final = {"kind": "periodType", "from": "startDate", "to": "endDate"}
RELATION_CSV: Final = CsvFormat(
    table=Table("gleif_rr_csv", "Columns of the relationships that are read.", ("child",), (*_RELATION, *_SPANS)),
    mandatory=("child", "parent", "relation", "status", "registration_status"),
    key="child",
    aliases={
        "Relationship.StartNode.NodeID": "child",
        "Relationship.EndNode.NodeID": "parent",
        "Relationship.RelationshipType": "relation",
        "Relationship.RelationshipStatus": "status",
        "Registration.RegistrationStatus": "registration_status",
        "Registration.LastUpdateDate": "last_update",
        **{
            f"Relationship.Period.{number}.{name}": f"{part}_{number}"
            for number in range(1, PERIODS + 1)
            for part, name in _WRITTEN.items()
        },
    },
    ignored_prefixes=("Relationship.", "Registration.", "Extension"),
)
EXCEPTION_CSV: Final = CsvFormat(
    table=Table("gleif_repex_csv", "Columns of the exceptions that are read.", ("lei",), _EXCEPTION),
    mandatory=("lei", "category", "reason"),
    key="lei",
    # unverified: the source's documents differ on the names of these two
    aliases={
        "Exception.Category": "category",
        "ExceptionCategory": "category",
        "Exception.Reason.1": "reason",
        "ExceptionReason.1": "reason",
        "ExceptionReason": "reason",
    },
    ignored_prefixes=("Exception", "Extension"),
)


def relations_table(market: str) -> Table:
    """Staged relationships of a market, one row per child, parent and kind."""
    return Table(
        f"{market.lower()}_lei_parent",
        "Accounting consolidation between entities; not shareholdings.",
        ("child", "parent", "relation"),
        RELATION_COLUMNS,
    )


def exceptions_table(market: str) -> Table:
    """Staged exceptions of a market."""
    return Table(
        f"{market.lower()}_lei_exception", "Reasons for reporting no parent.", ("lei", "category"), EXCEPTION_COLUMNS
    )

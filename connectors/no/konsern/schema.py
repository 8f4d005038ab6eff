"""The fields of the group structure (docs/formats/no.md 5): staged tables, in the register's own terms.

Belongs here: names, types, and how the edges of a member are encoded in one column. Does not belong here: reading
(`dataset`), or the shared holdings (`holdings`).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from warehouse.schema.types import Column, ColumnKind, Table

_T = ColumnKind.TEXT

KEY: Final = "no.konsern"
NUMBER: Final = "organisasjonsnummer"
ROOT: Final = "rot"
EDGES: Final = "kanter"
NUMBERS: Final = "medlemmer"

MEMBERS: Final = Table(
    "no_konsern",
    "Members of groups: one row per group (its top parent) and member, with every edge into the member.",
    (ROOT, NUMBER),
    (
        Column(ROOT, _T, "organisation number of the group's top parent", nullable=False),
        Column(NUMBER, _T, "organisation number of the member", nullable=False),
        Column("navn", _T, "its name"),
        Column("organisasjonsform.kode", _T, "its legal form"),
        Column(
            EDGES,
            ColumnKind.JSON,
            "edges into the member, by parent: number, name and form of the parent, kind, basis, day",
            nullable=False,
        ),
    ),
)

ANSWERS: Final = Table(
    "no_konsern_svar",
    "Response for a company: the top parent of its group; null for none (404).",
    (NUMBER,),
    (
        Column(NUMBER, _T, "requested organisation number", nullable=False),
        Column(ROOT, _T, "top parent of its group; null if in none"),
    ),
)

GROUPS: Final = Table(
    "no_konsern_gruppe",
    "Groups as read last: it concerns every company that a group ever had, as one that it lacks now has left it.",
    (ROOT,),
    (
        Column(ROOT, _T, "organisation number of the group's top parent", nullable=False),
        Column(
            NUMBERS, ColumnKind.TEXTS, "its members; none where the top parent is in no group (404)", nullable=False
        ),
    ),
)

STAGED: Final = {table.name: table for table in (MEMBERS, ANSWERS, GROUPS)}

PARENT: Final = "overordnet"
EDGE: Final = pl.Struct(
    {
        PARENT: pl.String,
        "navn": pl.String,
        "form": pl.String,
        "knytningsform": pl.String,
        "grunnlag": pl.String,
        "prosent": pl.String,  # decimal text, to stay exact
        "dato": pl.String,
    }
)

STAKE: Final = "KGRL"  # a partial stake: no control
KINDS: Final = ("KDAT", "KMOR", STAKE)  # subsidiary, intermediate parent
# known members of a node; anything else is drift
KNOWN: Final = frozenset(
    {
        NUMBER,
        "navn",
        "organisasjonsform",
        "children",
        "nivaa",  # wrong in one of twenty nodes: depth follows from nesting
        "knytningsform",
        "grunnlag",
        "dato",
        "parentOrganisasjonsnummer",
        "parentNavn",
        "links",
        "_links",
    }
)

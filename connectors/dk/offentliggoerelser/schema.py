"""The staged table of `dk.offentliggoerelser`: one row per publication, with its documents in one cell."""

from __future__ import annotations

from typing import Final

from warehouse.schema.types import Column, ColumnKind, Table

KEY: Final = "dk.offentliggoerelser"
PUBLICATION: Final = "publikation"
NUMBER: Final = "cvr_nummer"
_T, _D = ColumnKind.TEXT, ColumnKind.DATE
PUBLICATIONS: Final = Table(
    "dk_offentliggoerelse",
    "Publications of reports.",
    (PUBLICATION,),
    (
        Column(PUBLICATION, _T, "id of the publication, as urn:ofk:oid:9366144", nullable=False),
        Column(NUMBER, _T, "CVR number, eight digits", nullable=False),
        Column("sagsnummer", _T, "number of the case"),
        Column("tidspunkt", ColumnKind.INSTANT, "published", nullable=False),
        Column("dag", _D, "day of publication, as written", nullable=False),
        Column("omgoerelse", ColumnKind.BOOLEAN, "corrects an earlier publication", nullable=False),
        Column("periode_start", _D, "first day of the reported period"),
        Column("periode_slut", _D, "last day"),
        Column("er_aarsrapport", ColumnKind.BOOLEAN, "has an annual report", nullable=False),
        Column("pdf", _T, "address of the report for people"),
        Column("dokumenter", ColumnKind.JSON, "documents: kind, media type, address", nullable=False),
    ),
)

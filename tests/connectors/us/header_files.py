"""Filings as text written by hand, and the way of `us.headers` from bytes to rows."""

import io
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from connectors.contract.dataset import ArchiveMember, Batch, RecognisedFile, Scope
from connectors.us.filing_headers import dataset as filing_headers_dataset
from connectors.us.filing_headers import schema as f

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)


NUMBER = "0000000001-26-000001"


def read(text: str | bytes, name: str = "x.txt") -> list[Batch]:
    body = text.encode("latin-1") if isinstance(text, str) else text
    found = filing_headers_dataset.recognise_file(name, body)
    assert isinstance(found, RecognisedFile), found
    piece = ArchiveMember(f.KEY, name, "0" * 64, NOW, Scope.PART, "b", lambda: io.BytesIO(body))
    return list(filing_headers_dataset.read_batches(piece))


def rows(batches: Iterable[Batch], table: str = f.HEADERS.name) -> list[dict[str, Any]]:
    return [row for batch in batches if batch.table == table for row in batch.rows.to_dicts()]


def codes(batches: Iterable[Batch]) -> set[tuple[str, str]]:
    return {(signal.code, signal.subject) for batch in batches for signal in batch.signals}


def labelled(form: str, *items: str, filed: str = "20261120", documents: str = "", role: str = "FILER") -> str:
    listed = "".join(f"ITEM INFORMATION:\t\t{item}\n" for item in items)
    return (
        f"<SEC-DOCUMENT>{NUMBER}.txt : {filed}\n<SEC-HEADER>{NUMBER}.hdr.sgml : {filed}\n"
        f"<ACCEPTANCE-DATETIME>{filed}160343\nACCESSION NUMBER:\t\t{NUMBER}\n"
        f"CONFORMED SUBMISSION TYPE:\t{form}\nCONFORMED PERIOD OF REPORT:\t{filed}\n{listed}"
        f"FILED AS OF DATE:\t\t{filed}\n\n{role}:\n\n\tCOMPANY DATA:\t\n"
        "\t\tCOMPANY CONFORMED NAME:\t\t\tEXAMPLE CORP\n\t\tCENTRAL INDEX KEY:\t\t\t0000000007\n"
        f"\tFILING VALUES:\n\t\tFORM TYPE:\t\t{form}\n\t\tSEC FILE NUMBER:\t001-00007\n"
        f"</SEC-HEADER>\n{documents}</SEC-DOCUMENT>\n"
    )


def document(kind: str, text: str) -> str:
    return f"<DOCUMENT>\n<TYPE>{kind}\n<SEQUENCE>1\n<TEXT>\n{text}\n</TEXT>\n</DOCUMENT>\n"

"""What leaves submissions before they are archived: addresses and numbers of individuals, and nothing else."""

import gzip
import io
import json
import zipfile

import pytest

from connectors.contract.dataset import UnreadableFileError
from connectors.us.submissions.dataset import read_batches
from connectors.us.submissions.redact import redact, withheld_reason
from tests.connectors.us.filer_bodies import filer, filing, page, person, piece, zipped
from tests.tables import check_cases

PRIVATE = (b"EXAMPLE WAY", b"5125550100", b"78701", b"AUSTIN")


def cleaned(body: bytes) -> bytes:
    return redact(io.BytesIO(body)).read()


def test_an_individual_has_no_address() -> None:
    left = cleaned(json.dumps(person()).encode())
    assert not [text for text in PRIVATE if text in left]
    assert json.loads(left)["name"] == "DOE JANE"
    assert json.loads(left)["filings"]["recent"]["form"] == ["4"]


def test_an_individual_of_an_unknown_shape_has_none_either() -> None:
    left = cleaned(json.dumps(person(newField={"a": 1}, formerNames="none")).encode())
    assert not [text for text in PRIVATE if text in left]


def test_an_individual_whose_filings_stand_at_the_top_has_none_either() -> None:
    """Such a body reads as a continuation file, whatever else it holds."""
    body = json.dumps(person() | page([filing("4", "2026-03-02")])).encode()
    assert not [text for text in PRIVATE if text in cleaned(body)]


@check_cases(
    "shape",
    [
        {"ein": "000000000"},
        {"ein": 0},
        {"entityType": ""},
        {"insiderTransactionForOwnerExists": 0},  # who files about large stakes alone
        {"fiscalYearEnd": "1231"},
    ],
)
def test_who_may_be_an_individual_has_no_address(shape: dict[str, object]) -> None:
    for body in (person(**shape), {"data": person(**shape)}):
        left = cleaned(json.dumps(body).encode())
        assert not [text for text in PRIVATE if text in left], shape
        assert b"DOE JANE" in left


@check_cases(
    "body",
    [
        json.dumps(filer([filing("8-K", "2026-01-02")])).encode(),
        json.dumps(person(ein="123456789")).encode(),
        json.dumps(person(sic="6211")).encode(),
        json.dumps(page([filing("4", "2026-03-02")])).encode(),
        b'{"entityType":"other", cut',
        b'{ "message" : "no filer" }',
        b"<html>other</html>",
        b"",
    ],
)
def test_every_other_body_stays_byte_for_byte(body: bytes) -> None:
    assert cleaned(body) == body


@check_cases(
    ("body", "reason"),
    [
        (json.dumps(person()).encode()[:-9], "JSON that does not parse"),
        (b"PK\x03\x04 cut", "an archive that does not open"),
        (gzip.compress(json.dumps(person()).encode())[:-30], "gzip that does not unpack"),
        (gzip.compress(gzip.compress(json.dumps(person()).encode())), "expected text, found gzip"),
        (gzip.compress(zipped({"CIK1.json": json.dumps(person()).encode()})), "expected text, found zip"),
    ],
)
def test_of_what_nobody_can_look_through_the_reason_is_kept(body: bytes, reason: str) -> None:
    left = cleaned(body)
    assert not [text for text in PRIVATE if text in left]
    assert (withheld_reason(left) or "").startswith(reason)
    with pytest.raises(UnreadableFileError, match=reason):
        list(read_batches(piece(left)))


def test_neither_a_mark_in_front_nor_packing_hides_an_individual() -> None:
    body = json.dumps(person()).encode()
    for left in (cleaned(b"\xef\xbb\xbf" + body), cleaned(gzip.compress(body))):
        assert not [text for text in PRIVATE if text in left]
        assert json.loads(left)["name"] == "DOE JANE"


def test_somebody_elses_words_are_no_reason() -> None:
    for body in (b'{"unreadable":', b'{"unreadable":1}', b"{}"):
        assert withheld_reason(body) is None


def test_the_same_archive_is_the_same_archive_afterwards() -> None:
    body = zipped({"CIK1.json": json.dumps(person()).encode()})
    assert cleaned(body) == cleaned(body)
    with zipfile.ZipFile(io.BytesIO(body)) as before, zipfile.ZipFile(io.BytesIO(cleaned(body))) as after:
        assert [info.date_time for info in after.infolist()] == [info.date_time for info in before.infolist()]


def test_the_archive_is_written_again_without_addresses() -> None:
    whole = json.dumps(filer()).encode()
    left = cleaned(
        zipped(
            {
                "CIK1.json": json.dumps(person()).encode(),
                "CIK2.json": whole,
                "CIK3.json": b"{cut",
                "CIK4.json": zipped({"CIK4.json": json.dumps(person()).encode()}),
            }
        )
    )
    with zipfile.ZipFile(io.BytesIO(left)) as archive:
        assert archive.namelist() == ["CIK1.json", "CIK2.json", "CIK3.json", "CIK4.json"]
        assert withheld_reason(archive.read("CIK4.json")) == "expected text, found zip"
        assert archive.read("CIK2.json") == whole
        assert archive.read("CIK3.json") == b"{cut"
        assert not [text for text in PRIVATE if text in archive.read("CIK1.json")]

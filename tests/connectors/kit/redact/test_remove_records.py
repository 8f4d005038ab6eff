"""A body without somebody's records: whatever its format, and byte for byte as it was for everybody else."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import pytest

from connectors.kit.redact import remove_records
from connectors.kit.redact.remove_records import SubjectPatterns
from tests.fuzz.case import Limits
from tests.fuzz.held import within
from tests.tables import check_cases

NUMBER = "923609016"
TOLD = SubjectPatterns((remove_records.compile_patterns([remove_records.number_pattern(NUMBER)]),))


def kept(body: bytes, told: SubjectPatterns = TOLD, *, quoted: bool = False, name: str = "") -> bytes | None:
    into = io.BytesIO()
    return (
        into.getvalue()
        if remove_records.remove_records(io.BytesIO(body), told, into, quoted=quoted, name=name)
        else None
    )


def zipped(**members: bytes) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return into.getvalue()


def unzipped(body: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize("spelled", ["923609016", "923 609 016", "0923609016", "NO;923609016;"])
def test_a_number_is_known_as_sources_spell_it(spelled: str) -> None:
    assert kept(f"number,name\n1,a\n{spelled},b\n".encode()) == b"number,name\n1,a\n"


@check_cases("spelled", ["9236090161", "1923609016", "92360901", "A923609016", "123456-7890"])
def test_another_number_is_another(spelled: str) -> None:
    body = f"number,name\n{spelled},b\n".encode()
    assert kept(body) == body


def test_a_leading_zero_may_be_missing() -> None:
    told = SubjectPatterns((remove_records.compile_patterns([remove_records.number_pattern("01234567")]),))
    assert kept(b"h\n1234567,x\n01234567,y\n11234567,z\n", told) == b"h\n11234567,z\n"


def test_a_finnish_number_stands_with_its_hyphen_or_without() -> None:
    told = SubjectPatterns((remove_records.compile_patterns([remove_records.number_pattern("0112038-9")]),))
    assert kept(b"h\n0112038-9,x\n01120389,y\n", told) == b"h\n"


def test_a_record_over_several_lines_goes_whole() -> None:
    body = b'number,name\n1,"a\nb"\n923609016,"c\nd"\n2,e\n'
    assert kept(body, quoted=True) == b'number,name\n1,"a\nb"\n2,e\n'


def test_elements_of_a_json_list_go_and_the_rest_is_spelled_as_it_was() -> None:
    body = b'[{"n":"1","x":1.10,"s":"\\u00e5"}, {"n":"923609016"},{"n":"2", "y" : 2390749040.0}]'
    assert kept(body) == b'[{"n":"1","x":1.10,"s":"\\u00e5"},{"n":"2", "y" : 2390749040.0}]'


def test_a_list_inside_an_object_is_pruned_and_an_object_about_somebody_goes() -> None:
    page = {"_embedded": {"enheter": [{"n": "1"}, {"n": NUMBER, "deep": [{"m": 1}]}]}, "page": {"size": 2}}
    assert json.loads(kept(json.dumps(page).encode()) or b"") == {
        "_embedded": {"enheter": [{"n": "1"}]},
        "page": {"size": 2},
    }
    assert kept(json.dumps({"n": NUMBER, "list": [{"m": 1}]}).encode()) is None
    assert kept(json.dumps([{"n": NUMBER}]).encode()) is None


def test_json_lines_lose_the_line_or_an_element_of_it() -> None:
    body = b'{"n":"1"}\n{"n":"923609016"}\n{"items":[{"n":"923609016"},{"n":"3"}]}\n'
    assert kept(body) == b'{"n":"1"}\n{"items":[{"n":"3"}]}\n'


def test_members_of_archives_go_by_name_and_by_content() -> None:
    inner = zipped(**{"x.xhtml": b"<html>923609016</html>", "y.xhtml": b"<html>1</html>"})
    body = zipped(**{"923609016_2024.html": b"<html>1</html>", "in.zip": inner, "t.csv": b"h\n923609016\n5\n"})
    found = unzipped(kept(body) or b"")
    assert found.keys() == {"in.zip", "t.csv"}
    assert unzipped(found["in.zip"]) == {"y.xhtml": b"<html>1</html>"}
    assert found["t.csv"] == b"h\n5\n"
    assert kept(zipped(**{"a.html": b"<html>923609016</html>"})) is None


def test_gzip_stays_gzip() -> None:
    assert gzip.decompress(kept(gzip.compress(b"h\n923609016\n5\n")) or b"") == b"h\n5\n"


def test_utf_16_keeps_its_order() -> None:
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        body = mark + "h;å\r\n923609016;x\r\n5;ö\r\n".encode(encoding)
        assert kept(body) == mark + "h;å\r\n5;ö\r\n".encode(encoding)


@pytest.mark.parametrize("body", [b"%PDF-1.4 923609016", b"<xbrl>923609016</xbrl>"])
def test_what_has_no_records_is_one(body: bytes) -> None:
    assert kept(body) is None
    assert kept(body.replace(b"923609016", b"1")) == body.replace(b"923609016", b"1")


@pytest.mark.parametrize("spelled", ["Åsa Öberg".encode(), "ÅSA  ÖBERG".encode("cp1252"), b"\\u00c5sa \\u00d6berg"])
def test_a_name_is_known_in_the_spellings_of_bodies(spelled: bytes) -> None:
    told = SubjectPatterns(
        (
            remove_records.compile_patterns(
                [remove_records.words_pattern("Åsa Öberg"), remove_records.words_pattern("ÅSA ÖBERG")]
            ),
        )
    )
    assert kept(b"h;x\n1;" + spelled + b"\n2;Anna\n", told) == b"h;x\n2;Anna\n"


def test_of_several_groups_a_record_must_hold_each() -> None:
    told = SubjectPatterns(
        (
            remove_records.compile_patterns([remove_records.number_pattern("12")]),
            remove_records.compile_patterns([remove_records.words_pattern("Kari")]),
        )
    )
    assert kept(b"h\n12;Kari\n12;Ola\n13;Kari\n", told) == b"h\n12;Ola\n13;Kari\n"


def test_a_quote_that_is_never_closed_costs_no_more_than_its_lines() -> None:
    body = b'"' + b"\n" * 300_000
    with within(Limits(2.0)):
        assert kept(body, quoted=True) == body


def test_an_archive_with_an_encrypted_member_cannot_be_written_again() -> None:
    body = bytearray(zipped(a=b"a,b\n"))
    for place in (6, body.find(b"PK\x01\x02") + 8):  # flags of the member, there and in the directory
        body[place] |= 1
    with pytest.raises(zipfile.BadZipFile, match="a: encrypted"):
        kept(bytes(body))

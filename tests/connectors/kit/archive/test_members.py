"""Archives: hostile, damaged, nested, huge."""

import gzip
import io
import pickle
import struct
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connectors.contract.dataset import ArchiveMember, UnreadableFileError
from connectors.gleif import single_file_zip
from connectors.gleif.single_file_zip import NotSingleFileError
from connectors.kit import staging
from connectors.kit.archive import members
from connectors.kit.archive import zip as archive_zip
from connectors.kit.archive.members import ArchiveError, ArchiveLimits, PackedMember, archive_members
from tests.tables import check_cases


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, body in files.items():
            archive.writestr(zipfile.ZipInfo(name), body, compress_type=method)
    return buffer.getvalue()


def listed(body: bytes, **how: object) -> list[PackedMember]:
    return list(archive_members(partial(io.BytesIO, body), "daily.zip", **how))  # type: ignore[arg-type]


def contents(body: bytes, **how: object) -> dict[str, bytes | str]:
    read: dict[str, bytes | str] = {}
    for member in listed(body, **how):
        try:
            with member.open() as stream:
                read[member.name] = stream.read()
        except ArchiveError as error:
            read[member.name] = error.reason
    return read


def test_members_in_order_without_directories():
    body = zipped({"b.html": b"<html>", "folder/": b"", "a.csv": b"a,b"})
    assert contents(body) == {"b.html": b"<html>", "a.csv": b"a,b"}


def test_nested_zips_are_joined_and_fakes_are_told_by_their_bytes():
    inner = zipped({"CIC-1/accounts/x.xhtml": b"<html>", "CIC-1/cic34/y.xhtml": b"<html>2"})
    body = zipped({"Prod_CIC.zip": inner, "fake.zip": b"<html>fake", "plain.html": b"<html>"})
    assert contents(body) == {
        "Prod_CIC.zip!/CIC-1/accounts/x.xhtml": b"<html>",
        "Prod_CIC.zip!/CIC-1/cic34/y.xhtml": b"<html>2",
        "fake.zip": b"<html>fake",
        "plain.html": b"<html>",
    }
    assert list(contents(body, nested=0)) == ["Prod_CIC.zip", "fake.zip", "plain.html"]
    assert list(contents(body, keep=lambda name: "/accounts/" in name)) == ["Prod_CIC.zip!/CIC-1/accounts/x.xhtml"]


def test_nesting_ends():
    body = zipped({"x.html": b"deep"})
    for _ in range(3):
        body = zipped({"in.zip": body})
    assert list(contents(body)) == ["in.zip!/in.zip"]


def test_a_damaged_inner_archive_is_one_bad_member():
    inner = zipped({"x.html": b"<html>"})
    read = contents(zipped({"bad.zip": inner[:-10], "good.html": b"ok"}))
    assert read["good.html"] == b"ok"
    assert "truncated or damaged" in str(read["bad.zip"])


@check_cases("name", ["../up.html", "/etc/passwd", "a/../../b", "C:\\x.html", "..\\up", "a\nb", "x" * 2000])
def test_hostile_names_are_not_read(name: str):
    read = contents(zipped({name: b"x", "good.html": b"ok"}))
    assert read.pop("good.html") == b"ok"
    assert all(isinstance(reason, str) for reason in read.values())


def test_links_are_not_read():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert contents(buffer.getvalue()) == {"link": "a symbolic link"}


def test_encrypted_members_are_not_read():
    body = bytearray(zipped({"a.csv": b"secret"}))
    body[6] |= 1
    central = body.index(b"PK\x01\x02")
    body[central + 8] |= 1
    assert contents(bytes(body)) == {"a.csv": "encrypted"}


def reserving(name: str) -> bytes:
    """A zip of one member that has its reader reserve 4 GiB before the first byte."""
    body = bytearray(zipped({name: b"{}"}, zipfile.ZIP_LZMA))
    dictionary = body.index(name.encode()) + len(name) + 5
    body[dictionary : dictionary + 4] = b"\xff" * 4
    return bytes(body)


def test_what_would_reserve_memory_on_its_own_word_is_not_read():
    body = reserving("a.json")
    assert contents(body) == {"a.json": "packed by method 14, which is not read here"}
    with (
        archive_zip.ZipArchive(io.BytesIO(body)) as archive,
        pytest.raises(zipfile.BadZipFile, match=r"a\.json: packed by"),
    ):
        archive.open("a.json")


def test_a_zip_that_is_opened_whole_has_the_same_rules():
    with archive_zip.ZipArchive(io.BytesIO(zipped({"a.json": b"{}"}, zipfile.ZIP_BZIP2))) as archive:
        assert archive.read("a.json") == b"{}"
    with pytest.raises(NotSingleFileError, match="packed by method 14"):
        single_file_zip.unpack_single_file(io.BytesIO(reserving("a.json")), "a.zip")


def test_a_wrong_checksum_is_found():
    body = bytearray(zipped({"a.csv": b"a,b,c,d", "b.csv": b"ok"}, zipfile.ZIP_STORED))
    body[body.index(b"a,b,c,d")] ^= 1
    read = contents(bytes(body))
    assert "CRC" in str(read["a.csv"])
    assert read["b.csv"] == b"ok"


def test_a_truncated_zip_is_a_clear_error():
    body = zipped({f"{index}.html": bytes(range(256)) * 40 for index in range(20)})
    for length in (4, 100, len(body) // 2, len(body) - 1):
        with pytest.raises(ArchiveError, match=r"daily\.zip: truncated or damaged zip"):
            listed(body[:length])


def test_a_member_without_a_name_is_a_clear_error():
    body = zipped({"a.csv": b"a", "XXXX": b"b"}).replace(b"XXXX", b"\0XXX")  # a name ends at its first NUL
    with pytest.raises(ArchiveError, match=r"daily\.zip: truncated or damaged zip: a member without a name"):
        listed(body)
    with pytest.raises(NotSingleFileError, match="a member without a name"):
        single_file_zip.unpack_single_file(io.BytesIO(body), "daily.zip")


def test_no_archive_at_all():
    with pytest.raises(ArchiveError, match="the bytes are html"):
        listed(b"<html>Service unavailable")
    with pytest.raises(ArchiveError, match="the bytes are empty"):
        listed(b"")


def test_caps():
    body = zipped({"a": b"x" * 5000, "b": b"y" * 10})
    assert "more than 1000" in str(contents(body, limits=ArchiveLimits(member_bytes=1000))["a"])
    with pytest.raises(ArchiveError, match="more than 1 members"):
        listed(body, limits=ArchiveLimits(members=1))
    with pytest.raises(ArchiveError, match="more than 100 bytes"):
        listed(body, limits=ArchiveLimits(total_bytes=100))


def test_a_bomb_is_told_by_its_ratio(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(members, "RATIO_FROM", 1000)
    assert "a bomb" in str(contents(zipped({"a": b"\0" * 1_000_000}))["a"])


def test_a_size_that_lies_is_found():
    body = bytearray(zipped({"a": b"\0" * 100_000}))
    central = body.index(b"PK\x01\x02")
    body[central + 24 : central + 28] = struct.pack("<I", 10)
    read = contents(bytes(body))
    assert "truncated or damaged" in str(read["a"])


def test_zip64_and_data_descriptors():
    class Unseekable(io.RawIOBase):
        def __init__(self) -> None:
            self.data = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, data: bytes) -> int:  # type: ignore[override]
            self.data += data
            return len(data)

    sink = Unseekable()
    archive = zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED)  # type: ignore[arg-type]
    with archive, archive.open("a.csv", "w", force_zip64=True) as member:
        member.write(b"a,b\n" * 1000)
    assert contents(bytes(sink.data)) == {"a.csv": b"a,b\n" * 1000}


def test_large_members_reopen_the_archive(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(members, "IN_MEMORY", 10)
    body = zipped({"a.csv": b"a,b\n" * 1000, "b.csv": b"abcdefghijklmnopqrstuvw"})
    assert contents(body) == {"a.csv": b"a,b\n" * 1000, "b.csv": b"abcdefghijklmnopqrstuvw"}


def test_a_name_that_occurs_twice():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a", "1")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a", "2")
    assert contents(buffer.getvalue()) == {"a": b"1", "a~2": b"2"}


def test_members_can_be_sent_to_another_process():
    good, bad = pickle.loads(pickle.dumps(listed(zipped({"a": b"1", "../b": b"2"}))))
    assert good.open().read() == b"1"
    with pytest.raises(ArchiveError) as caught:
        bad.open()
    assert caught.value.member == "../b"


def tarred(mode: str, files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as tar:  # type: ignore[call-overload]
        for name, body in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(body)
            tar.addfile(info, io.BytesIO(body))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return buffer.getvalue()


@pytest.mark.parametrize("mode", ["w", "w:gz"])
@pytest.mark.parametrize("in_memory", [5, 1 << 20])
def test_tar(mode: str, in_memory: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(members, "IN_MEMORY", in_memory)
    body = tarred(mode, {"a.json": b"{}", "b.json": b'{"b": 1, "c": 2}', "../c": b""})
    assert contents(body) == {
        "a.json": b"{}",
        "b.json": b'{"b": 1, "c": 2}',
        "../c": "a path that climbs out of the archive",
        "link": "a link or device, not a file",
    }
    if mode == "w:gz":  # too small to show that it holds a tar: one damaged file
        assert "truncated or damaged" in str(contents(body[: len(body) // 2]))
        return
    for cut in (700, 1024, 1300):  # inside a member, between two, inside a header
        with pytest.raises(ArchiveError, match="truncated or damaged"):
            contents(body[:cut])


def test_gzip_is_one_member_and_its_damage_is_told():
    packed = gzip.compress(b"a,b\n" * 10_000)  # nothing comes out of a cut this small before its end
    assert contents(packed) == {"daily.zip": b"a,b\n" * 10_000}
    assert "truncated or damaged" in str(contents(packed[:-20])["daily.zip"])
    assert "more than 100 bytes" in str(contents(packed, limits=ArchiveLimits(member_bytes=100))["daily.zip"])


def test_pieces_of_a_piece(piece: Callable[..., ArchiveMember]):
    body = zipped({"a.html": b"<html>", "../b": b"x"})
    good, bad = staging.split_archive(piece(body, "day.zip", "uk.accounts"))
    assert good.raw_pointer == "ab" * 32 + "#a.html"
    assert staging.open_plain(good).read() == b"<html>"
    with pytest.raises(UnreadableFileError, match=r"uk\.accounts: day\.zip.*climbs out"):
        bad.open()
    with pytest.raises(UnreadableFileError, match="truncated or damaged zip"):
        list(staging.split_archive(piece(body[:-5], "day.zip")))
    plain = piece(b"<html>", "loose.html")
    assert list(staging.split_archive(plain)) == [plain]
    packed = piece(gzip.compress(b"a,b"), "enheter.csv.gz")
    assert list(staging.split_archive(packed)) == [packed]
    assert staging.open_plain(packed).read() == b"a,b"
    with pytest.raises(UnreadableFileError, match="truncated or damaged"):
        staging.open_plain(piece(gzip.compress(b"a,b")[:-3])).read()


def test_a_stream_that_cannot_seek(piece: Callable[..., ArchiveMember]):
    class Forward(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def seek(self, *_: object) -> int:
            raise io.UnsupportedOperation

    body = zipped({"a.html": b"<html>"})
    assert [m.open().read() for m in archive_members(partial(Forward, body), "x.zip")] == [b"<html>"]


@pytest.mark.sources
def test_the_genuine_accounts_zip(sources: Path):
    path = sources / "uk" / "accounts_bulk_zip" / "Accounts_Bulk_Data-2025-05-03.trimmed.zip"
    read = {m.name: m.open().read() for m in archive_members(partial(path.open, "rb"), path.name)}
    assert sum("/accounts/" in name for name in read) == 1
    assert all(read.values())


SMALL = zipped({"a.html": b"<html>" * 50, "in.zip": zipped({"b": b"x" * 300}), "c": b"stored"})
TAR = tarred("w:gz", {"a": b"1" * 500, "b": b"2" * 2000})


@settings(max_examples=150)
@given(st.data())
def test_damage_never_raises_anything_else(data: st.DataObject):
    body = bytearray(data.draw(st.sampled_from([SMALL, TAR, gzip.compress(SMALL)])))
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(body) - 1))
        body[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(body)))
    try:
        for member in archive_members(partial(io.BytesIO, bytes(body[: cut or len(body)])), "x"):
            with suppress(ArchiveError):
                member.open().read()
    except ArchiveError:
        pass

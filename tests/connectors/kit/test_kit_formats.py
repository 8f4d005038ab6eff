"""What the first bytes say."""

from connectors.kit.formats import HEAD, Format, sniff
from tests.tables import check_cases


@check_cases(
    ("head", "found"),
    [
        (b"", Format.EMPTY),
        (b"\r\n ", Format.EMPTY),
        (b" " * HEAD, Format.UNKNOWN),  # a head of blanks says nothing of what follows
        (b" " * 70_000 + b"{}", Format.JSON),
        (b"PK\x03\x04....", Format.ZIP),
        (b"\x1f\x8b\x08", Format.GZIP),
        (b"%PDF-1.7", Format.PDF),
        (b"  <!DOCTYPE HTML><html>", Format.HTML),
        (b"\xef\xbb\xbf<?xml version='1.0'?><html xmlns='x'>", Format.HTML),
        (b"\xef\xbb\xbf<?xml version='1.0'?><deler>", Format.XML),
        (b'\n{"a": 1}', Format.JSON),
        (b"[]", Format.JSON),
        (b"a,b\n1,2\n", Format.TEXT),
        ("a;b\næ;ø".encode("utf-16"), Format.TEXT),
        (b"<rss><channel><item><description><![CDATA[<html>quoted</html>]]>", Format.XML),
        (b'<?xml version="1.0"?><feed xmlns="a"><entry><![CDATA[<!DOCTYPE html>', Format.XML),
        (b"<html><head><link href='a.rss'><script>'<rss'</script>", Format.HTML),
        ("a;b\næ;ø".encode("cp1252"), Format.TEXT),
        (b"\x00\x01\x02\x03\xff\xfe\x00\x10", Format.UNKNOWN),
    ],
)
def test_sniff(head: bytes, found: Format):
    assert sniff(head) is found

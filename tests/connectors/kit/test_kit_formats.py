"""What the first bytes say."""

from connectors.kit.formats import HEAD, BodyFormat, detect_body_format
from tests.tables import check_cases


@check_cases(
    ("head", "found"),
    [
        (b"", BodyFormat.EMPTY),
        (b"\r\n ", BodyFormat.EMPTY),
        (b" " * HEAD, BodyFormat.UNKNOWN),  # a head of blanks says nothing of what follows
        (b" " * 70_000 + b"{}", BodyFormat.JSON),
        (b"PK\x03\x04....", BodyFormat.ZIP),
        (b"\x1f\x8b\x08", BodyFormat.GZIP),
        (b"%PDF-1.7", BodyFormat.PDF),
        (b"  <!DOCTYPE HTML><html>", BodyFormat.HTML),
        (b"\xef\xbb\xbf<?xml version='1.0'?><html xmlns='x'>", BodyFormat.HTML),
        (b"\xef\xbb\xbf<?xml version='1.0'?><deler>", BodyFormat.XML),
        (b'\n{"a": 1}', BodyFormat.JSON),
        (b"[]", BodyFormat.JSON),
        (b"a,b\n1,2\n", BodyFormat.TEXT),
        ("a;b\næ;ø".encode("utf-16"), BodyFormat.TEXT),
        (b"<rss><channel><item><description><![CDATA[<html>quoted</html>]]>", BodyFormat.XML),
        (b'<?xml version="1.0"?><feed xmlns="a"><entry><![CDATA[<!DOCTYPE html>', BodyFormat.XML),
        (b"<html><head><link href='a.rss'><script>'<rss'</script>", BodyFormat.HTML),
        ("a;b\næ;ø".encode("cp1252"), BodyFormat.TEXT),
        (b"\x00\x01\x02\x03\xff\xfe\x00\x10", BodyFormat.UNKNOWN),
    ],
)
def test_sniff(head: bytes, found: BodyFormat):
    assert detect_body_format(head) is found

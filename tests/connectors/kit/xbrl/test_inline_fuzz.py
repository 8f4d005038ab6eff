"""Broken bytes: a reader answers or says Malformed, in good time, and raises nothing else."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from connectors.kit.xbrl.instance import read_report
from connectors.kit.xml.parse import MalformedMarkupError
from tests.tables import check_cases

INLINE = b"""<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"
 xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:ixt="http://www.xbrl.org/inlineXBRL/transformation/2011-07-31">
<body><ix:header><ix:resources><xbrli:context id="y"><xbrli:entity><xbrli:identifier scheme="s">1</xbrli:identifier>
</xbrli:entity><xbrli:period><xbrli:startDate>2017-01-01</xbrli:startDate><xbrli:endDate>2017-12-31</xbrli:endDate>
</xbrli:period></xbrli:context><xbrli:unit id="u"><xbrli:measure>iso4217:GBP</xbrli:measure></xbrli:unit>
</ix:resources></ix:header><ix:nonFraction name="d:N" contextRef="y" unitRef="u" decimals="0" scale="3" sign="-"
 format="ixt:numdotdecimal">1,234</ix:nonFraction><ix:nonNumeric name="d:T" contextRef="y" continuedAt="c"
 format="ixt:datelonguk">30 September <ix:exclude>x</ix:exclude>2017</ix:nonNumeric>
<ix:continuation id="c">b</ix:continuation><ix:fraction name="d:F" contextRef="y" unitRef="u"><ix:numerator>1
</ix:numerator><ix:denominator>3</ix:denominator></ix:fraction></body></html>"""
PLAIN = b"""<xbrl xmlns="http://www.xbrl.org/2003/instance" xmlns:d="d"><context id="y"><entity><identifier scheme="s">1
</identifier></entity><period><instant>2017-12-31</instant></period></context><unit id="u"><measure>GBP</measure>
</unit><d:N contextRef="y" unitRef="u" precision="3" sign="-">12</d:N><d:T><d:U contextRef="y">x</d:U></d:T></xbrl>"""


def survives(body: bytes) -> None:
    try:
        report = read_report(body)
    except MalformedMarkupError:
        return
    for fact in report.facts:
        if fact.context is not None and fact.context.end is not None:
            report.starts(fact.context.end)


@pytest.mark.parametrize("whole", [INLINE, PLAIN])
def test_every_cut_of_a_document_is_malformed_not_half_read(whole: bytes) -> None:
    for end in range(len(whole) - 1):
        with pytest.raises(MalformedMarkupError):
            read_report(whole[:end])


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.sampled_from([INLINE, PLAIN]), st.data())
def test_changed_bytes_never_crash(whole: bytes, data: st.DataObject) -> None:
    body = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(body) - 1))
        body[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=6))
    survives(bytes(body))


@settings(max_examples=100)
@given(st.binary(max_size=400))
def test_any_bytes_never_crash(body: bytes) -> None:
    survives(body)
    survives(b"<?xml version='1.0'?><html>" + body + b"</html>")


@settings(max_examples=150)
@given(
    st.sampled_from(["scale", "decimals", "precision", "sign", "format", "contextRef", "unitRef", "continuedAt"]),
    st.text(max_size=40).filter(lambda text: not set(text) & set('<&"')),
)
def test_any_attribute_never_crashes(name: str, value: str) -> None:
    body = (
        INLINE.decode().replace('name="d:N"', f'name="d:N" x{name}="1"').replace(f' {name}="', f' {name}="{value}', 1)
    )
    survives(body.encode("utf-8", "replace"))


@check_cases(
    "body",
    [
        b"<a>" * 100_000,
        b"<a>" * 100_000 + b"</a>" * 100_000,
        b"<html>" + b"<" * 200_000 + b"</html>",
        b"<html " + b"a" * 300_000 + b"='1'></html>",
        b"<?xml version='1.0'?><html/>" * 3_000,
        INLINE.replace(b"1,234", b"1" * 500_000),
        INLINE.replace(b"1,234", b"1,234," * 50_000),
        INLINE.replace(b"30 September", b"30 " + b"s" * 200_000),
        INLINE.replace(b"30 September", b"3 " * 50_000),
        INLINE.replace(b"2017-12-31", b"9999-12-31").replace(b"2017-01-01", b"0001-01-01"),
    ],
    ids=["open", "deep", "angles", "name", "many", "digits", "groups", "word", "days", "dates"],
)
def test_hostile_shapes_end_soon(body: bytes) -> None:
    started = time.process_time()
    survives(body)
    assert time.process_time() - started < 10

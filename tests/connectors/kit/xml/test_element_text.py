"""Texts that hold each other: read whole as filers nest them, left out and told where the nesting has no end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from connectors.kit.xbrl.facts import XbrlReport
from connectors.kit.xbrl.instance import read_report

_LEFT_OUT = ("endless_nesting", "the rest is left out")
_INLINE = "http://www.xbrl.org/2013/inlineXBRL"
_INSTANCE = "http://www.xbrl.org/2003/instance"


def _inline(depth: int) -> bytes:
    """Text blocks inside each other, each with a word of its own, and a number behind them."""
    opened = "".join(f'<ix:nonNumeric name="t:Block{place}" contextRef="c">w{place} ' for place in range(depth))
    number = '<ix:nonFraction name="t:Number" contextRef="c" unitRef="u">7</ix:nonFraction>'
    return f'<html xmlns:ix="{_INLINE}" xmlns:t="t">{opened}{number}{"</ix:nonNumeric>" * depth}</html>'.encode()


def _instance(depth: int) -> bytes:
    """As `_inline`, in the syntax in which an item may hold none (XBRL 2.1, 4.6)."""
    opened = "".join(f'<t:Block{place} contextRef="c">w{place} ' for place in range(depth))
    closed = "".join(f"</t:Block{place}>" for place in reversed(range(depth)))
    number = '<t:Number contextRef="c" unitRef="u">7</t:Number>'
    return f'<xbrl xmlns="{_INSTANCE}" xmlns:t="t">{opened}{number}{closed}</xbrl>'.encode()


_BOTH = pytest.mark.parametrize("written", [_inline, _instance])


def _number(report: XbrlReport) -> list[object]:
    return [fact.value for fact in report.facts if fact.name == "Number"]


@_BOTH
def test_texts_inside_each_other_are_read_whole(written: Callable[[int], bytes]) -> None:
    report = read_report(written(20))
    texts = [fact.value for fact in report.facts if fact.name.startswith("Block")]
    assert texts == [" ".join(f"w{place}" for place in range(start, 20)) + " 7" for start in range(20)]
    assert _LEFT_OUT not in report.signals
    assert _number(report) == [7]


@pytest.mark.parametrize("written", [_inline, pytest.param(_instance, marks=pytest.mark.slow)])
def test_a_nesting_without_end_is_left_out_and_told(written: Callable[[int], bytes]) -> None:
    report = read_report(written(2_000))
    blocks = [fact for fact in report.facts if fact.name.startswith("Block")]
    unknown = [fact for fact in blocks if fact.value is None]
    assert len(blocks) == 2_000
    assert report.signals[_LEFT_OUT] == len(unknown) > 1_000
    assert all(fact.text == "" for fact in unknown)
    assert blocks[0].value == " ".join(f"w{place}" for place in range(2_000)) + " 7"
    assert _number(report) == [7]  # what holds nothing is read wherever it stands


@pytest.mark.slow
def test_what_goes_on_in_a_text_that_is_left_out_is_unknown() -> None:
    nested = _inline(2_000).decode()
    going_on = '<ix:nonNumeric name="t:Told" contextRef="c" continuedAt="k">begins</ix:nonNumeric>'
    continued = '<ix:continuation id="k"><b>and ends</b></ix:continuation>'
    body = nested.replace("</html>", f"{going_on}{continued}</html>").encode()
    assert [fact.value for fact in read_report(body).facts if fact.name == "Told"] == [None]

"""The inline XBRL reader: one hand-written document for every rule of value, context, unit and structure."""

from datetime import date
from decimal import Decimal

import pytest
from lxml import etree

from connectors.kit.xbrl.contexts import Contexts
from connectors.kit.xbrl.facts import (
    EXACT,
    Context,
    Dimension,
    Fact,
    Unit,
    XbrlReport,
    choose_fact,
    decimals_of,
    first_text,
)
from connectors.kit.xbrl.instance import read_report
from tests.tables import check_cases

V11 = "http://www.xbrl.org/2013/inlineXBRL"
V10 = "http://www.xbrl.org/2008/inlineXBRL"
RESOURCES = """
<xbrli:context id="y"><xbrli:entity><xbrli:identifier scheme=" http://x/ "> 01234567 </xbrli:identifier>
</xbrli:entity><xbrli:period><xbrli:startDate>2017-01-01</xbrli:startDate><xbrli:endDate> 2017-12-31 </xbrli:endDate>
</xbrli:period></xbrli:context>
<xbrli:context id="e"><xbrli:entity><xbrli:identifier scheme="s">1</xbrli:identifier><xbrli:segment>
<xbrldi:explicitMember dimension="d:Axis"> d:Member </xbrldi:explicitMember>
<xbrldi:typedMember dimension="d:Typed"><d:t>  seven </d:t></xbrldi:typedMember></xbrli:segment></xbrli:entity>
<xbrli:period><xbrli:instant>2018-01-01T00:00:00</xbrli:instant></xbrli:period></xbrli:context>
<xbrli:context id="f"><xbrli:entity><xbrli:identifier scheme="s">1</xbrli:identifier></xbrli:entity>
<xbrli:period><xbrli:forever/></xbrli:period><xbrli:scenario><xbrldi:typedMember dimension="d:Typed">
<d:t xsi:nil="true"/></xbrldi:typedMember></xbrli:scenario></xbrli:context>
<xbrli:unit id="GBP"><xbrli:measure> iso4217:GBP </xbrli:measure></xbrli:unit>
<xbrli:unit id="pure"><xbrli:measure>xbrli:pure</xbrli:measure></xbrli:unit>
<xbrli:unit id="eps"><xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:GBP</xbrli:measure>
</xbrli:unitNumerator><xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator>
</xbrli:divide></xbrli:unit>
"""


def page(body: str, version: str = V11, resources: str = RESOURCES, more: str = "") -> bytes:
    return f"""<?xml version="1.0"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="{version}" xmlns:xbrli="http://www.xbrl.org/2003/instance"
 xmlns:xbrldi="http://xbrl.org/2006/xbrldi" xmlns:iso4217="http://www.xbrl.org/2003/iso4217" xmlns:d="http://d"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:link="http://www.xbrl.org/2003/linkbase"
 xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:ixt="http://www.xbrl.org/inlineXBRL/transformation/2011-07-31" xml:lang="en" {more}><body>
<ix:header><ix:references><link:schemaRef xlink:href="http://s.xsd"/></ix:references>
<ix:resources>{resources}</ix:resources></ix:header>{body}</body></html>""".encode()


def read(body: str, **how: str) -> XbrlReport:
    return read_report(page(body, **how))


def only(body: str, **how: str) -> Fact:
    (fact,) = read(body, **how).facts
    return fact


def number(text: str, attributes: str = "") -> Fact:
    return only(f'<ix:nonFraction name="d:N" contextRef="y" unitRef="GBP" {attributes}>{text}</ix:nonFraction>')


@pytest.mark.parametrize("version", [V10, V11])
def test_a_number_with_all_it_says(version: str) -> None:
    fact = only(
        '<ix:nonFraction id="i1" name="d:Profit" contextRef="y" unitRef="GBP" decimals="-3" scale="3" sign="-"'
        ' format="ixt:numdotdecimal">1,234</ix:nonFraction>',
        version=version,
    )
    context = Context("y", "http://x/", "01234567", date(2017, 1, 1), date(2017, 12, 31), ())
    unit = Unit(("GBP",), (), True)
    assert fact == Fact(
        "http://d", "Profit", Decimal(-1234000), "1,234", context, unit, -3, None, None, False, True, "i1"
    )
    assert fact.unit is not None
    assert fact.unit.currency == "GBP"


@check_cases(
    ("text", "attributes", "value"),
    [
        ("12.5", 'scale="-2"', "0.125"),
        ("7", 'scale="6"', "7000000"),
        ("7", 'scale="0" sign="-"', "-7"),
        ("-7", "", "-7"),
        ("-", 'format="ixt:zerodash"', "0"),
        ("0", 'sign="-"', "0"),
        ("1<!-- printed --><b>,2</b>34", 'format="ixt:numdotdecimal"', "1234"),
        ("<b>1</b>2<ix:exclude>99<i>9</i></ix:exclude>3", "", "123"),
    ],
)
def test_scale_sign_and_text(text: str, attributes: str, value: str) -> None:
    assert number(text, attributes).value == Decimal(value)


@check_cases("text", ["-", "–", "—", "", " "])
def test_a_blank_or_dash_without_zero_dash_is_null_and_no_signal(text: str) -> None:
    report = read(f'<ix:nonFraction name="d:N" contextRef="y" unitRef="GBP">{text}</ix:nonFraction>')
    assert report.facts[0].value is None
    assert not report.signals


@check_cases(
    ("text", "attributes", "signal"),
    [
        ("(1,234)", 'format="ixt:numdotdecimal"', ("unaccepted_text", "numdotdecimal")),
        ("(1234)", "", ("unaccepted_text", "no transform")),
        ("-5", 'sign="-"', ("two_signs", "d:N")),
        ("5", 'scale="99999999999"', ("unreadable_scale", "99999999999")),
        ("5", 'scale="x"', ("unreadable_scale", "x")),
        ("1,234", 'format="ixt:somethingelse"', ("unknown_transform", "somethingelse")),
        ("5", 'contextRef="nowhere"', None),
    ],
)
def test_what_cannot_be_read_has_no_value_but_a_signal(
    text: str, attributes: str, signal: tuple[str, str] | None
) -> None:
    if signal is None:
        report = read(f'<ix:nonFraction name="d:N" unitRef="GBP" {attributes}>{text}</ix:nonFraction>')
        assert report.facts[0].context is None
        assert ("unknown_context", "nowhere") in report.signals
        return
    report = read(f'<ix:nonFraction name="d:N" contextRef="y" unitRef="GBP" {attributes}>{text}</ix:nonFraction>')
    assert report.facts[0].value is None
    assert signal in report.signals


def test_nil_is_null_whatever_stands_there() -> None:
    fact = number("5", 'xsi:nil="true"')
    assert (fact.value, fact.is_nil) == (None, True)


def test_dimensions_explicit_and_typed_and_midnight_ends_the_day_before() -> None:
    fact = only('<ix:nonFraction name="d:N" contextRef="e" unitRef="pure">1</ix:nonFraction>')
    assert fact.context is not None
    assert (fact.context.start, fact.context.end) == (None, date(2017, 12, 31))
    assert fact.context.dimensions == (Dimension("Axis", "Member"), Dimension("Typed", "seven", True))
    assert fact.unit == Unit(("pure",))


def test_forever_has_no_dates_and_a_nil_typed_member_is_none() -> None:
    fact = only('<ix:nonNumeric name="d:T" contextRef="f">x</ix:nonNumeric>')
    assert fact.context is not None
    assert (fact.context.start, fact.context.end) == (None, None)
    assert fact.context.dimensions == (Dimension("Typed", None, True),)


def test_a_ratio_of_money_is_no_money() -> None:
    fact = only('<ix:nonFraction name="d:N" contextRef="y" unitRef="eps">1.5</ix:nonFraction>')
    assert fact.unit == Unit(("GBP",), ("shares",))
    assert fact.unit.currency is None


def test_text_with_continuation_exclusion_and_children() -> None:
    fact = only(
        '<ix:nonNumeric name="d:Name" contextRef="y" continuedAt="c1"><p>ACME <ix:exclude>page 3</ix:exclude>'
        '</p></ix:nonNumeric><ix:continuation id="c2"> LTD</ix:continuation>'
        '<ix:continuation id="c1" continuedAt="c2"><b>HOLD</b>INGS</ix:continuation>'
    )
    assert fact.value == "ACME HOLDINGS LTD"
    assert fact.language == "en"


def test_a_continuation_that_runs_in_a_circle_or_nowhere_ends() -> None:
    report = read(
        '<ix:nonNumeric name="d:A" contextRef="y" continuedAt="c1">a</ix:nonNumeric>'
        '<ix:continuation id="c1" continuedAt="c1">b</ix:continuation>'
        '<ix:nonNumeric name="d:B" contextRef="y" continuedAt="gone">c</ix:nonNumeric>'
    )
    assert [fact.value for fact in report.facts] == ["ab", "c"]
    assert ("unknown_continuation", "gone") in report.signals


def test_nested_tags_are_facts_of_their_own() -> None:
    report = read(
        '<ix:nonNumeric name="d:Note" contextRef="y">Turnover <ix:nonFraction name="d:Outer" contextRef="y"'
        ' unitRef="GBP" scale="3"><ix:nonFraction name="d:Inner" contextRef="y" unitRef="GBP">12</ix:nonFraction>'
        "</ix:nonFraction> rose</ix:nonNumeric>"
    )
    assert [fact.value for fact in report.facts] == ["Turnover 12 rose", Decimal(12000), Decimal(12)]


def test_fractions() -> None:
    fact = only(
        '<ix:fraction name="d:F" contextRef="y" unitRef="pure"><ix:numerator format="ixt:numdotdecimal">1,000'
        '</ix:numerator> / <ix:denominator scale="3">4</ix:denominator></ix:fraction>'
    )
    assert fact.value == Decimal("0.25")
    broken = read('<ix:fraction name="d:F" contextRef="y" unitRef="pure"><ix:numerator>1</ix:numerator></ix:fraction>')
    assert broken.facts[0].value is None
    assert ("broken_fraction", "d:F") in broken.signals


def test_tuples_give_their_facts_a_parent() -> None:
    report = read(
        '<ix:tuple name="d:Person" tupleID="t1"><ix:nonNumeric name="d:A" contextRef="y" order="1">a'
        '</ix:nonNumeric></ix:tuple><ix:nonNumeric name="d:B" contextRef="y" tupleRef="t1" order="2">b'
        '</ix:nonNumeric><ix:nonNumeric name="d:C" contextRef="y">c</ix:nonNumeric>'
    )
    assert [(fact.name, fact.parent) for fact in report.facts] == [("A", "t1"), ("B", "t1"), ("C", None)]


def test_only_the_target_asked_for() -> None:
    body = page(
        '<ix:nonNumeric name="d:A" contextRef="y">a</ix:nonNumeric>'
        '<ix:nonNumeric name="d:B" contextRef="y" target="other">b</ix:nonNumeric>'
    )
    assert [fact.name for fact in read_report(body).facts] == ["A"]
    assert [fact.name for fact in read_report(body, target="other").facts] == ["B"]


def test_only_wanted_names_whatever_their_prefix_and_repeats_once() -> None:
    body = page(
        '<ix:nonNumeric name="d:A" contextRef="y"> </ix:nonNumeric><ix:nonNumeric name="d:B" contextRef="y">b'
        '</ix:nonNumeric><ix:nonNumeric name="xsi:A" contextRef="y">1</ix:nonNumeric>'
        '<ix:nonNumeric name="xsi:A" contextRef="y">2</ix:nonNumeric>'
    )
    found = read_report(body, frozenset({"A"}), once=frozenset({"A"})).facts
    assert [(fact.namespace, fact.value) for fact in found] == [
        ("http://d", " "),
        ("http://www.w3.org/2001/XMLSchema-instance", "1"),
    ]


def test_lower_case_names_of_html_serialisers_are_read() -> None:
    assert only('<ix:nonfraction name="d:N" contextRef="y" unitRef="GBP">5</ix:nonfraction>').value == 5


def test_periods_that_no_fact_uses_are_known() -> None:
    report = read('<ix:nonNumeric name="d:A" contextRef="f">a</ix:nonNumeric>')
    assert report.starts(date(2017, 12, 31)) == {date(2017, 1, 1): 1}
    assert report.starts(date(2016, 12, 31)) == {}
    assert report.schemas == ("http://s.xsd",)


@check_cases(
    ("decimals", "precision", "value", "found"),
    [
        ("0", None, "5", 0),
        ("-3", None, "5000", -3),
        ("INF", None, "5", EXACT),
        (None, "INF", "5", EXACT),
        (None, "2", "1234", -2),
        (None, "6", "0", EXACT),
        (None, "0", "5", None),
        (None, None, "5", None),
        ("x", None, "5", None),
    ],
)
def test_decimals(decimals: str | None, precision: str | None, value: str, found: int | None) -> None:
    assert decimals_of(decimals, precision, Decimal(value)) == found


def test_the_most_precise_of_repeats_and_contradictions_told() -> None:
    exact, coarse, other = (
        number("1234567", 'decimals="0"'),
        number("1235", 'scale="3" decimals="-3"'),
        number("9", 'decimals="0"'),
    )
    assert choose_fact([coarse, exact]) == (exact, True)
    assert choose_fact([exact, exact, coarse]).agree
    assert choose_fact([exact, other]) == (exact, False)
    assert choose_fact([exact]).agree


def test_first_text_skips_blanks_and_joins_words() -> None:
    report = read(
        '<ix:nonNumeric name="d:A" contextRef="y"> </ix:nonNumeric>'
        '<ix:nonNumeric name="d:A" contextRef="y"><span>ACME</span>\n <span>LTD</span></ix:nonNumeric>'
    )
    assert first_text(report.facts) == "ACME LTD"
    assert first_text([]) is None


def test_a_segment_without_dimensions_is_told_by_its_elements() -> None:
    cut = "<xbrli:segment><d:GroupSegment/></xbrli:segment>"
    resources = RESOURCES.replace("</xbrli:identifier>", "</xbrli:identifier>" + cut, 1)
    fact = only('<ix:nonFraction name="d:N" contextRef="y" unitRef="GBP">1</ix:nonFraction>', resources=resources)
    assert fact.context is not None
    assert (fact.context.segments, fact.context.dimensions) == (("GroupSegment",), ())


def test_what_one_of_two_documents_declares_both_have_and_what_none_does_neither() -> None:
    """Each looks in the other: asked in turn, they would ask each other for ever."""
    resources = etree.fromstring(page("")).find(".//{*}resources")
    assert resources is not None
    declaring, other = Contexts([resources]), Contexts([])
    for one in (declaring, other):
        one.also((declaring, other))
    for one in (declaring, other):
        assert one.unit("GBP") == Unit(("GBP",), (), is_currency=True)
        assert one.context("y") == declaring.context("y") is not None
        assert one.unit("nobody's") is one.context("nobody's") is one.unit("y") is one.context("GBP") is None


@check_cases(
    ("sign", "value"), [("-", Decimal(-5)), (" - ", Decimal(-5)), ("", Decimal(5)), ("\u2212", None), ("minus", None)]
)
def test_a_sign_that_is_none_gives_no_value_but_a_signal(sign: str, value: Decimal | None) -> None:
    report = read(f'<ix:nonFraction name="d:N" contextRef="y" unitRef="GBP" sign="{sign}">5</ix:nonFraction>')
    assert report.facts[0].value == value
    assert report.signals["unreadable_sign", sign] == (value is None)


def test_an_id_declared_twice_differently_is_none_and_twice_the_same_is_one() -> None:
    head, begin, tail = RESOURCES.partition("<xbrli:unit")
    once, units = head[: head.index('<xbrli:context id="e">')], begin + tail
    fact = '<ix:nonFraction name="d:N" contextRef="y" unitRef="GBP">5</ix:nonFraction>'
    (found,) = read(fact, resources=once * 2 + units * 2).facts
    assert found.context is not None
    assert found.unit is not None
    report = read(fact, resources=once + once.replace("2017", "2016") + units + units.replace(":GBP ", ":USD "))
    assert (report.facts[0].context, report.facts[0].unit) == (None, None)
    assert report.signals["unknown_context", "y"] == 1

"""Plain instances, markup as it really comes, and genuine Swedish and Finnish reports read by the same kit."""

from datetime import date
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest

from connectors.kit.xbrl.facts import EXACT, XbrlReport
from connectors.kit.xbrl.instance import read_report
from connectors.kit.xml.parse import MalformedMarkupError, parse_markup
from tests.tables import check_cases

INSTANCE = """<xbrli:xbrl xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:d="http://d"
 xmlns:link="http://www.xbrl.org/2003/linkbase" xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:iso4217="http://www.xbrl.org/2003/iso4217" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<link:schemaRef xlink:href="http://s.xsd"/>
<xbrli:context id="y"><xbrli:entity><xbrli:identifier scheme="Client/results">A Name Ltd</xbrli:identifier>
</xbrli:entity><xbrli:period><xbrli:startDate>2016-01-01</xbrli:startDate><xbrli:endDate>2016-12-31</xbrli:endDate>
</xbrli:period></xbrli:context>
<xbrli:unit id="GBP"><xbrli:measure>iso4217:GBP</xbrli:measure></xbrli:unit>
%s</xbrli:xbrl>"""


def read(facts: str) -> XbrlReport:
    return read_report((INSTANCE % facts).encode())


def test_numbers_texts_nil_and_tuples() -> None:
    report = read(
        '<d:Profit contextRef="y" unitRef="GBP" precision="6">\n -82026 \n</d:Profit>'
        '<d:Cash contextRef="y" unitRef="GBP" decimals="INF" id="c">2.50</d:Cash>'
        '<d:Gone contextRef="y" unitRef="GBP" xsi:nil="true"/>'
        '<d:Names><d:Name contextRef="y" xml:lang="en">A Name Ltd</d:Name></d:Names>'
    )
    profit, cash, gone, name = report.facts
    assert (profit.value, profit.decimals) == (Decimal(-82026), 1)
    assert (cash.value, cash.decimals, cash.id) == (Decimal("2.50"), EXACT, "c")
    assert (gone.value, gone.is_nil) == (None, True)
    assert (name.value, name.parent, name.language, name.is_numeric) == ("A Name Ltd", "Names", "en", False)
    assert profit.context is not None
    assert (profit.context.entity, profit.context.start) == ("A Name Ltd", date(2016, 1, 1))
    assert report.schemas == ("http://s.xsd",)


@check_cases(("code", "currency"), [("FIM", "FIM"), ("XYZ", None), ("XXX", None), ("gbp", None)])
def test_currency_of_a_unit_is_one_of_the_standard(code: str, currency: str | None) -> None:
    text = INSTANCE.replace("iso4217:GBP", f"iso4217:{code}") % '<d:N contextRef="y" unitRef="GBP">5</d:N>'
    (fact,) = read_report(text.encode()).facts
    assert fact.unit is not None
    assert fact.unit.currency == currency


@check_cases("text", ["(5)", "1,234", "NaN", "Infinity", "1e99999", "five", "1_000", "9" * 61])
def test_what_is_no_number_has_no_value_but_a_signal(text: str) -> None:
    report = read(f'<d:N contextRef="y" unitRef="GBP">{text}</d:N>')
    assert report.facts[0].value is None
    assert ("unaccepted_text", "N") in report.signals


def test_a_sign_left_over_from_inline_counts_and_is_told() -> None:
    report = read('<d:N contextRef="y" unitRef="GBP" sign="-">5</d:N><d:N contextRef="y" unitRef="GBP">-</d:N>')
    assert [fact.value for fact in report.facts] == [Decimal(-5), None]
    assert report.signals["sign_in_instance", "N"] == 1


def test_an_instance_in_the_default_namespace_or_wrapped() -> None:
    body = INSTANCE % '<N contextRef="y" unitRef="GBP">5</N>'
    plain = body.replace("xbrli:", "").replace("xmlns:xbrli", "xmlns")
    for text in (body, plain, f"<envelope>{body}</envelope>"):
        assert [fact.value for fact in read_report(text.encode(), frozenset({"N"})).facts] == [5]


def test_a_repaired_document_may_hold_names_that_are_none() -> None:
    body = (INSTANCE % '<d:Names:2><d:N contextRef="y" unitRef="GBP">5</d:N></d:Names:2>&').encode()
    (fact,) = read_report(body).facts
    assert fact.value == 5
    assert read_report(body).is_repaired


def test_an_ill_formed_document_counts_only_when_nothing_tagged_is_lost() -> None:
    facts = '<d:A contextRef="y" unitRef="GBP">5</d:A>%s<d:B contextRef="y" unitRef="GBP">6</d:B>'
    kept = read_report((INSTANCE % (facts % "<br>&</br>")).encode())
    assert [fact.value for fact in kept.facts] == [5, 6]
    assert ("repaired_document", "not well-formed") in kept.signals
    broken = INSTANCE % (facts % '<d:C contextRef=y unitRef="GBP">1</d:C>')
    for body in (broken.encode(), broken.encode("utf-16"), broken.replace("contextRef=", "contextRef =").encode()):
        with pytest.raises(MalformedMarkupError, match="of 3 tagged statements"):
            read_report(body)


def test_an_unknown_context_is_told() -> None:
    report = read('<d:N contextRef="nowhere" unitRef="GBP">5</d:N>')
    assert report.facts[0].context is None
    assert report.signals["unknown_context", "nowhere"] == 1


@check_cases(
    "body", [b"", b"  ", b"ATTACHMENTPLACEHOLDER127319911", bytes(range(256)) * 8, b"<html><p>cut", b"<html><p>cut</p>"]
)
def test_what_is_no_markup_or_breaks_off_is_malformed(body: bytes) -> None:
    with pytest.raises(MalformedMarkupError):
        parse_markup(body)


def test_markup_without_xbrl_is_malformed() -> None:
    with pytest.raises(MalformedMarkupError, match="no XBRL"):
        read_report(b"<html><body>Sorry, the service is unavailable</body></html>")


@check_cases(
    ("body", "text", "repaired"),
    [
        (b"\xef\xbb\xbf<a>caf\xc3\xa9</a>", "café", False),
        (b"\xef\xbb\xbf\xef\xbb\xbf log line\n<?xml version='1.0'?><a>1</a>", "1", False),
        ("<?xml version='1.0' encoding='utf-16'?><a>é</a>".encode("utf-16"), "é", False),
        ("<a>é</a>".encode("utf-16-le"), "é", True),
        (b"<?xml version='1.0' encoding='US-ASCII'?><a>caf\xc3\xa9</a>", "café", True),
        (b"<?xml version='1.0' encoding='utf-8'?><a>caf\xe9</a>", "café", True),
        (b"<?xml version='1.0' encoding='iso-8859-1'?><a>caf\xe9</a>", "café", False),
        (b"<?xml version='1.0' encoding='no-such'?><a>1</a>", "1", True),
        (b"<html><p>a<br>b</p></html>", "ab", True),
        (b"<a>" + b"x" * 11_000_000 + b"</a>", "x" * 11_000_000, False),
    ],
    ids=["bom", "junk", "utf-16", "utf-16-bare", "ascii", "cp1252", "latin", "unknown", "ill-formed", "huge"],
)
def test_encodings_marks_junk_and_repair(body: bytes, text: str, repaired: bool) -> None:
    markup = parse_markup(body)
    assert "".join(markup.roots[0].itertext()) == text
    assert markup.is_repaired is repaired


@pytest.mark.parametrize("half", [b"<b c='&#xdfff;'/>", b"&#xd800;", b"&#55296;"])
def test_a_reference_to_half_a_character_is_malformed(half: bytes) -> None:
    """The lenient parser keeps it, and every reader of the text would fail."""
    with pytest.raises(MalformedMarkupError, match="half a character"):
        parse_markup(b"<a>" + half + b"</a>")
    with pytest.raises(MalformedMarkupError, match="half a character"):
        read_report(b"<xbrli:xbrl xmlns:xbrli='http://www.xbrl.org/2003/instance'>" + half + b"</xbrli:xbrl>")


def test_entities_are_neither_fetched_nor_expanded() -> None:
    outside = b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
    assert "".join(parse_markup(outside).roots[0].itertext()) == "&x;"
    names = "abcdefghijkl"
    nested = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in pairwise(names))
    bomb = f'<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">{nested}]>'
    for use in ('<l x="&l;"/>', "<l>&l;</l>"):
        with pytest.raises(MalformedMarkupError, match="entities"):
            parse_markup((bomb + use).encode())


@check_cases("subset", ['SYSTEM "{}"', 'PUBLIC "-//a" "http://localhost:1/a.dtd"', '[<!ENTITY % x SYSTEM "{}">%x;]'])
def test_a_document_type_elsewhere_is_not_loaded_and_no_fault(subset: str) -> None:
    with NamedTemporaryFile(suffix=".dtd") as file:
        file.write(b"not a document type")
        file.flush()
        found = parse_markup(f"<!DOCTYPE a {subset.format(Path(file.name).as_uri())}><a>1&#160;2</a>".encode())
    assert ("".join(found.roots[0].itertext()), found.is_repaired) == ("1\xa02", False)


def test_a_named_blank_in_a_figure_is_a_blank() -> None:
    page = b"""<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://localhost:1/xhtml1.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"><body>
<ix:nonFraction name="d:N" contextRef="y" unitRef="u" format="ixt:numspacecomma">2&nbsp;650</ix:nonFraction>
</body></html>"""
    assert read_report(page).facts[0].value == 2650


def test_several_documents_in_one_file_share_what_they_declare() -> None:
    start = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"><body>'
    first = start + '<ix:nonNumeric name="d:A" contextRef="y" continuedAt="c">a</ix:nonNumeric></body></html>'
    second = start + (
        '<ix:continuation id="c">b</ix:continuation><ix:header><ix:resources>'
        '<context xmlns="http://www.xbrl.org/2003/instance" id="y"><entity><identifier scheme="s">1</identifier>'
        "</entity><period><instant>2020-12-31</instant></period></context></ix:resources></ix:header></body></html>"
    )
    for prolog in ('<?xml version="1.0"?>\n', "<!DOCTYPE html>", ""):
        report = read_report((prolog + first + "\n" + prolog + second).encode())
        (fact,) = report.facts
        assert fact.value == "ab"
        assert fact.context is not None
        assert fact.context.end == date(2020, 12, 31)


def _numbers(report: XbrlReport) -> set[tuple[str, str | None, date | None, Decimal | None]]:
    return {
        (
            fact.name,
            str(fact.context.start) if fact.context else None,
            fact.context.end if fact.context else None,
            fact.number,
        )
        for fact in report.facts
        if fact.is_numeric
    }


@pytest.mark.sources
def test_swedish_reports_read_like_the_instances_the_registry_made_of_them(sources: Path) -> None:
    folder = sources / "se" / "arsredovisning_ixbrl"
    pairs = [(page, page.with_suffix(".xbrl.xml")) for page in sorted(folder.glob("*.xhtml"))]
    pairs = [pair for pair in pairs if pair[1].exists()]
    assert pairs
    for page, instance in pairs:
        inline, plain = _numbers(read_report(page.read_bytes())), _numbers(read_report(instance.read_bytes()))
        assert len(inline) > 50
        assert inline == plain


@pytest.mark.sources
def test_finnish_instances_give_facts_with_their_dimensions(sources: Path) -> None:
    read_any = 0
    for path in sorted((sources / "fi" / "xbrl_v3").glob("*.x*ml")):
        report = read_report(path.read_bytes())
        numbers = [fact for fact in report.facts if fact.is_numeric and fact.context is not None]
        assert numbers
        assert any(fact.context.dimensions for fact in numbers if fact.context)
        read_any += 1
    assert read_any


def test_a_sign_attribute_that_is_no_minus_gives_no_value_but_a_signal() -> None:
    report = read('<d:N contextRef="y" unitRef="GBP" sign="\u2212">5</d:N>')
    assert report.facts[0].value is None
    assert report.signals["unreadable_sign", "\u2212"] == 1

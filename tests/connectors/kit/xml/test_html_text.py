"""Text of pages and fragments: lines, cells, what is left out, and pages that were made to hurt."""

import time

from connectors.kit.xml.html_text import NOT_TEXT, headline_text, html_lines, to_single_line
from tests.tables import check_cases

TABLE = b"<table><tr><td>A<br>b</td><td></td><th><p>c</p><p>d</p></th></tr><tr><td>e</td></tr></table>"


@check_cases(
    ("markup", "line"),
    [
        ("<p>Acme &amp; Co</p>\n<b>Ltd</b>", "Acme & Co Ltd"),
        ("a&nbsp;\t b", "a b"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("met its endpoint (p<0.0001) with >50% fewer", "met its endpoint (p<0.0001) with >50% fewer"),
        ("a<br/>b<!-- c -->d<?e?>f</p>g<B class='h'>i", "a b d f g i"),
        ("<" + "x" * 3_000, "<" + "x" * 3_000),
        ("", ""),
    ],
)
def test_fragment_is_one_line(markup: str, line: str) -> None:
    assert to_single_line(markup) == line


@check_cases(
    ("markup", "line"),
    [
        ("CO<sub>2</sub> of Acme<SUP>®</SUP>, <em>Ltd</em>.", "CO2 of Acme®, Ltd."),
        ("<p>a</p>b<br>c<span>d</span>", "a b c d"),
    ],
)
def test_emphasis_parts_no_words_of_a_headline(markup: str, line: str) -> None:
    assert headline_text(markup) == line


@check_cases(
    ("body", "lines"),
    [
        (b"<p>one <b>t</b>wo</p>three<br>four", ["one two", "three", "four"]),
        (b"<title>t</title><script>s</script><div>a<style>b</style> c</div>", ["a c"]),
        (b"<p>5.1<sup>1</sup> %</p><p>10<sup>th</sup></p>", ["5.1 (1) %", "10th"]),
        (b"<pre> a\n\n  b  c</pre>d", [" a", "", "  b  c", "d"]),
        (TABLE, ["A", "b", "c", "d", "e"]),
        ("<p>Ångström</p>".encode(), ["Ångström"]),
        ("<p>Ångström</p>".encode("cp1252"), ["Ångström"]),
        (b"", []),
    ],
)
def test_page_is_a_line_per_block(body: bytes, lines: list[str]) -> None:
    assert html_lines(body) == lines


def test_row_of_a_table_is_one_line_of_cells() -> None:
    assert html_lines(TABLE, " | ") == ["A b | | c d |", "e |"]
    nested = b"<table><tr><td>a<table><tr><td>b</td></tr></table></td><td>c</td></tr></table>"
    assert html_lines(nested, " | ") == ["a b | c |"]


def test_title_is_kept_where_it_is_content() -> None:
    assert html_lines(b"<html><head><title>t</title></head><body>a</body></html>", "", NOT_TEXT) == ["t", "a"]


def test_deep_and_long_pages_take_no_time() -> None:
    begun = time.process_time()
    assert html_lines(b"<div>" * 20_000 + b"end")[-1:] in ([], ["end"])
    assert html_lines(b"<pre>" + b"x\n" * 100_000 + b"</pre>")[-1] == "x"
    assert len(html_lines(b"<p>" + b"<b>x</b>" * 100_000)) == 1
    assert time.process_time() - begun < 3

"""The sandbox's American files beside genuine ones: tags, units, types, words of titles and of errors.

A sandbox that wrote what our reader reads, and not what EDGAR writes, would prove nothing. Does not belong here: keys
and elements, which `tests/connectors/test_no_echo.py` compares for every market.
"""

import json
import re
from pathlib import Path

import pytest
from lxml import etree, html

from sandbox import World, minimum_companies
from sandbox.us import companyfacts, feeds, files, http
from sandbox.us.http import SandboxResponse
from tests.connectors.echo.shapes import of_xml

pytestmark = pytest.mark.sources
WORLD = World(seed=5, companies=minimum_companies("US", 4), days=4, markets=("US",))
LAST = 3
Words = set[str]


def genuine(sources: Path, *patterns: str) -> list[Path]:
    found = [path for pattern in patterns for path in sorted((sources / "us").glob(pattern))]
    assert found, patterns
    return found


def read(sources: Path, *patterns: str) -> list[bytes]:
    return [path.read_bytes() for path in genuine(sources, *patterns)]


def test_facts_have_tags_and_units_of_genuine_ones(sources: Path) -> None:
    answers = list(filter(None, (companyfacts.companyfacts_record(one) for one in WORLD.all("US", LAST))))
    theirs = [json.loads(body) for body in read(sources, "companyfacts/CIK*.json")]
    ours = {
        (taxonomy, tag, unit)
        for answer in answers
        for taxonomy, tags in answer["facts"].items()
        for tag, told in tags.items()
        for unit in told["units"]
    }
    genuine_tags = {
        (taxonomy, tag, unit)
        for answer in theirs
        for taxonomy, tags in answer["facts"].items()
        for tag, told in tags.items()
        for unit in told["units"]
    }
    assert ours <= genuine_tags
    assert {type(answer["cik"]) for answer in answers} == {type(answer["cik"]) for answer in theirs} == {int, str}


def test_symbols_have_the_fields_of_genuine_ones(sources: Path) -> None:
    (body,) = read(sources, "company_list/company_tickers_exchange.json")
    theirs, ours = json.loads(body), files.symbol_list(WORLD, LAST)
    assert (ours.keys(), ours["fields"]) == (theirs.keys(), theirs["fields"])
    kinds = [{tuple(map(type, row[:3])) for row in value["data"]} for value in (ours, theirs)]
    assert kinds[0] == kinds[1]


def words_of(body: bytes) -> Words:
    """What titles, summaries and addresses of an Atom page are made of."""
    root = etree.fromstring(body)
    words: Words = set()
    for entry in root.iter("{*}entry"):
        words.add(
            re.sub(r"^.+ - .+ \(\d{10}\) \(([\w ]+)\)$", r"form - name (cik) (\1)", str(entry.findtext("{*}title")))
        )
        summary = html.fromstring(f"<p>{entry.findtext('{*}summary')}</p>")
        words |= {str(bold.text) for bold in summary.iter("b")}
        link = entry.find("{*}link")
        words.add(re.sub(r"\d+", "9", str(link.get("href")) if link is not None else ""))
    return words


def test_the_atom_has_the_words_of_genuine_pages(sources: Path) -> None:
    def reply(start: int) -> SandboxResponse:
        return http.newest_filings(WORLD, LAST, {"start": str(start), "count": "100"})

    ours = set().union(*(words_of(reply(start).body) for start in (0, 80)))
    assert ours <= set().union(*(words_of(body) for body in read(sources, "getcurrent/*.atom")))


def test_the_index_has_the_lines_of_genuine_ones(sources: Path) -> None:
    def shape(text: str) -> list[str]:
        """Lines of the header by their captions, and one row with its digits and letters made alike."""
        head, _, rest = text.partition("\n" + "-" * 80 + "\n")
        captions = [line.partition(":")[0] for line in head.splitlines()]
        row = re.sub(r"\d+", "9", rest.splitlines()[0]).split("|")
        return [*captions, "|".join(["name", *row[:1], *row[3:]])]

    (body,) = read(sources, "index/daily.master.20181231.idx")
    pairs = files.day_filings(WORLD, LAST)
    assert shape(feeds.master_index(pairs, pairs[0][1].filed)) == shape(body.decode("latin-1"))


def test_errors_say_what_genuine_ones_say(sources: Path) -> None:
    (missing,) = read(sources, "submissions/error-404-unknown-cik.xml")
    assert set(of_xml(http.MISSING.body)) <= set(of_xml(missing))
    for name, page in (
        ("errors/403-rate-threshold.html", http.TOO_OFTEN),
        ("errors/403-undeclared-automated-tool.html", http.UNDECLARED),
        ("getcurrent/error-503-start5100.html", http.newest_filings(WORLD, 0, {"start": "5000"})),
    ):
        (body,) = read(sources, name)
        titles = [re.search(r"<title>\s*(.*?)\s*</title>", text.decode(), re.DOTALL) for text in (body, page.body)]
        theirs, ours = (title and title[1] for title in titles)
        assert ours == theirs

"""The sandbox's American files beside genuine ones: the same keys and elements, each difference named with its reason.

A sandbox that wrote what our reader reads, and not what EDGAR writes, would prove nothing.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from lxml import etree, html

from connectors.sandbox import (
    World,
    desk_us,
    facts_us,
    feeds_us,
    fewest,
    headers_us,
    papers_us,
    writers_us,
)
from connectors.sandbox.desk_us import Reply
from connectors.sandbox.model_us import Insider, Managed, Paper, Stake

pytestmark = pytest.mark.sources
WORLD = World(seed=5, companies=fewest("US", 4), days=4, markets=("US",))
LAST = 3
Paths = set[str]


def of_json(value: Any, path: str = "") -> Iterator[str]:
    """Every key, without the places of lists."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield f"{path}/{name}"
            yield from of_json(inner, f"{path}/{name}")
    elif isinstance(value, list):
        for inner in value:
            yield from of_json(inner, path)


def of_xml(text: bytes) -> Iterator[str]:
    """Every element and attribute by local names."""
    root = etree.fromstring(text.lstrip())
    for element in root.iter("*"):
        names = [etree.QName(one).localname for one in (*reversed(list(element.iterancestors())), element)]
        yield "/" + "/".join(names)
        yield from ("/" + "/".join([*names, f"@{etree.QName(name).localname}"]) for name in element.attrib)


def documents(text: bytes, root: bytes) -> Iterator[bytes]:
    """XML of one root, by itself or cut out of a whole filing."""
    found = re.findall(rb"<XML>\s*(.*?)\s*</XML>", text, re.DOTALL) or [text]
    yield from (one for one in found if re.search(rb"<(?:[\w-]+:)?" + root + rb"[\s>]", one[:3000]))


def filings() -> Iterator[tuple[Any, Paper]]:
    for company in WORLD.all("US", LAST):
        yield from ((company, paper) for paper in company.american.papers)


def wholes(kind: Callable[[Paper], bool]) -> Iterator[bytes]:
    return (headers_us.whole(*pair).encode() for pair in filings() if kind(pair[1]))


def genuine(sources: Path, *patterns: str) -> list[Path]:
    found = [path for pattern in patterns for path in sorted((sources / "us").glob(pattern))]
    assert found, patterns
    return found


def read(sources: Path, *patterns: str) -> list[bytes]:
    return [path.read_bytes() for path in genuine(sources, *patterns)]


def unlike(ours: Iterable[str], theirs: Iterable[str], named: Iterable[str]) -> dict[str, Paths]:
    """What only one side has and nobody named. A name stands for all that is below it."""
    mine, other = set(ours), set(theirs)
    assert mine
    assert other
    known = tuple(named)
    for name in known:
        assert any(path.startswith(name) for path in mine ^ other), f"no difference any more: {name}"
    return {
        side: {path for path in paths if not path.startswith(known)}
        for side, paths in (("only ours", mine - other), ("only theirs", other - mine))
    }


NOTHING: dict[str, Paths] = {"only ours": set(), "only theirs": set()}

# path -> why only one side has it
SUBMISSIONS = {
    "/filings/recent/isXBRLNumeric": "older captures alone",
}
SCHEDULE_D = {
    "/edgarSubmission/formData/coverPageHeader/issuerInfo/address/street2": "nobody invented has a second line",
    "/edgarSubmission/formData/items1To7/item1/issuerPrincipalAddress/street2": "the same",
    "/edgarSubmission/headerData/previousAccessionNumber": "FORMAT us 7.1; no genuine 13D/A at hand has it",
    "/edgarSubmission/formData/reportingPersons/reportingPersonInfo/memberOfGroup": "FORMAT us 7.1; no genuine at hand",
}
SCHEDULE_G = {
    "/edgarSubmission/formData/items/item5/classOwnership5PercentOrLess": "FORMAT us 7.1; no genuine at hand exits",
}
INSIDERS = {
    "/ownershipDocument/nonDerivativeTable/nonDerivativeTransaction/deemedExecutionDate": "read by nobody",
    "/ownershipDocument/derivativeTable/": "rights are no shares: a single plain one is played",
    "/ownershipDocument/form": "Form 5 alone, which is not played",
    "/ownershipDocument/reportingOwner/reportingOwnerAddress/rptOwnerCountry": "nobody invented lives abroad",
    "/ownershipDocument/reportingOwner/reportingOwnerAddress/rptOwnerNonUSStateTerritory": "the same",
    "/ownershipDocument/reportingOwner/reportingOwnerRelationship/otherText": "officers and directors alone",
    "/ownershipDocument/nonDerivativeTable/nonDerivativeTransaction/transactionTimeliness/value": "nobody is late",
    "/ownershipDocument/nonDerivativeTable/nonDerivativeTransaction/ownershipNature/natureOfOwnership": "sold directly",
    "/ownershipDocument/nonDerivativeTable/nonDerivativeTransaction/securityTitle/footnoteId": "one footnote is played",
    "/ownershipDocument/nonDerivativeTable/nonDerivativeTransaction/postTransactionAmounts/"
    "sharesOwnedFollowingTransaction/footnoteId": "the same",
    "/ownershipDocument/nonDerivativeTable/nonDerivativeTransaction/transactionAmounts/"
    "transactionPricePerShare/footnoteId": "the same",
    "/ownershipDocument/nonDerivativeTable/nonDerivativeTransaction/transactionAmounts/"
    "transactionShares/footnoteId": "the same",
    "/ownershipDocument/nonDerivativeTable/nonDerivativeTransaction/transactionCoding/footnoteId": "the same",
    "/ownershipDocument/nonDerivativeTable/nonDerivativeHolding/securityTitle/footnoteId": "the same",
    "/ownershipDocument/nonDerivativeTable/nonDerivativeHolding/postTransactionAmounts/"
    "sharesOwnedFollowingTransaction/footnoteId": "the same",
    "/ownershipDocument/nonDerivativeTable/nonDerivativeHolding/ownershipNature/"
    "directOrIndirectOwnership/footnoteId": "the same",
}
COVER = {
    "/edgarSubmission/@schemaLocation": "one filer's software",
    "/edgarSubmission/formData/coverPage/amendment": "FORMAT us 7.4; no genuine amendment at hand",
    "/edgarSubmission/formData/coverPage/additionalInformation": "read by nobody",
    "/edgarSubmission/formData/coverPage/filingManager/address/street2": "nobody invented has a second line",
    "/edgarSubmission/formData/coverPage/otherManagersInfo": "a manager alone",
    "/edgarSubmission/formData/summaryPage/otherManagers2Info": "the same",
    "/edgarSubmission/headerData/filerInfo/contact": "a person's, and read by nobody",
}
TABLE = {
    "/informationTable/@schemaLocation": "one filer's software",
    "/informationTable/infoTable/figi": "read by nobody",
    "/informationTable/infoTable/otherManager": "a manager alone",
    "/informationTable/infoTable/putCall": "FORMAT us 7.4; no genuine option at hand",
}


def test_submissions_have_the_keys_of_genuine_ones(sources: Path) -> None:
    def bare(body: bytes) -> Any:
        value = json.loads(body)
        return value.get("data", value)

    ours = chain.from_iterable(of_json(papers_us.submissions(one)) for one in WORLD.all("US", LAST))
    paths = genuine(sources, "submissions/CIK??????????.json", "submissions/*.snapshot?.json")
    theirs = chain.from_iterable(of_json(bare(path.read_bytes())) for path in paths)
    assert unlike(ours, theirs, SUBMISSIONS) == NOTHING


def test_continuation_files_have_the_columns_of_genuine_ones(sources: Path) -> None:
    pages = filter(None, (papers_us.page(one) for one in WORLD.all("US", LAST)))
    theirs = (json.loads(body) for body in read(sources, "submissions/*-submissions-001.json"))
    assert (
        unlike(chain.from_iterable(map(of_json, pages)), chain.from_iterable(map(of_json, theirs)), ())
        == NOTHING
    )


def test_facts_have_the_shape_of_genuine_ones(sources: Path) -> None:
    def shape(value: Any) -> Paths:
        """Keys; taxonomies, tags and units by their place."""
        found = {f"/{name}" for name in value}
        tags = [tag for taxonomy in value["facts"].values() for tag in taxonomy.values()]
        found |= {f"/facts/*/*/{name}" for tag in tags for name in tag}
        facts = [fact for tag in tags for unit in tag["units"].values() for fact in unit]
        return found | {f"/facts/*/*/units/*/{name}" for fact in facts for name in fact}

    answers = list(filter(None, (facts_us.facts(one) for one in WORLD.all("US", LAST))))
    theirs = [json.loads(body) for body in read(sources, "companyfacts/CIK*.json")]
    assert set().union(*map(shape, answers)) == set().union(*map(shape, theirs))
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
    assert (
        {type(answer["cik"]) for answer in answers}
        == {type(answer["cik"]) for answer in theirs}
        == {int, str}
    )


def test_symbols_have_the_fields_of_genuine_ones(sources: Path) -> None:
    (body,) = read(sources, "company_list/company_tickers_exchange.json")
    theirs, ours = json.loads(body), writers_us.symbols(WORLD, LAST)
    assert (ours.keys(), ours["fields"]) == (theirs.keys(), theirs["fields"])
    kinds = [{tuple(map(type, row[:3])) for row in value["data"]} for value in (ours, theirs)]
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize(
    ("kind", "root", "patterns", "named"),
    [
        (
            lambda paper: isinstance(paper.ownership, Stake) and paper.ownership.is_active,
            b"edgarSubmission",
            ("schedule13/SCHEDULE_13D*.xml",),
            SCHEDULE_D,
        ),
        (
            lambda paper: isinstance(paper.ownership, Stake) and not paper.ownership.is_active,
            b"edgarSubmission",
            ("schedule13/SCHEDULE_13G*.xml",),
            SCHEDULE_G,
        ),
        (
            lambda paper: isinstance(paper.ownership, Insider),
            b"ownershipDocument",
            ("forms345/*.xml", "forms345/form4.submission.*.txt"),
            INSIDERS,
        ),
        (lambda paper: isinstance(paper.ownership, Managed), b"edgarSubmission", ("form13f/*",), COVER),
        (lambda paper: isinstance(paper.ownership, Managed), b"informationTable", ("form13f/*",), TABLE),
        (lambda paper: paper.form == "25-NSE", b"notificationOfRemoval", ("form25_15/25-NSE*",), {}),
    ],
    ids=["13D", "13G", "forms 3 and 4", "13F cover", "13F table", "25-NSE"],
)
def test_documents_have_the_elements_of_genuine_ones(
    sources: Path,
    kind: Callable[[Paper], bool],
    root: bytes,
    patterns: tuple[str, ...],
    named: dict[str, str],
) -> None:
    ours = [one for body in wholes(kind) for one in documents(body, root)]
    theirs = [
        one
        for path in genuine(sources, *patterns)
        if path.suffix in (".xml", ".txt")
        for one in documents(path.read_bytes(), root)
    ]
    found = unlike(chain.from_iterable(map(of_xml, ours)), chain.from_iterable(map(of_xml, theirs)), named)
    assert found == NOTHING


TAG = re.compile(r"^<(/?[A-Z][A-Z0-9-]*)>", re.MULTILINE)
LABEL = re.compile(r"^[ \t]*([A-Z][A-Z0-9 -]*):[ \t]*(?:\S|$)", re.MULTILINE)


def test_header_pages_have_the_tags_of_genuine_ones(sources: Path) -> None:
    def tags(text: str) -> Paths:
        return set(TAG.findall(text.partition("-->")[0]))

    ours = set().union(*(tags(headers_us.header_page(*pair)) for pair in filings() if pair[1].form == "8-K"))
    genuine_pages = read(sources, "filing_index/*.8-K.index-headers.html", "filing_index/*.hdr.sgml")
    theirs = set().union(*(tags(body.decode("latin-1")) for body in genuine_pages))
    assert ours - theirs == set()
    assert theirs - ours == {
        "ORGANIZATION-NAME",  # the office of review, read by nobody
        "STREET2",  # nobody invented has a second line
        "FORMER-COMPANY",  # the stories that rename file no 8-K
        "/FORMER-COMPANY",
        "FORMER-CONFORMED-NAME",
        "DATE-CHANGED",
    }


def test_whole_filings_have_the_labels_of_genuine_ones(sources: Path) -> None:
    def labels(text: str) -> Paths:
        return {label.strip() for label in LABEL.findall(text.partition("</SEC-HEADER>")[0])}

    forms = ("4", "25-NSE", "13F-HR")
    ours = set().union(*(labels(headers_us.whole(*pair)) for pair in filings() if pair[1].form in forms))
    bodies = read(
        sources, "forms345/form4.submission.*.txt", "form25_15/25-NSE*.txt", "form13f/*.submission.*.txt"
    )
    theirs = set().union(*(labels(body.decode("latin-1")) for body in bodies))
    assert ours - theirs == set()
    assert theirs - ours == {
        "EFFECTIVENESS DATE",  # read by nobody
        "ORGANIZATION NAME",  # the office of review, read by nobody
        "FORMER COMPANY",  # the stories that rename have no such filing
        "FORMER CONFORMED NAME",
        "DATE OF NAME CHANGE",
    }


def atom_shape(body: bytes) -> tuple[Paths, Paths]:
    """Elements, and what the words of titles and summaries are made of."""
    root = etree.fromstring(body)
    words: Paths = set()
    for entry in root.iter("{*}entry"):
        words.add(
            re.sub(
                r"^.+ - .+ \(\d{10}\) \(([\w ]+)\)$",
                r"form - name (cik) (\1)",
                str(entry.findtext("{*}title")),
            )
        )
        summary = html.fromstring(f"<p>{entry.findtext('{*}summary')}</p>")
        words |= {str(bold.text) for bold in summary.iter("b")}
        link = entry.find("{*}link")
        words.add(re.sub(r"\d+", "9", str(link.get("href")) if link is not None else ""))
    return set(of_xml(body)), words


def test_the_atom_has_the_elements_of_genuine_pages(sources: Path) -> None:
    def reply(start: int) -> Reply:
        return desk_us.newest(WORLD, LAST, {"start": str(start), "count": "100"})

    ours = [atom_shape(reply(start).body) for start in (0, 80)]
    theirs = [atom_shape(body) for body in read(sources, "getcurrent/*.atom")]
    assert set().union(*(paths for paths, _ in ours)) == set().union(*(paths for paths, _ in theirs))
    assert set().union(*(words for _, words in ours)) <= set().union(*(words for _, words in theirs))


def test_the_index_has_the_lines_of_genuine_ones(sources: Path) -> None:
    def shape(text: str) -> list[str]:
        """Lines of the header by their captions, and one row with its digits and letters made alike."""
        head, _, rest = text.partition("\n" + "-" * 80 + "\n")
        captions = [line.partition(":")[0] for line in head.splitlines()]
        row = re.sub(r"\d+", "9", rest.splitlines()[0]).split("|")
        return [*captions, "|".join(["name", *row[:1], *row[3:]])]

    (body,) = read(sources, "index/daily.master.20181231.idx")
    pairs = writers_us.filed(WORLD, LAST)
    assert shape(feeds_us.index(pairs, pairs[0][1].filed)) == shape(body.decode("latin-1"))


def test_errors_say_what_genuine_ones_say(sources: Path) -> None:
    (missing,) = read(sources, "submissions/error-404-unknown-cik.xml")
    assert set(of_xml(desk_us.MISSING.body)) <= set(of_xml(missing))
    for name, page in (
        ("errors/403-rate-threshold.html", desk_us.TOO_OFTEN),
        ("errors/403-undeclared-automated-tool.html", desk_us.UNDECLARED),
        ("getcurrent/error-503-start5100.html", desk_us.newest(WORLD, 0, {"start": "5000"})),
    ):
        (body,) = read(sources, name)
        titles = [
            re.search(r"<title>\s*(.*?)\s*</title>", text.decode(), re.DOTALL) for text in (body, page.body)
        ]
        theirs, ours = (title and title[1] for title in titles)
        assert ours == theirs

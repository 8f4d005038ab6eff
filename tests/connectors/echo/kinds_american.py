"""American kinds of files: EDGAR's interfaces, feeds, headers and documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from sandbox.model.us import FiledDocument, InsiderReport, ManagerReport, Schedule13Filing
from sandbox.us import headers
from tests.connectors.echo import shapes
from tests.connectors.echo.kind import Kind, holding, lacking
from tests.connectors.echo.played import Played

_HEADED: Final = ("4", "25-NSE", "13F-HR")


def _wholes(is_asked: Callable[[FiledDocument], bool]) -> Callable[[Played], Iterator[bytes]]:
    """Filings with their documents."""

    def made(played: Played) -> Iterator[bytes]:
        for company in played.world.all("US", played.desk.day):
            for paper in company.american.filings:
                if is_asked(paper):
                    yield headers.complete_submission(company, paper).encode()

    return made


def _is_active(paper: FiledDocument) -> bool:
    return isinstance(paper.ownership, Schedule13Filing) and paper.ownership.is_active


def _is_passive(paper: FiledDocument) -> bool:
    return isinstance(paper.ownership, Schedule13Filing) and not paper.ownership.is_active


def _is(kind: type) -> Callable[[FiledDocument], bool]:
    return lambda paper: isinstance(paper.ownership, kind)


AMERICAN: Final = (
    Kind(
        "us submissions",
        ("us/submissions/CIK??????????.json", "us/submissions/*.snapshot?.json"),
        shapes.of_json,
        lambda played: played.files("us/submissions/submissions.zip"),
        holding(b'"filings"'),
    ),
    Kind(
        "us submissions continued",
        ("us/submissions/*-submissions-001.json",),
        shapes.of_json,
        lambda played: played.files("us/submissions/submissions.zip"),
        lacking(b'"filings"'),
    ),
    Kind(
        "us facts",
        ("us/companyfacts/CIK*.json",),
        shapes.of_facts,
        lambda played: played.files("us/companyfacts/companyfacts.zip"),
    ),
    Kind(
        "us symbols",
        ("us/company_list/company_tickers_exchange.json",),
        shapes.of_json,
        lambda played: played.files("us/company_list/company_tickers_exchange.json"),
    ),
    Kind(
        "us newest filings",
        ("us/getcurrent/*.atom", "news/sec_current_atom/*.xml"),
        shapes.of_xml,
        lambda played: played.answer("/cgi-bin/browse-edgar", "action=getcurrent&start=0&count=100"),
    ),
    Kind(
        "us litigation",
        ("news/sec_rss/*.xml",),
        shapes.of_xml,
        lambda played: played.answer("/enforcement-litigation/litigation-releases/rss"),
    ),
    Kind(
        "us daily index",
        ("us/index/daily.master.*.idx",),
        shapes.of_master,
        lambda played: played.files("us/index/*.idx"),
    ),
    Kind("us 13D", ("us/schedule13/SCHEDULE_13D*.xml",), shapes.documents("edgarSubmission"), _wholes(_is_active)),
    Kind("us 13G", ("us/schedule13/SCHEDULE_13G*.xml",), shapes.documents("edgarSubmission"), _wholes(_is_passive)),
    Kind(
        "us insiders",
        ("us/forms345/*.xml", "us/forms345/form4.submission.*.txt"),
        shapes.documents("ownershipDocument"),
        _wholes(_is(InsiderReport)),
    ),
    Kind(
        "us 13F cover",
        ("us/form13f/*.xml", "us/form13f/*.txt"),
        shapes.documents("edgarSubmission"),
        _wholes(_is(ManagerReport)),
    ),
    Kind(
        "us 13F table",
        ("us/form13f/*.xml", "us/form13f/*.txt"),
        shapes.documents("informationTable"),
        _wholes(_is(ManagerReport)),
    ),
    Kind(
        "us removal",
        ("us/form25_15/25-NSE*",),
        shapes.documents("notificationOfRemoval"),
        _wholes(lambda paper: paper.form == "25-NSE"),
    ),
    Kind(
        "us header page",
        ("us/filing_index/*.8-K.index-headers.html", "us/filing_index/*.hdr.sgml"),
        shapes.of_tags,
        lambda played: played.files("us/form8k/*.html"),
    ),
    Kind(
        "us whole filing",
        ("us/forms345/form4.submission.*.txt", "us/form25_15/25-NSE*.txt", "us/form13f/*.submission.*.txt"),
        shapes.of_labels,
        _wholes(lambda paper: paper.form in _HEADED),
    ),
)

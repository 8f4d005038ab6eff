"""Long texts that repeat what a reader's pattern begins with: the square of their length, or more, where it goes wrong.

They are made here instead of lying below `found`, where each would be half a megabyte.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from connectors.kit import feeds
from connectors.kit.xbrl import transforms
from connectors.kit.xml import parse
from connectors.kit.xml.parse import MalformedMarkupError
from connectors.nasdaq.major_holdings import form_row
from connectors.nasdaq.major_holdings import text as major_holdings_text
from connectors.nasdaq.major_holdings.form_row import NotFlaggingFormError
from connectors.no.aksjonaerregister import redact as aksjonaerregister_redact
from connectors.no.newsweb import major_holdings
from connectors.se.bulk.bolagsverket_schema import FIELDS
from connectors.se.major_holdings import holder_names
from connectors.uk.psc import redact as psc_redact
from connectors.us.filing_headers import index_page
from connectors.us.ownership import full_submission, parse_values
from connectors.us.ownership.schedule13 import dataset as schedule13_dataset
from tests.fuzz.case import LIMITS, Case, Features, Finding
from tests.fuzz.held import judged
from tests.fuzz.running import Hunt

_REFUSED: Final = (
    NotFlaggingFormError,
    transforms.UnacceptedTextError,
    MalformedMarkupError,
    feeds.NotFeedError,
    full_submission.TruncatedFilingError,
    index_page.NotIndexPageError,
)
_LONG: Final = 400_000  # characters
_FEED: Final = "<rss version='2.0'><channel><item><title>x</title></item></channel></rss>"


def _filled(piece: str, before: str = "", behind: str = "") -> str:
    return before + piece * (_LONG // len(piece)) + behind


CASES: Final[tuple[tuple[str, Callable[[str], Any], str], ...]] = (
    ("saka", lambda text: transforms.text_value("calindaymonthyear", text), "1" + "-" * 199),
    ("date", lambda text: transforms.text_value("datedaymonthyearen", text), _filled(" ", "1", "x")),
    ("count", form_row.parse_columns, _filled("1", behind="x")),
    ("percentages", form_row.parse_columns, _filled("1%")),
    ("section", major_holdings.issuer_number, _filled("1. Identity of the issuer ")),
    (
        "person",
        major_holdings.parse_major_holding,
        _filled("3. Details of person Name: ", "notification of major holdings "),
    ),
    ("story", major_holdings.parse_major_holding, _filled("Oppdiktet AS has on 2026-06-04 bought ")),
    ("row", major_holdings.parse_major_holding, _filled(" ", "A AS has on 2026-06-04 bought 5%\n2026-06-04 1", "x")),
    ("word", lambda text: holder_names.find_holder(text, None), _filled("flaggning")),
    ("born", holder_names.clean_name, _filled(",", behind="x")),
    (
        "holders",
        lambda text: holder_names.find_holder(text, None),
        "".join(f"A{place} AB har flaggat\nB{place} AB har mottagit\n" for place in range(10_000)),
    ),
    (
        "member",
        lambda text: psc_redact.redact(io.BytesIO(text.encode())).read(),
        _filled("irth", '{"company_number": "1", "data": {"', '": true}}'),
    ),
    (
        "namesakes",
        lambda text: aksjonaerregister_redact.redact(io.BytesIO(text.encode())).read(),
        "Orgnr;Selskap;Aksjeklasse;Navn aksjonær;Fødselsår/orgnr;Postnr/sted;Landkode;Antall aksjer;Antall aksjer selskap\n"
        + "".join(f"000000019;A AS;Ordinære aksjer;A A;1970;{place:05} B;NOR;1;99999\n" for place in range(40_000)),
    ),
    ("mark", lambda text: schedule13_dataset.recognise_file("x.txt", text.encode()), _filled(" ", "schedule13", "x")),
    ("documents", lambda text: full_submission.parse_full_submission(text.encode()), _filled("<DOCUMENT>\n")),
    (
        "blocks",
        lambda text: full_submission.parse_full_submission(text.encode()),
        _filled("<XML> ", "<DOCUMENT><TEXT>", "</TEXT></DOCUMENT>"),
    ),
    ("class", parse_values.class_key, _filled("(", behind="class")),
    (
        "heading",
        lambda text: index_page.parse_index_page(text.encode()),
        _filled(" ", '<p id="secNum">0000000001-26-000001</p><p id="formName"><strong>Form 8', "-K\n.</strong>"),
    ),
    ("prologs", lambda text: parse.parse_markup(text.encode()), "<" + "<HTML>" * 150_000),
    ("blanks", lambda text: feeds.parse_feed(text.encode()), _filled("\n", "<?xml version='1.0'?>", _FEED)),
    ("encodings", lambda text: feeds.parse_feed(text.encode()), _filled('encoding="" ', "<?xml ", _FEED)),
    ("doctypes", lambda text: feeds.parse_feed(text.encode()), _filled("\n<!DOCTYPE", "<?xml?>", _FEED)),
    (
        "punycode",
        lambda text: feeds.parse_feed(text.encode()),
        _filled("b0a", "<?xml version='1.0' encoding='punycode'?>-") * 3,
    ),
    (
        "attributes",
        lambda text: major_holdings_text.html_to_text(text.encode()),
        "<html><body><a " + " ".join(f"a{place}" for place in range(200_000)) + ">x</a>",
    ),
)


SLOW: Final = {"percentages"}  # takes more than a second


@pytest.mark.parametrize(
    ("call", "text"),
    [pytest.param(call, text, id=name, marks=[pytest.mark.slow] if name in SLOW else []) for name, call, text in CASES],
)
def test_a_long_text_is_read_or_refused(call: Callable[[str], Any], text: str) -> None:
    def judge(case: Case) -> Features:
        try:
            call(case.body.decode())
        except _REFUSED as error:
            return frozenset({type(error).__name__})
        return frozenset()

    answer = judged(judge, "long", Case("long", text.encode()))
    assert not isinstance(answer, Finding), f"{answer.kind} at {answer.place}: {answer.told}"


@pytest.mark.slow
@pytest.mark.parametrize("field", ["", "a", '""'], ids=["empty", "bare", "quoted"])
def test_fields_without_end_take_no_gigabytes(field: str, tmp_path: Path) -> None:
    line = ",".join([field] * 2_500_000).encode() + b"\n"
    account = Hunt(tmp_path, LIMITS).of("kit.ragged", [Case("x.csv", line + b"1,2,3,4,5\n")], 0.1, 1)
    assert account.findings == []
    assert account.cases


@pytest.mark.slow
def test_lines_without_end_are_no_record(tmp_path: Path) -> None:
    header = ";".join(FIELDS)
    body = f'{header}\n"5560000001$ORGNR-IDORG";"1\n' + "f\n\n" * 100_000
    case = Case("bolagsverket_bulkfil.txt", body.encode())
    account = Hunt(tmp_path, LIMITS).of("se.bolagsverket", [case], 0.1, 1)
    assert account.findings == []
    assert account.cases

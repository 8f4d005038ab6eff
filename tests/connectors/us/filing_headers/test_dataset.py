"""Headers of filings in every dress, and items of 8-K (docs/formats/us.md 8, 9, 13)."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from connectors.contract.dataset import NotApplicable, RecognisedFile, UnreadableFileError
from connectors.kit.staging import SignalCounter
from connectors.us.filing_headers import dataset as filing_headers_dataset
from connectors.us.filing_headers import form8k, form15
from connectors.us.filing_headers import schema as f
from tests.connectors.us.header_files import NUMBER, codes, document, labelled, read, rows
from tests.tables import check_cases

TAGGED = f"""<SEC-HEADER>{NUMBER}.hdr.sgml : 20260703
<ACCEPTANCE-DATETIME>20260703160343
<ACCESSION-NUMBER>{NUMBER}
<TYPE>8-K
<PERIOD>20260701
<ITEMS>2.02
<ITEMS>9.01
<FILING-DATE>20260703
<FILER>
<COMPANY-DATA>
<CONFORMED-NAME>EXAMPLE CORP
<CIK>0000000007
</COMPANY-DATA>
<FILING-VALUES>
<FORM-TYPE>8-K
<FILE-NUMBER>001-00007
</FILING-VALUES>
<FORMER-COMPANY>
<FORMER-CONFORMED-NAME>OLD CORP
</FORMER-COMPANY>
</FILER>
<FILER>
<COMPANY-DATA>
<CIK>8
</COMPANY-DATA>
</FILER>
</SEC-HEADER>
"""


PAGE = f"""<!DOCTYPE HTML><html><body>
<div id="formName"><strong>Form 8-K</strong> - Current report:</div>
<div id="secNum"><strong>Accession No.</strong> {NUMBER}</div>
<div class="infoHead">Filing Date</div><div class="info">2026-07-03</div>
<div class="infoHead">Accepted</div><div class="info">2026-07-03 16:03:43</div>
<div class="infoHead">Period of Report</div><div class="info">2026-07-01</div>
<div class="infoHead">Items</div>
<div class="info">Item 2.02: Results of Operations<br/>Item 9.01: Exhibits<br/></div>
<table class="tableFile"><tr><th>Seq</th></tr>
<tr><td>1</td><td>8-K</td><td><a href="x">x.htm</a></td><td>8-K</td><td>7</td></tr>
<tr><td>2</td><td>PRESS</td><td><a href="y">y.htm</a></td><td>EX-99.1</td><td>7</td></tr>
<tr><td></td><td>Complete submission</td><td><a href="z">z.txt</a></td><td>&nbsp;</td><td>7</td></tr></table>
<div class="companyInfo"><span class="companyName">EXAMPLE (SUB) CORP (Filer)
 <acronym>CIK</acronym>: <a href="q">0000000007 (see all company filings)</a></span>
<p>Act: <strong>34</strong> | File No.: <a href="r"><strong>001-00007</strong></a></p></div>
</body></html>"""


SAID = {
    f.ACCESSION: NUMBER,
    f.CIK: "0000000007",
    f.ROLE: "FILER",
    f.FORM: "8-K",
    f.FILED: date(2026, 7, 3),
    f.ACCEPTED: datetime(2026, 7, 3, 20, 3, 43, tzinfo=UTC),
    f.PERIOD: date(2026, 7, 1),
    f.ITEMS: ["2.02", "9.01"],
    f.EXHIBITS: [],
    f.FILE_NUMBER: "001-00007",
}


def test_a_tagged_header_gives_every_filer_a_row() -> None:
    found = read(TAGGED, "x.hdr.sgml")
    assert rows(found) == [SAID, SAID | {f.CIK: "0000000008", f.FILE_NUMBER: None}]
    assert not codes(found)


def test_a_page_of_headers_tells_the_documents_too() -> None:
    escaped = "".join(
        f"&lt;DOCUMENT&gt;\n&lt;TYPE&gt;{kind}\n&lt;SEQUENCE&gt;1\n<a href='x'>x</a>\n&lt;/DOCUMENT&gt;\n"
        for kind in ("8-K", "EX-99.1")
    )
    page = f"<HTML><HEAD><TITLE>x</TITLE>\n<!--\n{TAGGED}-->\n</HEAD><BODY>\n<PRE>{escaped}</PRE></BODY></HTML>"
    first, _ = rows(read(page, "x-index-headers.html"))
    assert first == SAID | {f.EXHIBITS: ["8-K", "EX-99.1"]}


def test_the_page_of_a_filing_says_the_same() -> None:
    assert rows(read(PAGE, "x-index.html")) == [SAID | {f.EXHIBITS: ["8-K", "EX-99.1"]}]


def test_midnight_is_no_time_of_acceptance() -> None:
    (row,) = rows(read(PAGE.replace("16:03:43", "00:00:00"), "x-index.html"))
    assert row[f.ACCEPTED] is None


def test_items_are_labels_in_a_labelled_header_and_their_numbers_changed_in_august_2004() -> None:
    label = "Results of Operations and Financial Condition"
    new, old = labelled("8-K", label), labelled("8-K", label, filed="20040822")
    assert [rows(read(text))[0][f.ITEMS] for text in (new, old)] == [["2.02"], ["12"]]
    assert rows(read(labelled("8-K/A", "Other Events", "other  events")))[0][f.ITEMS] == ["8.01"]


def test_every_item_of_the_list_is_known_by_its_label() -> None:
    for code in form8k.ITEMS.codes:
        filed = "20261120" if "." in code else "20030102"
        assert rows(read(labelled("8-K", str(form8k.ITEMS.get(code)), filed=filed)))[0][f.ITEMS] == [code]


def test_unknown_items_are_told_and_the_filing_stays() -> None:
    found = read(labelled("8-K", "Weather", "Other Events"))
    assert rows(found)[0][f.ITEMS] == ["8.01"]
    assert codes(found) == {("unknown_code", "item Weather")}
    assert ("unknown_code", "item 77.01") in codes(read(TAGGED.replace("2.02", "77.01")))


def test_items_that_an_old_header_leaves_blank_are_read_in_the_report() -> None:
    text = (
        "ITEM 1. CHANGES IN CONTROL.\n\nNone.\n\nITEM 5. OTHER EVENTS.\n\nOn Monday.\n\nItem 7. EXHIBITS\n\n(c) one\n"
    )
    found = read(labelled("8-K", "", "", filed="20000124", documents=document("8-K", text)))
    assert rows(found)[0][f.ITEMS] == ["5", "7"]
    assert codes(found) == {("items_from_text", "8-K")}
    fewer = read(labelled("8-K", "", filed="20000124", documents=document("8-K", text)))
    assert rows(fewer)[0][f.ITEMS] == []
    assert codes(fewer) == {("no_items", "8-K")}


def test_a_header_without_number_or_form_rejects_its_file() -> None:
    with pytest.raises(UnreadableFileError, match="without accession number"):
        read(TAGGED.replace(f"<ACCESSION-NUMBER>{NUMBER}", "<ACCESSION-NUMBER>1"))
    with pytest.raises(UnreadableFileError, match="without form"):
        read(TAGGED.replace("<TYPE>8-K", ""))


def test_a_party_without_number_costs_itself() -> None:
    found = read(TAGGED.replace("<CIK>8\n", "<CIK>0\n"))
    assert [row[f.CIK] for row in rows(found)] == ["0000000007"]
    assert found[0].rejects["reason"].to_list() == ["no CIK of a party (FILER)"]


@check_cases(
    ("name", "body"),
    [
        ("index.json", b'{"directory":{"item":[]}}'),
        ("cover.xml", b'<?xml version="1.0"?><xbrl/>'),
        ("8-K.htm", b"<!DOCTYPE html><html><body>Item 2.02</body></html>"),
        ("ex99.txt", b"PRESS RELEASE"),
        ("primary_doc.xml", b'<?xml version="1.0"?><notificationOfRemoval/>'),
        ("page.pdf", b"%PDF-1.7"),
    ],
)
def test_what_is_no_header_is_left_out_for_a_reason(name: str, body: bytes) -> None:
    assert isinstance(filing_headers_dataset.recognise_file(name, body), NotApplicable)


def test_no_text_takes_long_to_read() -> None:
    hostile = "(titles of all other classes of securities " + "(" * 50_000 + "address" * 5_000
    block = document("15-12B", hostile + "<" * 50_000)
    assert rows(read(labelled("15-12B", documents=block)), f.DEREGISTERED.name)[0]["is_last"] is None
    for text in ("item " * 40_000, "\n" * 200_000 + "item 5. x\nNone", "<" * 200_000):
        assert form8k.items_in_text(text, None) == []
    titles = "(titles of all other classes of securities (a) " * 4_000
    row = form15.form15_row(titles + "(address " * 10_000, NUMBER, "0000000007", "15-12B", None, SignalCounter(f.KEY))
    assert row["is_last"] is None
    with pytest.raises(UnreadableFileError, match="breaks off"):
        read(labelled("25-NSE", documents="<DOCUMENT>\n<XML>" * 20_000))


def test_the_genuine_headers_agree_with_the_pages_of_the_same_filings(sources: Path) -> None:
    folder = sources / "us"
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for path in sorted([*(folder / "filing_index").iterdir(), *(folder / "form8k").iterdir()]):
        body = path.read_bytes()
        if isinstance(filing_headers_dataset.recognise_file(path.name, body[:65_536]), RecognisedFile):
            batches = read(body, path.name)
            assert not {code for code, _ in codes(batches)} - {"items_from_text", "no_items"}, path.name
            assert all(batch.rejects.is_empty() for batch in batches), path.name
            for row in rows(batches):
                found.setdefault((row[f.ACCESSION], row[f.CIK]), []).append(row)
    several = [group for group in found.values() if len(group) > 1]
    assert len(several) >= 14
    for group in several:
        for name in (f.FORM, f.FILED, f.PERIOD, f.ROLE, f.FILE_NUMBER):
            assert len({row[name] for row in group}) == 1, (name, group)
        assert len({tuple(row[f.ITEMS]) for row in group if row[f.ITEMS]}) == 1, group

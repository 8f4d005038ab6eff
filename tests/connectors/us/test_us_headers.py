"""Headers of filings in every dress, items of 8-K, Forms 25 and 15 (FORMAT us 8, 9, 13)."""

import io
from collections.abc import Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from connectors.declare import Batch, NotOurs, Piece, Recognised, Scope, Unreadable
from connectors.kit.staged import Tally
from connectors.us import form8k, form15, form25, headers
from connectors.us import releases_fields as f

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)
NUMBER = "0000000001-26-000001"


def read(text: str | bytes, name: str = "x.txt") -> list[Batch]:
    body = text.encode("latin-1") if isinstance(text, str) else text
    found = headers.recognise(name, body)
    assert isinstance(found, Recognised), found
    piece = Piece(f.KEY, name, "0" * 64, NOW, Scope.PART, "b", lambda: io.BytesIO(body))
    return list(headers.read(piece))


def rows(batches: Iterable[Batch], table: str = f.HEADERS.name) -> list[dict[str, Any]]:
    return [row for batch in batches if batch.table == table for row in batch.rows.to_dicts()]


def codes(batches: Iterable[Batch]) -> set[tuple[str, str]]:
    return {(signal.code, signal.subject) for batch in batches for signal in batch.signals}


def labelled(
    form: str, *items: str, filed: str = "20261120", documents: str = "", role: str = "FILER"
) -> str:
    listed = "".join(f"ITEM INFORMATION:\t\t{item}\n" for item in items)
    return (
        f"<SEC-DOCUMENT>{NUMBER}.txt : {filed}\n<SEC-HEADER>{NUMBER}.hdr.sgml : {filed}\n"
        f"<ACCEPTANCE-DATETIME>{filed}160343\nACCESSION NUMBER:\t\t{NUMBER}\n"
        f"CONFORMED SUBMISSION TYPE:\t{form}\nCONFORMED PERIOD OF REPORT:\t{filed}\n{listed}"
        f"FILED AS OF DATE:\t\t{filed}\n\n{role}:\n\n\tCOMPANY DATA:\t\n"
        "\t\tCOMPANY CONFORMED NAME:\t\t\tEXAMPLE CORP\n\t\tCENTRAL INDEX KEY:\t\t\t0000000007\n"
        f"\tFILING VALUES:\n\t\tFORM TYPE:\t\t{form}\n\t\tSEC FILE NUMBER:\t001-00007\n"
        f"</SEC-HEADER>\n{documents}</SEC-DOCUMENT>\n"
    )


def document(kind: str, text: str) -> str:
    return f"<DOCUMENT>\n<TYPE>{kind}\n<SEQUENCE>1\n<TEXT>\n{text}\n</TEXT>\n</DOCUMENT>\n"


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
    page = (
        f"<HTML><HEAD><TITLE>x</TITLE>\n<!--\n{TAGGED}-->\n</HEAD><BODY>\n<PRE>{escaped}</PRE></BODY></HTML>"
    )
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
    text = "ITEM 1. CHANGES IN CONTROL.\n\nNone.\n\nITEM 5. OTHER EVENTS.\n\nOn Monday.\n\nItem 7. EXHIBITS\n\n(c) one\n"
    found = read(labelled("8-K", "", "", filed="20000124", documents=document("8-K", text)))
    assert rows(found)[0][f.ITEMS] == ["5", "7"]
    assert codes(found) == {("items_from_text", "8-K")}
    fewer = read(labelled("8-K", "", filed="20000124", documents=document("8-K", text)))
    assert rows(fewer)[0][f.ITEMS] == []
    assert codes(fewer) == {("no_items", "8-K")}


def test_a_header_without_number_or_form_rejects_its_file() -> None:
    with pytest.raises(Unreadable, match="without accession number"):
        read(TAGGED.replace(f"<ACCESSION-NUMBER>{NUMBER}", "<ACCESSION-NUMBER>1"))
    with pytest.raises(Unreadable, match="without form"):
        read(TAGGED.replace("<TYPE>8-K", ""))


def test_a_party_without_number_costs_itself() -> None:
    found = read(TAGGED.replace("<CIK>8\n", "<CIK>0\n"))
    assert [row[f.CIK] for row in rows(found)] == ["0000000007"]
    assert found[0].rejects["reason"].to_list() == ["no CIK of a party (FILER)"]


@pytest.mark.parametrize(
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
    assert isinstance(headers.recognise(name, body), NotOurs)


REMOVAL = """<?xml version="1.0"?>
<notificationOfRemoval>
<schemaVersion>X0203</schemaVersion>
<exchange><cik>0000876661</cik><entityName>NEW YORK STOCK EXCHANGE LLC</entityName></exchange>
<issuer><cik>7</cik><entityName>EXAMPLE CORP</entityName><fileNumber>001-00007</fileNumber>
<address><street1>1 Main</street1></address></issuer>
<descriptionClassSecurity>Common Stock</descriptionClassSecurity>
<ruleProvision>17 CFR 240.12d2-2(a)(3)</ruleProvision>
<signatureData><signatureName>A Person</signatureName><signatureDate>2026-11-19</signatureDate></signatureData>
</notificationOfRemoval>"""
REMOVED = {
    f.ACCESSION: NUMBER,
    f.CIK: "0000000007",
    "exchange_cik": "0000876661",
    "exchange": "NEW YORK STOCK EXCHANGE LLC",
    f.FILE_NUMBER: "001-00007",
    f.SECURITY: "Common Stock",
    f.IS_SHARE: True,
    f.RULE: "(a)(3)",
    f.FILED: date(2026, 11, 19),
    f.EFFECTIVE: date(2026, 11, 29),
}


def test_a_removal_by_itself_is_known_by_its_name_and_dated_by_its_signature() -> None:
    found = read(REMOVAL, f"25-NSE.{NUMBER}.primary_doc.xml")
    assert rows(found, f.REMOVALS.name) == [REMOVED]
    assert not codes(found)


def test_a_removal_in_its_filing_is_dated_by_the_filing() -> None:
    block = document("25-NSE", f"<XML>\n{REMOVAL}\n</XML>")
    found = read(labelled("25-NSE", documents=block, role="SUBJECT COMPANY"))
    filed = {f.FILED: date(2026, 11, 20), f.EFFECTIVE: date(2026, 11, 30)}
    assert rows(found, f.REMOVALS.name) == [REMOVED | filed]
    assert [row[f.ROLE] for row in rows(found)] == ["SUBJECT-COMPANY"]


def test_a_removal_without_issuer_is_refused_and_an_unknown_rule_told() -> None:
    found = read(REMOVAL.replace("<cik>7</cik>", ""), f"{NUMBER}.xml")
    assert not rows(found, f.REMOVALS.name)
    assert sum(batch.rejects.height for batch in found) == 1
    other = read(REMOVAL.replace("(a)(3)", "(z)").replace("Common Stock", ""), f"{NUMBER}.xml")
    assert rows(other, f.REMOVALS.name)[0][f.IS_SHARE] is None
    assert {code for code, _ in codes(other)} == {"unknown_code", "missing_value"}


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("Common Stock", True),
        ("Class A Common Stock, par value $0.0001", True),
        ("Ordinary Shares", True),
        ("Class A ordinary shares", True),
        ("American Depositary Shares, each representing two shares", True),
        ("Registered shares", True),
        ("Common Units representing limited partner interests", True),
        ("0.000% Notes due 2025", False),
        ("Warrant to purchase one share of common stock", False),
        ("Class A Warrants", False),
        ("Class B 6% Notes due 2030", False),
        ("Units, each consisting of one Class A ordinary share and a warrant", False),
        ("Common Stock Purchase Rights", False),
        ("6.5% Series A Preferred Stock", False),
        ("Depositary shares, each 1/1000 of a preferred share", False),
        ("", None),
    ],
)
def test_pitfall_12_most_removals_are_of_notes_and_not_of_the_companys_shares(
    description: str, expected: bool | None
) -> None:
    assert form25.is_share(description) is expected


FORM_15 = """<html><body><p>(Address, including zip code, and telephone number, including area code, of registrant's
principal executive offices)</p><p>{covered}</p>
<p>(Title of each class of securities covered by this Form)</p><p>{others}</p>
<p>(Titles of all other classes of securities for which a duty to file reports under section 13(a) or 15(d)
remains)</p><p>Rule 12g-4(a)(1) &#9746;</p></body></html>"""


@pytest.mark.parametrize(
    ("covered", "others", "security", "is_share", "remaining", "is_last"),
    [
        ("Common Stock, $0.01 par value", "None", "Common Stock, $0.01 par value", True, None, True),
        (
            "Preferred Purchase Rights",
            "Common Stock",
            "Preferred Purchase Rights",
            False,
            "Common Stock",
            False,
        ),
        ("6% Notes", "", "6% Notes", False, None, None),
    ],
)
def test_pitfall_13_form_15_is_about_the_classes_that_it_covers(
    covered: str, others: str, security: str, is_share: bool, remaining: str | None, is_last: bool | None
) -> None:
    block = document("15-12B", FORM_15.format(covered=covered, others=others))
    (row,) = rows(read(labelled("15-12B", documents=block)), f.DEREGISTERED.name)
    assert (row[f.SECURITY], row[f.IS_SHARE]) == (security, is_share)
    assert (row[f.REMAINING], row["is_last"]) == (remaining, is_last)
    assert (row[f.CIK], row[f.FORM], row[f.FILED]) == ("0000000007", "15-12B", date(2026, 11, 20))


def test_a_form_15_that_does_not_read_is_kept_with_nulls_and_told() -> None:
    found = read(labelled("15-12G/A", documents=document("15-12G/A", "We are done.")))
    (row,) = rows(found, f.DEREGISTERED.name)
    assert (row[f.SECURITY], row[f.IS_SHARE], row["is_last"]) == (None, None, None)
    assert codes(found) == {("classes_not_read", "15-12G/A")}


def test_no_text_takes_long_to_read() -> None:
    hostile = "(titles of all other classes of securities " + "(" * 50_000 + "address" * 5_000
    block = document("15-12B", hostile + "<" * 50_000)
    assert rows(read(labelled("15-12B", documents=block)), f.DEREGISTERED.name)[0]["is_last"] is None
    for text in ("item " * 40_000, "\n" * 200_000 + "item 5. x\nNone", "<" * 200_000):
        assert form8k.items_in_text(text, None) == []
    titles = "(titles of all other classes of securities (a) " * 4_000
    row = form15.row(titles + "(address " * 10_000, NUMBER, "0000000007", "15-12B", None, Tally(f.KEY))
    assert row["is_last"] is None
    with pytest.raises(Unreadable, match="breaks off"):
        read(labelled("25-NSE", documents="<DOCUMENT>\n<XML>" * 20_000))


def test_the_genuine_headers_agree_with_the_pages_of_the_same_filings(sources: Path) -> None:
    folder = sources / "us"
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for path in sorted([*(folder / "filing_index").iterdir(), *(folder / "form8k").iterdir()]):
        body = path.read_bytes()
        if isinstance(headers.recognise(path.name, body[:65_536]), Recognised):
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


def test_the_genuine_removals(sources: Path) -> None:
    found = {
        row[f.ACCESSION]: (row[f.CIK], row[f.SECURITY], row[f.IS_SHARE], row[f.RULE], row[f.FILED])
        for path in (sources / "us" / "form25_15").iterdir()
        for row in rows(read(path.read_bytes(), path.name), f.REMOVALS.name)
    }
    assert found == {
        "0001354457-25-001236": ("0001501756", "Common Stock", True, "(a)(3)", date(2025, 12, 9)),
        "0000876661-18-001269": ("0001122304", "Common Stock", True, "(a)(3)", date(2018, 11, 29)),
        "0001354457-25-001138": ("0000320193", "0.000% Notes due 2025", False, "(a)(2)", date(2025, 11, 14)),
        "0000876661-24-001142": ("0001498710", "Common Stock", True, "(b)", date(2024, 12, 5)),
    }


def test_names_and_addresses_of_persons_are_not_kept() -> None:
    found = read(REMOVAL, f"{NUMBER}.xml")
    text = pl.concat([batch.rows.select(pl.all().cast(pl.String)) for batch in found[:1]], how="diagonal")
    assert "A Person" not in str(text.to_dicts())
    assert not any(
        "name" in column or "address" in column for table in f.STAGED.values() for column in table.names
    )

"""Removals from listing and ends of registration, by class: Forms 25 and 15 (docs/formats/us.md 9, 13)."""

from datetime import date
from pathlib import Path

import polars as pl

from connectors.us.filing_headers import form25
from connectors.us.filing_headers import schema as f
from tests.connectors.us.header_files import NUMBER, codes, document, labelled, read, rows
from tests.tables import check_cases

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


def test_the_issuers_own_removal_is_read_where_it_is_a_notification() -> None:
    block = document("25", f"<XML>\n{REMOVAL}\n</XML>")
    assert rows(read(labelled("25", documents=block)), f.REMOVALS.name)[0][f.IS_SHARE] is True
    prose = read(labelled("25", documents=document("25", "<html>Common Stock</html>")))
    assert not rows(prose, f.REMOVALS.name)
    assert codes(prose) == {("no_notification", "25")}


def test_an_amendment_of_a_removal_is_told_and_changes_nothing() -> None:
    block = document("25-NSE/A", f"<XML>\n{REMOVAL}\n</XML>")
    found = read(labelled("25-NSE/A", documents=block))
    assert not rows(found, f.REMOVALS.name)
    assert codes(found) == {("amendment_not_read", "25-NSE/A")}


def test_a_removal_without_issuer_is_refused_and_an_unknown_rule_told() -> None:
    found = read(REMOVAL.replace("<cik>7</cik>", ""), f"{NUMBER}.xml")
    assert not rows(found, f.REMOVALS.name)
    assert sum(batch.rejects.height for batch in found) == 1
    other = read(REMOVAL.replace("(a)(3)", "(z)").replace("Common Stock", ""), f"{NUMBER}.xml")
    assert rows(other, f.REMOVALS.name)[0][f.IS_SHARE] is None
    assert {code for code, _ in codes(other)} == {"unknown_code", "missing_value"}


@check_cases(("day", "told"), [("11/19/2026", "unreadable_value"), ("", "missing_value")])
def test_a_removal_without_a_day_is_told(day: str, told: str) -> None:
    found = read(REMOVAL.replace("2026-11-19", day), f"{NUMBER}.xml")
    assert rows(found, f.REMOVALS.name)[0][f.FILED] is None
    assert codes(found) == {(told, f"signatureDate {day}".strip())}


@check_cases(
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
        ("Class A ordinary shares included as part of the Units", True),
        ("Class A Common Stock underlying warrants", True),
        ("Class A common stock purchase warrants", False),
        ("Class B Preferred Stock, convertible into common stock", False),
        ("Warrants, each exercisable for one Class A ordinary share", False),
        ("Class A Warrants exercisable for Class A common stock", False),
        ("The Class C Capital Stock", True),
        ("Subordinate Voting Shares", True),
        ("Sponsored American Depositary Shares", True),
        ("Shares of Common Stock, $0.01 par value", True),
        ("Class B 6% Notes due 2030", False),
        ("Units, each consisting of one Class A ordinary share and a warrant", False),
        ("Common Stock Purchase Rights", False),
        ("6.5% Series A Preferred Stock", False),
        ("Depositary shares, each 1/1000 of a preferred share", False),
        ("Voting Common Stock", True),
        ("Non-Voting Preferred Stock", False),
        ("Limited Voting Preferred Shares", False),
        ("“Common Stock”", True),
        ("", None),
    ],
)
def test_pitfall_12_most_removals_are_of_notes_and_not_of_the_companys_shares(
    description: str, expected: bool | None
) -> None:
    assert form25.is_share_class(description) is expected


FORM_15 = """<html><body><p>(Address, including zip code, and telephone number, including area code, of registrant's
principal executive offices)</p><p>{covered}</p>
<p>(Title of each class of securities covered by this Form)</p><p>{others}</p>
<p>(Titles of all other classes of securities for which a duty to file reports under section 13(a) or 15(d)
remains)</p><p>Rule 12g-4(a)(1) &#9746;</p></body></html>"""


@check_cases(
    ("covered", "others", "security", "is_share", "remaining", "is_last"),
    [
        ("Common Stock, $0.01 par value", "None", "Common Stock, $0.01 par value", True, None, True),
        ("Preferred Purchase Rights", "Common Stock", "Preferred Purchase Rights", False, "Common Stock", False),
        ("6% Notes", "", "6% Notes", False, None, None),
        ("Common Stock", "8% Notes due 2030 (the Notes)", "Common Stock", True, "8% Notes due 2030 (the Notes)", False),
        ("Common Stock", "N/A", "Common Stock", True, None, True),
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


@check_cases(
    ("covered", "is_share"),
    [
        ("Warrants to purchase Common Stock", False),
        ("Warrants, each exercisable for one share of Common Stock", False),
        ("Common Stock Purchase Rights", False),
        ("Class A Common Stock Warrants", False),
        ("6.00% Convertible Notes due 2026 (convertible into Common Stock)", False),
        ("Units, each consisting of one share of Class A common stock and one warrant", False),
        ("Common Stock; Warrants to purchase Common Stock", True),
        ("8% Notes due 2030, Common Stock, Warrants to purchase Common Stock", True),
        ("Warrants, each exercisable for one Class A ordinary share; Class A ordinary shares", True),
        ("Common Stock and associated Preferred Stock Purchase Rights", True),
    ],
)
def test_pitfall_13_rights_to_shares_are_no_shares(covered: str, is_share: bool) -> None:
    block = document("15-12B", FORM_15.format(covered=covered, others="Common Stock"))
    (row,) = rows(read(labelled("15-12B", documents=block)), f.DEREGISTERED.name)
    assert row[f.IS_SHARE] is is_share


def test_a_form_15_that_does_not_read_is_kept_with_nulls_and_told() -> None:
    found = read(labelled("15-12G/A", documents=document("15-12G/A", "We are done.")))
    (row,) = rows(found, f.DEREGISTERED.name)
    assert (row[f.SECURITY], row[f.IS_SHARE], row["is_last"]) == (None, None, None)
    assert codes(found) == {("classes_not_read", "15-12G/A")}


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
    assert not any("name" in column or "address" in column for table in f.STAGED.values() for column in table.names)

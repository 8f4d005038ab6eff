"""What of ownership filings never reaches the archive (docs/architecture.md 14)."""

import io

from connectors.us.ownership.redact import redact
from tests.connectors.us.holder_files import cover_13f, filing, form4, line, owner, person_d, schedule_d
from tests.connectors.us.ownership.schedule13.test_parse_text import COVER, page
from tests.tables import check_cases


def kept(text: str) -> str:
    return redact(io.BytesIO(text.encode())).read().decode()


def test_addresses_and_telephones_leave_xml_and_figures_stay() -> None:
    items = (
        "<items1To7><item2><filingPersonName>Ann, 1 Private Road</filingPersonName><hasBeenConvicted>once"
        "</hasBeenConvicted></item2></items1To7>"
    )
    text = kept(schedule_d(person_d("ANN", "9.9"), more=items))
    assert "Private" not in text
    assert "once" not in text
    assert "555-0100" not in text
    assert "<percentOfClass>9.9</percentOfClass>" in text
    form = kept(form4(line("400"), owners=owner("ANN", "0000000011")))
    assert "PRIVATE" not in form
    assert "NOWHERE" not in form
    assert "<value>400</value>" in form
    assert "555-0199" not in kept(cover_13f())


def test_a_prefix_hides_no_address() -> None:
    assert "Road" not in kept('<?xml version="1.0"?><a><com:street1 x="1">Private Road</com:street1></a>')


@check_cases(
    "element",
    [
        "<com:city>Private Road<b>",
        "<city>Private Road",
        "<city><!-- x -->Private Road</city>",
        "<city><?x?>Private Road</city>",
        "<city>Private <b/>",
    ],
)
def test_no_element_left_open_or_with_more_in_it_hides_an_address(element: str) -> None:
    text = kept(f'<?xml version="1.0"?><a>{element}<state>NY</state></a>')
    assert "Private" not in text
    assert text.endswith("<state>NY</state></a>")


def test_an_element_without_content_takes_nothing_with_it() -> None:
    text = '<?xml version="1.0"?><a><city/><state>NY</state><city />kept</a>'
    assert kept(text) == text


def test_no_section_of_characters_hides_an_address() -> None:
    text = kept("<a><rptOwnerStreet1>1 <![CDATA[<Private> Road]]> W</rptOwnerStreet1><b>kept</b></a>")
    assert text == "<a><rptOwnerStreet1></rptOwnerStreet1><b>kept</b></a>"


def test_who_gets_notices_leaves_the_front_page() -> None:
    notices = "(CUSIP Number)\nAnn Lawyer, 1 Private Road, 555-0100\n(Name, Address and Telephone Number of Person"
    text = kept(COVER.replace("(CUSIP Number)", notices) + page("9.9%"))
    assert "Private" not in text
    assert "555-0100" not in text
    assert "December 31, 2003" in text
    assert "123456-AB-7" in text


def test_of_a_text_without_rows_only_the_front_stays() -> None:
    text = kept(COVER + "x " * 10_000 + "Ann lives at 1 Private Road")
    assert "EXAMPLE CORP" in text
    assert "Private" not in text


def test_headers_keep_names_and_numbers_of_parties() -> None:
    text = kept(filing("SC 13G", ("SC 13G", COVER + page("9.9%")), ("EX-99.1", "Ann, 1 Private Road")))
    assert "PRIVATE" not in text
    assert "Private" not in text
    assert "123456789" not in text
    assert "ALPHA FUND LP" in text
    assert "STATE:\t\tNY" in text
    assert text.count("</DOCUMENT>") == 2  # still whole


def test_of_a_text_form_only_the_cover_pages_stay() -> None:
    behind = "Item 2. " + "x" * 3_000 + " Ann lives at 1 Private Road"
    text = kept(COVER + page("9.9%").replace("12-3456789", "123-45-6789") + behind)
    assert "Private" not in text
    assert "123-45-6789" not in text
    assert "9.9%" in text


def test_text_of_insiders_is_not_kept_at_all() -> None:
    text = kept(filing("4", ("4", "1. Name and Address: Foster, 1 Private Road")))
    assert "Foster" not in text
    assert "<TYPE>4" in text


def test_of_a_filing_that_is_cut_off_the_last_document_is_looked_through_too() -> None:
    whole = filing("SC 13G", ("SC 13G", COVER + page("9.9%")), ("EX-99.1", "Ann, 1 Private Road"))
    cut = whole[: whole.rindex("</DOCUMENT>")]
    assert "Private" in cut
    assert "Private" not in kept(cut)


def test_a_social_security_number_leaves_markup_too() -> None:
    form = form4(line("400"), owners=owner("ANN", "0000000011")).replace(
        "</ownershipDocument>", "<remarks>078-05-1120</remarks></ownershipDocument>"
    )
    assert "078-05-1120" in form
    assert "078-05-1120" not in kept(form)

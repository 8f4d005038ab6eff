"""Every code of the registry's own lists maps, over the files as it publishes them.

See docs/formats/uk.md 3, 4.1, 4.2, 10.1.
"""

import re

import polars as pl
import pytest

from connectors.kit import code_lists
from connectors.uk.basic_company_data import dataset as basic_company_data_dataset
from connectors.uk.psc import dataset as psc_dataset
from connectors.uk.psc import natures_of_control
from tests.tables import check_cases

pytestmark = pytest.mark.sources
LINES = "psc-snapshot-2026-11-01_1of2.txt"


@pytest.fixture(scope="module")
def listed(sources):
    """The codes of one section of one list, with their labels."""

    def found(file, section):
        text = (sources / "uk" / "enumerations" / f"{file}.yml").read_text(encoding="utf-8")
        part = re.split(r"^(?=[a-z_]+:)", text, flags=re.MULTILINE)
        (own,) = (one for one in part if one.startswith(f"{section}:"))
        return dict(re.findall(r"""^\s+['"]?([\w-]+)['"]?\s*:\s*['"](.*)['"]\s*$""", own, re.MULTILINE))

    return found


def test_pitfall_09_every_nature_in_both_sections_is_known(listed):
    short, long = (listed("psc_descriptions", name) for name in ("short_description", "description"))
    assert len(short) >= 86
    assert set(long) <= set(short)
    known = pl.DataFrame({"code": [*short, *long]}).select("code", **natures_of_control.parse_natures(pl.col("code")))
    assert known.filter(~pl.col("known"))["code"].to_list() == []
    # a label says what its code says: the band's own numbers
    for code, label in short.items():
        numbers = re.findall(r"\d+", code)
        assert not numbers or numbers[0] in label, (code, label)


def test_every_description_of_a_protected_holder_is_an_unknown_holder(make, bench, listed):
    described = listed("psc_descriptions", "super_secure_description")
    assert len(described) == 2
    kinds = {word: word.replace("persons", "person") for word in described}
    records = [
        make.record(identity=kind, kind=kind, description=word, name="Nobody May Know") for word, kind in kinds.items()
    ]
    read = bench.upsert(psc_dataset.DATASET, make.lines(*records), LINES)
    assert read.signals == []
    rows = bench.normalise()["holdings"]
    assert rows["holder_type"].to_list() == ["unknown", "unknown"]
    assert rows["holder_name"].null_count() == 2


def test_every_exemption_is_a_listing_and_its_type_is_the_same_word(listed):
    types = set(listed("exemption_descriptions", "exemption_type"))
    known = code_lists.load_code_list("connectors.uk", "exemptions").codes
    assert {word.replace("-", "_") for word in types} <= known
    assert len(types) == 5


def test_every_type_of_accounts_is_a_category_of_the_bulk_file(listed):
    types = set(listed("constants", "account_type")) - {"null", "no-accounts-type-available"}
    known = code_lists.load_code_list("connectors.uk", "account_categories").codes
    assert {word.replace("-", " ") for word in types} <= known


MAPPED = {
    ("psc_descriptions", "statement_description"): "statements",
    ("exemption_descriptions", "exemption_type"): "exemptions",
    ("constants", "company_type"): "company_types",
    ("constants", "company_status"): "profile_statuses",
    ("constants", "insolvency_case_type"): "insolvency_cases",
    ("constants", "sic_descriptions"): "sic",
}
# natures and protected holders are told by their grammar, types of accounts by their words: tests of their own
ELSEWHERE = {
    ("psc_descriptions", "description"),
    ("psc_descriptions", "short_description"),
    ("psc_descriptions", "super_secure_description"),
    ("exemption_descriptions", "exemption_description"),
    ("constants", "account_type"),
    ("constants", "insolvency_case_date_type"),
}
# words for people and forms, of which nothing is served
NOT_READ = {
    "identification_type", "jurisdiction", "company_summary", "company_subtype", "company_birth_type", "proof_status",
    "foreign_account_type", "terms_of_account_publication", "officer_role", "filing_type", "filing_status", "notes",
    "cessation_label_for_status", "register_locations", "register_types", "partial_data_available",
    "corporate_annotation_type", "term", "capital_contribution_sub_type", "company_status_detail",
}  # fmt: skip


@check_cases(("place", "code_list"), MAPPED.items())
def test_every_value_of_a_list_is_a_code_of_ours(listed, place, code_list):
    values = {word.replace("-", "_") if code_list == "exemptions" else word for word in listed(*place)}
    assert values
    assert values - code_lists.load_code_list("connectors.uk", code_list).codes == set()


@pytest.mark.parametrize("file", ["psc_descriptions", "exemption_descriptions", "constants"])
def test_every_section_is_mapped_or_named_as_not_read(sources, file):
    """A section that the registry adds is looked at by a person."""
    text = (sources / "uk" / "enumerations" / f"{file}.yml").read_text(encoding="utf-8")
    sections = set(re.findall(r"^([a-z_]+):", text, re.MULTILINE))
    assert sections - {section for named, section in {*MAPPED, *ELSEWHERE} if named == file} <= NOT_READ


def test_every_company_type_that_is_on_the_register_is_a_category(bench, sheet, listed):
    """The bulk file writes the labels; types of companies that are gone or register elsewhere are not in it."""
    labels = {label.casefold() for label in listed("constants", "company_type").values()}
    known = code_lists.load_code_list("connectors.uk", "legal_forms").codes
    assert len(labels & known) >= 12, labels - known


def test_every_industry_code_maps_to_code_label_and_edition(bench, sheet, listed):
    descriptions = listed("constants", "sic_descriptions")
    assert len(descriptions) > 1_200
    rows = [
        {"CompanyNumber": f"{place:08}", "SICCode.SicText_1": f"{code} - {label}"}
        for place, (code, label) in enumerate(descriptions.items(), 1)
    ]
    read = bench.upsert(
        basic_company_data_dataset.DATASET, sheet.table(*rows), "BasicCompanyDataAsOneFile-2026-11-01.csv"
    )
    assert read.signals == []
    made = bench.normalise()["companies"].sort("org_number")
    assert made["industry_code"].to_list() == list(descriptions)
    assert made["industry_label"].to_list() == [label.strip() for label in descriptions.values()]
    schemes = ["UKSIC2007" if len(code) == 5 else "UKSIC2003" for code in descriptions]
    assert made["industry_scheme"].to_list() == schemes

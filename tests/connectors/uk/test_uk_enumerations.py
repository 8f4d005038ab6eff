"""Every code of the registry's own lists maps, over the files as it publishes them (FORMAT uk 3, 4.1, 4.2, 10.1)."""

import re

import polars as pl
import pytest

from connectors.kit import codes
from connectors.uk import companies, natures, psc

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


def test_pitfall_9_every_nature_in_both_sections_is_known(listed):
    short, long = (listed("psc_descriptions", name) for name in ("short_description", "description"))
    assert len(short) >= 86
    assert set(long) <= set(short)
    known = pl.DataFrame({"code": [*short, *long]}).select("code", **natures.parsed(pl.col("code")))
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
        make.record(identity=kind, kind=kind, description=word, name="Nobody May Know")
        for word, kind in kinds.items()
    ]
    read = bench.upsert(psc.DATASET, make.lines(*records), LINES)
    assert read.signals == []
    rows = bench.normalise()["holdings"]
    assert rows["holder_type"].to_list() == ["unknown", "unknown"]
    assert rows["holder_name"].null_count() == 2


def test_every_exemption_is_a_listing_and_its_type_is_the_same_word(listed):
    types = set(listed("exemption_descriptions", "exemption_type"))
    known = codes.load("connectors.uk", "exemptions").codes
    assert {word.replace("-", "_") for word in types} <= known
    assert len(types) == 5


def test_every_type_of_accounts_is_a_category_of_the_bulk_file(listed):
    types = set(listed("constants", "account_type")) - {"null", "no-accounts-type-available"}
    known = codes.load("connectors.uk", "account_categories").codes
    assert {word.replace("-", " ") for word in types} <= known


def test_every_company_type_that_is_on_the_register_is_a_category(bench, sheet, listed):
    """The bulk file writes the labels; types of companies that are gone or register elsewhere are not in it."""
    labels = {label.casefold() for label in listed("constants", "company_type").values()}
    known = codes.load("connectors.uk", "legal_forms").codes
    assert len(labels & known) >= 12, labels - known


def test_every_industry_code_maps_to_code_label_and_edition(bench, sheet, listed):
    descriptions = listed("constants", "sic_descriptions")
    assert len(descriptions) > 1_200
    rows = [
        {"CompanyNumber": f"{place:08}", "SICCode.SicText_1": f"{code} - {label}"}
        for place, (code, label) in enumerate(descriptions.items(), 1)
    ]
    read = bench.upsert(companies.DATASET, sheet.table(*rows), "BasicCompanyDataAsOneFile-2026-11-01.csv")
    assert read.signals == []
    made = bench.normalise()["companies"].sort("org_number")
    assert made["industry_code"].to_list() == list(descriptions)
    differ = {(a, b) for a, b in zip(made["industry_label"], descriptions.values(), strict=True)}
    assert {pair for pair in differ if pair[0] != pair[1]} == set()
    schemes = ["UKSIC2007" if len(code) == 5 else "UKSIC2003" for code in descriptions]
    assert made["industry_scheme"].to_list() == schemes

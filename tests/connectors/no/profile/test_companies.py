"""Staged entities to companies: docs/formats/no.md 13.1 and the pitfalls that concern it."""

import json
from datetime import date

import pytest

from connectors.kit import staging
from connectors.no import NORWAY
from connectors.no.enheter.schema import ENTITIES, FORMER_NAMES
from tests.connectors.no.entity_rows import ENTITY, MONDAY, NUMBER, TUESDAY, companies, company, present
from tests.tables import check_cases


def test_the_profile() -> None:
    found = company()
    sources = json.loads(found.pop("sources"))
    assert found == {
        "company_id": f"firm:NO:{NUMBER}",
        "org_number": NUMBER,
        "name": "EKSEMPEL AS",
        "country": "NO",
        "industry_code": "62010",
        "industry_label": "Programmeringstjenester",
        "industry_scheme": "SN2007",
        "municipality": "OSLO",
        "municipality_code": "0301",
        "county": "Oslo",
        "county_code": "03",
        "registered_date": date(1995, 3, 12),
        "status": "active",
        "status_detail": None,
        "status_date": None,
        "status_source": "no.enheter",
        "registry_status": None,
        "dissolved_date": None,
        "is_listed": False,
        "is_listed_source": None,
        "legal_form_code": "AS",
        "legal_form_label": "Aksjeselskap",
        "employees": 0,
        "website": "www.eksempel.no",
        "address_lines": ["c/o Noen AS", "Gate 1"],
        "postal_code": "0151",
        "post_town": "OSLO",
        "address_country": "NO",
        "previous_names": None,
        "field_origins": None,
        "observed_at": MONDAY,
    }
    (source,) = sources
    assert source["register"] == "no.enheter"
    assert source["native_id"] == NUMBER
    assert source["retrieved_at"] == "2026-11-16T04:00:00Z"
    assert source["licence"] == "NLOD-2.0"
    assert "status" in source["fields"]


@check_cases(
    ("count", "has", "employees"),
    [(12, True, 12), (None, True, None), (None, False, 0), (None, None, None), (0, False, 0)],
)
def test_missing_count_means_one_to_four_none_or_unknown(
    count: int | None, has: bool | None, employees: int | None
) -> None:
    """Pitfall 6: null is never 0."""
    assert company(antallAnsatte=count, harRegistrertAntallAnsatte=has)["employees"] == employees


def test_industry_not_stated_is_null() -> None:
    found = company(naeringskode1__kode="00.000", naeringskode1__beskrivelse="Uoppgitt")
    assert (found["industry_code"], found["industry_label"], found["industry_scheme"]) == (None, None, None)


class TestPlace:
    def test_a_foreign_business_address_has_no_municipality(self) -> None:
        """Pitfall 7: not even where the postal address is Norwegian."""
        found = company(
            forretningsadresse__landkode="DE",
            forretningsadresse__kommune=None,
            forretningsadresse__kommunenummer=None,
            postadresse__kommune="OSLO",
            postadresse__kommunenummer="0301",
            postadresse__landkode="NO",
        )
        assert (found["municipality"], found["county"], found["address_country"]) == (None, None, "DE")

    def test_the_postal_address_counts_only_where_there_is_no_business_address(self) -> None:
        nothing = {name.replace(".", "__"): None for name in ENTITY if name.startswith("forretningsadresse")}
        found = company(
            **nothing, postadresse__kommune="BERGEN", postadresse__kommunenummer="4601", postadresse__landkode="NO"
        )
        assert (found["municipality"], found["municipality_code"], found["county"]) == ("BERGEN", "4601", "Vestland")
        assert found["address_lines"] is None

    @pytest.mark.parametrize(
        ("number", "county"),
        [
            ("3001", "Viken"),
            ("5401", "Troms og Finnmark"),
            ("5501", "Troms"),
            ("2100", "Svalbard"),
            ("2311", "Kontinentalsokkelen"),
        ],
    )
    def test_county_is_the_first_two_digits(self, number: str, county: str) -> None:
        assert company(forretningsadresse__kommunenummer=number)["county"] == county

    def test_employees_beside_none_registered_are_unknown(self) -> None:
        assert company(antallAnsatte=12, harRegistrertAntallAnsatte=False)["employees"] is None
        assert company(antallAnsatte=12, harRegistrertAntallAnsatte=True)["employees"] == 12

    def test_an_unknown_county_is_null(self) -> None:
        found = company(forretningsadresse__kommunenummer="9901")
        assert (found["county"], found["county_code"], found["municipality"]) == (None, None, "OSLO")


def test_former_names_survive_a_newer_csv_row() -> None:
    names = present(FORMER_NAMES, {"organisasjonsnummer": NUMBER, "historiskeNavn": ["NYEST AS", "ELDST AS"]})
    (found,) = companies(no_enheter=present(ENTITIES, ENTITY, TUESDAY), no_navn=names)
    assert found["previous_names"] == ["NYEST AS", "ELDST AS"]


def test_no_rows_make_no_companies() -> None:
    assert companies() == []


def test_touches_names_the_company_of_each_row() -> None:
    frame = staging.make_batch(ENTITIES, [ENTITY]).rows
    assert NORWAY.company_ids_of_rows("no_enheter", frame).to_list() == [f"firm:NO:{NUMBER}"]


@pytest.mark.parametrize(
    ("code", "stated", "scheme"),
    [
        ("62.010", "SN2025", "SN2007"),  # a record that was not recoded in a file of the new edition
        ("62.100", "SN2007", "SN2025"),
        ("62.010", "SN2007", "SN2007"),
        ("49.410", "SN2007", "SN2007"),  # both revisions have the class
        ("49.410", "SN2025", "SN2025"),
        ("99.999", "SN2025", None),  # neither has it
    ],
)
def test_industry_scheme_of_a_class_of_one_revision_is_that_revisions(
    code: str, stated: str, scheme: str | None
) -> None:
    found = company(naeringskode1__kode=code, naeringskodeverk=stated)
    assert (found["industry_code"], found["industry_scheme"]) == (code.replace(".", ""), scheme)

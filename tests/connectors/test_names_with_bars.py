"""A name with a `|` in it, the sign by which some registers part values, stays whole in every register."""

from typing import Any

from connectors.uk.basic_company_data import dataset as basic_company_data
from tests.connectors.fi import finnish_files
from tests.connectors.no.entity_files import csv_of, json_of
from tests.connectors.no.entity_rows import company as norwegian_company
from tests.connectors.uk.conftest import Bench, CsvBodies, PscBodies
from tests.connectors.us import filer_bodies
from tests.tables import check_cases

NAMES = ("A | B Holding", "A|B Holding", "| Bar", "Bar |", "A || B")


@check_cases("name", NAMES)
def test_norwegian_name_with_a_bar_is_whole_in_bulk_and_api(name: str) -> None:
    assert csv_of(navn=name).one["navn"] == json_of(navn=name).one["navn"] == name
    assert norwegian_company(navn=name)["name"] == name


@check_cases("name", NAMES)
def test_finnish_names_with_a_bar_are_whole(name: str) -> None:
    names = [
        {"name": f"{name} Vanha", "type": "1", "registrationDate": "1990-01-01", "endDate": "1995-01-01", "version": 2},
        {"name": name, "type": "1", "registrationDate": "1995-01-02", "version": 1},
    ]
    found = finnish_files.profile(names=names)
    assert (found["name"], found["previous_names"]) == (name, [f"{name} Vanha"])


@check_cases("name", NAMES)
def test_british_name_and_holder_with_a_bar_are_whole(name: str) -> None:
    bench, file = Bench(), "BasicCompanyDataAsOneFile-2026-11-01.csv"
    row = {
        "CompanyNumber": "01234567",
        "CompanyName": name.upper(),
        "PreviousName_1.CompanyName": f"{name} OLD".upper(),
    }
    bench.upsert(basic_company_data.DATASET, CsvBodies.table(row), file)
    [company] = bench.normalise()["companies"].to_dicts()
    assert (company["name"], company["previous_names"]) == (name.upper(), [f"{name} OLD".upper()])
    assert Bench().holding(PscBodies.record(name=name))["holder_name"] == name


@check_cases("name", NAMES)
def test_american_names_with_a_bar_are_whole(name: str) -> None:
    former: list[dict[str, Any]] = [
        {"name": f"{name} OLD", "from": "2001-01-01T00:00:00.000Z", "to": "2005-01-01T00:00:00.000Z"}
    ]
    report = filer_bodies.filing("10-K", "2026-02-02")
    found = filer_bodies.company(filer_bodies.filer([report], name=name, formerNames=former))
    assert found is not None
    assert (found["name"], found["previous_names"]) == (name, [f"{name} OLD"])

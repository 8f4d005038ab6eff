"""British kinds of files, and those of sources that belong to no single country."""

from __future__ import annotations

from typing import Final

from sandbox.shared import gleif_http
from sandbox.uk import nsm_http
from tests.connectors.echo import shapes
from tests.connectors.echo.kind import Kind, holding
from tests.connectors.echo.played import Played

_DAYS: Final = (
    b'{"from":0,"size":100,"criteriaObj":{"criteria":[],"dateCriteria":[{"name":"submitted_date",'
    b'"value":{"from":"2026-11-02T00:00:00Z","to":"2026-11-04T00:00:00Z"}}]}}'
)


def _stream(name: str, genuine: tuple[str, ...], stream: str) -> Kind:
    return Kind(f"uk stream {name}", genuine, shapes.of_values, lambda played: played.streamed(stream))


def _lei(played: Played) -> str:
    return ",".join(gleif_http.company_lei(one) for one in list(played.world.all("UK", 0))[:20])


BRITISH: Final = (
    Kind(
        "uk companies csv",
        ("uk/basic_company_data/*sample21.csv", "uk/basic_company_data/*single_row.csv"),
        shapes.columns(","),
        lambda played: played.files("uk/basic_company_data/*.zip"),
    ),
    Kind(
        "uk psc line",
        ("uk/psc_snapshot/*", "uk/psc_snapshot/openownership_synthetic/*"),
        shapes.by_kind,
        lambda played: played.files("uk/psc_snapshot/*.zip"),
    ),
    Kind(
        "uk accounts ixbrl",
        ("uk/accounts_ixbrl/*.html", "uk/accounts_ixbrl_full/*.html"),
        shapes.of_inline,
        lambda played: played.named("uk/accounts_bulk_zip/*.zip", ".html"),
        holding(b"<"),
    ),
    Kind(
        "uk accounts xml",
        ("uk/accounts_xbrl_xml/*.xml",),
        shapes.of_instance,
        lambda played: played.named("uk/accounts_bulk_zip/*.zip", ".xml"),
    ),
    _stream("companies", ("uk/streaming/companies.jsonl",), "companies"),
    _stream("filings", ("uk/streaming/filings.jsonl",), "filings"),
    _stream("insolvency", ("uk/streaming/insolvency-cases.jsonl",), "insolvency-cases"),
    _stream("exemptions", ("uk/streaming/company-exemptions.jsonl",), "company-exemptions"),
    _stream(
        "psc",
        ("uk/streaming/persons-with-significant-control.jsonl", "uk/streaming/psc_*event.json*"),
        "persons-with-significant-control",
    ),
    Kind(
        "uk profile", ("uk/rest_api/real/company_*.json",), shapes.of_json, lambda played: played.british("/company/{}")
    ),
    Kind(
        "uk insolvency",
        ("uk/rest_api/real/insolvency_*.json",),
        shapes.of_json,
        lambda played: played.british("/company/{}/insolvency"),
    ),
    Kind(
        "uk filing history",
        ("uk/rest_api/real/filing_*.json",),
        shapes.of_json,
        lambda played: played.british("/company/{}/filing-history"),
    ),
    Kind(
        "uk psc list",
        ("uk/rest_api/real/persons_*.json",),
        shapes.of_json,
        lambda played: played.british("/company/{}/persons-with-significant-control"),
    ),
    Kind(
        "uk announcements",
        ("uk/fca_nsm/*.json", "news/fca_nsm/*.json"),
        shapes.of_json,
        lambda played: played.posted(nsm_http.SEARCH, _DAYS),
    ),
    Kind(
        "gleif record",
        ("news/gleif_api/lei_records__single_*.json", "news/gleif_api/lei_records__multi_*.json"),
        shapes.of_json,
        lambda played: played.answer("/api/v1/lei-records", f"filter[lei]={_lei(played)}&page[size]=200"),
    ),
)

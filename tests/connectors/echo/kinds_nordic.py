"""Norwegian, Swedish and Finnish kinds of files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sandbox.shared import esef_http
from tests.connectors.echo import shapes
from tests.connectors.echo.kind import Kind, holding, lacking
from tests.connectors.echo.played import Played

_ENTITIES: Final = "/enhetsregisteret/api"
_DELETED: Final = b'"slettedato"'


def _entities(played: Played) -> Iterator[bytes]:
    return played.of_each("NO", f"{_ENTITIES}/enheter/{{}}")


def _swedish_answers(played: Played) -> Iterator[bytes]:
    for number in played.numbers("SE"):
        yield from played.swedish("organisationer", {"identitetsbeteckning": number})


def _reports(played: Played) -> Iterator[bytes]:
    for entry in esef_http.filing_entries(played.world, played.desk.day, "NO"):
        if entry.json_url is not None:
            yield from played.answer(entry.json_url)


NORDIC: Final = (
    Kind(
        "no enheter csv",
        ("no/enheter_bulk_csv/*.csv",),
        shapes.columns(","),
        lambda played: played.files("no/enheter_bulk_csv/*"),
    ),
    Kind(
        "no underenheter csv",
        ("no/underenheter_bulk_csv/*.csv",),
        shapes.columns(","),
        lambda played: played.answer(f"{_ENTITIES}/underenheter/lastned/csv"),
    ),
    Kind("no enhet", ("no/enheter/enhet-*.json",), shapes.of_json, _entities, lacking(_DELETED)),
    Kind("no enhet slettet", ("no/enheter/enhet-*.json",), shapes.of_json, _entities, holding(_DELETED)),
    Kind(
        "no underenhet",
        ("no/underenheter/underenhet-*.json",),
        shapes.of_json,
        lambda played: (
            body
            for entry in played.answer(f"{_ENTITIES}/underenheter/lastned/csv")
            for line in entry.decode().splitlines()[1:6]
            for body in played.answer(f"{_ENTITIES}/underenheter/{line.split(',')[0].strip(chr(34))}")
        ),
    ),
    Kind(
        "no regnskap",
        ("no/regnskap/*.json",),
        shapes.of_json,
        lambda played: played.of_each("NO", "/regnskapsregisteret/regnskap/{}"),
        lacking(b'"trace"'),
    ),
    Kind(
        "no regnskap error",
        ("no/regnskap/*http500.json",),
        shapes.of_json,
        lambda played: played.of_each("NO", "/regnskapsregisteret/regnskap/{}", 500),
    ),
    Kind(
        "no roller",
        ("no/roller/*.json",),
        shapes.of_json,
        lambda played: played.of_each("NO", f"{_ENTITIES}/enheter/{{}}/roller"),
    ),
    Kind(
        "no oppdateringer",
        ("no/oppdateringer/*.json",),
        shapes.of_json,
        lambda played: (
            body
            for asked in ("size=20&includeChanges=true", "size=20&oppdateringsid=999999999")
            for body in played.answer(f"{_ENTITIES}/oppdateringer/enheter", asked)
        ),
    ),
    Kind(
        "no newsweb list",
        ("no/newsweb/list-*.json", "news/newsweb_no/no_list*.json"),
        shapes.of_json,
        lambda played: played.answer(
            "/v1/newsreader/list", f"fromDate=2026-01-01&toDate={played.world.date(played.desk.day)}"
        ),
    ),
    Kind("se organisationer", ("se/bolagsverket_api/organisationer-*-svar.json",), shapes.of_json, _swedish_answers),
    Kind(
        "se api error",
        ("se/bolagsverket_api/ApiError-*.json",),
        shapes.of_json,
        lambda played: played.swedish("organisationer", {"identitetsbeteckning": "1"}, 400),
    ),
    Kind(
        "se report listing",
        ("se/arsredovisningar_bulk_listing/*.xml",),
        shapes.of_xml,
        lambda played: played.answer("/arsredovisningar-bulkfiler", "prefix=arsredovisningar/"),
    ),
    Kind(
        "se report",
        ("se/arsredovisning_ixbrl/*.xhtml",),
        shapes.of_inline,
        lambda played: (body for body in played.files("se/**/*.zip") if b"inlineXBRL" in body),
    ),
    Kind(
        "se insyn",
        ("se/fi_insynsregistret/*.csv",),
        shapes.columns(";", "utf-16-le"),
        lambda played: played.answer("/Publiceringsklient/sv-SE/Search/Search"),
    ),
    Kind(
        "se blankning",
        ("se/fi_blankningsregistret/*.ods",),
        shapes.of_sheet,
        lambda played: played.answer("/sv/vara-register/blankningsregistret/GetHistFile/"),
    ),
    Kind(
        "fi company",
        ("fi/ytj_v3/prh_ytj_v3_companies_*.json",),
        shapes.of_json,
        lambda played: (
            body
            for number in played.numbers("FI")
            for body in played.answer("/opendata-ytj-api/v3/companies", f"businessId={number}")
        ),
    ),
    Kind(
        "fi all companies",
        ("fi/ytj_v3/prh_ytj_v3_all_companies_*.json",),
        shapes.of_json,
        lambda played: played.files("fi/ytj_v3/all_companies.zip"),
    ),
    Kind("fi statement", ("fi/xbrl_v3/*.xml",), shapes.of_instance, lambda played: played.files("fi/xbrl_v3/*.xml")),
    Kind(
        "fi releases",
        ("fi/nasdaq_cns/nasdaq_cns_query_*.json",),
        shapes.of_json,
        lambda played: played.files("fi/nasdaq_cns/*.json"),
    ),
    Kind(
        "esef filings",
        ("fi/esef_*_filings_api_*.json",),
        shapes.of_json,
        lambda played: played.answer("/api/filings", "filter[country]=NO&include=entity,validation_messages"),
    ),
    Kind(
        "esef error",
        ("fi/esef_error_*.json",),
        shapes.of_json,
        lambda played: played.answer("/api/filings", "filter[nothing]=1", status=400),
    ),
    Kind(
        "esef report",
        ("fi/esef_*_xbrl-json_*.json",),
        shapes.wild("/facts", "/documentInfo/namespaces", "/documentInfo/features"),
        _reports,
    ),
)

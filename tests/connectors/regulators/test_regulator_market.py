"""Acts of a market find their companies, and nobody else's: from files to notices and events."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final

import dagster as dg
import polars as pl
import pytest

import connectors
from connectors.contract.contribution import Contribution
from connectors.contract.dataset import Jurisdiction
from connectors.fi import FINLAND
from connectors.gleif.level1 import schema as level1_schema
from connectors.kit.composition import compose_market
from connectors.regulators import headline_datasets, headline_feeds, market
from connectors.regulators.authorities import FI
from connectors.regulators.esma import dataset as esma_dataset
from connectors.regulators.market import CompanyRegister, acts_contribution
from connectors.us import UNITED_STATES
from connectors.us.regulators import REGISTER
from pipelines.ingest.run import IngestOverrides, ingest
from pipelines.reporting.report import IngestReport
from pipelines.sources.source import FolderSource
from tests.connectors.regulators.feeding import LEI, OTHER_LEI, Reading, rss, sanction, solr
from tests.pipelines.invented_links import LINKED_MARKET
from tests.pipelines.places import ONE, THREE, TWO, Place
from tests.tables import check_cases
from tests.without_dagster import without_dagster
from warehouse.history.history import MarketHistory
from warehouse.ledger.ledger import Ledger
from warehouse.schema.tables import NOTICES

_FIRMS: Final = "https://www.fi.se/sv/publicerat/sanktioner/finansiella-foretag/2026"
_NAMES = CompanyRegister(
    "fi_register", lambda rows: rows["name"], cores=lambda rows: rows["name"], leis=level1_schema.lei_table("FI")
)
# the Swedish feed, as if its market were the invented one
_FEED = headline_feeds.headlines_dataset(
    "fi.acts",
    "acts",
    headline_datasets.SWEDISH_DATASET.licence,
    headline_datasets.SWEDISH_DATASET.cadence,
    replace(headline_datasets.SWEDISH_HEADLINES, authority=replace(FI, country="FI"), market="FI", files=("acts/**",)),
)
_REGISTERS = Contribution(
    name="registers",
    datasets=LINKED_MARKET.datasets,
    company_ids={
        name: pl.format("firm:FI:{}", pl.col("number"))
        for dataset in LINKED_MARKET.datasets
        for name, table in dataset.staged_tables.items()
        if "number" in table.names
    },
    links=LINKED_MARKET.links,
    to_shared_tables=LINKED_MARKET.to_shared_tables,
    field_precedence=LINKED_MARKET.field_precedence,
    holder_columns=LINKED_MARKET.holder_columns,
)
_ACTS = acts_contribution("FI", (_FEED, esma_dataset.esma_dataset("FI")), _NAMES)
MARKET: Final = compose_market("FI", (_REGISTERS, _ACTS))


@dataclass
class Supervised(Place):
    market: Jurisdiction = MARKET

    def take(self) -> IngestReport:
        """An ingest a day later, of the files as they are; the folder is empty afterwards."""
        self.now += timedelta(days=1)
        overrides = IngestOverrides(jurisdictions=(self.market,), clock=self.clock, instance=self.instance)
        with without_dagster():
            report = ingest(self.settings, ["fi"], FolderSource(self.folder), overrides=overrides)
        for path in self.folder.rglob("*.*"):
            path.unlink()
        return report

    def put(self, name: str, body: bytes) -> None:
        path = self.folder / "fi" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)

    def acts(self, *titles: str, day: int = 5, firms: bool = True) -> None:
        """Acts by their titles, published on a day of March."""
        section = _FIRMS if firms else "https://www.fi.se/sv/publicerat/sanktioner/insyn"
        items = [
            {"title": title, "link": f"{section}/{day}-{place}/", "pubDate": f"{day} Mar 2026 09:00:00 GMT"}
            for place, title in enumerate(titles)
        ]
        self.put(f"acts/{day}.xml", rss(items))

    def notices(self) -> dict[str, list[str]]:
        """Titles by company."""
        with MarketHistory(self.settings.layout, "FI") as history:
            rows = history.current_rows(NOTICES)
        found: dict[str, list[str]] = {}
        for company, title in sorted(rows.select("company_id", "title").rows()):
            found.setdefault(company.rpartition(":")[2], []).append(title)
        return found

    def told(self) -> list[dict[str, Any]]:
        events = Ledger(self.settings.layout).after(0, 100)
        return [json.loads(event.data) for event in events if event.event_type == "event.regulatory"]


@pytest.fixture
def place(tmp_path: Any) -> Iterator[Supervised]:
    with dg.DagsterInstance.ephemeral() as instance:
        made = Supervised(tmp_path, instance=instance)
        made.now = datetime(2026, 3, 3, 12, tzinfo=UTC)  # acts are of days up to the one after the first ingest
        made.register(
            (ONE, "Esimerkki Sijoitus Oy", "open", ""),
            (TWO, "Pohjola Kapital Oyj", "open", ""),
            (THREE, "Pohjola Kapital Oy", "open", ""),
        )
        yield made


@pytest.mark.slow
def test_an_act_finds_its_company_and_is_told_once(place: Supervised) -> None:
    place.acts("Sanktionsavgift för Esimerkki Sijoitus Oy på 1,5 miljoner kronor", day=1)
    assert not place.take().errors
    assert place.notices() == {ONE: ["Sanktionsavgift för Esimerkki Sijoitus Oy på 1,5 miljoner kronor"]}
    assert place.told() == []  # a first load is silent
    place.acts("Varning för Esimerkki Sijoitus Oy", day=5)
    place.take()
    place.acts("Varning för Esimerkki Sijoitus Oy", day=5)
    place.take()
    [event] = place.told()
    assert event["org_nr"] == ONE
    assert event["notice"] | {"notice_id": ""} == {
        "notice_id": "",
        "authority": "Finansinspektionen",
        "authority_country": "FI",
        "action_type": "sanction",
        "title": "Varning för Esimerkki Sijoitus Oy",
        "summary": None,
        "url": f"{_FIRMS}/5-0/",
        "published_at": "2026-03-05T09:00:00Z",
        "amount": None,
        "currency": None,
    }


DECOYS = [
    "Sanktionsavgift för Esimerkki Sijoitus Myynti Oy",  # a subsidiary no register knows
    "Sanktionsavgift för Esimerkki Sijoitus Ab Oyj",  # another form
    "Sanktionsavgift för Esimerkki Sijoitus Ltd",
    "Sanktionsavgift för Pohjola Kapital",  # two have the core
    "Sanktionsavgift för Esimerkki",
    "Varning för bedragare som utger sig för att vara Esimerkki Sijoitus Oy",  # a clone's victim
    "FI varnar för Esimerkki Sijoitus Oy",
    "Sanktionsavgift för Exempel & Exempel",
]


@pytest.mark.slow
def test_decoys_are_nobodys_and_wait_for_a_person(place: Supervised) -> None:
    place.acts(*DECOYS, "Förbud för Esimerkki Sijoitus", "Förbud för Pohjola Kapital Oyj", day=1)
    place.take()
    assert place.notices() == {
        ONE: ["Förbud för Esimerkki Sijoitus"],  # a list of firms names it without its form
        TWO: ["Förbud för Pohjola Kapital Oyj"],
    }
    present = {"fi_acts": _present(place)}
    waiting = market.unmatched_acts("FI", present)
    assert waiting.columns == list(market.UNMATCHED_COLUMNS)
    assert sorted(waiting["title"]) == sorted(DECOYS)
    warned = waiting.filter(pl.col("why").str.contains("warning"))["title"].to_list()
    assert sorted(warned) == sorted(title for title in DECOYS if "varnar" in title or "bedragare" in title)
    abroad = {"fi_acts": present["fi_acts"].with_columns(authority_country=pl.lit("SE"))}
    assert market.unmatched_acts("FI", abroad).is_empty()
    assert market.unmatched_acts("FI", {}).columns == list(market.UNMATCHED_COLUMNS)


def _present(place: Supervised) -> pl.LazyFrame:
    table = next(dataset.staged_tables["fi_acts"] for dataset in MARKET.datasets if "fi_acts" in dataset.staged_tables)
    with MarketHistory(place.settings.layout, "FI") as history:
        return history.present_rows(table).collect().lazy()


@pytest.mark.slow
def test_outside_a_list_of_firms_the_whole_name_is_needed(place: Supervised) -> None:
    place.acts("Sanktionsavgift för Esimerkki Sijoitus", "Sanktionsavgift för Esimerkki Sijoitus Oy", firms=False)
    place.take()
    assert place.notices() == {ONE: ["Sanktionsavgift för Esimerkki Sijoitus Oy"]}


@pytest.mark.slow
def test_an_lei_says_who_is_meant_and_no_name_instead(place: Supervised) -> None:
    place.records("lei/l.json", {"lei": LEI, "number": TWO})
    ours = sanction(sn_entityName="Somebody Oy")
    foreign = sanction(sn_sanctionEsmaID="SAN2", sn_entityLEI=OTHER_LEI, sn_entityName="Esimerkki Sijoitus Oy")
    named = sanction(sn_sanctionEsmaID="SAN3", sn_entityLEI=None, sn_entityName="Esimerkki Sijoitus Oy")
    place.put("esma_sanctions/s.json", solr(ours, foreign, named))
    place.take()
    assert {company: len(titles) for company, titles in place.notices().items()} == {ONE: 1, TWO: 1}


@pytest.mark.parametrize(
    ("registered", "lei", "is_told"),
    [
        (date(2026, 3, 5), None, True),
        (date(2026, 3, 6), None, False),  # another had the name
        (date(2026, 3, 6), LEI, True),
        (None, None, True),
    ],
)
def test_nobody_answers_to_a_name_for_what_was_before(
    registered: date | None, lei: str | None, is_told: bool, read: Reading
) -> None:
    batch = read(esma_dataset.esma_dataset("FI"), solr(sanction(sn_entityLEI=lei, sn_date="2026-03-05T00:00:00Z")))
    company = "firm:FI:0112038-9"
    present = {"fi_acts": read_by(batch.rows, company)}
    known = pl.DataFrame(
        {"company_id": [company], "registered_date": [registered]},
        schema={"company_id": pl.String, "registered_date": pl.Date},
    )
    assert market.map_notices("FI", present, known).height == is_told
    assert market.map_notices("FI", present, known.clear()).is_empty()


def read_by(rows: pl.DataFrame, company: str) -> pl.LazyFrame:
    """Staged rows as they are present for a company."""
    instant = pl.Datetime("us", "UTC")
    return rows.with_columns(_company_id=pl.lit(company), _raw=pl.lit("raw"), _observed_at=pl.lit(None, instant)).lazy()


def test_leis_of_acts_are_asked_for() -> None:
    table = f"{MARKET.code.lower()}_acts"
    wants = FINLAND.dataset("fi.lei").subjects_to_fetch
    assert wants is not None
    rows = pl.DataFrame({"lei": [LEI, "NO LEI", None, LEI]})
    assert list(wants({table: rows})) == [LEI]
    assert list(wants({})) == []


def test_every_served_market_has_its_authorities() -> None:
    acts = {
        country.code: [
            dataset.key for dataset in country.datasets if f"{country.code.lower()}_acts" in dataset.staged_tables
        ]
        for country in connectors.JURISDICTIONS
        if country.state == "served"
    }
    assert acts == {
        "FI": ["fi.esma"],
        "NO": ["no.tilsyn", "no.esma"],
        "SE": ["se.sanktioner", "se.esma"],
        "UK": ["uk.fca", "uk.pra"],
        "US": ["us.sec", "us.cftc"],
    }
    for country in connectors.JURISDICTIONS:
        linked = [link for link in country.links if link.table == f"{country.code.lower()}_acts"]
        assert [link.through for link in linked][:1] in ([], [level1_schema.lei_table(country.code).name], ["us_filer"])


@check_cases(
    ("row", "due"),
    [
        ({"name": "Power Corp.", "is_whole": False}, None),  # «Black Hills Energy and Power Corp.»
        ({"name": "JAG Capital Advisors, LLC", "is_whole": False}, "jag capital advisors | llc"),
        ({"name": "Power Corp."}, "power | corp"),
        ({"name": "Capital", "mark": "word"}, None),
        ({"name": "Example Energy Trust", "mark": "word"}, "example energy | trust"),
        ({"name": "Ann Example", "mark": "none"}, None),
        ({"name": None}, None),
        ({"name": "Acme, Inc.", "lei": LEI}, None),
        ({"name": "Acme, Inc.", "kind": "clone_warning"}, None),
    ],
)
def test_which_names_are_looked_for(row: dict[str, Any], due: str | None) -> None:
    [link] = [link for link in UNITED_STATES.links if link.table == "us_acts"]
    base = {"name": "", "is_whole": True, "mark": "form", "lei": None, "kind": "litigation"}
    schema = {"name": pl.String, "is_whole": pl.Boolean, "mark": pl.String, "lei": pl.String, "kind": pl.String}
    assert not isinstance(link.key, str)
    assert link.key.of(pl.DataFrame([base | row], schema=schema)).to_list() == [due]


def test_a_conformed_name_answers_without_its_state() -> None:
    rows = pl.DataFrame(
        {"name": ["EXAMPLE CORP /DE/", "EXAMPLE ANN", "WELLS & COMPANY/MN"], "is_person": [False, True, False]}
    )
    assert REGISTER.names(rows).to_list() == ["EXAMPLE CORP", None, "WELLS & COMPANY"]

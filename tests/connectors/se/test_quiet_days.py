"""What changes in the files and means nothing makes no event; what names no company finds it."""

import random
from collections.abc import Iterator

import dagster as dg
import polars as pl
import pytest

from tests.connectors.gleif.gleif_bodies import answer as lei_answer
from tests.connectors.gleif.gleif_bodies import lei, record
from tests.connectors.se import answer_files
from tests.connectors.se.bulk_files import ONE, THREE, TWO, organisation, unit
from tests.connectors.se.finansinspektionen.test_finansinspektionen_issuers import NEW, sheet
from tests.connectors.se.market_days import Market
from warehouse.schema.tables import COMPANIES, IDENTIFIERS

pytestmark = pytest.mark.slow
PROCEEDINGS = "pagandeAvvecklingsEllerOmstruktureringsforfarande"
NAMES = {ONE: "Ett AB", TWO: "Två Bolag AB (publ)", THREE: "Tre AB"}
FOREIGN = "|Other Ltd$FORNAMN_FRSPRAK-ORGNAM$2001-05-10"
BLOCKS = ("organisationsnamn", "verksamOrganisation", "naringsgrenOrganisation", "avregistreradOrganisation")
KINDS = ("TIMEOUT", "OTILLGANGLIG_UPPGIFTSKALLA", "ORGANISATION_FINNS_EJ")
HEADER = ("Innehavare av positionen", "Namn på emittent", "ISIN", "Position i procent", "Datum för positionen")
SHARES = {ONE: "SE0000000010", TWO: "SE0000000028", THREE: "SE0000000036"}


def registered(more: str = "") -> list[dict[str, str]]:
    return [
        organisation(
            number,
            organisationsnamn=f"{name}$FORETAGSNAMN-ORGNAM$2001-05-10{more}",
            **({PROCEEDINGS: "KK-AVOMFO$2025-12-20"} if number == ONE else {}),
        )
        for number, name in NAMES.items()
    ]


def counted(**changed: str) -> list[dict[str, str]]:
    return [unit(number, **changed) for number in NAMES]


def partial(number: str, kind: str) -> bytes:
    """An answer of which one producer gave nothing, and the other left blocks out."""
    return answer_files.answer(
        answer_files.organisation(
            number,
            **dict.fromkeys(BLOCKS, answer_files.failed(kind)),
            pagaendeAvvecklingsEllerOmstruktureringsforfarande=None,
            organisationsform=None,
        )
    )


def issuers() -> dict[str, bytes]:
    """One is named by its LEI, two by its name; of the third only positions in the share of the first tell."""
    lines = [
        NEW,
        f"2026-01-20 10:00:00;Ett, fast annorlunda stavat;{lei('ETT')};x;x;VD;;{SHARES[ONE]};X;Aktuell;",
        f"2026-01-20 10:00:00;TVÅ BOLAG;;x;x;VD;;{SHARES[TWO]};X;Aktuell;",
    ]
    positions = [
        ("Holder", "Ett AB", SHARES[ONE], "0,9", "2026-01-20"),
        ("Holder", "Okänd utländsk plc", SHARES[TWO], "0,9", "2026-01-20"),
        ("Holder", "Aktiebolaget Tre", SHARES[THREE], "0,9", "2026-01-20"),
        ("Holder", "Ingen AB", "SE0000000044", "0,9", "2026-01-20"),
    ]
    return {
        "insyn/export.csv": "".join(f"{line}\r\n" for line in lines).encode("utf-16-le"),
        "blankning/AktuellaPositioner.ods": sheet(HEADER, *positions),
        "gleif/one.json": lei_answer(
            record(lei("ETT"), "RA000544", ONE, law="SE", name="Ett AB"), published="2026-01-20T08:00:00Z"
        ),
    }


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Market, list[pl.DataFrame]]]:
    """The market after four days, and its profiles after each."""
    with dg.DagsterInstance.ephemeral() as instance:
        market = Market(tmp_path_factory.mktemp("quiet"), instance)
        profiles: list[pl.DataFrame] = []
        market.day("2025-12-29", registered(), counted(Ng1="62010"))
        profiles.append(market.rows(COMPANIES))
        shuffled = random.Random(1).sample(registered(FOREIGN), len(NAMES))
        answers = {f"organisationer__{n}.json": partial(n, kind) for n, kind in zip(NAMES, KINDS, strict=True)}
        flickered = counted(Ng1="62100", mNg1="J", ForAndrTyp="1", Reklamsparrtyp="2", JEStat="1")[::-1]
        market.day("2026-01-12", shuffled, flickered, **answers)
        profiles.append(market.rows(COMPANIES))
        # the unit of the third is gone from SCB's file, in which others keep the guard content
        others = [unit(str(5570000000 + n)) for n in range(120)]
        market.day("2026-01-19", registered()[::-1], [*counted(Ng1="62100")[:2], *others])
        profiles.append(market.rows(COMPANIES))
        report = market.take("2026-01-21", issuers(), [])
        assert not report.errors, market.lines
        yield market, profiles


def test_no_day_makes_an_event_of_the_companies(days: tuple[Market, list[pl.DataFrame]]) -> None:
    assert [event for event in days[0].events if any(number in event for number in NAMES)] == []


def test_pitfall_8_recoding_to_sni_2025_changes_the_code_and_its_scheme(
    days: tuple[Market, list[pl.DataFrame]],
) -> None:
    first, second, _ = days[1]
    assert set(first.select("industry_code", "industry_scheme").rows()) == {("62010", "SNI2007")}
    assert set(second.select("industry_code", "industry_scheme").rows()) == {("62100", "SNI2025")}
    assert set(first["industry_label"]) == set(second["industry_label"]) == {"Dataprogrammering"}


def test_pitfall_4_partial_answers_leave_what_is_known(days: tuple[Market, list[pl.DataFrame]]) -> None:
    first, second, _ = days[1]
    same = ["org_number", "name", "status", "status_detail", "legal_form_code", "registered_date"]
    assert first.select(same).sort("org_number").equals(second.select(same).sort("org_number"))
    assert dict(second.select("org_number", "status_detail").rows())[ONE] == "bankruptcy"


def test_leaving_scbs_file_changes_no_status(days: tuple[Market, list[pl.DataFrame]]) -> None:
    third = dict(days[1][2].select("org_number", "status").rows())
    assert third[THREE] == "active"


def test_pitfall_7_issuers_find_their_companies_by_lei_isin_and_name(days: tuple[Market, list[pl.DataFrame]]) -> None:
    found = days[0].rows(IDENTIFIERS)
    isins = found.filter(pl.col("scheme") == "isin").select("company_id", "value").rows()
    assert sorted(isins) == [(f"firm:SE:{number}", SHARES[number]) for number in (ONE, TWO, THREE)]
    assert found.filter(pl.col("scheme") == "lei").select("company_id", "value").rows() == [
        (f"firm:SE:{ONE}", lei("ETT"))
    ]

"""One act through two registers is one notice; in doubt two stay two."""

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from pipelines.transforms.news.dedup import deduplicate_notices
from tests.tables import check_cases
from warehouse import schema_render
from warehouse.schema.tables import NOTICES

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
DAY = timedelta(days=1)


def row(register: str, native: str, days: int = 0, **values: Any) -> dict[str, Any]:
    plain = {
        "company_id": "firm:SE:5560360793",
        "notice_id": f"ntc_{register}_{native}",
        "authority": "Finansinspektionen",
        "authority_country": "SE",
        "action_type": "sanction",
        "title": "Sanktionsavgift",
        "published_at": AT + days * DAY,
        "amount": 1_500_000,
        "currency": "SEK",
        "native_id": native,
        "register": register,
        "raw": "raw",
        "observed_at": AT + days * DAY,
    }
    return plain | values


def frame(*rows: dict[str, Any]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), schema=schema_render.polars_schema(NOTICES), orient="row")


def told(items: list[dict[str, Any]], published: pl.DataFrame | None = None) -> list[str]:
    found = deduplicate_notices(frame(*items), frame() if published is None else published)
    assert found.columns == list(NOTICES.names)
    return found["notice_id"].to_list()


OWN = row("se.sanktioner", "a")


@check_cases(
    ("other", "are_one"),
    [
        (row("se.esma", "1"), True),
        (row("se.esma", "1", days=60), True),
        (row("se.esma", "1", days=-60), True),
        (row("se.esma", "1", days=61), False),
        (row("se.esma", "1", days=20, amount=1_500_001), False),
        (row("se.esma", "1", currency="EUR"), False),
        (row("se.esma", "1", amount=None, currency=None), True),  # of one day
        (row("se.esma", "1", days=1, amount=None, currency=None), False),
        (row("se.esma", "1", action_type="announcement"), False),
        (row("se.esma", "1", authority="Finanstilsynet"), False),
        (row("se.esma", "1", authority_country="NO"), False),
        (row("se.esma", "1", company_id="firm:SE:5560125790"), False),
        (row("se.sanktioner", "b"), False),  # one register tells two acts apart itself
    ],
)
def test_company_authority_kind_fine_and_day(other: dict[str, Any], are_one: bool) -> None:
    assert len(told([OWN, other])) == (1 if are_one else 2)
    assert len(told([other, OWN])) == (1 if are_one else 2)


def test_the_register_that_told_first_stays_whichever_day_it_names() -> None:
    late = row("se.esma", "1", observed_at=AT + 30 * DAY)
    assert told([late, OWN]) == ["ntc_se.sanktioner_a"]
    early = row("se.esma", "1", days=5, observed_at=AT - DAY)
    assert told([OWN, early]) == ["ntc_se.esma_1"]


def test_what_was_published_stays_and_makes_no_second_notice() -> None:
    register = row("se.esma", "1", observed_at=AT + 30 * DAY)
    assert told([register, OWN], frame(register)) == ["ntc_se.esma_1"]
    both = frame(register, OWN)
    assert sorted(told([register, OWN], both)) == ["ntc_se.esma_1", "ntc_se.sanktioner_a"]


def test_two_acts_in_each_of_two_registers_stay_two() -> None:
    acts = [OWN, row("se.sanktioner", "b", days=10), row("se.esma", "1", days=1), row("se.esma", "2", days=11)]
    assert told(acts) == ["ntc_se.sanktioner_a", "ntc_se.sanktioner_b"]


def test_a_second_act_of_the_other_register_is_not_the_same_again() -> None:
    acts = [OWN, row("se.esma", "1", days=1), row("se.esma", "2", days=2)]
    assert told(acts) == ["ntc_se.sanktioner_a", "ntc_se.esma_2"]


def test_nothing_stays_nothing() -> None:
    assert told([]) == []
    assert told([OWN]) == [OWN["notice_id"]]

"""`as_of` and `known_at`: what was served then, what was so on a day, and what nobody knew (contract 4.4a)."""

from datetime import UTC, date, datetime, timedelta

import pytest

from tests.api.fixtures.release_data import exact, relation
from tests.tables import check_cases

ONE, TWO, NEW = (f"firm:NO:{800_000_000 + index}" for index in range(3))
ROUTES = ("", "/financials?include=history,sources", "/ownership", "/group?depth=2")
FIRST, SECOND, THIRD = (datetime(2026, 11, day, 13, tzinfo=UTC) for day in (2, 9, 16))
NOW = datetime(2026, 11, 21, 9, tzinfo=UTC)
OF_THE_ANSWER_NOW = {"as_of", "known_at", "next_cursor", "has_more"}


def path(company, below="", **asked):
    joint = "&" if "?" in below else "?"
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    return f"/api/v1/companies/{company}{below}{joint if query else ''}{query}"


def instant(at):
    return f"{at:%Y-%m-%dT%H:%M:%SZ}"


@pytest.fixture(scope="module")
def lived(new_world, shared_serve):
    """Three releases, a week apart; the service over the last, and what each served on its day."""
    made, kept = new_world(), {}
    began = date(2020, 1, 1)

    def publish(at, *companies, **rows):
        made.world.now = at - timedelta(hours=1)
        made.publish(list(companies), **rows)
        service = shared_serve(made.world)
        service.hands.seconds = at.timestamp() + 60
        kept[at] = {below: {one: service.get(path(one, below)).json() for one in (ONE, TWO, NEW)} for below in ROUTES}
        return service

    def one(**more):
        return made.company(ONE, "EN AS", registered_date=began, status="active", **more)

    def years(company, *given):
        return [
            made.period(company, year, is_consolidated=False, filed_at=filed, version=version, is_current=current)
            for year, filed, version, current in given
        ]

    early = years(ONE, (2024, date(2025, 6, 1), 1, True), (2023, None, 1, True))
    later = years(
        ONE, (2024, date(2025, 6, 1), 1, False), (2024, date(2026, 11, 8), 2, True), (2023, None, 1, True),
        (2022, None, 1, True),
    )  # fmt: skip
    held = [made.owner(ONE, key, pct=share) for key, share in (("A", 40), ("B", 10))]
    parent = relation(ONE, "T", **exact("60"), holder_company_id=TWO)
    publish(FIRST, one(website="a"), made.company(TWO, "TO AS"), periods=early, owners=held, relations=[parent])
    change = made.event(ONE, 3)  # dormant since the fourth, as was learned on the ninth
    dormant = {**one(website="b"), "status": "dormant", "status_detail": "bankruptcy"}
    ending = {**held[0], "ended_on": date(2026, 11, 18)}  # told before it comes
    acquired = [
        relation(ONE, "N", **exact("30"), holder_company_id=NEW, ended_on=date(2026, 11, 18)),
        relation(ONE, "N", relation="control", basis=None, holder_company_id=NEW),
    ]
    publish(SECOND, dormant, made.company(NEW, "NY AS"), gone=[TWO], periods=later, owners=[ending], events=[change],
            relations=acquired)  # fmt: skip
    service = publish(THIRD, {**dormant, "website": "c"}, made.company(TWO, "TO AS IGJEN"), periods=later,
                      owners=[{**held[0], "ended_on": date(2026, 11, 12)}],
                      relations=[{**acquired[0], "ended_on": date(2026, 11, 12)}, acquired[1]])  # fmt: skip
    service.hands.seconds = NOW.timestamp()
    return service, kept


@pytest.mark.parametrize("below", ROUTES)
@pytest.mark.parametrize("at", [FIRST, SECOND, THIRD], ids=["first", "second", "third"])
def test_what_was_served_then_is_served_again(lived, below, at):
    service, kept = lived
    for company, then in kept[at][below].items():
        for later in (timedelta(), timedelta(days=6)):
            answer = service.get(path(company, below, known_at=instant(min(at + later, NOW))))
            if "code" in then:
                assert (answer.status_code, answer.json()["code"]) == (404, "company_not_known_then")
                continue
            now = answer.json()
            assert [key for key in now if key in then] == list(then)
            assert {key: now[key] for key in now if key not in OF_THE_ANSWER_NOW} == {
                key: then[key] for key in then if key not in OF_THE_ANSWER_NOW
            }
            assert (now["as_of"], now["known_at"]) == ("2026-11-21", instant(min(at + later, NOW)))


def test_unnamed_an_answer_keeps_its_shape(lived):
    service, kept = lived
    for below in ROUTES:
        assert service.get(path(ONE, below)).json() == {
            **kept[THIRD][below][ONE],
            **({"as_of": "2026-11-21"} if below == "/ownership" else {}),
        }


def test_parts_of_a_profile_and_selected_fields_are_of_then(lived):
    service, _ = lived
    body = service.get(path(ONE, known_at=instant(FIRST), include="detail", fields="name")).json()
    assert (body["id"], body["name"], body["website"], list(body)[-2:]) == (ONE, "EN AS", "a", ["as_of", "known_at"])


@check_cases(
    ("asked", "status", "detail"),
    [
        ({"as_of": "2026-11-03"}, "active", None),
        ({"as_of": "2026-11-04"}, "dormant", None),  # known on the ninth
        ({"as_of": "2026-11-10"}, "dormant", "bankruptcy"),
        ({"as_of": "2026-11-04", "known_at": instant(SECOND - timedelta(seconds=1))}, "active", None),
        ({"as_of": "2026-11-10", "known_at": instant(FIRST)}, "active", None),
    ],
)
def test_the_status_of_a_day_is_by_the_dates_of_its_changes(lived, asked, status, detail):
    body = lived[0].get(path(ONE, **asked, include="detail")).json()
    assert (body["status"], body["status_detail"]) == (status, detail)


@check_cases(("day", "website"), [("2026-11-02", "a"), ("2026-11-08", "a"), ("2026-11-09", "b"), ("2026-11-21", "c")])
def test_what_has_no_date_is_as_known_at_the_end_of_the_day(lived, day, website):
    assert lived[0].get(path(ONE, as_of=day, include="detail")).json()["website"] == website


def test_a_day_ends_in_the_time_of_its_market(make, serve):
    made = make()
    made.world.now = datetime(2026, 11, 10, 22, 30, tzinfo=UTC)  # half past midnight in Norway, after the next hour
    made.publish([made.company(ONE, "EN AS")])
    service = serve(made.world)
    assert service.get(path(ONE, as_of="2026-11-10")).json()["reason"] == "before_history"
    assert service.get(path(ONE, as_of="2026-11-11")).json()["name"] == "EN AS"


@check_cases(
    ("asked", "rows"),
    [
        ({"as_of": "2025-05-31"}, []),
        ({"as_of": "2025-06-01"}, [(2024, 1)]),  # of 2023 and 2022 nobody knew, for all that can be told
        ({"as_of": "2026-11-02"}, [(2024, 1), (2023, 1)]),
        ({"as_of": "2026-11-08"}, [(2024, 2), (2023, 1)]),  # filed on the day, known the day after
        ({"as_of": "2026-11-09"}, [(2024, 2), (2023, 1), (2022, 1)]),
        ({"as_of": "2026-11-09", "known_at": instant(FIRST)}, [(2024, 1), (2023, 1)]),
    ],
)
def test_periods_of_a_day_are_those_filed_by_it(lived, asked, rows):
    body = lived[0].get(path(ONE, "/financials", **asked)).json()
    assert [(row["fiscal_year"], row["version"]) for row in body["data"]] == rows


@check_cases(
    ("asked", "shares"),
    [
        ({"as_of": "2026-11-11"}, [40]),
        ({"as_of": "2026-11-12"}, []),
        ({"as_of": "2026-11-12", "known_at": instant(SECOND)}, [40]),
        ({"as_of": "2026-11-11", "known_at": instant(FIRST)}, [40, 10]),
        ({"known_at": instant(SECOND)}, [40]),  # as was served then, though today is after the end
        ({"as_of": "2026-11-21", "known_at": instant(SECOND)}, []),
        ({"known_at": instant(THIRD)}, []),
        ({"as_of": "2020-01-01"}, []),
    ],
)
def test_owners_of_a_day_as_known_at_an_instant(lived, asked, shares):
    body = lived[0].get(path(ONE, "/ownership", **asked)).json()
    assert [row["pct"] for row in body["data"]] == shares


@check_cases(
    ("asked", "parents"),
    [
        ({"as_of": "2026-11-08"}, [("TO AS", "shareholding", 60)]),
        ({"as_of": "2026-11-09"}, [("NY AS", "control", None), ("NY AS", "shareholding", 30)]),
        ({"as_of": "2026-11-09", "known_at": instant(FIRST)}, [("TO AS", "shareholding", 60)]),
        (
            {"as_of": "2026-11-15"},
            [("NY AS", "control", None), ("NY AS", "shareholding", 30)],
        ),  # its end: not known yet
        ({"as_of": "2026-11-18"}, [("NY AS", "control", None)]),
        ({"as_of": "2026-11-18", "known_at": instant(SECOND)}, [("NY AS", "control", None)]),  # it was told before
        ({"known_at": instant(SECOND)}, [("NY AS", "control", None), ("NY AS", "shareholding", 30)]),
    ],
)
def test_a_group_of_a_day_is_what_was_known_at_its_end(lived, asked, parents):
    body = lived[0].get(path(ONE, "/group", **asked)).json()
    assert [(line["name"], line["relation"], line["pct"]) for line in body["parents"]] == parents
    assert list(body)[-2:] == ["as_of", "known_at"]


def test_children_of_a_state_have_cursors_of_their_own(lived):
    service, _ = lived
    asked = {"known_at": instant(SECOND)}
    whole = service.get(path(NEW, "/group", **asked)).json()["children"]["data"]
    first = service.get(path(NEW, "/group", **asked, limit=1)).json()["children"]
    second = service.get(path(NEW, "/group", **asked, cursor=first["next_cursor"])).json()["children"]
    assert len(whole) == 2
    assert first["data"] + second["data"] == whole
    for other in ({}, {"as_of": "2026-11-09"}, {"known_at": instant(THIRD)}):
        answer = service.get(path(NEW, "/group", **other, cursor=first["next_cursor"]))
        assert answer.json()["code"] == "cursor_mismatch"


@check_cases(
    ("company", "below", "asked", "code", "reason"),
    [
        (ONE, "", {"known_at": instant(FIRST - timedelta(seconds=1))}, "company_not_known_then", "before_history"),
        (ONE, "", {"as_of": "2026-11-01"}, "company_not_known_then", "before_history"),
        (NEW, "", {"known_at": instant(FIRST)}, "company_not_known_then", "not_known_yet"),
        (NEW, "", {"as_of": "2026-11-08"}, "company_not_known_then", "not_known_yet"),
        (TWO, "/financials", {"known_at": instant(SECOND)}, "company_not_known_then", "not_known_yet"),
        (NEW, "/ownership", {"as_of": "2026-11-08"}, "company_not_known_then", "not_known_yet"),
        (NEW, "/financials", {"as_of": "2026-11-08"}, "company_not_known_then", "not_known_yet"),
        (TWO, "/group", {"known_at": instant(SECOND)}, "company_not_known_then", "not_known_yet"),
        (NEW, "/group", {"as_of": "2026-11-08"}, "company_not_known_then", "not_known_yet"),
        (ONE, "/group", {"as_of": "2026-11-01"}, "company_not_known_then", "before_history"),
        (ONE, "/ownership", {"as_of": "2019-12-31"}, "company_not_known_then", "not_known_yet"),
        (ONE, "/financials", {"as_of": "2019-12-31"}, "company_not_known_then", "not_known_yet"),
        ("firm:NO:800000009", "", {"known_at": instant(FIRST)}, "company_not_found", None),
    ],
)
def test_before_the_first_known_state(lived, company, below, asked, code, reason):
    answer = lived[0].get(path(company, below, **asked))
    assert (answer.status_code, answer.json()["code"]) == (404, code)
    assert reason in {None, answer.json()["reason"]}


@check_cases(
    ("asked", "parameter", "code"),
    [
        ({"as_of": "2026-11-22"}, "as_of", "out_of_range"),
        ({"known_at": "2026-11-21T09:00:01Z"}, "known_at", "out_of_range"),
        ({"known_at": "2026-11-21"}, "known_at", "format"),
        ({"as_of": "2026-02-30"}, "as_of", "format"),
        ({"known_at": "now"}, "known_at", "format"),
    ],
)
def test_a_state_that_cannot_be_is_refused(lived, asked, parameter, code):
    for below in ROUTES:
        answer = lived[0].get(path(ONE, below, **asked))
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_parameter")
        assert [(one["parameter"], one["code"]) for one in answer.json()["errors"]] == [(parameter, code)]


def test_a_cursor_belongs_to_its_state(lived):
    service, _ = lived
    for below, asked in (("/financials", {"as_of": "2026-11-09"}), ("/ownership", {"known_at": instant(FIRST)})):
        whole = service.get(path(ONE, below, **asked)).json()["data"]
        first = service.get(path(ONE, below, **asked, limit=1)).json()
        second = service.get(path(ONE, below, **asked, cursor=first["next_cursor"])).json()
        assert first["data"] + second["data"] == whole
        for other in ({}, {"as_of": "2026-11-08"}, {"known_at": instant(SECOND)}):
            answer = service.get(path(ONE, below, **other, cursor=first["next_cursor"]))
            assert answer.json()["code"] == "cursor_mismatch"


def test_tags_hold_while_the_state_does(make, serve):
    made = make()
    made.publish([made.company(ONE, "EN AS", registered_date=date(2020, 1, 1))])
    service = serve(made.world)
    for below in ("", "/financials", "/ownership", "/group"):
        asked = path(ONE, below, as_of="2026-11-20")
        before = service.get(asked)
        service.hands.seconds += 1
        after = service.get(asked)
        assert before.json()["known_at"] != after.json()["known_at"]
        assert service.get(asked, **{"If-None-Match": before.headers["etag"]}).status_code == 304
        named = service.get(path(ONE, below, as_of="2026-11-20", known_at=after.json()["known_at"]))
        assert named.json() == after.json()
        assert named.headers["etag"] != after.headers["etag"]

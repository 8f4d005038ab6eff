"""What happens between releases: tails that resume, pages that hold while companies come and go."""

import random
import threading

import pytest

from warehouse.reader.reader import ReleaseReader


def number(index):
    return f"firm:NO:{800_000_000 + index}"


def test_ascending_tail_resumes(make, serve):
    made = make()
    made.publish([made.company(number(1), "EN AS")], events=[made.event(number(1), 1)])
    service = serve(made.world)
    path = f"/api/v1/companies/{number(1)}/events?order=asc"
    first = service.get(path).json()
    assert len(first["data"]) == 1
    assert first["has_more"] is False
    assert first["next_cursor"] is not None
    quiet = service.get(f"{path}&cursor={first['next_cursor']}").json()
    assert (quiet["data"], quiet["has_more"]) == ([], False)
    made.publish([made.company(number(1), "EN ENDRET AS")], events=[made.event(number(1), n) for n in (2, 3)])
    service.hands.seconds += 30 * 24 * 3600  # a tail never expires
    fresh = serve(made.world, secrets=service.secrets)
    fresh.hands.seconds = service.hands.seconds
    later = fresh.get(f"{path}&cursor={quiet['next_cursor']}").json()
    assert [row["data"]["occurred_at"] for row in later["data"]] == ["2026-11-03T00:00:00Z", "2026-11-04T00:00:00Z"]


def test_a_tail_of_nothing_begins(make, serve):
    made = make()
    made.publish([made.company(number(1), "EN AS")])
    service = serve(made.world)
    path = f"/api/v1/companies/{number(1)}/events?order=asc"
    cursor = service.get(path).json()["next_cursor"]
    made.publish([made.company(number(1), "TO AS")], events=[made.event(number(1), 1)])
    service = serve(made.world, secrets=service.secrets)
    assert len(service.get(f"{path}&cursor={cursor}").json()["data"]) == 1


@pytest.mark.parametrize("limit", [1, 2, 3, 25])
def test_an_exact_number_is_not_repeated_by_the_names(make, serve, limit):
    made = make()
    named = [made.company(number(index), f"800000001 NUMMER {index} AS") for index in range(4)]
    made.publish(named)
    service = serve(made.world)
    seen, query = [], f"q=800000001&limit={limit}"
    path = f"/api/v1/companies?{query}"
    while path:
        body = service.get(path).json()
        assert body["data"], "a page that is promised holds something"
        seen += [row["id"] for row in body["data"]]
        path = f"/api/v1/companies?{query}&cursor={body['next_cursor']}" if body["has_more"] else None
    assert seen[0] == number(1)
    assert sorted(seen) == [number(index) for index in range(4)]


def test_an_exact_number_that_alone_fills_its_page_is_all_there_is(make, serve):
    made = make()
    made.publish([made.company(number(1), "800000001 AS")])
    body = serve(made.world).get("/api/v1/companies?q=800000001&limit=1").json()
    assert (len(body["data"]), body["has_more"], body["next_cursor"]) == (1, False, None)


@pytest.mark.slow
def test_pages_hold_while_releases_come(make, serve):
    made = make()
    stay = [made.company(number(index), f"SELSKAP {index} AS") for index in range(0, 60, 2)]
    made.publish(stay)
    reader = ReleaseReader(made.world.layout, monotonic=Ticks())
    service = serve(made.world, reader)
    chance, seen, cursor, round_ = random.Random(7), [], None, 0
    while True:
        query = "limit=7&q=selskap" + (f"&cursor={cursor}" if cursor else "")
        body = service.get(f"/api/v1/companies?{query}").json()
        seen += [row["id"] for row in body["data"]]
        if not body["has_more"]:
            break
        cursor = body["next_cursor"]
        come = number(2 * chance.randrange(30) + 1)
        made.publish([made.company(come, f"SELSKAP NY {round_} AS")], gone=[number(1 + 2 * 40 + round_)])
        round_ += 1
    assert len(seen) == len(set(seen)), "a company came twice"
    assert {row["company_id"] for row in stay} <= set(seen), "a company that stayed was missed"


class Ticks:
    """Every look at the clock is a second later: the reader looks at the pointer each time."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


@pytest.mark.slow
def test_a_switch_of_release_fails_no_request_and_tears_no_answer(make, serve):
    made = make()
    made.publish([made.company(number(1), "NAVN 1 AS")])
    service = serve(made.world, ReleaseReader(made.world.layout, monotonic=Ticks()))
    stop = threading.Event()

    def publish():
        for release in range(2, 8):
            made.publish([made.company(number(1), f"NAVN {release} AS")])
        stop.set()

    publisher = threading.Thread(target=publish)
    publisher.start()
    releases = set()
    while not stop.is_set():
        for path in (f"/api/v1/companies/{number(1)}", f"/api/v1/companies/{number(1)}/events"):
            answer = service.get(path)
            assert answer.status_code == 200
            assert answer.json()["name"] == f"NAVN {answer.headers['firm-release']} AS"
        releases.add(answer.headers["firm-release"])
    publisher.join()
    assert len(releases) > 1


def test_nothing_published_yet_is_503(make, serve):
    service = serve(make().world)
    for path in ("/api/v1/companies/5599999991", "/api/v1/companies?q=a", "/readyz"):
        answer = service.get(path)
        assert (answer.status_code, answer.json()["code"]) == (503, "service_unavailable")
        assert int(answer.headers["retry-after"]) == answer.json()["retry_after"]
    assert service.get("/healthz").status_code == 200

"""Asking the API: tokens, renewals, whom to ask, what failures say."""

import json
from datetime import date

import polars as pl
import pytest

from connectors.kit.http.client import HttpClient, HttpSettings
from connectors.kit.http.errors import FetchError, RequestRejectedError, SourceUnavailableError
from connectors.se.api.fetch import subjects_to_fetch
from tests.connectors.se.answer_files import API, answer, failed, organisation
from tests.connectors.se.bulk_files import ONE, TWO
from tests.connectors.se.conftest import Answer, Asked, Registry

TOKEN, ASK = "/oauth2/token", "/vardefulla-datamangder/v1/organisationer"
NOON, LATE = "Mon, 16 Nov 2026 12:00:00 GMT", "Mon, 16 Nov 2026 12:59:30 GMT"


def say_token(registry: Registry, *tokens: str) -> None:
    left = list(tokens)

    def give(_: Asked) -> Answer:
        token = left.pop(0)
        said = {"access_token": token, "token_type": "Bearer", "expires_in": 3600, "scope": "x"}
        return 200, json.dumps(said).encode(), {"Date": NOON}

    registry.answers[TOKEN] = give


def say_answers(registry: Registry, *answers: Answer) -> None:
    left = list(answers)
    registry.answers[ASK] = lambda _: left.pop(0)


def fine(number: str = ONE, at: str = NOON) -> Answer:
    return 200, answer(organisation(number)), {"Date": at}


def test_one_token_serves_all_questions(registry: Registry, http: HttpClient) -> None:
    say_token(registry, "t1")
    say_answers(registry, fine(ONE), fine(TWO))
    arrivals = list(API.fetch(http, None, [ONE, TWO]))
    assert [arrival.name for arrival in arrivals] == [f"{ONE}.json", f"{TWO}.json"]
    token, first, second = registry.asked
    assert token.headers["authorization"].startswith("Basic ")
    assert b"grant_type=client_credentials" in token.body
    assert first.headers["authorization"] == "Bearer t1"
    assert (first.method, json.loads(second.body)) == ("POST", {"identitetsbeteckning": TWO})


def test_a_token_is_renewed_before_it_ends(registry: Registry, http: HttpClient) -> None:
    say_token(registry, "t1", "t2")
    say_answers(registry, fine(ONE, LATE), fine(TWO, LATE))
    list(API.fetch(http, None, [ONE, TWO]))
    assert [asked.headers["authorization"] for asked in registry.asked if asked.path == ASK] == [
        "Bearer t1",
        "Bearer t2",
    ]


def test_a_refused_token_is_renewed_once(registry: Registry, http: HttpClient) -> None:
    say_token(registry, "t1", "t2")
    say_answers(registry, (401, b"{}", {}), fine())
    assert len(list(API.fetch(http, None, [ONE]))) == 1
    say_token(registry, "t1", "t2")
    say_answers(registry, (401, b"{}", {}), (401, b"{}", {}))
    with pytest.raises(RequestRejectedError, match="subscription"):
        list(API.fetch(http, None, [ONE]))


@pytest.mark.parametrize("status", [400, 401])
def test_refused_keys_say_what_to_do_and_nothing_secret(registry: Registry, http: HttpClient, status: int) -> None:
    registry.say(TOKEN, b'{"error":"invalid_client"}', status)
    with pytest.raises(RequestRejectedError, match="FIRM_CREDENTIALS") as told:
        list(API.fetch(http, None, [ONE]))
    assert "hush" not in str(told.value)


def test_a_token_that_is_none_is_not_quoted(registry: Registry, http: HttpClient) -> None:
    registry.say(TOKEN, b'{"access_token": 1, "hush": "secret"}')
    with pytest.raises(FetchError) as told:
        list(API.fetch(http, None, [ONE]))
    assert "secret" not in str(told.value)


def test_a_number_the_registry_refuses_is_passed_over(registry: Registry, http: HttpClient) -> None:
    say_token(registry, "t1")
    say_answers(registry, (400, b'{"status":400}', {}), fine(TWO))
    assert [arrival.name for arrival in API.fetch(http, None, [ONE, TWO])] == [f"{TWO}.json"]


def test_refusals_in_a_row_end_the_asking(registry: Registry, http: HttpClient) -> None:
    say_token(registry, "t1")
    registry.say(ASK, b"<html/>", 500)
    with pytest.raises(RequestRejectedError, match="5 rejections in a row"):
        list(API.fetch(http, None, [str(5560000000 + n) for n in range(20)]))


def outage(number: str | None, kind: str = "OTILLGANGLIG_UPPGIFTSKALLA", **blocks: dict) -> Answer:
    """An answer whose producers, or some of them, are out of order; without a number all are."""
    down = {key: failed(kind) for key, block in organisation().items() if isinstance(block, dict) and "fel" in block}
    identity = None if number is None else {"identitetsbeteckning": number}
    return 200, answer(organisation(ONE, **(down | blocks), organisationsidentitet=identity)), {"Date": NOON}


@pytest.mark.parametrize("kind", ["OTILLGANGLIG_UPPGIFTSKALLA", "TIMEOUT"])
def test_fetch_outage_of_all_producers_is_a_failure_and_no_answer(
    registry: Registry, http: HttpClient, kind: str
) -> None:
    say_token(registry, "t1")
    say_answers(registry, fine(ONE), outage(None, kind), fine(TWO), outage(None, kind))
    names: list[str] = []
    with pytest.raises(SourceUnavailableError, match=f"outage of its producers .{kind}"):
        names += (file.name for file in API.fetch(http, None, [ONE, "5560000001", TWO]))
    assert names == [f"{ONE}.json", f"{TWO}.json"]


def test_fetch_outage_of_one_producer_keeps_what_the_other_states(registry: Registry, http: HttpClient) -> None:
    say_token(registry, "t1")
    said = organisation()
    partial = outage(ONE, organisationsnamn=said["organisationsnamn"])
    say_answers(registry, partial, partial)
    names: list[str] = []
    with pytest.raises(SourceUnavailableError):
        names += (file.name for file in API.fetch(http, None, [ONE]))
    assert names == [f"{ONE}.json"]


def test_fetch_outage_that_passes_is_asked_for_again_and_forgotten(registry: Registry, http: HttpClient) -> None:
    say_token(registry, "t1")
    said = organisation()
    say_answers(registry, outage(ONE, organisationsnamn=said["organisationsnamn"]), fine(TWO), fine(ONE))
    files = list(API.fetch(http, None, [ONE, TWO]))
    assert [file.name for file in files] == [f"{TWO}.json", f"{ONE}.json"]
    assert b'"fel":{' not in files[1].body.read()


def test_fetch_outage_whose_second_request_is_refused_stays_an_outage(registry: Registry, http: HttpClient) -> None:
    say_token(registry, "t1")
    said = organisation()
    say_answers(registry, outage(ONE, organisationsnamn=said["organisationsnamn"]), (500, b'{"status":500}', {}))
    names: list[str] = []
    with pytest.raises(SourceUnavailableError, match="outage of its producers"):
        names += (file.name for file in API.fetch(http, None, [ONE]))
    assert names == [f"{ONE}.json"]


def test_fetch_outages_in_a_row_end_the_run(registry: Registry, http: HttpClient) -> None:
    say_token(registry, "t1")
    registry.answers[ASK] = lambda _: outage(None)
    with pytest.raises(SourceUnavailableError):
        list(API.fetch(http, None, [str(5560000000 + n) for n in range(20)]))
    assert sum(asked.path == ASK for asked in registry.asked) == 5


def test_fetch_company_that_stays_unavailable_stops_no_other(registry: Registry, http: HttpClient) -> None:
    say_token(registry, "t1")
    numbers = [ONE, "5569999998", TWO]
    registry.answers[ASK] = lambda asked: fine(ONE) if numbers[1] not in asked.body.decode() else (503, b"", {})
    names: list[str] = []
    with pytest.raises(SourceUnavailableError):
        names += (file.name for file in API.fetch(http, None, numbers))
    assert names == [f"{ONE}.json", f"{TWO}.json"]


def test_fetch_api_that_stops_answering_ends_the_run(registry: Registry, http: HttpClient) -> None:
    say_token(registry, "t1")
    registry.say(ASK, b"", 503)
    numbers = [str(5560000000 + n) for n in range(20)]
    with pytest.raises(SourceUnavailableError):
        list(API.fetch(http, None, numbers))
    assert {json.loads(asked.body)["identitetsbeteckning"] for asked in registry.asked if asked.path == ASK} == set(
        numbers[:5]
    )


def test_fetch_without_a_token_ends_the_run_at_once(registry: Registry, http: HttpClient) -> None:
    registry.say(TOKEN, b"", 503)
    with pytest.raises(SourceUnavailableError):
        list(API.fetch(http, None, [ONE, TWO]))
    assert registry.paths == [TOKEN] * 3  # the attempts of one request


def test_fetch_company_unknown_to_the_registers_is_no_outage(registry: Registry, http: HttpClient) -> None:
    say_token(registry, "t1")
    say_answers(registry, outage(ONE, "ORGANISATION_FINNS_EJ"))
    assert len(list(API.fetch(http, None, [ONE]))) == 1


def test_a_gateway_without_subscription_is_told(registry: Registry, http: HttpClient) -> None:
    say_token(registry, "t1")
    registry.say(ASK, b"<ams:fault>900908</ams:fault>", 403)
    with pytest.raises(FetchError):
        list(API.fetch(http, None, [ONE]))


def test_without_keys_nothing_is_asked(registry: Registry, tmp_path) -> None:
    with HttpClient(
        HttpSettings(user_agent="test", download_folder=tmp_path, base_urls={"gw.api.bolagsverket.se": registry.url})
    ) as http:
        assert list(API.fetch(http, None, [ONE])) == []
    assert registry.asked == []


def test_persons_are_never_asked_for(registry: Registry, http: HttpClient) -> None:
    assert list(API.fetch(http, None, ["191212121212", "1212121212"])) == []
    assert registry.asked == []


def test_asked_are_companies_registered_lately() -> None:
    rows = pl.DataFrame(
        {
            "organisationsnummer": [ONE, TWO, "5560000003", "5560000004"],
            "registreringsdatum": [date(2026, 11, 1), date(2026, 11, 10), date(2026, 1, 1), date(2026, 11, 11)],
            "avregistreringsdatum": [None, None, None, date(2026, 11, 12)],
        }
    )
    assert list(subjects_to_fetch({"se_bolagsverket": rows})) == [TWO, ONE]
    assert list(subjects_to_fetch({})) == []

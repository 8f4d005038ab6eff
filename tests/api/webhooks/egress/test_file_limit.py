"""The limit of open files is raised for connections, as far as that goes."""

import resource

from api.webhooks.egress import http_client
from api.webhooks.egress.http_client import ENOUGH, raise_open_file_limit
from tests.tables import check_cases

INFINITE = resource.RLIM_INFINITY


@check_cases(
    ("soft", "hard", "becomes"),
    [
        (1_024, 1_048_576, ENOUGH),
        (1_024, INFINITE, ENOUGH),
        (1_024, 4_096, 4_096),
        (4_096, 4_096, None),
        (ENOUGH, 1_048_576, None),
        (1_000_000, 1_048_576, None),
        (INFINITE, INFINITE, None),
    ],
)
def test_the_limit_is_raised_and_never_lowered(monkeypatch, soft, hard, becomes):
    made = []
    monkeypatch.setattr(http_client.resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(http_client.resource, "setrlimit", lambda _, limits: made.append(limits))
    assert raise_open_file_limit() == (soft if becomes is None else becomes)
    assert made == ([] if becomes is None else [(becomes, hard)])


def test_a_sender_makes_room_when_it_is_used(egress, monkeypatch):
    made = []
    monkeypatch.setattr("api.webhooks.egress.http_client.raise_open_file_limit", lambda: made.append(True))

    async def scenario():
        async with egress.Receiver() as receiver, egress.sending() as sender:
            assert not made
            for _ in range(2):
                await sender.send(egress.request_to(receiver.url()))

    egress.run(scenario())
    assert made == [True]

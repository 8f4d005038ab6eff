"""What tests of the sender share."""

from types import SimpleNamespace

import pytest

from tests.api.webhooks.egress.receivers import (
    EVENT,
    LOOPBACK,
    OK,
    SECRET,
    STARTED,
    FrozenLoop,
    Receiver,
    lookup,
    request_to,
    run,
    sending,
    until,
)


@pytest.fixture
def egress():
    return SimpleNamespace(
        Receiver=Receiver,
        sending=sending,
        lookup=lookup,
        request_to=request_to,
        run=run,
        until=until,
        FrozenLoop=FrozenLoop,
        OK=OK,
        SECRET=SECRET,
        EVENT=EVENT,
        STARTED=STARTED,
        LOOPBACK=LOOPBACK,
    )

"""Links on their way: servers that greylist, refuse for ever, or are away."""

import asyncio
import logging
from datetime import UTC, datetime, timedelta

import pytest

from api.dashboard.sign_in_mailer import SignInMailer, build_sign_in_mail
from tests.api.fixtures.mail_server import PostOffice, unused_port

SIGN_IN = "/dashboard/sign-in"


def test_a_server_that_greylists_gets_the_mail_again():
    office, waited = PostOffice(answers=["451 4.7.1 come again"]), []

    async def main() -> None:
        async with office.open():
            await _posted(SignInMailer(office.settings(), _sleeper(waited)))

    asyncio.run(main())
    assert [post.recipients for post in office.posts] == [["owner@example.com"]]
    assert waited == [0.0, 10.0]


@pytest.mark.parametrize(("answer", "tries"), [("550 5.1.1 no such user", 1), ("554 5.7.1 not now", 5)])
def test_a_mail_that_nobody_takes_is_given_up(answer, tries, caplog):
    office = PostOffice(answers=[answer] * 9)

    async def main() -> None:
        async with office.open():
            await _posted(SignInMailer(office.settings(), _sleeper([])))

    with caplog.at_level(logging.WARNING, "firm.mail"):
        asyncio.run(main())
    assert len(office.recipients) == tries
    assert "owner@example.com" not in caplog.text


def test_a_server_that_is_away_stops_nobody(open_desk, office):
    desk = open_desk(mail=office.settings(port=unused_port()))
    browser = desk.browser()
    assert browser.submit(SIGN_IN, SIGN_IN, email="owner@example.com").status_code == 303


def _letter(recipient):
    return build_sign_in_mail(
        "eml_1", recipient, "https://x.example", datetime(2026, 11, 22, tzinfo=UTC), timedelta(minutes=15)
    )


def _sleeper(waited):
    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    return sleep


async def _posted(postman: SignInMailer) -> None:
    """Posts a letter and waits until it is sent or given up."""
    others = asyncio.all_tasks()
    postman.post(_letter("owner@example.com"))
    await asyncio.wait(asyncio.all_tasks() - others)

"""What Stripe posts: proved to be its own and of now, acted upon once, and answered well only when it is stored."""

import logging
from datetime import timedelta

import pytest

from api.billing.service import EVENTS, KEPT
from tests.api.billing.conftest import OWNER
from tests.api.billing.stripe_server import signed

PATH = "/billing/stripe"


@pytest.fixture
def event(paying):
    """What Stripe says of the first subscription; not delivered yet."""
    paying.subscribe("business")
    [found] = [one for one in paying.stripe.events if one["type"] == "customer.subscription.created"]
    paying.stripe.asked.clear()
    return found


def noted(paying):
    """Ids of the events that were acted upon."""
    return [row.event_id for row in paying.rows("SELECT event_id FROM stripe_events ORDER BY 1")]


def forged(event, now):
    body, header = signed(event, now)
    stamp, digest = header.split(",")
    return {
        "no header": (body, None),
        "an empty one": (body, ""),
        "no digest": (body, stamp),
        "no stamp": (body, digest),
        "another secret": signed(event, now, "whsec_guessed"),
        "another body": (body + b" ", header),
        "an older stamp on it": (body, f"t={int(now) - 1},{digest}"),
        "another scheme": (body, header.replace("v1=", "v0=")),
        "an upper-case digest": (body, f"{stamp},v1={digest[3:].upper()}"),
        "two stamps": (body, f"{stamp},{header}"),
        "a stamp that is no number": (body, f"t=٣,{digest}"),
        "replayed later": signed(event, now - 301),
        "kept for the future": signed(event, now + 301),
        "no event": signed(b"[]", now),
        "no JSON": signed(b"\xff", now),
        "very many digests": (body, f"{stamp}," + ",".join([f"v1={'0' * 64}"] * 40) + f",{digest}"),
    }


def test_what_is_not_stripes_or_not_of_now_is_refused(paying, event):
    for how, (body, signature) in forged(event, paying.service.hands.seconds).items():
        headers = {} if signature is None else {"Stripe-Signature": signature.encode()}
        answer = paying.service.client.post(PATH, content=body, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_parameter"), how
        assert answer.json()["errors"][0]["header"] == "Stripe-Signature", how
    assert (paying.stripe.asked, noted(paying)) == ([], [])


def test_a_clock_may_differ_and_a_secret_be_replaced(paying, event):
    for late in (-299, 299):
        body, header = signed(event | {"id": f"evt_{late}"}, paying.service.hands.seconds - late)
        stamp, digest = header.split(",")
        both = {"Stripe-Signature": f"{stamp},v1={'0' * 64},{digest},v0=x"}
        assert paying.service.client.post(PATH, content=body, headers=both).status_code == 200
    assert len(noted(paying)) == 2


def test_an_event_is_acted_upon_once(paying, event):
    for _ in range(3):
        assert paying.deliver(event).json() == {"received": True}
    assert [path for _, path, _ in paying.stripe.asked] == ["/v1/subscriptions"]
    assert noted(paying) == [event["id"]]


def ended(paying, subscription):
    paying.stripe.end(subscription)


def changed(paying, subscription):
    paying.stripe.change_price(subscription, "price_basic")


def deleted(paying, _):
    paying.deliver_all()  # of a customer who is gone nothing can be asked: it was known that he subscribed
    paying.stripe.delete_customer(next(iter(paying.stripe.customers)))


def declined(paying, _):
    paying.stripe.declining = set(paying.stripe.customers)
    paying.wait(15)


ALONE = {
    "checkout.session.completed": (None, ("business", "active")),
    "customer.deleted": (deleted, ("basic", "payment_required")),
    "customer.subscription.created": (None, ("business", "active")),
    "customer.subscription.deleted": (ended, ("basic", "payment_required")),
    "customer.subscription.updated": (changed, ("basic", "active")),
    "invoice.paid": (None, ("business", "active")),
    "invoice.payment_failed": (declined, ("basic", "payment_required")),
}


@pytest.mark.parametrize("kind", ALONE)
def test_each_kind_of_event_is_enough_alone(paying, kind):
    """Whichever gets through of those that Stripe sends for one thing, even without the others."""
    deed, stands = ALONE[kind]
    subscription = paying.subscribe("business")
    if deed is not None:
        deed(paying, subscription)
    found = [event for event in paying.stripe.events if event["type"] == kind]
    assert paying.stands() != stands
    assert paying.deliver(found[-1]).status_code == 200
    assert paying.stands() == stands


def test_kinds_that_only_some_subscriptions_have_are_acted_upon_too(paying, event):
    for number, kind in enumerate(sorted(set(EVENTS) - set(ALONE))):
        assert paying.deliver(event | {"id": f"evt_x{number}", "type": kind}).status_code == 200
        assert len(paying.stripe.asked) == number + 1, kind


def test_an_event_is_answered_well_only_when_it_was_acted_upon(paying, event):
    paying.stripe.faults = [(503, b"")]
    answer = paying.deliver(event)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "60")
    assert (paying.stands(), noted(paying)) == (("pro", "active"), [])
    assert paying.deliver(event).status_code == 200
    assert (paying.stands(), noted(paying)) == (("business", "active"), [event["id"]])


def test_a_crash_between_storing_and_noting_stores_nothing(paying, event, monkeypatch):
    monkeypatch.setattr("api.billing.repository.note_event", lambda *_: 1 / 0)
    assert paying.deliver(event).status_code == 500
    assert paying.stands() == ("pro", "active")
    monkeypatch.undo()
    assert paying.deliver(event).status_code == 200
    assert paying.stands() == ("business", "active")


def test_events_of_others_and_of_other_things_change_nothing(paying, event, caplog):
    stranger = event | {"id": "evt_a", "data": {"object": {"object": "subscription", "customer": "cus_x"}}}
    with caplog.at_level(logging.WARNING, "firm.api"):
        assert paying.deliver(stranger).status_code == 200
    assert "cus_x, a customer without an account here" in caplog.text
    for other in (
        event | {"id": "evt_b", "type": "charge.refunded"},
        event | {"id": "evt_c", "data": {"object": {"object": "subscription", "customer": None}}},
        event | {"id": "evt_d", "data": {"object": {"object": "subscription", "customer": ["x"]}}},
    ):
        assert paying.deliver(other).status_code == 200
    assert (paying.stands(), paying.stripe.asked, noted(paying)) == (("pro", "active"), [], [])


def test_a_customer_may_come_whole(paying, event):
    whole = {"object": "invoice", "customer": {"id": paying.billing.customer(OWNER).customer_id}}
    assert paying.deliver(event | {"data": {"object": whole}}).status_code == 200
    assert paying.stands() == ("business", "active")


def test_a_price_that_nobody_named_changes_nothing_until_it_is_named(paying, event, caplog):
    paying.deliver_all()
    [subscription] = paying.stripe.subscriptions
    paying.stripe.change_price(subscription, "price_new")
    with caplog.at_level(logging.ERROR, "firm.api"):
        assert paying.deliver(paying.stripe.events[0]).status_code == 503
    assert "FIRM_STRIPE_PRICES does not name (price_new)" in caplog.text
    assert paying.stands() == ("business", "active")


def test_who_asked_earlier_never_overwrites_who_asked_later(pay, control_url):
    """One request has Stripe's answer in hand while the subscription ends, which another request stores first."""
    paying = pay(database_url=control_url)
    subscription = paying.subscribe("business")
    created = paying.stripe.events[-1]

    def meanwhile():
        paying.stripe.end(subscription)
        paying.billing.act(paying.billing.read(*signed_bytes(paying, paying.stripe.events[-1])))
        assert paying.stands() == ("basic", "payment_required")

    paying.stripe.meanwhile = meanwhile
    assert paying.deliver(created).status_code == 200
    assert paying.stands() == ("basic", "payment_required")
    assert len(noted(paying)) == 2


def signed_bytes(paying, event):
    body, signature = signed(event, paying.service.hands.seconds)
    return body, signature.encode()


def test_ids_are_kept_as_long_as_stripe_may_send_them_again(paying, event):
    paying.deliver(event)
    paying.service.hands.seconds += (KEPT - timedelta(minutes=1)).total_seconds()
    paying.deliver(event | {"id": "evt_second"})
    assert len(noted(paying)) == 2
    paying.service.hands.seconds += 120
    paying.deliver(event | {"id": "evt_third"})
    assert noted(paying) == ["evt_second", "evt_third"]


def test_an_address_that_keeps_failing_waits_and_stripe_never_does(pay, serve):
    from api.settings.tiers import DEFAULT

    paying = pay(tiers=DEFAULT)
    paying.subscribe("business")
    for number in range(30):
        assert paying.deliver(paying.stripe.events[0] | {"id": f"evt_{number}"}).status_code == 200
    answers = [paying.service.client.post(PATH, content=b"{}").status_code for _ in range(12)]
    assert answers == [400] * 10 + [429] * 2


def test_what_is_too_large_or_asked_otherwise_is_refused(paying):
    client = paying.service.client
    assert client.post(PATH, content=b"x" * (2**20 + 1)).status_code == 413
    assert client.get(PATH).status_code == 405
    headers = {"Idempotency-Key": "x", "Origin": "https://evil.example"}
    answer = client.post(PATH, content=b"{}", headers=headers)
    assert answer.status_code == 400
    assert "access-control-allow-origin" not in answer.headers


def test_without_settings_there_is_nothing(service):
    answer = service.client.post(PATH, content=b"{}", headers={"Stripe-Signature": "t=1,v1=0"})
    assert (answer.status_code, answer.json()["code"]) == (404, "route_not_found")
    service.accounts.set_tier(OWNER, "business")
    assert service.accounts.account(OWNER).tier == "business"

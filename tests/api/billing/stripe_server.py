"""A small Stripe over HTTP, written from its documentation. It takes the parameters that are named here and refuses
others, as Stripe does, wants its key and a version of its interface, and leaves out of lists what Stripe leaves out.
"""

import hmac
import json
import threading
from collections.abc import Callable
from copy import deepcopy
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.api.billing.stripe_world import StripeWorld

KEY = "sk_test_of_the_fake"
SIGNING_SECRET = "whsec_of_the_fake"
_CREATES = {
    "/v1/customers": {"email", "metadata[account_id]"},
    "/v1/billing_portal/sessions": {
        "customer",
        "return_url",
        "flow_data[type]",
        "flow_data[subscription_cancel][subscription]",
        "flow_data[after_completion][type]",
        "flow_data[after_completion][redirect][return_url]",
    },
    "/v1/checkout/sessions": {
        "mode",
        "customer",
        "client_reference_id",
        "line_items[0][price]",
        "line_items[0][quantity]",
        "payment_method_collection",
        "subscription_data[metadata][account_id]",
        "subscription_data[trial_period_days]",
        "subscription_data[trial_settings][end_behavior][missing_payment_method]",
        "success_url",
        "cancel_url",
    },
}


class RefusedError(Exception):
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.body = status, {"error": {"type": "x", "code": code, "message": message}}


class FakeStripe(StripeWorld):
    """That world, and what it answers when it is asked."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__(now)
        self.asked: list[tuple[str, str, dict[str, str]]] = []
        self.faults: list[tuple[int, bytes]] = []
        """What is answered next instead."""
        self.meanwhile: Callable[[], None] | None = None
        """What happens once between looking a list up and answering."""
        self.meanwhile_of = "/v1/subscriptions"

    def answer(self, method: str, path: str, given: dict[str, str], headers: Any) -> dict[str, Any]:
        if headers["Authorization"] != f"Bearer {KEY}":
            raise RefusedError(401, "", "Invalid API Key provided: sk_****")
        assert headers["Stripe-Version"] == "2026-10-28.endive"
        if method == "POST" and path.endswith("/expire"):
            return self._expire(path.split("/")[-2])
        if method == "GET":
            return self._read(path) if path.count("/") > 2 and given == {} else self._list(path, given)
        return self._create(path, given, headers)

    def _create(self, path: str, given: dict[str, str], headers: Any) -> dict[str, Any]:
        unknown = given.keys() - _CREATES[path]
        if unknown:
            raise RefusedError(400, "parameter_unknown", f"Received unknown parameter: {unknown}")
        if path == "/v1/customers":
            return self._customer(given, headers["Idempotency-Key"])
        if given["customer"] not in self.customers:
            raise RefusedError(404, "resource_missing", f"No such customer: '{given['customer']}'")
        number = next(self.numbers)
        if path == "/v1/checkout/sessions":
            return self._session(f"cs_{number}", given)
        return self._portal(number, given)

    def _read(self, path: str) -> dict[str, Any]:
        _, _, kind, one = path.split("/")
        if kind == "customers":  # of one that was deleted this much remains
            return self.customers.get(one, {"id": one, "object": "customer", "deleted": True})
        if one not in self.prices:
            raise RefusedError(404, "resource_missing", f"No such price: '{one}'")
        return self._price(one)

    def _price(self, price_id: str) -> dict[str, Any]:
        recurring = {"interval": "month", "interval_count": 1}
        made = {"id": price_id, "object": "price", "active": True, "currency": "usd", "recurring": recurring}
        return made | self.prices[price_id]

    def _customer(self, given: dict[str, str], key: str) -> dict[str, Any]:
        made = self.created_by_key.setdefault(key, f"cus_{next(self.numbers)}")
        return self.customers.setdefault(made, {"id": made, "object": "customer", "email": given["email"]})

    def _session(self, session_id: str, given: dict[str, str]) -> dict[str, Any]:
        assert given["mode"] == "subscription"
        assert given["payment_method_collection"] == "always"
        self.sessions[session_id] = {
            "id": session_id,
            "object": "checkout.session",
            "customer": given["customer"],
            "url": f"https://checkout.stripe.com/c/pay/{session_id}",
            "status": "open",
            "price": given["line_items[0][price]"],
            "trial_days": int(given.get("subscription_data[trial_period_days]", "0")),
        }
        return self.sessions[session_id]

    def _portal(self, number: int, given: dict[str, str]) -> dict[str, Any]:
        url = f"https://billing.stripe.com/p/session/{number}"
        cancels = given.get("flow_data[subscription_cancel][subscription]")
        if cancels is not None and self.subscriptions[cancels]["cancel_at"] is not None:
            raise RefusedError(400, "", "This subscription is already set to be canceled.")
        self.portals[url] = given
        return {"id": f"bps_{number}", "object": "billing_portal.session", "url": url}

    def _expire(self, session_id: str) -> dict[str, Any]:
        session = self.sessions[session_id]
        if session["status"] != "open":
            raise RefusedError(400, "", "Only Checkout Sessions with a status in [open] can be expired.")
        session["status"] = "expired"
        return session

    def _list(self, path: str, given: dict[str, str]) -> dict[str, Any]:
        if path == "/v1/invoices":
            return self._listed([one for one in self.invoices if _is_asked(one, given)], given)
        if path == "/v1/checkout/sessions":
            kept = [one for one in self.sessions.values() if one["status"] == given["status"]]
        elif given["customer"] not in self.customers:
            raise RefusedError(404, "resource_missing", f"No such customer: '{given['customer']}'")
        else:  # without status=all Stripe leaves out what was canceled
            kept = [
                one
                for one in self.subscriptions.values()
                if given.get("status") == "all" or one["status"] != "canceled"
            ]
        mine = deepcopy([one for one in reversed(kept) if one["customer"] == given["customer"]])
        if path == self.meanwhile_of and self.meanwhile is not None:
            then, self.meanwhile = self.meanwhile, None
            then()
        return self._listed(mine, given)

    def _listed(self, found: list[dict[str, Any]], given: dict[str, str]) -> dict[str, Any]:
        limit = int(given["limit"])
        return {"object": "list", "data": found[:limit], "has_more": len(found) > limit}


def _is_asked(invoice: dict[str, Any], given: dict[str, str]) -> bool:
    asked = {name: value for name, value in given.items() if name not in ("limit", "created[gte]")}
    since = int(given["created[gte]"])
    return invoice["created"] >= since and all(invoice[name] == value for name, value in asked.items())


def signed(event: dict[str, Any] | bytes, at: float, secret: str = SIGNING_SECRET) -> tuple[bytes, str]:
    """The body of an event and its Stripe-Signature, as sent at that second."""
    body = event if isinstance(event, bytes) else json.dumps(event, indent=2).encode()
    digest = hmac.new(secret.encode(), f"{int(at)}.".encode() + body, sha256).hexdigest()
    return body, f"t={int(at)},v1={digest}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body in one packet: the other side would wait before it acknowledges the first
    server: "_Server"

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        self._answer("GET", url.path, dict(parse_qsl(url.query)))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        self._answer("POST", self.path, dict(parse_qsl(body)))

    def _answer(self, method: str, path: str, given: dict[str, str]) -> None:
        stripe = self.server.stripe
        stripe.asked.append((method, path, given))
        if stripe.faults:
            status, body = stripe.faults.pop(0)
        else:
            try:
                status, body = 200, json.dumps(stripe.answer(method, path, given, self.headers)).encode()
            except RefusedError as refused:
                status, body = refused.status, json.dumps(refused.body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Tests print nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    stripe: FakeStripe


class Listening:
    """The fake on a port of 127.0.0.1, while the block lasts."""

    def __init__(self, stripe: FakeStripe) -> None:
        self.stripe = stripe

    def __enter__(self) -> str:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.stripe = self.stripe
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

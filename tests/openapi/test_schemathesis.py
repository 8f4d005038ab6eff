"""schemathesis over the running service: every check, every phase and operation, once per kind of key.

FIRM_FUZZ_EXAMPLES is the number of requests it invents per operation (for a release: 500 or more).
"""

import asyncio
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from pathlib import Path

import pytest

from api.auth.encryption import SecretBox
from api.database.engine import Database
from api.database.models.webhooks import Replay
from api.openapi_document import OPERATIONS, openapi_document
from api.runtime.uvicorn_server import build_server
from api.settings.service import ApiSettings
from api.settings.tiers import read_tiers
from api.settings.webhooks import WebhookSettings
from api.webhooks.egress.signing import make_secret
from tests.api.fixtures import delivery_log as stored

HERE = Path(__file__).parent
ORIGIN = "https://app.example.com"
PLENTY = {
    "monthly_requests": 10**9,
    "burst_per_second": 10**6,
    "burst_capacity": 10**6,
    "subscriptions": 10**5,
    "entity_ids": 200,
}
WEBHOOKS = WebhookSettings(allow_http=True, allow_networks=(ip_network("127.0.0.0/8"),))
TIERS = read_tiers(
    {
        "tiers": {"pro": PLENTY},
        "clients": {"failed_authentications_per_second": 10**6, "publishable_key_requests_per_second": 10**6},
    }
)
PHASES = "examples,coverage,fuzzing,stateful"
# What it calls them: header missing, body against its schema, parameter not checked, method not refused, key not asked.
FAILURES = ("ST107", "ST108", "ST201", "ST204", "ST401")
ENDLESS = "streamEvents"
"""The operation whose response does not end: tests/api/events/test_event_stream.py has its requests."""
EXAMPLES = os.environ.get("FIRM_FUZZ_EXAMPLES", "10")


class Running:
    """The service under uvicorn in a thread."""

    def __init__(self, app):
        self.server = build_server(app, ApiSettings(shutdown_seconds=5), port=0)
        ready, startup = threading.Event(), self.server.startup

        async def told(sockets=None):
            await startup(sockets)
            ready.set()

        self.server.startup = told
        self.thread = threading.Thread(target=lambda: asyncio.run(self.server.serve()))
        self.thread.start()
        assert ready.wait(20)
        self.url = f"http://127.0.0.1:{self.server.servers[0].sockets[0].getsockname()[1]}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.should_exit = True
        self.thread.join(20)
        assert not self.thread.is_alive()


class Receiver(BaseHTTPRequestHandler):
    """An endpoint that takes every delivery."""

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        """Says nothing."""


@pytest.fixture(scope="module")
def endpoint():
    with ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/company-events"
        server.shutdown()
        thread.join()


class There:
    """What the fuzzer is told of: two subscriptions, and of the second, which no example deletes, a delivery."""

    def __init__(self, service, folder, endpoint):
        database = Database(f"sqlite:///{folder / 'control.sqlite'}")
        log = stored.Log(database)
        account_id = service.accounts.account("owner@example.com").account_id
        secret = SecretBox(service.secrets.sealing_keys).seal(make_secret())
        self.first, self.second = (log.subscription(account_id, endpoint_url=endpoint, secret=secret) for _ in range(2))
        self.delivery = log.deliver(self.second, log.event(), "failed")
        log.attempt(self.delivery)
        self.replay = log.ulids.make("rpl")
        window = {"since": stored.NOW - stored.DAY, "until": stored.NOW, "created_at": stored.NOW}
        counts = {"matched": 3, "succeeded": 1, "failed": 1}
        of_all = {"statuses": ["failed"], "event_types": None}
        subscription = {"replay_id": self.replay, "subscription_id": self.second}
        log.add(Replay, **subscription, **window, **counts, **of_all)
        database.close()


def told(there, endpoint):
    """The document of this service: its tier's limit, endpoints that answer, ids that exist."""
    described = json.loads(openapi_document("https://api.example.com"))
    for name in ("NewSubscription", "SubscriptionChanges"):
        properties = described["components"]["schemas"][name]["properties"]
        properties["endpoint_url"] = {"type": "string", "enum": [endpoint]}
        properties["entity_ids"]["maxItems"] = PLENTY["entity_ids"]
        # Amazon is not there; tests/api/webhooks/destinations has the requests of queues and buckets
        properties.pop("destination")
    described["components"]["schemas"]["NewSubscription"]["required"].append("endpoint_url")
    path = described["paths"]["/api/v1/webhooks"]["post"]["requestBody"]["content"]["application/json"]
    path["example"]["endpoint_url"] = endpoint
    for field in described["components"]["schemas"]["ReconcileForm"]["properties"].values():
        del field["maxLength"]  # a regex of 128,000 steps takes a third of a run: tests/api/reconcile has long forms
    real = {"id": there.second, "delivery_id": there.delivery, "replay_id": there.replay}
    for path, methods in described["paths"].items():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                if parameter.get("in") == "path" and parameter["name"] in real:
                    parameter["example"] = real[parameter["name"]]
                    if path == "/api/v1/webhooks/{id}":
                        parameter["example"] = there.first
    return described


def fuzz(url, key, folder, described, *arguments):
    """One run. The document is a file to it: of one that it fetched it would leave out the operation that serves it."""
    (folder / "openapi.json").write_text(json.dumps(described))
    command = [
        str(Path(sys.executable).with_name("schemathesis")),
        *("--config-file", str(HERE / "schemathesis.toml")),
        *("run", "openapi.json", "--checks", "all", "--exclude-operation-id", ENDLESS, *arguments),
    ]
    settings = {
        "FIRMDATA_BASE_URL": url,
        "FIRMDATA_API_KEY": key,
        "FIRM_ORIGIN": ORIGIN,
        "FIRM_HOOKS": str(HERE / "schemathesis_hooks.py"),
        # its tables of all characters, which the first run writes and the others read
        "HYPOTHESIS_STORAGE_DIRECTORY": str(folder.parent / "hypothesis"),
    }
    environment = os.environ | settings
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["live", "secret", "public"])
def test_nothing_fails_for_any_kind_of_key(kind, serve, world, endpoint, tmp_path):
    service = serve(world, with_client=False, tiers=TIERS, webhooks=WEBHOOKS)
    there = There(service, tmp_path, endpoint)
    domains = ("app.example.com",) if kind == "public" else ()
    key = service.accounts.create_key("owner@example.com", kind, domains=domains).key
    with Running(service.app) as running:
        described = told(there, endpoint)
        result = fuzz(running.url, key, tmp_path, described, "--phases", PHASES, "--max-examples", EXAMPLES)
    (tmp_path / "told.txt").write_text(result.stdout)
    assert result.returncode == 0, result.stdout[-20000:] + result.stderr[-4000:]
    assert f"{len(OPERATIONS) - 1} selected / {len(OPERATIONS)} total" in result.stdout


class Spoilt:
    """A service that does not keep the word of its document."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send):
        path = scope.get("path", "")

        async def spoil(message):
            if message["type"] == "http.response.start":
                message = message | self._start(path, message)
            elif path == "/api/v1/markets" and message.get("body"):
                message = message | {"body": message["body"].replace(b'"name"', b'"nome"')}
            await send(message)

        headers = {name: value for name, value in scope.get("headers", ()) if name != b"accept-encoding"}
        if path == "/api/v1/usage":  # lets anybody in
            headers[b"authorization"] = self.key
        await self.app(scope | {"headers": [*headers.items()]}, receive, spoil)

    def _start(self, path, message):
        if message["status"] == 405:
            return {"status": 404}
        if path == "/api/v1/companies" and message["status"] == 400:
            return {"status": 200}
        if path == "/api/openapi.json":
            return {"headers": [header for header in message["headers"] if header[0] != b"etag"]}
        return {}


@pytest.mark.slow
def test_it_sees_a_service_that_does_not_keep_its_word(serve, world, tmp_path):
    service = serve(world, with_client=False, tiers=TIERS)
    spoilt = Spoilt(service.app)
    spoilt.key = f"Bearer {service.key}".encode()
    wanted = ("listMarkets", "getUsage", "searchCompanies", "getOpenApi")
    with Running(spoilt) as running:
        chosen = [part for name in wanted for part in ("--include-operation-id", name)]
        described = json.loads(openapi_document("https://api.example.com"))
        result = fuzz(running.url, service.key, tmp_path, described, "--phases", "coverage", *chosen)
    (tmp_path / "told.txt").write_text(result.stdout)
    assert result.returncode == 1, result.stdout + result.stderr
    for failure in FAILURES:
        assert failure in result.stdout, failure

"""`firm doctor`: checks that the installation can run, with advice. Changes nothing."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import httpx
import typer

import connectors
from api.secrets import SecretsError, load_or_create
from api.settings import SettingError as ApiSettingError
from api.webhooks.settings import MailSettings
from api.webhooks.smtp import MailServer, Unreachable
from firm.billing_findings import prices, unpaid
from firm.compose import Installation, environment
from firm.delivery_findings import deliveries
from firm.failures import ERROR
from firm.history_findings import histories
from firm.key_findings import keys
from firm.printing import table
from firm.store_findings import store
from pipelines.registries import registry_http
from pipelines.settings import SettingError, Settings

_LEAST_FREE = 5 * 2**30
_FULL = 64 * 2**20
_CLOCK_SLACK_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check. `state` is ok, warn or bad; `advice` says what to do if not ok."""

    state: str
    what: str
    advice: str = ""


def doctor(
    live: Annotated[bool, typer.Option(help="Also check that every registry can be reached.")] = False,
) -> None:
    """Check settings, keys, disk, clock and, with --live, the reachability of each source."""
    findings = list(_findings(live))
    table(("state", "what", "advice"), [(found.state, found.what, found.advice) for found in findings])
    if any(found.state == "bad" for found in findings):
        raise typer.Exit(ERROR)


def _findings(live: bool) -> Iterator[Finding]:
    given = environment()
    yield from _settings(given, live)
    try:
        installation = Installation.read()
    except ApiSettingError:
        return
    yield _folder(installation.settings.data)
    yield _disk(installation.settings.data)
    yield _secrets(installation)
    yield _mail(installation.settings.mail)
    yield from (Finding(*found) for found in deliveries(installation))
    yield from (Finding(*found) for found in prices(installation.settings))
    yield from (Finding(*found) for found in unpaid(installation))
    yield from (Finding(*found) for found in histories(installation.layout))
    with suppress(SettingError):  # reported above
        yield from (Finding(*found) for found in store(Settings.read(given)))
    asks = live and _has_contact(given)
    yield from _keys(given, asks)
    if asks:
        yield from _sources(given["FIRM_USER_AGENT"])


def _settings(given: dict[str, str], live: bool) -> Iterator[Finding]:
    readings: tuple[tuple[str, Callable[[], object]], ...] = (
        ("settings of the API", Installation.read),
        ("settings of the pipelines", lambda: Settings.read(given)),
    )
    for what, read in readings:
        try:
            read()
        except (ApiSettingError, SettingError) as error:
            yield Finding("bad", what, str(error))
        else:
            yield Finding("ok", what)
    if not _has_contact(given):
        # some registries reject requests without a contact
        state = "bad" if live else "warn"
        advice = "set FIRM_USER_AGENT='name (you@example.com)' before --live"
        yield Finding(state, "contact for registries", advice)


def _has_contact(given: dict[str, str]) -> bool:
    """Whether the User-Agent has a contact address; the default and a bare product name have none."""
    return "@" in given.get("FIRM_USER_AGENT", "")


def _folder(data: Path) -> Finding:
    existing = next(path for path in (data.absolute(), *data.absolute().parents) if path.exists())
    if os.access(existing, os.W_OK):
        return Finding("ok", f"data folder {data}")
    return Finding("bad", f"data folder {data}", f"{existing} cannot be written; choose another FIRM_DATA")


def _disk(data: Path) -> Finding:
    existing = next(path for path in (data.absolute(), *data.absolute().parents) if path.exists())
    free = shutil.disk_usage(existing).free
    what = f"{free / 2**30:.0f} GiB free"
    if free < _FULL:
        return Finding(
            "bad", what, "the disk is full: free space; ingest, usage counting and delivery have stopped"
        )
    return (
        Finding("ok", what)
        if free >= _LEAST_FREE
        else Finding("warn", what, "a full load of two markets needs 5 GiB")
    )


def _secrets(installation: Installation) -> Finding:
    path = installation.settings.secrets_path
    if not path.exists() and not installation.environment.get("FIRM_PEPPER"):
        return Finding("ok", "secrets: will be created on first use")
    try:
        load_or_create(path, installation.environment)
    except SecretsError as error:
        return Finding("bad", "secrets", str(error))
    if path.exists() and path.stat().st_mode & 0o077:
        return Finding("bad", f"secrets in {path} are readable by others", f"chmod 600 {path}")
    return Finding("ok", "secrets")


def _mail(settings: MailSettings) -> Finding:
    """Connects to the mail server, logs in, and quits without sending."""
    if not settings.host:
        return Finding(
            "warn",
            "no mail server",
            "set FIRM_SMTP_HOST: until then notices to owners go to the log, and sign-in links are not sent",
        )
    try:
        asyncio.run(MailServer(settings).probe())
    except Unreachable as error:
        return Finding("bad", "mail server", str(error))
    return Finding("ok", f"mail server {settings.host} works")


def _keys(given: dict[str, str], asks: bool) -> Iterator[Finding]:
    """Checks source credentials, live if `asks`. Invalid settings were reported before."""
    try:
        settings = Settings.read(given)
    except SettingError:
        return
    with registry_http(settings) if asks else nullcontext() as http:
        yield from (Finding(*found) for found in keys(settings.credentials, http))


def _sources(user_agent: str) -> Iterator[Finding]:
    hosts = sorted({dataset.host for country in connectors.JURISDICTIONS for dataset in country.datasets})
    with httpx.Client(timeout=10, trust_env=False, headers={"User-Agent": user_agent}) as client:
        for host in hosts:
            try:
                answer = client.head(f"https://{host}/")
            except httpx.HTTPError as error:
                yield Finding(
                    "bad", host, f"cannot be reached: {type(error).__name__}; check network and proxy"
                )
                continue
            yield Finding("ok", f"{host} answers")
            yield from _clock(host, answer.headers.get("Date"))


def _clock(host: str, date: str | None) -> Iterator[Finding]:
    from email.utils import parsedate_to_datetime

    if date is None:
        return
    apart = abs(time.time() - parsedate_to_datetime(date).timestamp())
    if apart > _CLOCK_SLACK_SECONDS:
        yield Finding(
            "warn",
            f"this clock is {apart:.0f} s off {host}'s",
            "correct the clock; signatures contain its time",
        )

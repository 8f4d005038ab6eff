"""`firm doctor`: checks that the installation can run, with advice. Changes nothing."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import httpx
import typer

import connectors
from api.auth.service_secrets import SecretsError, load_or_create
from api.email.smtp import MailServer, MailServerUnreachableError
from firm.bootstrap import Installation
from firm.cli_errors import ERROR
from firm.console import print_table
from firm.doctor import DoctorFinding
from firm.doctor.billing import price_findings, unpaid_findings
from firm.doctor.first_loads import first_load_findings, out_of_reach_findings
from firm.doctor.ingests import ingest_findings
from firm.doctor.setting_names import misspelt_findings
from firm.doctor.source_credentials import source_key_findings
from firm.doctor.sources import source_findings
from firm.doctor.stores import export_findings, history_findings, object_store_findings
from firm.doctor.webhooks import webhook_findings
from firm.environment import read_environment
from pipelines.sources.live import registry_http
from warehouse.raw.archive import utc_now
from warehouse.settings.errors import SettingError

if TYPE_CHECKING:
    from api.settings.mail import MailSettings
    from pipelines.settings import IngestSettings

_LEAST_FREE = 5 * 2**30
_FULL = 64 * 2**20
_CLOCK_SLACK_SECONDS = 120


def doctor(live: Annotated[bool, typer.Option(help="Also check that every registry can be reached.")] = False) -> None:
    """Check settings, keys, disk, clock and, with --live, the reachability of each source."""
    findings = list(_all_findings(live))
    print_table(("state", "what", "advice"), findings)
    if any(found.state == "bad" for found in findings):
        raise typer.Exit(ERROR)


def _all_findings(live: bool) -> Iterator[DoctorFinding]:
    from pipelines.settings import IngestSettings

    given = read_environment()
    yield from _settings_findings(given, live)
    yield from misspelt_findings(given)
    try:
        installation = Installation.read()
    except SettingError:
        return
    yield _folder_finding(installation.settings.data)
    yield _disk_finding(installation.settings.data)
    yield _secrets_finding(installation)
    yield _mail_finding(installation.settings.mail)
    yield from webhook_findings(installation)
    yield from price_findings(installation.settings)
    yield from unpaid_findings(installation)
    yield from history_findings(installation.layout)
    yield from export_findings(installation.layout)
    yield from ingest_findings(installation.layout, utc_now())
    yield from source_findings(installation.layout, utc_now())
    yield from first_load_findings(installation.layout, utc_now())
    yield from out_of_reach_findings(connectors.JURISDICTIONS)
    asks = live and _has_contact(given)
    with suppress(SettingError):  # reported above
        settings = IngestSettings.read(given)
        yield from object_store_findings(settings)
        yield from _key_findings(settings, asks)
    if asks:
        yield from _source_findings(given["FIRM_USER_AGENT"])


def _settings_findings(given: dict[str, str], live: bool) -> Iterator[DoctorFinding]:
    from firm.demo.settings import SandboxSettings
    from pipelines.settings import IngestSettings

    readings: tuple[tuple[str, Callable[[], object]], ...] = (
        ("settings of the API", Installation.read),
        ("settings of the pipelines", lambda: IngestSettings.read(given)),
        ("settings of the sandbox", lambda: SandboxSettings.read(given)),
    )
    told: set[str] = set()
    for what, read in readings:
        try:
            read()
        except SettingError as error:
            setting = str(error).partition(" ")[0]
            if setting not in told:  # several areas may read one setting
                yield DoctorFinding("bad", what, str(error))
            told.add(setting)
        else:
            yield DoctorFinding("ok", what)
    if not _has_contact(given):
        # some registries reject requests without a contact
        state = "bad" if live else "warn"
        advice = "set FIRM_USER_AGENT='name (you@example.com)' before --live"
        yield DoctorFinding(state, "contact for registries", advice)


def _has_contact(given: dict[str, str]) -> bool:
    """Whether the User-Agent has a contact address; the default and a bare product name have none."""
    return "@" in given.get("FIRM_USER_AGENT", "")


def _folder_finding(data: Path) -> DoctorFinding:
    existing = next(path for path in (data.absolute(), *data.absolute().parents) if path.exists())
    if os.access(existing, os.W_OK):
        return DoctorFinding("ok", f"data folder {data}")
    return DoctorFinding("bad", f"data folder {data}", f"{existing} cannot be written; choose another FIRM_DATA")


def _disk_finding(data: Path) -> DoctorFinding:
    existing = next(path for path in (data.absolute(), *data.absolute().parents) if path.exists())
    free = shutil.disk_usage(existing).free
    what = f"{free / 2**30:.0f} GiB free"
    if free < _FULL:
        return DoctorFinding(
            "bad", what, "the disk is full: free space; ingest, usage counting and delivery have stopped"
        )
    return (
        DoctorFinding("ok", what)
        if free >= _LEAST_FREE
        else DoctorFinding("warn", what, "a full load of two markets needs 5 GiB")
    )


def _secrets_finding(installation: Installation) -> DoctorFinding:
    from api.settings.secrets import SecretSettings

    path = installation.settings.secrets_path
    try:
        if not SecretSettings.read(installation.environment).pepper and not path.exists():
            return DoctorFinding("ok", "secrets: will be created on first use")
        load_or_create(path, installation.environment)
    except (SecretsError, SettingError) as error:
        return DoctorFinding("bad", "secrets", str(error))
    if path.exists() and path.stat().st_mode & 0o077:
        return DoctorFinding("bad", f"secrets in {path} are readable by others", f"chmod 600 {path}")
    return DoctorFinding("ok", "secrets")


def _mail_finding(settings: MailSettings) -> DoctorFinding:
    """Connects to the mail server, logs in, and quits without sending."""
    if not settings.host:
        return DoctorFinding(
            "warn",
            "no mail server",
            "set FIRM_SMTP_HOST: until then notices to owners go to the log, and sign-in links are not sent",
        )
    try:
        asyncio.run(MailServer(settings).probe())
    except MailServerUnreachableError as error:
        return DoctorFinding("bad", "mail server", str(error))
    return DoctorFinding("ok", f"mail server {settings.host} works")


def _key_findings(settings: IngestSettings, asks: bool) -> Iterator[DoctorFinding]:
    """Checks source credentials, live if `asks`."""
    with registry_http(settings) if asks else nullcontext() as http:
        yield from source_key_findings(settings.credentials, http)


def _source_findings(user_agent: str) -> Iterator[DoctorFinding]:
    hosts = sorted({dataset.host for country in connectors.JURISDICTIONS for dataset in country.datasets})
    with httpx.Client(timeout=10, trust_env=False, headers={"User-Agent": user_agent}) as client:
        for host in hosts:
            try:
                answer = client.head(f"https://{host}/")
            except httpx.HTTPError as error:
                yield DoctorFinding("bad", host, f"cannot be reached: {type(error).__name__}; check network and proxy")
                continue
            yield DoctorFinding("ok", f"{host} answers")
            yield from _clock_findings(host, answer.headers.get("Date"))


def _clock_findings(host: str, date: str | None) -> Iterator[DoctorFinding]:
    from email.utils import parsedate_to_datetime

    if date is None:
        return
    apart = abs(time.time() - parsedate_to_datetime(date).timestamp())
    if apart > _CLOCK_SLACK_SECONDS:
        yield DoctorFinding(
            "warn", f"this clock is {apart:.0f} s off {host}'s", "correct the clock; signatures contain its time"
        )

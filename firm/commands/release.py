"""`firm release …`: lists, verifies, rolls back and shares published releases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from api.settings import SettingError as ServiceSettingError
from firm.compose import Installation
from firm.failures import USAGE, explained, fail
from firm.printing import table
from pipelines.settings import SettingError, Settings
from warehouse import manifests
from warehouse.locks import Locked, release_lock
from warehouse.release import Releases, Unsound
from warehouse.remote.address import SETTING as OBJECT_STORE
from warehouse.remote.failures import RemoteFailed

if TYPE_CHECKING:
    from warehouse.remote.releases import SharedReleases

release = typer.Typer(no_args_is_help=True, help="Published releases.")


def _settings() -> Settings:
    """Reads all settings, so that errors in the service's are reported too."""
    return Settings.read(Installation.read().environment)


def _releases() -> Releases:
    """Releases of this machine, shared with others if an object store is set."""
    settings = _settings()
    sharing = None if settings.object_store is None else _shared(settings)
    return Releases(settings.layout, lambda: datetime.now(UTC), settings.keep_releases, sharing=sharing)


def _shared(settings: Settings) -> SharedReleases:
    from warehouse.remote import releases

    if settings.object_store is None:
        fail(f"no object store is configured: set {OBJECT_STORE}=s3://bucket/prefix", USAGE)
    return releases.shared(
        settings.layout, settings.object_store, settings.keep_releases, settings.claim_seconds
    )


@contextmanager
def _told() -> Iterator[None]:
    """Turns expected errors into CLI errors."""
    with explained(SettingError, ServiceSettingError, RemoteFailed, Locked, Unsound):
        yield


@release.command("list")
def list_releases() -> None:
    """List releases on this machine, newest first; the current one is marked."""
    with _told():
        releases = _releases()
        current = releases.current()
    rows = [
        (
            f"{manifest.release}{' *' if current and manifest.release == current.release else ''}",
            f"{manifest.built_at:%Y-%m-%d %H:%M:%S}Z",
            " ".join(f"{code}:{state.state}" for code, state in sorted(manifest.markets.items())),
            str(manifest.last),
            manifest.content_fingerprint[:16],
        )
        for manifest in sorted(releases.list(), key=lambda manifest: -manifest.release)
    ]
    if not rows:
        fail("nothing has been published yet; run: firm ingest --sandbox")
    table(("release", "built", "markets", "last event", "content"), rows)


@release.command()
def verify(
    number: Annotated[int | None, typer.Argument(help="Release; the current one by default.")] = None,
) -> None:
    """Verify a release: row counts, unique keys, fingerprints."""
    with _told():
        releases = _releases()
        current = releases.current()
        chosen = number if number is not None else current.release if current else None
        if chosen is None:
            fail("nothing has been published yet")
        releases.verify(chosen)
    typer.echo(f"release {chosen} is valid")


@release.command()
def rollback(
    number: Annotated[int, typer.Argument(help="Release with the content to serve again.")],
) -> None:
    """Publish the content of an older release under a new number. Events are never taken back."""
    with _told(), explained(LookupError):
        made = _releases().rollback(number)
    typer.echo(f"release {made.release} now serves the content of {number}")


@release.command()
def push() -> None:
    """Upload the current release to the object store again; ingests upload each release they publish."""
    with _told():
        settings = _settings()
        shared = _shared(settings)
        with release_lock(settings.layout):
            shared.fetch()
            served = manifests.current(settings.layout)
            if served is None:
                fail("nothing has been published yet; run: firm ingest --sandbox")
            shared.send_again(served)
    typer.echo(f"release {served.release} is the newest at {settings.object_store}")


@release.command()
def pull() -> None:
    """Fetch the newest release from the object store, as firm serve and firm deliver do automatically."""
    with _told():
        settings = _settings()
        shared = _shared(settings)
        with release_lock(settings.layout):
            number = shared.fetch()
    typer.echo("no newer release" if number is None else f"fetched release {number}")

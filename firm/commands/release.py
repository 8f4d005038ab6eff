"""`firm release …`: lists, verifies, rolls back and shares published releases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from api.settings.env import SettingError as ServiceSettingError
from firm.bootstrap import Installation
from firm.cli_errors import USAGE, exit_on_error, fail
from firm.console import print_table
from pipelines.settings import IngestSettings, PipelineSettingError
from warehouse.publish.publisher import InvalidReleaseError, ReleaseStore
from warehouse.release import manifest as release_manifest
from warehouse.replication.errors import ReplicationError
from warehouse.replication.settings import SETTING as OBJECT_STORE
from warehouse.storage.locks import AlreadyLockedError, release_lock

if TYPE_CHECKING:
    from warehouse.replication.releases import ReplicatedReleases

release = typer.Typer(no_args_is_help=True, help="Published releases.")


def _read_settings() -> IngestSettings:
    """Reads all settings, so that errors in the service's are reported too."""
    return IngestSettings.read(Installation.read().environment)


def _open_releases() -> ReleaseStore:
    """Releases of this machine, shared with others if an object store is set."""
    settings = _read_settings()
    sharing = None if settings.object_store is None else _replicated_releases(settings)
    return ReleaseStore(settings.layout, lambda: datetime.now(UTC), settings.keep_releases, replication=sharing)


def _replicated_releases(settings: IngestSettings) -> ReplicatedReleases:
    from warehouse.replication import releases

    if settings.object_store is None:
        fail(f"no object store is configured: set {OBJECT_STORE}=s3://bucket/prefix", USAGE)
    return releases.replicated_releases(
        settings.layout, settings.object_store, settings.keep_releases, settings.claim_seconds
    )


@contextmanager
def _exit_on_release_errors() -> Iterator[None]:
    """Turns expected errors into CLI errors."""
    with exit_on_error(
        PipelineSettingError, ServiceSettingError, ReplicationError, AlreadyLockedError, InvalidReleaseError
    ):
        yield


@release.command("list")
def list_releases() -> None:
    """List releases on this machine, newest first; the current one is marked."""
    with _exit_on_release_errors():
        releases = _open_releases()
        current = releases.current_manifest()
    rows = [
        (
            f"{manifest.release}{' *' if current and manifest.release == current.release else ''}",
            f"{manifest.built_at:%Y-%m-%d %H:%M:%S}Z",
            " ".join(f"{code}:{state.state}" for code, state in sorted(manifest.markets.items())),
            str(manifest.last),
            manifest.content_fingerprint[:16],
        )
        for manifest in sorted(releases.list_releases(), key=lambda manifest: -manifest.release)
    ]
    if not rows:
        fail("nothing has been published yet; run: firm ingest --sandbox")
    print_table(("release", "built", "markets", "last event", "content"), rows)


@release.command()
def verify_release(
    number: Annotated[int | None, typer.Argument(help="Release; the current one by default.")] = None,
) -> None:
    """Verify a release: row counts, unique keys, fingerprints."""
    with _exit_on_release_errors():
        releases = _open_releases()
        current = releases.current_manifest()
        chosen = number if number is not None else current.release if current else None
        if chosen is None:
            fail("nothing has been published yet")
        releases.verify_release(chosen)
    typer.echo(f"release {chosen} is valid")


@release.command()
def rollback(number: Annotated[int, typer.Argument(help="Release with the content to serve again.")]) -> None:
    """Publish the content of an older release under a new number. Events are never taken back."""
    with _exit_on_release_errors(), exit_on_error(LookupError):
        made = _open_releases().rollback(number)
    typer.echo(f"release {made.release} now serves the content of {number}")


@release.command()
def push() -> None:
    """Upload the current release to the object store again; ingests upload each release they publish."""
    with _exit_on_release_errors():
        settings = _read_settings()
        shared = _replicated_releases(settings)
        with release_lock(settings.layout):
            shared.fetch()
            served = release_manifest.served_manifest(settings.layout)
            if served is None:
                fail("nothing has been published yet; run: firm ingest --sandbox")
            shared.send_again(served)
    typer.echo(f"release {served.release} is the newest at {settings.object_store}")


@release.command()
def pull() -> None:
    """Fetch the newest release from the object store, as firm serve and firm deliver do automatically."""
    with _exit_on_release_errors():
        settings = _read_settings()
        shared = _replicated_releases(settings)
        with release_lock(settings.layout):
            number = shared.fetch()
    typer.echo("no newer release" if number is None else f"fetched release {number}")

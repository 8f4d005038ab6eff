"""`firm release …`: what has been published, whether it is sound, and the way back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer

from api.settings import SettingError
from firm.compose import Installation
from firm.failures import explained, fail
from firm.printing import table
from warehouse.locks import Locked
from warehouse.release import Releases, Unsound

release = typer.Typer(no_args_is_help=True, help="Published releases.")


def _releases() -> Releases:
    return Releases(Installation.read().layout, lambda: datetime.now(UTC))


@release.command("list")
def list_releases() -> None:
    """Releases on this machine, newest first; the current one is marked."""
    with explained(SettingError):
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
    """Read a release through: row counts, unique keys, fingerprints."""
    with explained(SettingError, Unsound):
        releases = _releases()
        current = releases.current()
        chosen = number if number is not None else current.release if current else None
        if chosen is None:
            fail("nothing has been published yet")
        releases.verify(chosen)
    typer.echo(f"release {chosen} is sound")


@release.command()
def rollback(
    number: Annotated[int, typer.Argument(help="Release whose content shall be served again.")],
) -> None:
    """Publish the content of an older release under a new number. Events stay: they are never taken back."""
    with explained(SettingError, Unsound, Locked, LookupError):
        made = _releases().rollback(number)
    typer.echo(f"release {made.release} now serves the content of {number}")

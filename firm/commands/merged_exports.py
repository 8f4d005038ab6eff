"""`firm export --iceberg` and `firm export --postgres`: tables that are kept at the current release.

See docs/lakehouse.md. Does not belong here: exports as files (`release`).
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer
from sqlalchemy.exc import SQLAlchemyError

from firm.cli_errors import exit_on_error, fail
from firm.console import print_table
from warehouse.exports.exports import NoReleaseError
from warehouse.exports.merged.results import MergeProgress, MergeRefusedError, MergeResult, ignore_table
from warehouse.release.manifest import InvalidReleaseError
from warehouse.settings.errors import SettingError
from warehouse.storage.locks import AlreadyLockedError

if TYPE_CHECKING:
    from pipelines.settings import IngestSettings


def export_tables(
    settings: IngestSettings, iceberg: str | None, postgres: str | None, *, rewrite: bool, as_json: bool
) -> None:
    """Brings the tables of the one target that is given to the current release, and prints what was done."""
    report = ignore_table if as_json else _print_table_name
    with exit_on_error(SettingError, NoReleaseError, InvalidReleaseError, AlreadyLockedError, MergeRefusedError):
        if iceberg is not None:
            made = _export_iceberg(settings, iceberg, report, rewrite=rewrite)
        elif postgres is not None:
            made = _export_postgres(settings, postgres, report, rewrite=rewrite)
        else:
            raise ValueError("no target")
    if as_json:
        typer.echo(json.dumps(asdict(made)))
    else:
        _print_result(made)
    if made.kept_by:
        fail(
            f"earlier rows, erased ones among them, are still readable by {', '.join(made.kept_by)}: drop these tags "
            "and branches of another program, and export with --rewrite again; the tables are at the release"
        )


def _export_iceberg(settings: IngestSettings, target: str, report: MergeProgress, *, rewrite: bool) -> MergeResult:
    from pydantic import ValidationError
    from pyiceberg.exceptions import RESTError
    from requests import RequestException

    from warehouse.exports.iceberg.catalogs import IcebergTarget
    from warehouse.exports.iceberg.writer import IcebergWriter

    place = IcebergTarget.parse(
        target, settings.layout, settings.store.client_options, settings.iceberg_catalog, settings.iceberg_token
    )
    try:
        return IcebergWriter(settings.layout, place, settings.keep_iceberg_releases).write(report, rewrite=rewrite)
    except ValidationError as error:  # of an answer, which need not be a catalogue's
        fail(
            f"cannot use the Iceberg catalogue: its answer is no {error.title} of the REST protocol; check that "
            "FIRM_ICEBERG_CATALOG is the address of a catalogue"
        )
    except SQLAlchemyError as error:
        # the cause is the driver's own error, which names host and database and no password
        fail(f"cannot use the Iceberg catalogue: {error.__cause__ or error}; check FIRM_ICEBERG_CATALOG")
    except (RESTError, RequestException) as error:
        fail(
            f"cannot use the Iceberg catalogue: {error}; check FIRM_ICEBERG_CATALOG, FIRM_ICEBERG_TOKEN and "
            "PYICEBERG_CATALOG__FIRMDATA__… (docs/lakehouse.md) and export again"
        )
    except OSError as error:
        fail(
            f"cannot write Iceberg tables to {place.location}: {error}; check the folder or the AWS_… settings and "
            "export again: each table is at the earlier or the new release"
        )


def _export_postgres(settings: IngestSettings, url: str, report: MergeProgress, *, rewrite: bool) -> MergeResult:
    from warehouse.exports.postgresql.writer import PostgresExportError, PostgresWriter

    with exit_on_error(PostgresExportError):
        return PostgresWriter(settings.layout, url).write(report, rewrite=rewrite)


def _print_table_name(table: str) -> None:
    typer.echo(table, err=True)


def _print_result(made: MergeResult) -> None:
    print_table(("table", "rows", "written"), [(one.table, f"{one.rows:,}", f"{one.written:,}") for one in made.tables])
    sys.stdout.write(
        f"release {made.release}, events up to {made.sequence}; {'merged' if made.is_new else 'already there'}\n"
    )

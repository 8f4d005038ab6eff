"""Where Iceberg tables are, which catalogue names them, and how columns follow the data dictionary."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.schema import Schema
from pyiceberg.types import IntegerType, LongType, NestedField, StringType

from tests.bucket import Bucket
from tests.tables import check_cases
from tests.warehouse.lakehouse import assert_same, iceberg_frames, members, release_frames, write_iceberg
from tests.warehouse.world import learn, publish
from warehouse.exports.iceberg import table_schema
from warehouse.exports.iceberg.catalogs import NAME, IcebergTarget, open_catalog
from warehouse.exports.iceberg.writer import IcebergWriter
from warehouse.exports.merged.results import MergeRefusedError
from warehouse.exports.merged.tables import DIGESTS, OWNERS
from warehouse.replication.settings import StoreSettings
from warehouse.schema.types import Column, ColumnKind, Table
from warehouse.settings.errors import SettingError
from warehouse.storage.layout import Layout

LAYOUT = Layout(Path("/data"))


@pytest.fixture(scope="module")
def stored_small(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = Layout(tmp_path_factory.mktemp("stored") / "data")
    learn(layout, "NO", 0, companies=members(1, 2, 3, 4, 5, 6, 7, 8))
    publish(layout, "NO")
    return layout


@pytest.fixture
def small(stored_small: Layout, layout: Layout) -> Layout:
    """The same of the test's own."""
    shutil.copytree(stored_small.root, layout.root)
    return layout


def next_release(layout: Layout, at: int) -> None:
    learn(layout, "NO", at, companies=members(1, 2, 3, 4, 5, 6, 7) + members(8, name=f"Ny {at}"))
    publish(layout, "NO", at=at)


@check_cases(
    "text, location, sqlite_file",
    [
        ("/srv/lake", "file:///srv/lake", "/srv/lake/catalog.sqlite"),
        ("s3://bucket/a/lake/", "s3://bucket/a/lake", "/data/iceberg/bucket-a-lake.sqlite"),
        ("s3://bucket", "s3://bucket", "/data/iceberg/bucket.sqlite"),
    ],
)
def test_target_parse_gives_location_and_catalogue_file(text: str, location: str, sqlite_file: str) -> None:
    found = IcebergTarget.parse(text, LAYOUT, {})
    assert (found.location, str(found.sqlite_file)) == (location, sqlite_file)


@check_cases(
    "text, aws, said",
    [
        ("", {}, "--iceberg must be a folder or s3://bucket/prefix, and is empty"),
        ("gs://bucket/x", {}, "--iceberg must be a folder or s3://bucket/prefix, not 'gs://bucket/x'"),
        ("s3://b", {}, "--iceberg must be a folder or s3://bucket/prefix, not 's3://b'"),
        ("s3://bucket", {"AWS_CA_BUNDLE": "/x.pem"}, "AWS_CA_BUNDLE does not reach Iceberg's files"),
        ("s3://bucket", {"AWS_SSE_KMS_KEY_ID": "x"}, "AWS_SSE_KMS_KEY_ID does not reach Iceberg's files"),
    ],
)
def test_target_parse_refuses(text: str, aws: dict[str, str], said: str) -> None:
    with pytest.raises(SettingError) as error:
        IcebergTarget.parse(text, LAYOUT, aws)
    assert said in str(error.value)


def test_target_hides_secrets() -> None:
    aws = {"AWS_SECRET_ACCESS_KEY": "hidden", "AWS_ENDPOINT_URL": "http://store"}
    target = IcebergTarget.parse("s3://bucket", LAYOUT, aws, "postgresql://u:hidden@h/d", "hidden")
    assert {name: value for name, value in target.store.items() if "timeout" not in name} == {
        "s3.secret-access-key": "hidden",
        "s3.endpoint": "http://store",
        "s3.region": "us-east-1",
    }
    assert "hidden" not in repr(target)


@pytest.mark.slow
def test_tables_in_an_object_store(small: Layout, object_store: Callable[[], Bucket]) -> None:
    bucket = object_store()
    direct = {"AWS_ENDPOINT_URL": "http://{}:{}".format(*bucket.direct)}  # the proxy reads no chunked body
    aws = StoreSettings.read(bucket.environment | direct).client_options
    target = IcebergTarget.parse(f"s3://{bucket.name}/firm/lake", small, aws)
    IcebergWriter(small, target, 30).write()
    next_release(small, 1)
    IcebergWriter(small, target, 30).write()
    with open_catalog(target) as catalog:
        assert_same(iceberg_frames(catalog), release_frames(small))
    assert [key for key in bucket.listed() if key.startswith("lake/companies/data/")]
    IcebergWriter(small, target, 30).write(rewrite=True)
    assert len([key for key in bucket.listed() if key.startswith("lake/companies/data/0")]) == 1


@pytest.mark.slow
def test_catalogue_in_postgresql(small: Layout, tmp_path: Path, postgresql: Callable[..., str]) -> None:
    url = postgresql()
    target = IcebergTarget.parse(str(tmp_path / "lake"), small, {}, url)
    IcebergWriter(small, target, 30).write()
    with open_catalog(target) as catalog:
        assert_same(iceberg_frames(catalog), release_frames(small))
    assert not (tmp_path / "lake" / "catalog.sqlite").exists()
    elsewhere = IcebergTarget.parse(str(tmp_path / "elsewhere"), small, {}, url)
    with pytest.raises(MergeRefusedError, match=r"has firmdata.companies at .*lake/companies, not at .*elsewhere"):
        IcebergWriter(small, elsewhere, 30).write()


def _stored(folder: Path, layout: Layout, *fields: NestedField) -> Any:
    """A catalogue with a table of these fields in the place of `digests`."""
    target = IcebergTarget.parse(str(folder), layout, {})
    catalog = open_catalog(target)
    opened = catalog.__enter__()
    schema = Schema(*fields, identifier_field_ids=[fields[0].field_id])
    stored = opened.create_table((NAME, "digests"), schema, location=f"{target.location}/digests")
    return catalog, stored


_COMPANY = NestedField(1, "company_id", StringType(), required=True)


@pytest.mark.slow
def test_schema_evolution_adds_widens_and_loosens(tmp_path: Path) -> None:
    narrow = NestedField(2, "digest", IntegerType(), required=False)
    gone = NestedField(3, "gone", LongType(), required=True)
    catalog, stored = _stored(tmp_path / "lake", Layout(tmp_path), _COMPANY, narrow, gone)
    new = Column("note", ColumnKind.TEXTS, "a new column")
    table = replace(DIGESTS, columns=(*DIGESTS.columns, new))
    assert table_schema.evolve_schema(stored, table)
    found = {field.name: (str(field.field_type), field.required) for field in stored.schema().fields}
    assert found == {
        "company_id": ("string", True),
        "digest": ("long", False),
        "gone": ("long", False),
        "note": ("list<string>", False),
    }
    assert not table_schema.evolve_schema(stored, table)
    catalog.__exit__(None, None, None)


@pytest.mark.slow
def test_incompatible_schema_is_refused_with_what_to_do(tmp_path: Path) -> None:
    text = NestedField(2, "digest", StringType(), required=False)
    catalog, stored = _stored(tmp_path / "lake", Layout(tmp_path), _COMPANY, text)
    with pytest.raises(MergeRefusedError, match="has digest as string, and the data dictionary has long: drop or"):
        table_schema.evolve_schema(stored, DIGESTS)
    with pytest.raises(MergeRefusedError, match="has no column holder_id, which is part of the key"):
        table_schema.evolve_schema(stored, Table("owners", "", OWNERS.key, OWNERS.columns))
    catalog.__exit__(None, None, None)


@pytest.mark.slow
def test_a_column_that_the_table_lacks_is_filled_for_every_company(small: Layout, tmp_path: Path) -> None:
    lake = tmp_path / "lake"
    write_iceberg(small, lake)
    target = IcebergTarget.parse(str(lake), small, {})
    with open_catalog(target) as catalog:
        stored = catalog.load_table((NAME, "companies"))
        with stored.update_schema() as update:
            update.delete_column("is_listed")
    next_release(small, 1)
    made = write_iceberg(small, lake)
    assert {one.table: one.written for one in made.tables}["companies"] == 8
    with open_catalog(target) as catalog:
        assert_same(iceberg_frames(catalog), release_frames(small))

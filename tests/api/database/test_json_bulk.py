"""Bulk statements over rows in JSON: without rows they do nothing, and a column that JSON cannot carry is an error."""

import pytest
from sqlalchemy import create_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from api.database.json_bulk import insert_statement
from api.database.models.base import Base
from api.database.models.webhooks import Attempt
from api.usage import repository


def test_usage_statements_without_rows_change_nothing():
    with create_engine("sqlite://").begin() as connection:
        Base.metadata.create_all(connection)
        repository.MARK_DAY.run(connection, [])
        assert repository.ADD_COUNTS.run(connection, []) == []
        assert insert_statement(Attempt).run(connection, []) == []


def test_insert_statement_of_a_column_that_json_cannot_carry_raises_type_error():
    class OtherBase(DeclarativeBase):
        """Tables of a database of its own."""

    class Picture(OtherBase):
        __tablename__ = "pictures"
        name: Mapped[str] = mapped_column(primary_key=True)
        body: Mapped[bytes]

    with pytest.raises(TypeError, match="no type for LargeBinary"):
        insert_statement(Picture)

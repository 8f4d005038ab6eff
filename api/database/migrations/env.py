"""Run by Alembic: migrates on the connection that `api.database.migrate` hands over."""

from alembic import context

from api.database.models.base import Base


def run() -> None:
    context.configure(
        connection=context.config.attributes["connection"],
        target_metadata=Base.metadata,
        render_as_batch=True,
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


run()

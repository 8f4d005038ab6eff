"""Destinations of subscriptions beside https endpoints: queues and buckets, with sealed access keys."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_TABLE = "webhook_subscriptions"


def upgrade() -> None:
    op.add_column(_TABLE, sa.Column("destination_kind", sa.String(10), nullable=False, server_default="https"))
    op.add_column(_TABLE, sa.Column("destination", sa.Text(), nullable=True))
    op.add_column(_TABLE, sa.Column("credentials", sa.LargeBinary(), nullable=True))


def downgrade() -> None:
    # the former version would send their events to these URLs by https
    op.execute(
        "UPDATE webhook_subscriptions SET status = 'paused', status_reason = 'manual', revision = revision + 1 "
        "WHERE destination_kind <> 'https' AND status = 'active'"
    )
    for name in ("credentials", "destination", "destination_kind"):
        op.drop_column(_TABLE, name)

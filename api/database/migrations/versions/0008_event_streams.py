"""Open event streams, counted over all processes."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "event_streams",
        sa.Column("stream_id", sa.String(30), nullable=False),
        sa.Column("account_id", sa.String(30), nullable=False),
        sa.Column("holder", sa.String(60), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.account_id"], name="fk_event_streams_account_id"),
        sa.PrimaryKeyConstraint("stream_id", name="pk_event_streams"),
    )
    op.create_index("ix_event_streams_account_id", "event_streams", ["account_id"])


def downgrade() -> None:
    op.drop_table("event_streams")

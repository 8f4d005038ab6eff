"""Secrets between the form that made them and the page that shows them; old days of usage are found by their day."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "shown_once",
        sa.Column("view_id", sa.String(30), nullable=False),
        sa.Column("session_id", sa.String(30), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id"],
            ["dashboard_sessions.session_id"],
            name="fk_shown_once_session_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("view_id", name="pk_shown_once"),
    )
    op.create_index("ix_shown_once_session_id", "shown_once", ["session_id"])
    op.create_index("ix_shown_once_expires_at", "shown_once", ["expires_at"])
    op.create_index("ix_usage_days_day", "usage_days", ["day"])


def downgrade() -> None:
    op.drop_index("ix_usage_days_day", table_name="usage_days")
    op.drop_table("shown_once")

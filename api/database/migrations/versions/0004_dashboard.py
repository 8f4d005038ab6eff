"""Links and sessions of the dashboard; where the counts of each day began."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "sign_in_links",
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("email", sa.String(320), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_sign_in_links"),
    )
    op.create_index("ix_sign_in_links_email", "sign_in_links", ["email"])
    op.create_index("ix_sign_in_links_expires_at", "sign_in_links", ["expires_at"])
    op.create_table(
        "dashboard_sessions",
        sa.Column("session_id", sa.String(30), nullable=False),
        sa.Column("account_id", sa.String(30), nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("browser", sa.String(200), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("session_id", name="pk_dashboard_sessions"),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.account_id"], name="fk_dashboard_sessions_account_id"
        ),
        sa.UniqueConstraint("digest", name="uq_dashboard_sessions_digest"),
    )
    op.create_index("ix_dashboard_sessions_account_id", "dashboard_sessions", ["account_id"])
    op.create_index("ix_dashboard_sessions_expires_at", "dashboard_sessions", ["expires_at"])
    op.create_table(
        "usage_days",
        sa.Column("account_id", sa.String(30), nullable=False),
        sa.Column("day", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("count_before", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "day", name="pk_usage_days"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.account_id"], name="fk_usage_days_account_id"),
    )


def downgrade() -> None:
    op.drop_table("usage_days")
    op.drop_table("dashboard_sessions")
    op.drop_table("sign_in_links")

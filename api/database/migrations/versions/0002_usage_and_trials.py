"""Counted requests per account and month; the end of an account's trial."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "usage",
        sa.Column("account_id", sa.String(30), nullable=False),
        sa.Column("month", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "month", name="pk_usage"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.account_id"], name="fk_usage_account_id"),
        sa.CheckConstraint("count >= 0", name=op.f("ck_usage_count")),
    )
    op.add_column("accounts", sa.Column("trial_ends_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("accounts", "trial_ends_at")
    op.drop_table("usage")

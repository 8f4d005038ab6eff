"""Watchlists: named lists of companies."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "watchlists",
        sa.Column("watchlist_id", sa.String(30), nullable=False),
        sa.Column("account_id", sa.String(30), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("companies", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.account_id"], name="fk_watchlists_account_id"),
        sa.PrimaryKeyConstraint("watchlist_id", name="pk_watchlists"),
    )
    op.create_index("ix_watchlists_account_id", "watchlists", ["account_id"])
    op.create_table(
        "watchlist_companies",
        sa.Column("watchlist_id", sa.String(30), nullable=False),
        sa.Column("company_id", sa.String(40), nullable=False),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["watchlist_id"],
            ["watchlists.watchlist_id"],
            name="fk_watchlist_companies_watchlist_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("watchlist_id", "company_id", name="pk_watchlist_companies"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_watchlist_companies_company_id", "watchlist_companies", ["company_id"])


def downgrade() -> None:
    op.drop_table("watchlist_companies")
    op.drop_table("watchlists")

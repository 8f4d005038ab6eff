"""Accounts and their keys."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("account_id", sa.String(30), nullable=False),
        sa.Column("email", sa.String(320), nullable=False),
        sa.Column("tier", sa.String(20), nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name="pk_accounts"),
        sa.UniqueConstraint("email", name="uq_accounts_email"),
        sa.CheckConstraint(
            "status IN ('active', 'suspended', 'payment_required')", name=op.f("ck_accounts_status")
        ),
    )
    op.create_table(
        "api_keys",
        sa.Column("key_id", sa.String(30), nullable=False),
        sa.Column("account_id", sa.String(30), nullable=False),
        sa.Column("kind", sa.String(10), nullable=False),
        sa.Column("label", sa.String(100), nullable=True),
        sa.Column("shown_prefix", sa.String(20), nullable=False),
        sa.Column("shown_last", sa.String(4), nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("domains", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("key_id", name="pk_api_keys"),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.account_id"], name="fk_api_keys_account_id"),
        sa.UniqueConstraint("digest", name="uq_api_keys_digest"),
        sa.CheckConstraint("kind IN ('live', 'secret', 'public')", name=op.f("ck_api_keys_kind")),
    )
    op.create_index("ix_api_keys_account_id", "api_keys", ["account_id"])


def downgrade() -> None:
    op.drop_table("api_keys")
    op.drop_table("accounts")

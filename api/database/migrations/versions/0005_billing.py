"""Accounts as Stripe knows them; its events that have been acted upon."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "stripe_customers",
        sa.Column("account_id", sa.String(30), nullable=False),
        sa.Column("customer_id", sa.String(255), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("subscription_id", sa.String(255), nullable=True),
        sa.Column("stripe_status", sa.String(40), nullable=True),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.account_id"], name=op.f("fk_stripe_customers_account_id")
        ),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_stripe_customers")),
        sa.UniqueConstraint("customer_id", name=op.f("uq_stripe_customers_customer_id")),
    )
    op.create_table(
        "stripe_events",
        sa.Column("event_id", sa.String(255), nullable=False),
        sa.Column("event_type", sa.String(100), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_stripe_events")),
    )
    op.create_index("ix_stripe_events_received_at", "stripe_events", ["received_at"])


def downgrade() -> None:
    op.drop_table("stripe_events")
    op.drop_table("stripe_customers")

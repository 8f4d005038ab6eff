"""Webhooks: subscriptions, the queue, deliveries and their log; idempotent requests; mail; leases and cursors."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "leases",
        sa.Column("name", sa.String(30), nullable=False),
        sa.Column("holder", sa.String(60), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_leases")),
    )
    op.create_table(
        "ledger_cursors",
        sa.Column("name", sa.String(30), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_ledger_cursors")),
    )
    op.create_table(
        "webhook_attempts",
        sa.Column("delivery_id", sa.String(30), nullable=False),
        sa.Column("attempt_id", sa.String(30), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("trigger", sa.String(10), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("duration_ms", sa.Integer(), nullable=False),
        sa.Column("outcome", sa.String(10), nullable=False),
        sa.Column("error", sa.String(30), nullable=True),
        sa.Column("error_detail", sa.String(500), nullable=True),
        sa.Column("request_url", sa.String(2048), nullable=False),
        sa.Column("remote_ip", sa.String(45), nullable=True),
        sa.Column("response_status", sa.Integer(), nullable=True),
        sa.Column("response_headers", sa.Text(), nullable=True),
        sa.Column("response_body", sa.Text(), nullable=True),
        sa.Column("response_body_truncated", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("delivery_id", "attempt_id", name=op.f("pk_webhook_attempts")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "webhook_events",
        sa.Column("sequence", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("event_id", sa.String(30), nullable=False),
        sa.Column("event_type", sa.String(30), nullable=False),
        sa.Column("company_id", sa.String(40), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("matched_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("sequence", name=op.f("pk_webhook_events")),
        sa.UniqueConstraint("event_id", name=op.f("uq_webhook_events_event_id")),
    )
    op.create_table(
        "idempotent_requests",
        sa.Column("account_id", sa.String(30), nullable=False),
        sa.Column("operation", sa.String(200), nullable=False),
        sa.Column("key", sa.String(255), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(32), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("claimed_by", sa.String(30), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("answer", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.account_id"], name=op.f("fk_idempotent_requests_account_id")
        ),
        sa.PrimaryKeyConstraint("account_id", "operation", "key", name=op.f("pk_idempotent_requests")),
    )
    op.create_index(
        op.f("ix_idempotent_requests_created_at"), "idempotent_requests", ["created_at"], unique=False
    )
    op.create_table(
        "mail_outbox",
        sa.Column("mail_id", sa.String(30), nullable=False),
        sa.Column("occasion", sa.String(120), nullable=False),
        sa.Column("account_id", sa.String(30), nullable=False),
        sa.Column("recipient", sa.String(320), nullable=False),
        sa.Column("subject", sa.String(200), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("next_attempt_at", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.Column("last_error", sa.String(500), nullable=True),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.account_id"], name=op.f("fk_mail_outbox_account_id")
        ),
        sa.PrimaryKeyConstraint("mail_id", name=op.f("pk_mail_outbox")),
        sa.UniqueConstraint("occasion", name=op.f("uq_mail_outbox_occasion")),
    )
    op.create_index(op.f("ix_mail_outbox_account_id"), "mail_outbox", ["account_id"], unique=False)
    op.create_index(
        "ix_mail_outbox_due",
        "mail_outbox",
        ["next_attempt_at"],
        unique=False,
        sqlite_where=sa.text("next_attempt_at IS NOT NULL"),
        postgresql_where=sa.text("next_attempt_at IS NOT NULL"),
    )
    op.create_table(
        "webhook_subscriptions",
        sa.Column("subscription_id", sa.String(30), nullable=False),
        sa.Column("account_id", sa.String(30), nullable=False),
        sa.Column("endpoint_url", sa.String(2048), nullable=False),
        sa.Column("event_types", sa.JSON(), nullable=False),
        sa.Column("event_mask", sa.Integer(), nullable=False),
        sa.Column("all_companies", sa.Boolean(), nullable=False),
        sa.Column("description", sa.String(256), nullable=True),
        sa.Column("max_per_second", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("status_reason", sa.String(20), nullable=True),
        sa.Column("status_changed_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("from_sequence", sa.BigInteger(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("secret_hint", sa.String(20), nullable=False),
        sa.Column("previous_secret", sa.LargeBinary(), nullable=True),
        sa.Column("previous_secret_expires_at", sa.BigInteger(), nullable=True),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("status IN ('active', 'paused')", name=op.f("ck_webhook_subscriptions_status")),
        sa.CheckConstraint(
            "status_reason IN ('manual', 'retries_exhausted', 'tier_downgraded')",
            name=op.f("ck_webhook_subscriptions_status_reason"),
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.account_id"], name=op.f("fk_webhook_subscriptions_account_id")
        ),
        sa.PrimaryKeyConstraint("subscription_id", name=op.f("pk_webhook_subscriptions")),
    )
    op.create_index(
        op.f("ix_webhook_subscriptions_account_id"), "webhook_subscriptions", ["account_id"], unique=False
    )
    op.create_index(
        "ix_webhook_subscriptions_everything",
        "webhook_subscriptions",
        ["subscription_id"],
        unique=False,
        sqlite_where=sa.text("all_companies AND deleted_at IS NULL"),
        postgresql_where=sa.text("all_companies AND deleted_at IS NULL"),
    )
    op.create_table(
        "webhook_companies",
        sa.Column("company_id", sa.String(40), nullable=False),
        sa.Column("subscription_id", sa.String(30), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["subscription_id"],
            ["webhook_subscriptions.subscription_id"],
            name=op.f("fk_webhook_companies_subscription_id"),
        ),
        sa.PrimaryKeyConstraint("company_id", "subscription_id", name=op.f("pk_webhook_companies")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        op.f("ix_webhook_companies_subscription_id"), "webhook_companies", ["subscription_id"], unique=False
    )
    op.create_table(
        "webhook_deliveries",
        sa.Column("subscription_id", sa.String(30), nullable=False),
        sa.Column(
            "delivery_id",
            sa.String(30).with_variant(sa.String(30, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("attempt_count", sa.Integer(), nullable=False),
        sa.Column("next_attempt_at", sa.BigInteger(), nullable=True),
        sa.Column("last_outcome", sa.String(10), nullable=True),
        sa.Column("last_error", sa.String(30), nullable=True),
        sa.Column("last_response_status", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("completed_at", sa.BigInteger(), nullable=True),
        sa.Column("replay_id", sa.String(30), nullable=True),
        sa.CheckConstraint(
            "status IN ('pending', 'retrying', 'succeeded', 'failed', 'held', 'canceled')",
            name=op.f("ck_webhook_deliveries_status"),
        ),
        sa.ForeignKeyConstraint(
            ["subscription_id"],
            ["webhook_subscriptions.subscription_id"],
            name=op.f("fk_webhook_deliveries_subscription_id"),
        ),
        sa.PrimaryKeyConstraint("subscription_id", "delivery_id", name=op.f("pk_webhook_deliveries")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_webhook_deliveries_unsucceeded",
        "webhook_deliveries",
        ["subscription_id", "status", "delivery_id"],
        unique=False,
        sqlite_where=sa.text("status <> 'succeeded'"),
        postgresql_where=sa.text("status <> 'succeeded'"),
    )
    op.create_table(
        "webhook_lanes",
        sa.Column("subscription_id", sa.String(30), nullable=False),
        sa.Column("next_due_at", sa.BigInteger(), nullable=True),
        sa.Column("lessee", sa.String(60), nullable=True),
        sa.Column("leased_until", sa.BigInteger(), nullable=True),
        sa.Column("last_attempt_at", sa.BigInteger(), nullable=True),
        sa.Column("last_success_at", sa.BigInteger(), nullable=True),
        sa.Column("last_failure_at", sa.BigInteger(), nullable=True),
        sa.Column("failing_since", sa.BigInteger(), nullable=True),
        sa.Column("consecutive_failures", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["subscription_id"],
            ["webhook_subscriptions.subscription_id"],
            name=op.f("fk_webhook_lanes_subscription_id"),
        ),
        sa.PrimaryKeyConstraint("subscription_id", name=op.f("pk_webhook_lanes")),
    )
    op.create_index(
        "ix_webhook_lanes_due",
        "webhook_lanes",
        ["next_due_at"],
        unique=False,
        sqlite_where=sa.text("next_due_at IS NOT NULL"),
        postgresql_where=sa.text("next_due_at IS NOT NULL"),
    )
    op.create_table(
        "webhook_replays",
        sa.Column("replay_id", sa.String(30), nullable=False),
        sa.Column("subscription_id", sa.String(30), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("statuses", sa.JSON(), nullable=False),
        sa.Column("event_types", sa.JSON(), nullable=True),
        sa.Column("matched", sa.BigInteger(), nullable=False),
        sa.Column("succeeded", sa.BigInteger(), nullable=False),
        sa.Column("failed", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("completed_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["subscription_id"],
            ["webhook_subscriptions.subscription_id"],
            name=op.f("fk_webhook_replays_subscription_id"),
        ),
        sa.PrimaryKeyConstraint("replay_id", name=op.f("pk_webhook_replays")),
    )
    op.create_index(
        op.f("ix_webhook_replays_subscription_id"), "webhook_replays", ["subscription_id"], unique=False
    )
    op.create_table(
        "webhook_queue",
        sa.Column("subscription_id", sa.String(30), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("attempt_id", sa.String(30), nullable=False),
        sa.Column("delivery_id", sa.String(30), nullable=False),
        sa.Column("trigger", sa.String(10), nullable=False),
        sa.CheckConstraint(
            "\"trigger\" IN ('schedule', 'manual', 'replay')", name=op.f("ck_webhook_queue_trigger")
        ),
        sa.ForeignKeyConstraint(
            ["subscription_id"],
            ["webhook_lanes.subscription_id"],
            name=op.f("fk_webhook_queue_subscription_id"),
        ),
        sa.PrimaryKeyConstraint("subscription_id", "due_at", "attempt_id", name=op.f("pk_webhook_queue")),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_webhook_queue_again",
        "webhook_queue",
        ["subscription_id", "due_at", "attempt_id"],
        sqlite_where=sa.text("substr(attempt_id, 15) <> substr(delivery_id, 15)"),
        postgresql_where=sa.text("substr(attempt_id, 15) <> substr(delivery_id, 15)"),
    )
    op.create_index(
        "ix_webhook_queue_by_hand",
        "webhook_queue",
        ["subscription_id", "due_at", "attempt_id"],
        sqlite_where=sa.text("\"trigger\" = 'manual'"),
        postgresql_where=sa.text("\"trigger\" = 'manual'"),
    )


def downgrade() -> None:
    op.drop_table("webhook_queue")
    op.drop_table("webhook_replays")
    op.drop_table("webhook_lanes")
    op.drop_table("webhook_deliveries")
    op.drop_table("webhook_companies")
    op.drop_table("webhook_subscriptions")
    op.drop_table("mail_outbox")
    op.drop_table("idempotent_requests")
    op.drop_table("webhook_events")
    op.drop_table("webhook_attempts")
    op.drop_table("ledger_cursors")
    op.drop_table("leases")

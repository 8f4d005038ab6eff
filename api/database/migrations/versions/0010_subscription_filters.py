"""Filters of subscriptions, and what they read of events."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_EVERYTHING = "ix_webhook_subscriptions_everything"
_WATCHLIST = "ix_webhook_subscriptions_watchlist_id"
_ALL = sa.text("all_companies AND deleted_at IS NULL")
_UNFILTERED = sa.text("all_companies AND filters IS NULL AND deleted_at IS NULL")
_HAS_WATCHLIST = sa.text("watchlist_id IS NOT NULL")
_FILTERS = (
    ("filters", sa.JSON),
    ("watchlist_id", lambda: sa.String(30)),
    ("filter_countries", sa.Text),
    ("filter_industries", sa.Text),
    ("filter_scheme", lambda: sa.String(20)),
    ("filter_listed", sa.Boolean),
    ("filter_change", sa.Integer),
    ("filter_thresholds", sa.Integer),
    ("filter_fields", sa.Integer),
)
_FACTS = (
    ("industry_code", lambda: sa.String(20)),
    ("industry_scheme", lambda: sa.String(20)),
    ("is_listed", sa.Boolean),
    ("share_change", sa.BigInteger),
    ("thresholds", sa.Integer),
    ("changed_fields", sa.Integer),
)


def upgrade() -> None:
    op.drop_index(_EVERYTHING, table_name="webhook_subscriptions")
    for name, kind in _FILTERS:
        op.add_column("webhook_subscriptions", sa.Column(name, kind(), nullable=True))
    for name, kind in _FACTS:
        op.add_column("webhook_events", sa.Column(name, kind(), nullable=True))
    _partial_index(_EVERYTHING, "subscription_id", _UNFILTERED)
    _partial_index(_WATCHLIST, "watchlist_id", _HAS_WATCHLIST)
    op.create_table(
        "webhook_selectors",
        sa.Column("selector", sa.String(60), nullable=False),
        sa.Column("least_change", sa.Integer(), nullable=False),
        sa.Column("subscription_id", sa.String(30), nullable=False),
        sa.ForeignKeyConstraint(
            ["subscription_id"],
            ["webhook_subscriptions.subscription_id"],
            name="fk_webhook_selectors_subscription_id",
        ),
        sa.PrimaryKeyConstraint("selector", "least_change", "subscription_id", name="pk_webhook_selectors"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_webhook_selectors_subscription_id", "webhook_selectors", ["subscription_id"])


def downgrade() -> None:
    op.drop_table("webhook_selectors")
    op.drop_index(_WATCHLIST, table_name="webhook_subscriptions")
    op.drop_index(_EVERYTHING, table_name="webhook_subscriptions")
    for name, _ in reversed(_FACTS):
        op.drop_column("webhook_events", name)
    for name, _ in reversed(_FILTERS):
        op.drop_column("webhook_subscriptions", name)
    _partial_index(_EVERYTHING, "subscription_id", _ALL)


def _partial_index(name: str, column: str, where: sa.TextClause) -> None:
    op.create_index(name, "webhook_subscriptions", [column], sqlite_where=where, postgresql_where=where)

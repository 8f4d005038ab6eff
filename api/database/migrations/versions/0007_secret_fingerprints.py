"""Fingerprints of the secrets that the data needs, so that a service with others does not start."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "secret_fingerprints",
        sa.Column("name", sa.String(20), nullable=False),
        sa.Column("fingerprint", sa.String(16), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_secret_fingerprints"),
    )


def downgrade() -> None:
    op.drop_table("secret_fingerprints")

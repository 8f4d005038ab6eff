"""Tables of the control plane, as SQLAlchemy models; a test keeps them equal to the migrations.

Every module is imported here: whoever has one table has the metadata of all.
"""

from api.database.models import accounts, watchlists, webhooks

__all__ = ["accounts", "watchlists", "webhooks"]

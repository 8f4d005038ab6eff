"""Migrations of the control-plane database, in order; one that was released is never changed."""

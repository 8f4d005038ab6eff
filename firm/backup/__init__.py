"""Backups of a data root and the control-plane database, and their restore."""

"""ESMA's registers of sanctions, and of suspensions and removals from trading."""

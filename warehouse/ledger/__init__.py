"""The event ledger: append-only segments, numbered by sequence, and their read index."""

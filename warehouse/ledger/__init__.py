"""ledger of warehouse: ledger, read_index."""

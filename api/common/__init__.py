"""What every package of the API may use: clock, ids, addresses, redaction, restarts, shared memory."""

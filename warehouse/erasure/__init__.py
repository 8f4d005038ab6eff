"""erasure of warehouse: event_redaction, files, history, tombstones."""

"""reader of warehouse: leases, open_release, queries, reader, types."""

"""erasure of pipelines: command, create_tombstones, market, raw, suppression."""

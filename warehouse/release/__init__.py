"""release of warehouse.

Holds build, freshness, full_build, incremental_build, manifest, publisher, replication_hook, retention,
run_log, validation.
"""

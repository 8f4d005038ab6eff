"""ingest of pipelines.

Holds batch_ids, crash_recovery, market_lease, market_run, market_workers, parser_pool, report,
resource_errors, run, run_log, sigint, step_results.
"""

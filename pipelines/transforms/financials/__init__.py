"""financials of pipelines.transforms: filing_dedup, periods, statement_diff, versions."""

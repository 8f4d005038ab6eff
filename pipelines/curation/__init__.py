"""curation of pipelines: holder_decisions, unmatched_news."""

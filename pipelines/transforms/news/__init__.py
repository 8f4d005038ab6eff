"""news of pipelines.transforms: dedup, notice_dedup."""

"""ownership of pipelines.transforms.

Holds intermediate_states, line_lineage, observed_statements, owners, survivorship, valid_time.
"""

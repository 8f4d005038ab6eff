"""Finnish company profiles, from the Business Information System: fields and status."""

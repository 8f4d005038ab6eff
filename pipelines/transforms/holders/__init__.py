"""holders of pipelines.transforms: fuzzy_pairs, ids, match_rules, name_features, renewals, resolve."""

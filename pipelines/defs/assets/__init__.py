"""Assets, made by factories from the connectors' declarations: one module per layer.

Keys: `raw/<cc>/<dataset>`, `staged/<cc>/<dataset>`, `<cc>/normalised`, `<cc>/history`, `<cc>/events`,
`release` and `<cc>/export`. All but the last are partitioned by batch (`partitions`). Belongs here:
dependencies, pools, checks that a step carries, metadata. Does not belong here: what a step does (`stages`).
Docs: https://docs.dagster.io/guides/build/assets
"""

"""The way of the data as Dagster assets: thin assets around pure steps, made from declarations.

Belongs here: what runs after what, guards, partitions, pools, schedules, and the pure functions that merge
and compare (`steps`). Does not belong here: formats and mapping of a registry (`connectors`), how anything
is stored or published (`warehouse`), or the name of any country.
"""

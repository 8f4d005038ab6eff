"""The data flow as Dagster assets: thin assets around pure functions, built from the connectors' declarations.

Belongs here: the order of steps, guards, partitions, pools, schedules, and the pure functions that merge and
compare (`transforms`). Does not belong here: formats and mapping of a registry (`connectors`), how anything is
stored or published (`warehouse`), or the name of any country.
"""

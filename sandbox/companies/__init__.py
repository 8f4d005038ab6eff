"""Which companies the world has, and what happens to them: first states, stories, releases.

Belongs here: what all markets share, and a folder for each market's own. Does not belong here: the registries'
formats (`sandbox.<cc>`), which company is cast for which story (`sandbox.world`).
"""

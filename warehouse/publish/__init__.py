"""Building releases: full or incremental, validated, published atomically.

Belongs here: what turns histories into a numbered release (`publisher`). Does not belong here: the manifest that
readers see (`release.manifest`), the layout of the served files (`serving`).
"""

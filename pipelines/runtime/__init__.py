"""What surrounds the steps of a run: batch ids, step results, parser pool, market lease, crash recovery.

Does not belong here: what the steps do (`steps`), or starting a run (`ingest`, `defs`).
"""

"""Where the bodies of an ingest come from: a folder of files, the live registries, streaming feeds."""

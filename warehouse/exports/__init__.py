"""Bulk files of a release: formats, schemas, manifest; written in full or not at all."""

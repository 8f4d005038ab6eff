"""Strict reading of JSON and NDJSON: chunks of a stream, known keys, duplicate keys, msgspec structs."""

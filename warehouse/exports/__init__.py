"""exports of warehouse: exports, manifest, schemas, sinks, writer."""

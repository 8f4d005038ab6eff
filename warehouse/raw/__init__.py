"""raw of warehouse: archive, blobs, stream_spool, types."""

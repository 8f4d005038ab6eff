"""RAW: bodies as received, by SHA-256, one manifest line per fetch; the spool of streams."""

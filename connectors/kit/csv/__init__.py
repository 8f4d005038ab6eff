"""csv of connectors.kit: byte_masks, encoding, fast_quoted, fast_unquoted, reader, rows."""

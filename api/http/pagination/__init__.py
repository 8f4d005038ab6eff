"""Pages of lists: their parameters, signed cursors, and responses."""

"""wires of connectors.news: dataset, fetch."""

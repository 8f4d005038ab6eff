"""contract of connectors: dataset, pieces, shared_folders."""

"""euronext of connectors.no: dataset."""

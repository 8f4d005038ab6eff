"""columns of connectors.kit: isin, parallel, percentages, text."""

"""profile of connectors.no: companies, removals, status."""

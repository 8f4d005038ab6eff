"""profile of connectors.fi: companies, status."""

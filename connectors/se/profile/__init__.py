"""profile of connectors.se: companies, postcodes, provenance, status."""

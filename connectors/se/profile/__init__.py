"""Swedish company profiles, merged from the bulk files and the API: fields, status, provenance."""

"""regnskap of connectors.no: amounts, cursor, dataset, mapping, mass_file, rows, schema."""

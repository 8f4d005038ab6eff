"""ytj of connectors.fi: dataset, rows, schema, stream, structs."""

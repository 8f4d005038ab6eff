"""xbrl of connectors.fi: concepts, dataset, document, fetch, filing_lists, mapping, schema."""

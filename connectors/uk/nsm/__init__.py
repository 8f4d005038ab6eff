"""nsm of connectors.uk: dataset, fetch, news, redact, schema, text, tr1_form, tr1_holdings."""

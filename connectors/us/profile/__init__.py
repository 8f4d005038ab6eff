"""profile of connectors.us: companies, end_filings, end_phrases, group, status, status_evidence."""

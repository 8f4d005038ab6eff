"""oppdateringer of connectors.no: dataset, fetch, filing_dates, pending, rows, schema."""

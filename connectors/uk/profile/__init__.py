"""profile of connectors.uk: companies, industry, insolvency, live, status."""

"""British company profiles, from BasicCompanyData and live resources: fields, status, insolvency."""

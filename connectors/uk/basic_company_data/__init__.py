"""basic_company_data of connectors.uk: dataset, fetch, file_names."""

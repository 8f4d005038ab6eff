"""history of warehouse: company_links, compare, current_records, database, history, scd2, valid_time."""

"""serving of warehouse.

Holds codec_read, codec_write, document_sql, documents_db, id_ranges, name_index, pack_rows, row_sql,
search_columns, search_table, sort_keys.
"""

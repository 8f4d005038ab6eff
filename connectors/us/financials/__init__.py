"""From XBRL facts to figures: concepts, periods, quarters, and versions of one period.

Does not belong here: reading facts (`us.companyfacts`, `us.financial_statement_data_sets`).
"""

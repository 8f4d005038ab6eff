"""GLEIF level 1, «who is who»: LEI records, golden copies and deltas.

Does not belong here: parents (`gleif.level2`), ISINs (`gleif.isin_mapping`).
"""

"""financials of connectors.us.

Holds concepts, derived_quarters, figure_rules, group, latest_values, mapping, model, periods, versions.
"""

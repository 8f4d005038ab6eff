"""esma of connectors.regulators: countries, dataset, sanctions, suspensions."""

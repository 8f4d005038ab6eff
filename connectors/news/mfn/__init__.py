"""mfn of connectors.news: dataset, fetch."""

"""Index of a market's RAW manifests and STAGED batches: what a run asks is answered without reading them again."""

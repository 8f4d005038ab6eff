"""staged of warehouse: snapshots, store, writer."""

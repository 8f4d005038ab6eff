"""SEC EDGAR as the sandbox plays it: files in its formats, HTTP, faults, expected results."""

"""What `firm demo` runs beside the product: a registry, a receiver, a server in the background."""

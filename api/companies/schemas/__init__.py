"""Models of the responses about companies and markets, and of the bodies of deliveries."""

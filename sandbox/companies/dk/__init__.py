"""Danish companies of the world: their state on the first day, their stories."""

"""Finnish companies of the world: vocabulary, their state on the first day, their stories."""

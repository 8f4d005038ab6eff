"""Swedish companies of the world: numbers, vocabulary, their state on the first day, their stories."""

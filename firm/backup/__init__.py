"""backup of firm: create, restore."""

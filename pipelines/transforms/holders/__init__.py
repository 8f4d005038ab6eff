"""Entity resolution among the holders of one company: ids, names, match rules."""

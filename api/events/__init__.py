"""Events of all companies: the resumable list, and the stream of new ones."""

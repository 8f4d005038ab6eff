"""Sweden's weekly bulk files: all organisations, from Bolagsverket (registration) and SCB (statistics).

Sole traders are dropped before a file is stored.
"""

"""Kernel source that is independent of games: random numbers."""

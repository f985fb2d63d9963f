"""Kernel source that needs no game: random numbers."""

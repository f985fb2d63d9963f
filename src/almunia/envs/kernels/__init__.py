"""Kernel source for environments."""

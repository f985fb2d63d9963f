"""Kernel source of environments."""

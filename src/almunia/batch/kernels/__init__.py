"""Kernel source of batches: the entry points on a graphics processor."""

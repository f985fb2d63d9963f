"""Kernel source of searches: ISMCTS and its tree, beams of one seat, and beams of one turn."""

"""Kernel source of searches: ISMCTS and its tree, beams of one seat and of one turn, turn beams in a batch."""

"""Kernel source of searches: the tree and its simulations, the beams of one seat and of one turn, turns in a batch."""

"""Kernel source of many plays: simulations, and traces of every decision."""

"""Kernel source for many plays: simulations, traces of every decision, and benchmarks."""

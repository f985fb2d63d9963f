"""Kernel source of many plays: simulations, traces of every decision, and benchmarks."""

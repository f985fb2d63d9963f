"""Kernel source: loops that play many games, write traces, and repeat one operation for benchmarks."""

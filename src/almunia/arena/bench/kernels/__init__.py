"""Kernel source of benchmarks."""

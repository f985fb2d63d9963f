"""Bots at tables, and hints: computed in threads, from what the seat may know."""

"""Bots at tables, and hints, computed in threads from what a seat may know."""

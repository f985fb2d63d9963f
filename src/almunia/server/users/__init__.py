"""Visitors, with or without an account: names, preferences, profiles, and lists of their games."""

"""The games, one folder each. Adding a folder adds a game."""

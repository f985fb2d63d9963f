"""Puzzles: positions with one good move, which visitors solve; accounts have a rating and a daily streak."""

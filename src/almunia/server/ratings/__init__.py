"""Finished games: their results, the ratings that they change, and statistics of players."""

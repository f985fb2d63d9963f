"""Toy games: games for tests of algorithms, so small that their values are known. One folder each."""

"""Benchmarks: how fast games run (`games`), how fast their search is (`search`), and how much a site bears (`site`)."""

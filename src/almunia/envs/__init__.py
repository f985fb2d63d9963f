"""Games as environments of the frameworks that researchers use: each in a module of its own, each an extra."""

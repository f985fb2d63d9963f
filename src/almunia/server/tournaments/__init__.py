"""Tournaments: pairing of rounds (`pairing`), standings, storage (`repository`) and their course (`service`)."""

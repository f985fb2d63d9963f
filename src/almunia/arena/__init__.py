"""Many plays: simulations, measurements, and matches between bots."""

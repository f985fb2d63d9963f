"""What is left of a game that is over: `results`, the `ratings` that they move, and the `experience` they show."""

"""What a game is: states, luck, twins, plays, records. It knows no game by name."""

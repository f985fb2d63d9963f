"""Friends: players who follow each other, blocked players (`repository`), and challenges (`service`)."""

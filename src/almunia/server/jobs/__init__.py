"""Background jobs: periodic maintenance, hints computed by bot workers, and analyses of finished tables."""

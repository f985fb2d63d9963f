"""Background jobs: periodic maintenance, and hints computed by bot workers."""

"""Coordination of the processes of a site: messages between them, and shared state in the database."""

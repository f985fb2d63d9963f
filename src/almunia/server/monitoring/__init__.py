"""Logs, metrics, and the health of the database."""

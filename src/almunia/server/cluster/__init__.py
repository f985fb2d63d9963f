"""Several processes that serve one site by PostgreSQL: messages, locks, presence. With SQLite, one process serves."""

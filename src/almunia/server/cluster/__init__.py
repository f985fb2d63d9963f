"""Several processes that serve one site: what they tell each other, and what they learn by asking the database."""

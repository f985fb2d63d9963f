"""What a viewer may see of a table (`table_view`), and the pool of processes that render it."""

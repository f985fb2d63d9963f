"""The view of a table for a viewer (`table_view`), and the pool of processes that render it."""

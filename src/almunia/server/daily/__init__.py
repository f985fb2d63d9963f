"""Daily deals: one deal of a game for a day or a week, with at most one ranked attempt for each account."""

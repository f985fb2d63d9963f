"""Daily deals: the same deal for all accounts, one ranked attempt each, secret until it is over."""

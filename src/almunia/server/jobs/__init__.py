"""Jobs that run again and again beside requests, and hints computed by other processes."""

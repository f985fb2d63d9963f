"""Fresh environments: the wheel with one extra alone, in which a framework's own tests run."""

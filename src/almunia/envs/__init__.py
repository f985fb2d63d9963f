"""Games as environments of research frameworks. Each framework has a module and an extra."""

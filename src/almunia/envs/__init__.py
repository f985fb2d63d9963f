"""Games as environments of research frameworks. Each framework has its module and its extra."""

"""Programs that measure Almunia and its peers. README.md lists them."""

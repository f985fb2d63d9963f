"""For those who run a site: `backups`, `health`, `log`, `metrics`, and `upgrades`, what `doctor` says of it."""

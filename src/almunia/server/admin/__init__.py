"""What the commands of administrators do: backups, checks of a site, and moderation."""

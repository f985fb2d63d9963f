"""Administration: backups, checks of a site, and moderation."""

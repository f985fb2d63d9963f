"""Chat at tables and in the lobby, and its moderation."""

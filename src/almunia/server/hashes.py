"""Hashes of content, for entity tags and the addresses of static files."""

from hashlib import sha256


def short_hash(content: bytes) -> str:
    """Return the first 12 hexadecimal digits of a SHA-256 hash."""
    return sha256(content).hexdigest()[:12]

"""Middleware of all requests: security checks, the session cookie, authentication, and access to a private site."""

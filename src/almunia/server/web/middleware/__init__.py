"""Middleware of all requests: limits, origins, the session's cookie, who is signed in, access to a closed site."""

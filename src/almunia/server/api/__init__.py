"""The HTTP API: JSON and server-sent events, described by OpenAPI, for clients with a token.

`app` creates the application and its error responses, `auth` authenticates requests, and `caller` is the guest of a
token. `games`, `tables`, `open_tables`, `play`, `profiles` and `events` have the routes, with the models of `schemas`.
`serializers` and `positions` fill these models with what a viewer may know.
"""

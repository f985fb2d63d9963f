"""The HTTP API: JSON and server-sent events, described by OpenAPI, for clients with a token.

`app` creates the application and its error responses, `auth` authenticates requests, and `caller` has what routes do
at the tables of a token's guest. `games`, `tables`, `open_tables`, `play`, `profiles` and `events` have the routes,
with the models of `schemas`. `serializers` and `positions` fill these with what a viewer may know.
"""

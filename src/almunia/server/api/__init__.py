"""The tables for programs: an interface of JSON and events, described by OpenAPI, for guests' tokens.

`app` puts it together and says what is wrong, `caller` finds out who asks, and `tokens` keeps by what. `games`,
`tables`, `others`, `play` and `events` answer, in the shapes of `models`; `positions` and `facts` fill these from what
a seat may know, and `followers` knows who listens.
"""

"""Tables: a play with its seats, clocks and event log.

`model` defines tables and events, and `repository` reads and writes them. `state` replays the play from the events.
`service` creates tables, plays moves and commits changes; `seats` changes who sits where. `viewer_history` is what one
viewer has seen, and `table_view` what that viewer may know and do, for pages and for the API.
"""

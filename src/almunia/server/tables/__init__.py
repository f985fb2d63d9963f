"""Tables: a play with its seats, clocks and event log. Knows neither HTTP nor HTML.

`model` is what a table consists of, and `repository` reads and writes it; the events are the truth, and `state`
rebuilds the play from them. `service` creates and changes tables; it checks each change, and writes it in one
transaction. `seats` changes who sits where. `viewer_history` is what one viewer has seen, and `table_view` all that a
viewer may know and do, for pages and for the API.
"""
